import { stringifyLarge } from '../../codec/json/large-json.js';
import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';

/** An object as JSON, around the place of its resourceVersion, which only the commit knows. */
export interface PrintedObject {
  readonly before: string;
  readonly after: string;
}

/** In JSON no text can be mistaken for it: a quote inside of a string is written with a backslash. */
const VERSION_FIELD = '"resourceVersion":"@"';

/** Prints an object with room for its resourceVersion. One that is not committed keeps what it has, all of it `before`. */
export function* printObject(object: JsonObject, isCommitted: boolean): Steps<PrintedObject> {
  const metadata = getField(object, 'metadata');
  if (!isCommitted || !isJsonObject(metadata)) return { before: yield* stringifyLarge(object), after: '' };
  const { name, generateName, namespace, uid, resourceVersion: _, ...others } = metadata;
  const start = { name, generateName, namespace, uid, resourceVersion: '@' };
  // The texts before the version have no field of that name, so the first one found is the right one.
  const printed = yield* stringifyLarge({ ...start, ...others });
  const at = printed.indexOf(VERSION_FIELD) + VERSION_FIELD.length - 2;
  let before = '{';
  let after = '';
  for (const field of Object.keys(object)) {
    if (object[field] === undefined) continue;
    const separator = before === '{' ? '' : ',';
    const key = `${separator}${JSON.stringify(field)}:`;
    if (field === 'metadata') {
      before += `${key}${printed.slice(0, at)}`;
      after = printed.slice(at + 1);
    } else if (after === '') before += `${key}${yield* stringifyLarge(object[field])}`;
    else after += `${key}${yield* stringifyLarge(object[field])}`;
    yield;
  }
  return { before, after: `${after}}` };
}

import { equalLarge, stringifyLarge } from '../../codec/json/large-json.js';
import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';

/** An object as JSON, in two parts: its resourceVersion, which the commit assigns, stands between them. */
export interface PrintedObject {
  readonly before: string;
  readonly after: string;
  readonly fields?: PrintedFields | undefined;
}

/**
 * The top-level fields of an object. The text of `metadata` has `"@"` as its resourceVersion. `value` is the text parsed,
 * once it was needed; it is never changed.
 */
export type PrintedFields = ReadonlyMap<string, { readonly text: string; value?: unknown }>;

/** Occurs in no other place of a JSON text: a quote inside a string is escaped by a backslash. */
const VERSION_FIELD = '"resourceVersion":"@"';

/**
 * Prints an object with room for its resourceVersion. One that is not committed keeps its resourceVersion, all of it in
 * `before`. Fields that are equal to those of the state before keep its text.
 */
export function* printObject(
  object: JsonObject,
  isCommitted: boolean,
  previous?: PrintedFields | undefined,
): Steps<PrintedObject> {
  const metadata = getField(object, 'metadata');
  if (!isCommitted || !isJsonObject(metadata)) return { before: yield* stringifyLarge(object), after: '' };
  const { name, generateName, namespace, uid, resourceVersion: _, ...others } = metadata;
  const start = { name, generateName, namespace, uid, resourceVersion: '@' };
  // The texts before the version have no field of that name, so that the first match is the right one.
  const printed = yield* stringifyLarge({ ...start, ...others });
  const at = printed.indexOf(VERSION_FIELD) + VERSION_FIELD.length - 2;
  const fields = new Map<string, { readonly text: string; value?: unknown }>();
  let before = '{';
  let after = '';
  for (const field of Object.keys(object)) {
    const value = object[field];
    if (value === undefined) continue;
    const key = `${before === '{' ? '' : ','}${JSON.stringify(field)}:`;
    if (field === 'metadata') {
      fields.set(field, { text: printed });
      before += `${key}${printed.slice(0, at)}`;
      after = printed.slice(at + 1);
    } else {
      const known = previous?.get(field);
      const isSame = known?.value !== undefined && (yield* equalLarge(known.value, value));
      const same = isSame ? known : { text: yield* stringifyLarge(value) };
      fields.set(field, same);
      if (after === '') before += `${key}${same.text}`;
      else after += `${key}${same.text}`;
    }
    yield;
  }
  return { before, after: `${after}}`, fields };
}

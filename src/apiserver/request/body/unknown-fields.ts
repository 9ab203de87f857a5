import { getField, isJsonObject } from '../../../meta/json-values.js';
import type { Schema } from '../../../resources/schema.js';
import type { Steps } from '../../../time/steps.js';
import type { FieldFaults } from './field-faults.js';

interface Level {
  readonly value: object;
  /** Undefined below values whose fields are not known, as custom resources. */
  readonly schema: Schema | undefined;
  readonly path: string;
}

/** A step after so many values. */
const STEP = 1024;

/**
 * Adds the fields that a schema does not have to `faults`, in the order of the document or, if `sorted`, in that of their
 * names. Returns the number of all members of objects, by which a duplicate key is noticed.
 */
export function* findUnknownFields(
  document: unknown,
  schema: Schema | undefined,
  faults: FieldFaults,
  sorted = false,
): Steps<number> {
  let members = 0;
  let visited = 0;
  const walk = function* ({ value, schema: here, path }: Level): Steps<void> {
    if (++visited % STEP === 0) yield;
    if (Array.isArray(value)) {
      const items = here?.type === 'list' ? here.items : undefined;
      for (const [i, item] of value.entries()) {
        if (isContainer(item)) yield* walk({ value: item, schema: items, path: `${path}[${i}]` });
      }
      return;
    }
    const names = Object.keys(value);
    members += names.length;
    for (const name of sorted ? names.sort() : names) {
      let next: Schema | undefined;
      if (here?.type === 'object') {
        next = here.fields.get(name)?.schema;
        if (next === undefined) faults.unknown(join(path, name));
      } else if (here?.type === 'map') {
        next = here.values;
      }
      const item = getField(value as Record<string, unknown>, name);
      if (isContainer(item)) yield* walk({ value: item, schema: next, path: join(path, name) });
    }
  };
  if (isContainer(document)) yield* walk({ value: document, schema, path: '' });
  return members;
}

function isContainer(value: unknown): value is object {
  return Array.isArray(value) || isJsonObject(value);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

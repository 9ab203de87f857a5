import { fieldDuplicate, fieldInvalid } from '../../../../meta/errors/field-cause.js';
import { getField, isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import type { CauseSteps } from '../../causes.js';
import { fieldOf, type Structural } from '../definition/structural.js';

/** Causes for items of lists with list type `set` or `map` that occur twice: the second of them is reported. */
export function* listTypeCauses(value: unknown, schema: Structural, path = ''): CauseSteps {
  if (typeof value !== 'object' || value === null || !hasListType(schema)) return;
  yield undefined;
  if (Array.isArray(value)) {
    if (schema.listType === 'set') yield* duplicates(value, path);
    else if (schema.listType === 'map') yield* keyCauses(value, schema, path);
    if (schema.items === undefined) return;
    for (const [at, item] of value.entries()) yield* listTypeCauses(item, schema.items, `${path}[${at}]`);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const name of Object.keys(value)) {
    const field = fieldOf(schema, name);
    if (field === undefined) continue;
    const place = schema.properties.has(name) ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;
    yield* listTypeCauses(getField(value, name), field, place);
  }
}

function* keyCauses(items: readonly unknown[], { listMapKeys }: Structural, path: string): CauseSteps {
  const keys: JsonObject[] = [];
  for (const [at, item] of items.entries()) {
    if (at % 256 === 0) yield undefined;
    if (item !== null && !isJsonObject(item)) {
      yield fieldInvalid(`${path}[${at}]`, item, 'must be an object for an array of list-type map');
      return;
    }
    const key: JsonObject = {};
    for (const name of [...listMapKeys].sort()) {
      const value = item === null ? undefined : getField(item, name);
      if (value !== undefined) key[name] = value;
    }
    keys.push(key);
  }
  yield* duplicates(keys, path);
}

function* duplicates(items: readonly unknown[], path: string): CauseSteps {
  const times = new Map<unknown, number>();
  for (const [at, item] of items.entries()) {
    if (at % 256 === 0) yield undefined;
    const key = typeof item === 'object' && item !== null ? ` ${JSON.stringify(sorted(item))}` : scalarKey(item);
    const seen = (times.get(key) ?? 0) + 1;
    times.set(key, seen);
    if (seen === 2) yield fieldDuplicate(`${path}[${at}]`, item);
  }
}

/** A text never equals the JSON of an object. */
function scalarKey(item: unknown): unknown {
  return typeof item === 'string' ? `"${item}` : item;
}

/** The same value with the fields of objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.keys(value)
    .sort()
    .map((name) => [name, sorted(getField(value, name))]);
}

const known = new WeakMap<Structural, boolean>();

/** Whether a schema or one below it has unique lists: most have none, and are not walked. */
function hasListType(schema: Structural): boolean {
  let has = known.get(schema);
  if (has === undefined) {
    has =
      schema.listType === 'set' ||
      schema.listType === 'map' ||
      (schema.items !== undefined && hasListType(schema.items)) ||
      (typeof schema.additionalProperties === 'object' && hasListType(schema.additionalProperties)) ||
      [...schema.properties.values()].some(hasListType);
    known.set(schema, has);
  }
  return has;
}

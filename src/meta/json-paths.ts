import { getField, isJsonObject, type JsonObject, setField } from './json-values.js';

/** The value at a path of field names; undefined if a part of the path is missing. */
export function valueAt(object: JsonObject, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const field of path) {
    if (!isJsonObject(value)) return undefined;
    value = getField(value, field);
  }
  return value;
}

/** Sets the value at a path and creates missing objects on the way. */
export function setValueAt(object: JsonObject, path: readonly string[], value: unknown): void {
  let parent = object;
  for (const field of path.slice(0, -1)) {
    let next = getField(parent, field);
    if (!isJsonObject(next)) setField(parent, field, (next = {}));
    parent = next as JsonObject;
  }
  setField(parent, path.at(-1)!, value);
}

import { getField, isJsonObject, type JsonObject, jsonTypeName, setField } from '../../meta/json-values.js';
import { mutableCopy } from '../../meta/objects.js';
import { malformedPatch } from './patch-errors.js';

/**
 * Applies a JSON merge patch (RFC 7386). The result is a new document; neither argument is changed. A patch that is no
 * object throws a 400 as StatusError.
 *
 * As on the real server, and beyond the RFC, null fields of objects inside arrays are left out too.
 */
export function applyMergePatch(document: JsonObject, patch: unknown): JsonObject {
  if (patch === null) throw malformedPatch('Invalid JSON Patch');
  if (!isJsonObject(patch)) {
    const found = jsonTypeName(patch);
    throw malformedPatch(
      `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    );
  }
  return mergeInto(mutableCopy(document), patch);
}

function mergeInto(target: JsonObject, patch: JsonObject): JsonObject {
  for (const name of Object.keys(patch)) {
    const value = getField(patch, name);
    const current = getField(target, name);
    if (value === null) delete target[name];
    else if (isJsonObject(current) && isJsonObject(value)) mergeInto(current, value);
    else setField(target, name, withoutNulls(value));
  }
  return target;
}

/** A copy without the fields that are null; null elements of arrays stay. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const field = getField(value, name);
    if (field !== null) setField(copy, name, withoutNulls(field));
  }
  return copy;
}

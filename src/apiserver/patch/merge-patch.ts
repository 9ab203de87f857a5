import { isSmall, pieceEnd } from '../../codec/json/large-json.js';
import { getField, isJsonObject, type JsonObject, jsonTypeName, setField } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { malformedPatch } from './patch-errors.js';

/**
 * Applies a JSON merge patch (RFC 7386). The document is changed and returned, and shares values with the patch. A patch
 * that is no object throws 400 as StatusError.
 *
 * As on kube-apiserver, and unlike in the RFC, null fields of objects inside arrays are dropped too.
 */
export function* applyMergePatch(document: JsonObject, patch: unknown): Steps<JsonObject> {
  if (patch === null) throw malformedPatch('Invalid JSON Patch');
  if (!isJsonObject(patch)) {
    const found = jsonTypeName(patch);
    throw malformedPatch(
      `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    );
  }
  return yield* mergeInto(document, patch);
}

function* mergeInto(target: JsonObject, patch: JsonObject): Steps<JsonObject> {
  for (const name of Object.keys(patch)) {
    const value = getField(patch, name);
    const current = getField(target, name);
    if (value === null) delete target[name];
    else if (isJsonObject(current) && isJsonObject(value)) yield* mergeInto(current, value);
    else setField(target, name, yield* withoutNullsInSteps(value));
    yield;
  }
  return target;
}

/** Like {@link withoutNulls}, for values of any size. */
export function* withoutNullsInSteps(value: unknown): Steps<unknown> {
  if (isSmall(value)) return withoutNulls(value);
  yield;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (let at = 0; at < value.length; yield) {
      const end = pieceEnd(value, at);
      if (end === at) items.push(yield* withoutNullsInSteps(value[at]));
      else for (const item of value.slice(at, end)) items.push(withoutNulls(item));
      at = Math.max(end, at + 1);
    }
    return items;
  }
  const copy: JsonObject = {};
  const names = Object.keys(value as JsonObject);
  yield;
  for (const name of names) {
    const field = getField(value as JsonObject, name);
    if (isSmall(field)) {
      if (field !== null) setField(copy, name, withoutNulls(field));
    } else setField(copy, name, yield* withoutNullsInSteps(field));
    yield;
  }
  return copy;
}

/** A copy without the fields that are null; null elements of arrays stay. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const field = getField(value, name);
    if (field !== null) setField(copy, name, withoutNulls(field));
  }
  return copy;
}

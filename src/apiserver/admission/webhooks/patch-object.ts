import { StatusError } from '../../../meta/errors/errors.js';
import { internal } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject, jsonTypeName } from '../../../meta/json-values.js';
import type { Steps } from '../../../time/steps.js';
import { applyJsonPatch } from '../../patch/json-patch.js';
import { apiResource } from '../../resources/registry.js';
import { TypeMismatch } from '../../resources/typed-object.js';
import { typed, unregistered } from '../../resources/typed-resource.js';
import type { VersionedRequest } from '../versioned-request.js';

/** Applies the JSON patch of a webhook to the object of a request, and reads the result as one of its kind. Throws 500. */
export function* patchObject(request: VersionedRequest, operations: unknown): Steps<JsonObject> {
  const { resource, kind } = request;
  const isOwnKind = request.attributes.kind === undefined;
  let patched: unknown;
  try {
    patched = yield* applyJsonPatch(structuredClone(request.object), operations);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw failed(error.cause instanceof Error ? error.cause.message : error.message);
  }
  if (!isJsonObject(patched)) throw failed(`json: cannot unmarshal ${jsonTypeName(patched)} into Go value`);
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const given = { kind: patched['kind'] ?? '', apiVersion: patched['apiVersion'] ?? '' };
  if (resource.isCustom && isOwnKind && given.kind === '') {
    throw failed(`Object 'Kind' is missing in '${JSON.stringify(patched)}'`);
  }
  const isSame = [kind.kind, ''].includes(String(given.kind)) && [apiVersion, ''].includes(String(given.apiVersion));
  if (!isSame) throw failed(unregistered(String(given.kind || kind.kind), String(given.apiVersion || apiVersion)));
  const type = isOwnKind ? resource : apiResource({ ...resource, ...kind, isCustom: false, custom: undefined });
  try {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = patched;
    const read = yield* typed({ kind: kind.kind, apiVersion, ...rest }, type, Number.POSITIVE_INFINITY);
    read['metadata'] ??= {};
    const defaults = isOwnKind ? resource.strategy.defaults(read) : undefined;
    if (defaults !== undefined) yield* defaults;
    return read;
  } catch (error) {
    if (error instanceof TypeMismatch) throw failed(error.message);
    throw error;
  }
}

function failed(why: string): StatusError {
  return new StatusError(internal(why));
}

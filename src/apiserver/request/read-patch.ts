import { StatusError } from '../../meta/errors/errors.js';
import { fieldInvalid } from '../../meta/errors/field-cause.js';
import { badRequest, invalid, unsupportedMediaType } from '../../meta/errors/status.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { patchSchemaOf } from '../patch/built-in-patch-schema.js';
import { applyJsonPatch } from '../patch/json-patch.js';
import { applyMergePatch } from '../patch/merge-patch.js';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.js';
import { readMetadata } from '../resources/object-meta.js';
import type { ApiResource } from '../resources/registry.js';
import { TypeMismatch } from '../resources/typed-object.js';
import type { ApiRequest } from '../wire/exchange.js';
import { type PatchFormat, patchFormat, patchMediaTypes } from '../wire/media-types.js';
import { type BodyLimits, isTooDeep, parseJson, readText, typed } from './request-body.js';

/** The format of a request's patch; throws 415. */
export function patchFormatOf(request: ApiRequest, target: ApiResource): PatchFormat {
  const allowed: PatchFormat[] = target.isCustom ? ['json', 'merge', 'apply'] : ['json', 'merge', 'strategic', 'apply'];
  const format = patchFormat(request.headers['content-type'], allowed);
  if (format !== undefined) return format;
  const status = unsupportedMediaType(patchMediaTypes(allowed));
  // For built-in kinds the router of kube-apiserver answers.
  throw new StatusError(target.isCustom ? status : { ...status, message: '415: Unsupported Media Type', details: {} });
}

/** Reads the patch of a request. Returns a function that applies it to an object of `target`, which it changes. */
export function* readPatch(
  request: ApiRequest,
  target: ApiResource,
  limits: BodyLimits,
): Steps<(old: JsonObject) => Steps<JsonObject>> {
  const format = patchFormatOf(request, target);
  const text = readText(request, limits);
  let parsed: unknown;
  try {
    parsed = yield* parseJson(text, limits);
  } catch (error) {
    const { message } = error as Error;
    throw new StatusError(badRequest(format === 'merge' ? `error decoding patch: ${message}` : message));
  }
  let isUsed = false;
  const schema = format === 'strategic' ? patchSchemaOf(target) : undefined;
  const apply = (old: JsonObject, patch: unknown): Steps<unknown> => {
    if (format === 'merge') return applyMergePatch(old, patch);
    return format === 'strategic' ? applyStrategicMergePatch(old, patch, schema) : applyJsonPatch(old, patch);
  };
  return function* (old) {
    // Values of the patch become part of the object, so that a second attempt has to parse them again.
    const patch = isUsed ? yield* parseJson(text, limits) : parsed;
    isUsed = true;
    const result = yield* apply(old, patch);
    if (!isJsonObject(result)) throw new StatusError(badRequest('the patched document is not an object'));
    if (isTooDeep(result, limits)) throw new StatusError(badRequest('exceeded max depth'));
    // A strategic merge patch cannot change kind and apiVersion: kube-apiserver applies it to the typed object.
    if (format !== 'strategic') checkType(result, target);
    try {
      return yield* typed(result, target, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
      const cause = fieldInvalid('patch', text, error.message);
      throw new StatusError(invalid({ group: '', kind: '' }, '', [cause]), { cause: error });
    }
  };
}

/** Refuses a patch that changes kind or apiVersion. */
function checkType(patched: JsonObject, target: ApiResource): void {
  const field = (['kind', 'apiVersion'] as const).find((name) => patched[name] !== target[name]);
  if (field === undefined) return;
  const { kind, apiVersion } = patched;
  if (target.isCustom) {
    const { name = '' } = readMetadata(patched, target);
    const about = { group: target.group, kind: String(kind ?? '') };
    throw new StatusError(
      invalid(about, name, [fieldInvalid(field, patched[field] ?? '', `must be ${target[field]}`)]),
    );
  }
  const problem = `no kind ${JSON.stringify(kind ?? '')} of ${JSON.stringify(apiVersion ?? '')} can be handled as a ${target.kind}`;
  const cause = fieldInvalid('patch', JSON.stringify(patched), problem);
  throw new StatusError(invalid({ group: '', kind: '' }, '', [cause]));
}

import { StatusError } from '../../../meta/errors/errors.js';
import { fieldInvalid } from '../../../meta/errors/field-cause.js';
import { badRequest, internal, invalid, type Status, unsupportedMediaType } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { type FieldSchema, type Schema, schemaOf } from '../../../resources/schema.js';
import type { Steps } from '../../../time/steps.js';
import { patchSchemaOf } from '../../patch/built-in-patch-schema.js';
import { applyJsonPatch } from '../../patch/json-patch.js';
import { applyMergePatch } from '../../patch/merge-patch.js';
import { applyStrategicMergePatch } from '../../patch/strategic-merge-patch.js';
import type { ApiResource } from '../../resources/registry.js';
import { conversionProblem, TypeMismatch } from '../../resources/typed-object.js';
import { typed, unregistered } from '../../resources/typed-resource.js';
import { type PatchFormat, patchFormat, patchMediaTypes } from '../../wire/media-types.js';
import { printGoMap, printPatched } from '../shape/print-patched.js';
import { FieldFaults, type FieldValidation } from './field-faults.js';
import {
  type BodyLimits,
  type BodySource,
  isTooDeep,
  notAnObject,
  notATypeName,
  parseJson,
  parseStrictly,
  readText,
} from './request-body.js';
import { findUnknownFields } from './unknown-fields.js';

/** The format of a request's patch of a kind; throws 415. */
export function patchFormatOf({ request }: BodySource, kind: ApiResource): PatchFormat {
  const allowed: PatchFormat[] = kind.isCustom ? ['json', 'merge', 'apply'] : ['json', 'merge', 'strategic', 'apply'];
  const format = patchFormat(request.headers['content-type'], allowed);
  if (format !== undefined) return format;
  const status = unsupportedMediaType(patchMediaTypes(allowed));
  // For built-in kinds the router of kube-apiserver answers.
  throw new StatusError(kind.isCustom ? status : { ...status, message: '415: Unsupported Media Type', details: {} });
}

/** A patch whose format is known and whose text has been read; it is parsed when it is applied. */
export interface PatchBody {
  readonly format: Exclude<PatchFormat, 'apply'>;
  readonly text: string;
}

/** Reads the text of a patch. */
export function readPatchBody({ request, context }: BodySource, format: PatchBody['format']): PatchBody {
  return { format, text: readText(request, context.limits) };
}

/**
 * Returns a function that applies a patch to an object of a kind, which it changes. Unknown and duplicate fields are
 * refused or warned of, as `validation` says.
 */
export function patcherOf(
  { context, warnings }: BodySource,
  body: PatchBody,
  kind: ApiResource,
  validation: FieldValidation,
): (old: JsonObject) => Steps<JsonObject> {
  const { limits } = context;
  const { format, text } = body;
  const patchSchema = format === 'strategic' ? patchSchemaOf(kind) : undefined;
  const schema = kind.isCustom ? undefined : schemaOf(kind);
  return function* (old) {
    const faults = new FieldFaults();
    const patch = yield* parsePatch(body, limits, validation, faults);
    const shownPatch = format === 'strategic' && isJsonObject(patch) ? printGoMap(patch) : '';
    let result: unknown;
    if (format === 'merge') result = yield* applyMergePatch(old, patch);
    else if (format === 'strategic') result = yield* applyStrategicMergePatch(old, patch, patchSchema);
    else result = yield* applyJsonPatch(old, patch);
    if (isTooDeep(result, limits)) throw new StatusError(badRequest('exceeded max depth'));
    const refuse = (message: string): Status => {
      const shown = format === 'strategic' ? shownPatch : printPatched(result, format, text, schema);
      return invalid({ group: '', kind: '' }, '', [fieldInvalid('patch', shown, message)]);
    };
    if (!isJsonObject(result)) {
      throw new StatusError(refuse(`couldn't get version/kind; json parse error: ${notAnObject(result)}`));
    }
    // A strategic merge patch cannot change kind and apiVersion: kube-apiserver applies it to the typed object.
    if (format !== 'strategic') checkType(result, kind, refuse, () => printPatched(result, format, text, schema));
    else if (notATypeName(result) !== undefined) {
      const wrong = [result['apiVersion'], result['kind']].find((name) => typeof (name ?? '') !== 'string');
      throw new StatusError(refuse(conversionProblem(wrong, PATCH_TEXT)));
    }
    if (validation !== 'Ignore' && schema !== undefined) yield* findUnknownFields(result, schema, faults, true);
    let object: JsonObject;
    try {
      object = yield* typed(result, kind, Number.POSITIVE_INFINITY, validation === 'Ignore' ? undefined : faults);
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
      const problem = format === 'strategic' ? error.conversion : error.message;
      throw new StatusError(refuse(problem), { cause: error });
    }
    faults.settle(validation, warnings, refuse);
    return object;
  };
}

const PATCH_TEXT: FieldSchema['schema'] = { type: 'string' };
const PATCH_VALUE: FieldSchema['schema'] = { type: 'any', wire: 'json' };

/** The operations of a JSON patch. */
const OPERATIONS: Schema = {
  type: 'list',
  boxed: false,
  items: {
    type: 'object',
    name: 'handlers.jsonPatchOp',
    inlined: [],
    fields: new Map(
      Object.entries({ op: PATCH_TEXT, path: PATCH_TEXT, from: PATCH_TEXT, value: PATCH_VALUE }).map(
        ([name, schema]) => [name, { schema } as FieldSchema],
      ),
    ),
  },
};

function* parsePatch(
  { format, text }: PatchBody,
  limits: BodyLimits,
  validation: FieldValidation,
  faults: FieldFaults,
): Steps<unknown> {
  try {
    if (validation === 'Ignore') return yield* parseJson(text, limits);
    if (format !== 'json') return yield* parseStrictly(text, limits, undefined, faults);
    const inOperations = new FieldFaults();
    const patch = yield* parseStrictly(text, limits, OPERATIONS, inOperations);
    faults.addAll(inOperations, 'json patch ');
    return patch;
  } catch (error) {
    const { message } = error as Error;
    const isPlain = format === 'strategic' || (format === 'json' && validation === 'Ignore');
    throw new StatusError(badRequest(isPlain ? message : `error decoding patch: ${message}`));
  }
}

/**
 * Refuses a patch that changes kind or apiVersion; without them a built-in object keeps its own. The writer refuses a custom
 * resource with others.
 */
function checkType(
  patched: JsonObject,
  kind: ApiResource,
  refuse: (message: string) => Status,
  print: () => string,
): void {
  if (!kind.isCustom) {
    for (const name of ['kind', 'apiVersion'] as const) if ((patched[name] ?? '') === '') patched[name] = kind[name];
  }
  const field = (['kind', 'apiVersion'] as const).find((name) => patched[name] !== kind[name]);
  if (field === undefined) return;
  const problem = notATypeName(patched);
  if (problem !== undefined) throw new StatusError(refuse(`couldn't get version/kind; json parse error: ${problem}`));
  if (kind.isCustom) {
    if ((patched['kind'] ?? '') === '') throw new StatusError(refuse(`Object 'Kind' is missing in '${print()}'`));
    if ((patched['apiVersion'] ?? '') !== '') return;
    throw new StatusError(internal("Object 'apiVersion' is missing in 'object has no apiVersion field'"));
  }
  const { kind: givenKind, apiVersion } = patched;
  throw new StatusError(refuse(unregistered(String(givenKind), String(apiVersion))));
}

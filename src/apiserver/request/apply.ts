import type { YamlAsJson } from '../../codec/yaml/convert-yaml.js';
import { yamlToJson } from '../../codec/yaml/yaml-to-json.js';
import { StatusError } from '../../meta/errors/errors.js';
import { badRequest, conflict, type Status } from '../../meta/errors/status.js';
import { valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject, jsonTypeName } from '../../meta/json-values.js';
import { promptlyInSlices, type Steps } from '../../time/steps.js';
import { applyDocument } from '../managed-fields/apply.js';
import { annotationsAfter, KUBECTL } from '../managed-fields/last-applied.js';
import type { ManagedKind } from '../managed-fields/managed-kind.js';
import { checkType, TypingError } from '../managed-fields/validate.js';
import { metadataOf } from '../resources/object-meta.js';
import type { ApiResource } from '../resources/registry.js';
import { TypeMismatch } from '../resources/typed-object.js';
import { typed } from '../resources/typed-resource.js';
import { type FieldManager, type ManagedFields, managedOf, toManagedFields } from '../resources/write/field-manager.js';
import { FieldFaults, type FieldValidation } from './body/field-faults.js';
import { type BodyLimits, parseJson, readText } from './body/request-body.js';
import { readWriteOptions, type WriteOptions } from './options/request-options.js';
import type { ResourceCall } from './resource-call.js';
import type { Warnings } from './warnings.js';

/** A document to be applied. */
export interface ApplyRequest {
  /** The kind of the document: that of the resource, or of a subresource. */
  readonly resource: ApiResource;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly body: ApplyBody;
  readonly limits: BodyLimits;
  readonly manager: string;
  readonly force: boolean;
  /** What becomes of keys that occur twice. */
  readonly validation: FieldValidation;
  readonly warnings: Warnings;
}

/** The text of a document as JSON, or why it cannot be read. */
type ApplyBody = YamlAsJson | { readonly problem: string };

/** Reads an apply of a kind: that of the resource, or of a subresource. */
export async function readApply(
  call: ResourceCall,
  resource: ApiResource,
): Promise<ApplyRequest & { readonly options: WriteOptions }> {
  const { context, info, request, warnings } = call;
  const text = readText(request, context.limits);
  const options = readWriteOptions(info.query, 'PatchOptions', true);
  const { fieldManager, fieldValidation, force } = options;
  return {
    resource,
    subresource: info.subresource,
    body: await toJson(call, text),
    limits: context.limits,
    manager: fieldManager,
    force,
    validation: fieldValidation,
    warnings,
    options,
  };
}

async function toJson(call: ResourceCall, text: string): Promise<ApplyBody> {
  try {
    // Most clients send JSON, which is YAML too.
    const { clock, limits } = call.context;
    const isJson = /^\s*\{/.test(text) && (await promptlyInSlices(clock, 'request', isJsonText(text, limits)));
    return isJson ? { json: text, duplicates: [] } : await yamlToJson(text);
  } catch (error) {
    return { problem: `error converting YAML to JSON: ${(error as Error).message}` };
  }
}

function* isJsonText(text: string, limits: BodyLimits): Steps<boolean> {
  try {
    yield* parseJson(text, limits);
    return true;
  } catch {
    return false;
  }
}

/** The state of an object after an apply. */
export interface AppliedState {
  readonly object: JsonObject;
  readonly managedFields: ManagedFields;
}

/**
 * Applies the document of a request to the live object; undefined: it is created. Throws a StatusError, in the order of
 * kube-apiserver's checks.
 */
export function* applyTo(
  request: ApplyRequest,
  live: JsonObject | undefined,
  fields: FieldManager,
): Steps<AppliedState> {
  const { resource, subresource, manager, force } = request;
  const kind = fields.kind(resource, subresource);
  const { document, duplicates } = yield* readDocument(request);
  checkKind(document, kind);
  if ((valueAt(document, ['metadata', 'managedFields']) ?? null) !== null) {
    throw new StatusError(badRequest('metadata.managedFields must be nil'));
  }
  yield* checkDocument(document, kind);
  const state = live === undefined ? structuredClone(kind.zero) : withoutManagedFields(live);
  const applied = yield* applyDocument(kind, state, document, managedOf(live), fields.writer(manager), force);
  let object = applied.object ?? state;
  const annotations = manager === KUBECTL ? annotationsAfter(object, document) : undefined;
  if (annotations !== undefined) object = { ...object, metadata: { ...metadataOf(object), annotations } };
  const faults = new FieldFaults();
  faults.addYaml(duplicates);
  faults.settle(request.validation, request.warnings, () => {
    const said = `yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`;
    return badRequest(`error strict decoding YAML: error converting YAML to JSON: ${said}`);
  });
  try {
    // Custom objects have the type of their schema already. Nulls in them are refused later.
    const read = resource.isCustom ? object : yield* typed(object, resource, Number.POSITIVE_INFINITY);
    return { object: read, managedFields: toManagedFields(applied.managed) };
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw unexpected(`failed to convert new object (${describe(document)}) to proper version: ${error.message}`);
  }
}

function* readDocument({ body, limits }: ApplyRequest): Steps<{
  readonly document: JsonObject;
  readonly duplicates: readonly string[];
}> {
  const refuse = (problem: string): StatusError => new StatusError(badRequest(`error decoding YAML: ${problem}`));
  if ('problem' in body) throw refuse(body.problem);
  let value: unknown;
  try {
    value = (yield* parseJson(body.json, limits)) ?? {};
  } catch (error) {
    throw refuse(`error converting YAML to JSON: ${(error as Error).message}`);
  }
  if (isJsonObject(value)) return { document: value, duplicates: body.duplicates };
  const found = `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`;
  throw refuse(`error unmarshaling JSON: while decoding JSON: ${found}`);
}

function checkKind(document: JsonObject, { kind, apiVersion }: ManagedKind): void {
  if (document['kind'] === kind && document['apiVersion'] === apiVersion) return;
  throw new StatusError(badRequest(`invalid object type: ${describeKind(document)}`));
}

function* checkDocument(document: JsonObject, kind: ManagedKind): Steps<void> {
  try {
    yield* checkType(kind.type, document);
  } catch (error) {
    if (!(error instanceof TypingError)) throw error;
    throw unexpected(`failed to create typed patch object (${describe(document)}): ${error.message}`);
  }
}

function withoutManagedFields(live: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = metadataOf(live);
  return { ...live, metadata };
}

function describe(document: JsonObject): string {
  const namespace = text(valueAt(document, ['metadata', 'namespace']));
  return `${namespace}/${text(valueAt(document, ['metadata', 'name']))}; ${describeKind(document)}`;
}

/** A kind as Go prints it: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
function describeKind(document: JsonObject): string {
  const [group, version, ...more] = text(document['apiVersion']).split('/');
  if (more.length > 0) return '/, Kind=';
  const apiVersion = version === undefined ? `/${group}` : `${group}/${version}`;
  return `${apiVersion}, Kind=${text(document['kind'])}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** kube-apiserver answers what it does not expect with a 500 without a reason. */
function unexpected(message: string): StatusError {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 };
  return new StatusError(status);
}

/** Throws 409 if an object that is created by an apply has a uid. */
export function checkNoUid(resource: ApiResource, name: string, object: JsonObject): void {
  const uid = text(valueAt(object, ['metadata', 'uid']));
  if (uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw new StatusError(conflict(resource.groupResource, name, why));
}

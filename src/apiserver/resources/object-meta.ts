import { StatusError } from '../../meta/errors/errors.js';
import { fieldForbidden, fieldInvalid, fieldRequired, fieldTooLong } from '../../meta/errors/field-cause.js';
import { badRequest } from '../../meta/errors/status.js';
import { getField, isJsonObject, type JsonObject, jsonTypeName } from '../../meta/json-values.js';
import { dns1123LabelErrors, labelKeyErrors, labelValueErrors } from '../../meta/names.js';
import type { ObjectMeta, OwnerReference } from '../../meta/objects.js';
import type { CauseSteps } from './causes.js';
import type { ApiResource } from './registry.js';

/** The finalizers of the garbage collector. */
export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', ORPHAN_FINALIZER, FOREGROUND_FINALIZER]);
const ANNOTATIONS_LIMIT = 256 * 1024;

type FieldType =
  | 'string'
  | 'int64'
  | 'map[string]string'
  | '[]string'
  | '[]v1.OwnerReference'
  | '[]v1.ManagedFieldsEntry';

/** The fields of metadata in the order in which they are stored and sent. Unknown fields are dropped. */
const META_FIELDS: readonly (readonly [keyof ObjectMeta, FieldType])[] = [
  ['name', 'string'],
  ['generateName', 'string'],
  ['namespace', 'string'],
  ['uid', 'string'],
  ['resourceVersion', 'string'],
  ['generation', 'int64'],
  ['creationTimestamp', 'string'],
  ['deletionTimestamp', 'string'],
  ['deletionGracePeriodSeconds', 'int64'],
  ['labels', 'map[string]string'],
  ['annotations', 'map[string]string'],
  ['ownerReferences', '[]v1.OwnerReference'],
  ['finalizers', '[]string'],
  ['managedFields', '[]v1.ManagedFieldsEntry'],
];

/** A new object: what of it is its metadata, known to be well formed. */
export function metadataOf(object: JsonObject): ObjectMeta {
  return object['metadata'] as ObjectMeta;
}

/**
 * Reads the metadata of an object from a request: the known fields, without empty ones, in their order. Throws 400 for a
 * field of a wrong type, with the message of kube-apiserver's decoder.
 */
export function readMetadata(object: JsonObject, resource: ApiResource): ObjectMeta {
  const given = getField(object, 'metadata') ?? {};
  if (!isJsonObject(given)) {
    throw undecodable(
      resource,
      `${jsonTypeName(given)} into Go struct field ${resource.kind}.metadata of type v1.ObjectMeta`,
    );
  }
  const metadata: Record<string, unknown> = {};
  for (const [field, type] of META_FIELDS) {
    const value = getField(given, field);
    if (value === undefined || value === null) continue;
    // Once per field: the keys of a large map take long to list.
    const names = isJsonObject(value) ? Object.keys(value) : undefined;
    const mismatch = typeMismatch(value, type, names);
    if (mismatch !== undefined) {
      throw undecodable(
        resource,
        `${mismatch.found} into Go struct field ObjectMeta.metadata.${field} of type ${mismatch.wanted}`,
      );
    }
    // An empty list of managedFields is not the same as none: it removes all entries.
    if (!isEmpty(value, names) || field === 'managedFields') metadata[field] = value;
  }
  return metadata as ObjectMeta;
}

/** Metadata with its fields in order, without undefined ones. */
export function orderedMetadata(metadata: ObjectMeta): ObjectMeta {
  const ordered: Record<string, unknown> = {};
  for (const [field] of META_FIELDS) if (metadata[field] !== undefined) ordered[field] = metadata[field];
  return ordered as ObjectMeta;
}

function undecodable(resource: ApiResource, what: string): StatusError {
  const { kind, version } = resource;
  const message = `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: json: cannot unmarshal ${what}`;
  return new StatusError(badRequest(message));
}

function typeMismatch(
  value: unknown,
  type: FieldType,
  names: readonly string[] | undefined,
): { found: string; wanted: string } | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? undefined : { found: jsonTypeName(value), wanted: type };
    case 'int64':
      return Number.isSafeInteger(value) ? undefined : { found: jsonTypeName(value), wanted: type };
    case 'map[string]string': {
      if (!isJsonObject(value)) return { found: jsonTypeName(value), wanted: type };
      const wrong = names?.find((key) => typeof value[key] !== 'string');
      return wrong === undefined ? undefined : { found: jsonTypeName(value[wrong]), wanted: 'string' };
    }
    case '[]string': {
      if (!Array.isArray(value)) return { found: jsonTypeName(value), wanted: type };
      const wrong = value.findIndex((item) => typeof item !== 'string');
      return wrong < 0 ? undefined : { found: jsonTypeName(value[wrong]), wanted: 'string' };
    }
    case '[]v1.OwnerReference':
    case '[]v1.ManagedFieldsEntry': {
      if (!Array.isArray(value)) return { found: jsonTypeName(value), wanted: type };
      const wrong = value.find((item) => !isJsonObject(item));
      return wrong === undefined ? undefined : { found: jsonTypeName(wrong), wanted: type.slice(2) };
    }
  }
}

function isEmpty(value: unknown, names: readonly string[] | undefined): boolean {
  if (value === '' || value === 0) return true;
  return names?.length === 0 || (Array.isArray(value) && value.length === 0);
}

/** What the rules of metadata depend on. */
type NamedKind = Pick<ApiResource, 'group' | 'namespaced' | 'isCustom'> & {
  readonly strategy: Pick<ApiResource['strategy'], 'nameErrors'>;
};

/** Causes for invalid metadata. */
export function* metadataCauses(metadata: ObjectMeta, resource: NamedKind): CauseSteps {
  const { name, generateName, namespace, generation, labels, annotations, ownerReferences, finalizers } = metadata;
  const { nameErrors } = resource.strategy;
  if (generateName !== undefined) {
    // generateName may end in a dash, since a suffix follows.
    const stem = generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
    for (const error of nameErrors(stem)) yield fieldInvalid('metadata.generateName', generateName, error);
  }
  if (name === undefined) yield fieldRequired('metadata.name', 'name or generateName is required');
  else for (const error of nameErrors(name)) yield fieldInvalid('metadata.name', name, error);
  if (!resource.namespaced && namespace !== undefined) {
    yield fieldForbidden('metadata.namespace', 'not allowed on this type');
  } else if (resource.namespaced) {
    for (const error of dns1123LabelErrors(namespace ?? '')) {
      yield fieldInvalid('metadata.namespace', namespace, error);
    }
  }
  if (generation !== undefined && generation < 0) {
    yield fieldInvalid('metadata.generation', generation, 'must be greater than or equal to 0');
  }
  yield undefined;
  for (const key of Object.keys(labels ?? {})) {
    const value = labels![key]!;
    for (const error of labelKeyErrors(key)) yield fieldInvalid('metadata.labels', key, error);
    for (const error of labelValueErrors(value)) yield fieldInvalid('metadata.labels', value, error);
    yield undefined;
  }
  yield* annotationCauses(annotations ?? {});
  yield* ownerCauses(ownerReferences ?? []);
  // Definitions have a finalizer without a path themselves.
  yield* finalizerCauses(finalizers ?? [], resource.isCustom || resource.group === 'apiextensions.k8s.io');
}

function* annotationCauses(annotations: Readonly<Record<string, string>>): CauseSteps {
  let size = 0;
  for (const key of Object.keys(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(annotations[key]!);
    for (const error of labelKeyErrors(key.toLowerCase())) yield fieldInvalid('metadata.annotations', key, error);
    yield undefined;
  }
  if (size > ANNOTATIONS_LIMIT) yield fieldTooLong('metadata.annotations', ANNOTATIONS_LIMIT);
}

function* ownerCauses(owners: readonly Partial<OwnerReference>[]): CauseSteps {
  const field = 'metadata.ownerReferences';
  let controller: string | undefined;
  for (const owner of owners) {
    // `a/b/c` is no group and version either.
    if (!owner.apiVersion || owner.apiVersion.split('/').length > 2) {
      yield fieldInvalid(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty');
    }
    for (const name of ['kind', 'name', 'uid'] as const) {
      if (!owner[name]) yield fieldInvalid(`${field}.${name}`, owner[name] ?? '', 'must not be empty');
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event') {
      yield fieldInvalid(field, owner, '/v1, Kind=Event is disallowed from being an owner');
    }
    yield undefined;
    if (owner.controller !== true) continue;
    const current = `${owner.kind}/${owner.name}`;
    if (controller !== undefined) {
      const found = `Found "true" in references for ${controller} and ${current}`;
      yield fieldInvalid(field, owners, `Only one reference can have Controller set to true. ${found}`);
    }
    controller ??= current;
  }
}

function* finalizerCauses(finalizers: readonly string[], isCustom: boolean): CauseSteps {
  const field = 'metadata.finalizers';
  for (const name of finalizers) {
    for (const error of labelKeyErrors(name)) yield fieldInvalid(field, name, error);
    yield undefined;
  }
  if (finalizers.includes(ORPHAN_FINALIZER) && finalizers.includes(FOREGROUND_FINALIZER)) {
    const both = `finalizer ${ORPHAN_FINALIZER} and ${FOREGROUND_FINALIZER} cannot be both set`;
    yield fieldInvalid(field, finalizers, both);
  }
  if (isCustom) return;
  for (const [index, name] of finalizers.entries()) {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) continue;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    yield fieldInvalid(`${field}[${index}]`, name, detail);
  }
}

/** Causes for changes of immutable metadata. */
export function* metadataUpdateCauses(metadata: ObjectMeta, old: ObjectMeta): CauseSteps {
  if (old.deletionTimestamp !== undefined) {
    const known = new Set(old.finalizers);
    const added = (metadata.finalizers ?? []).filter((name) => !known.has(name)).sort();
    if (added.length > 0) {
      const shown = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
      const rule = 'no new finalizers can be added if the object is being deleted';
      yield fieldForbidden('metadata.finalizers', `${rule}, found new finalizers ${shown}`);
    }
  }
  for (const field of ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (metadata[field] !== old[field]) {
      yield fieldInvalid(`metadata.${field}`, metadata[field] ?? null, 'field is immutable');
    }
  }
}

import { StatusError } from '../../meta/errors.js';
import { fieldForbidden, fieldInvalid, fieldRequired, fieldTooLong } from '../../meta/field-cause.js';
import { getField, isJsonObject, type JsonObject, jsonTypeName } from '../../meta/json-values.js';
import { dns1123LabelErrors, labelKeyErrors, labelValueErrors } from '../../meta/names.js';
import type { ObjectMeta, OwnerReference } from '../../meta/objects.js';
import { badRequest, type StatusCause } from '../../meta/status.js';
import type { ApiResource } from './registry.js';

/** What the finalizers that the garbage collector knows are called. */
export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', ORPHAN_FINALIZER, FOREGROUND_FINALIZER]);
const ANNOTATIONS_LIMIT = 256 * 1024;

type FieldType = 'string' | 'int64' | 'map[string]string' | '[]string' | '[]v1.OwnerReference';

/**
 * The fields of metadata in the order in which they are stored and sent. Others are dropped, as on any typed server;
 * so are managedFields, which this server does not keep.
 */
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
];

/** A new object: what of it is its metadata, known to be well formed. */
export function metadataOf(object: JsonObject): ObjectMeta {
  return object['metadata'] as ObjectMeta;
}

/**
 * Reads the metadata of an object that came from outside: the known fields with the right types, empty ones left out,
 * in the order they are sent in. Throws a 400 that names the field in the words of a real server's decoder.
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
    const mismatch = typeMismatch(value, type);
    if (mismatch !== undefined) {
      throw undecodable(
        resource,
        `${mismatch.found} into Go struct field ObjectMeta.metadata.${field} of type ${mismatch.wanted}`,
      );
    }
    if (!isEmpty(value)) metadata[field] = value;
  }
  return metadata as ObjectMeta;
}

/** Fields in their order; what is undefined is left out. */
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

function typeMismatch(value: unknown, type: FieldType): { found: string; wanted: string } | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? undefined : { found: jsonTypeName(value), wanted: type };
    case 'int64':
      return Number.isSafeInteger(value) ? undefined : { found: jsonTypeName(value), wanted: type };
    case 'map[string]string': {
      if (!isJsonObject(value)) return { found: jsonTypeName(value), wanted: type };
      const wrong = Object.keys(value).find((key) => typeof value[key] !== 'string');
      return wrong === undefined ? undefined : { found: jsonTypeName(value[wrong]), wanted: 'string' };
    }
    case '[]string': {
      if (!Array.isArray(value)) return { found: jsonTypeName(value), wanted: type };
      const wrong = value.findIndex((item) => typeof item !== 'string');
      return wrong < 0 ? undefined : { found: jsonTypeName(value[wrong]), wanted: 'string' };
    }
    case '[]v1.OwnerReference': {
      if (!Array.isArray(value)) return { found: jsonTypeName(value), wanted: type };
      const wrong = value.find((item) => !isJsonObject(item));
      return wrong === undefined ? undefined : { found: jsonTypeName(wrong), wanted: 'v1.OwnerReference' };
    }
  }
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  return (Array.isArray(value) ? value : Object.keys(value)).length === 0;
}

/** What is wrong with the metadata of an object to be stored. */
export function metadataCauses(metadata: ObjectMeta, resource: ApiResource): StatusCause[] {
  const causes: StatusCause[] = [];
  const { name, generateName, namespace, labels, annotations, ownerReferences, finalizers } = metadata;
  const { nameErrors } = resource.strategy;
  if (generateName !== undefined) {
    // What ends in a dash is fine: something will follow it.
    const stem = generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
    for (const error of nameErrors(stem)) causes.push(fieldInvalid('metadata.generateName', generateName, error));
  }
  if (name === undefined) causes.push(fieldRequired('metadata.name', 'name or generateName is required'));
  else for (const error of nameErrors(name)) causes.push(fieldInvalid('metadata.name', name, error));
  if (!resource.namespaced && namespace !== undefined) {
    causes.push(fieldForbidden('metadata.namespace', 'not allowed on this type'));
  } else if (resource.namespaced) {
    for (const error of dns1123LabelErrors(namespace ?? '')) {
      causes.push(fieldInvalid('metadata.namespace', namespace, error));
    }
  }
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const error of labelKeyErrors(key)) causes.push(fieldInvalid('metadata.labels', key, error));
    for (const error of labelValueErrors(value)) causes.push(fieldInvalid('metadata.labels', value, error));
  }
  causes.push(...annotationCauses(annotations ?? {}));
  causes.push(...ownerCauses(ownerReferences ?? []));
  causes.push(...finalizerCauses(finalizers ?? [], resource.isCustom));
  return causes;
}

function annotationCauses(annotations: Readonly<Record<string, string>>): StatusCause[] {
  const causes: StatusCause[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const error of labelKeyErrors(key.toLowerCase())) {
      causes.push(fieldInvalid('metadata.annotations', key, error));
    }
  }
  if (size > ANNOTATIONS_LIMIT) causes.push(fieldTooLong('metadata.annotations', ANNOTATIONS_LIMIT));
  return causes;
}

function ownerCauses(owners: readonly Partial<OwnerReference>[]): StatusCause[] {
  const causes: StatusCause[] = [];
  const field = 'metadata.ownerReferences';
  let controller: string | undefined;
  for (const owner of owners) {
    if (!owner.apiVersion) {
      causes.push(fieldInvalid(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'));
    }
    for (const name of ['kind', 'name', 'uid'] as const) {
      if (!owner[name]) causes.push(fieldInvalid(`${field}.${name}`, owner[name] ?? '', 'must not be empty'));
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event') {
      causes.push(fieldInvalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner.controller !== true) continue;
    const current = `${owner.kind}/${owner.name}`;
    if (controller !== undefined) {
      const found = `Found "true" in references for ${controller} and ${current}`;
      causes.push(fieldInvalid(field, owners, `Only one reference can have Controller set to true. ${found}`));
    }
    controller ??= current;
  }
  return causes;
}

function finalizerCauses(finalizers: readonly string[], isCustom: boolean): StatusCause[] {
  const field = 'metadata.finalizers';
  const causes = finalizers.flatMap((name) => labelKeyErrors(name).map((error) => fieldInvalid(field, name, error)));
  if (finalizers.includes(ORPHAN_FINALIZER) && finalizers.includes(FOREGROUND_FINALIZER)) {
    const both = `finalizer ${ORPHAN_FINALIZER} and ${FOREGROUND_FINALIZER} cannot be both set`;
    causes.push(fieldInvalid(field, finalizers, both));
  }
  if (isCustom) return causes;
  finalizers.forEach((name, index) => {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    causes.push(fieldInvalid(`${field}[${index}]`, name, detail));
  });
  return causes;
}

/** What is wrong with an update, by what it may not change. */
export function metadataUpdateCauses(metadata: ObjectMeta, old: ObjectMeta): StatusCause[] {
  const causes: StatusCause[] = [];
  if (old.deletionTimestamp !== undefined) {
    const added = (metadata.finalizers ?? []).filter((name) => !old.finalizers?.includes(name)).sort();
    if (added.length > 0) {
      const shown = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
      const rule = 'no new finalizers can be added if the object is being deleted';
      causes.push(fieldForbidden('metadata.finalizers', `${rule}, found new finalizers ${shown}`));
    }
  }
  for (const field of ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (metadata[field] !== old[field]) {
      causes.push(fieldInvalid(`metadata.${field}`, metadata[field] ?? null, 'field is immutable'));
    }
  }
  return causes;
}

import { StatusError } from '../../../meta/errors/errors.js';
import { fieldInvalid } from '../../../meta/errors/field-cause.js';
import { badRequest, conflict, invalid, type Status } from '../../../meta/errors/status.js';
import type { JsonObject } from '../../../meta/json-values.js';
import type { ObjectMeta } from '../../../meta/objects.js';
import type { GroupResource } from '../../../meta/resource.js';
import type { Revision } from '../../storage/storage.js';
import type { ApiResource } from '../registry.js';
import type { Deletion } from './object-writer.js';

export const NAMESPACES: GroupResource = { group: '', resource: 'namespaces' };

/** Whether the resource is that of Namespaces. */
export function isNamespaces(resource: ApiResource): boolean {
  return resource.group === NAMESPACES.group && resource.resource === NAMESPACES.resource;
}

/** Throws 400 if the namespace of an object that was sent is not the one in the path. */
export function checkNamespace(resource: ApiResource, namespace: string, metadata: ObjectMeta): void {
  if (!resource.namespaced || metadata.namespace === undefined || metadata.namespace === namespace) return;
  const message = 'the namespace of the provided object does not match the namespace sent on the request';
  throw new StatusError(badRequest(message));
}

/** Throws 422 for a custom resource of another kind or version; the bodies of built-in kinds are checked when they are read. */
export function checkType(resource: ApiResource, object: JsonObject, name: string): void {
  const field = (['kind', 'apiVersion'] as const).find(
    (field) => (object[field] ?? resource[field]) !== resource[field],
  );
  if (field === undefined || !resource.isCustom) return;
  const { kind = resource.kind, apiVersion = resource.apiVersion } = object;
  const about = { group: String(apiVersion).replace(/\/?[^/]*$/, ''), kind: String(kind) };
  throw new StatusError(invalid(about, name, [fieldInvalid(field, object[field], `must be ${resource[field]}`)]));
}

/** Throws 409 or 422 for the resourceVersion of an update. */
export function checkVersion(resource: ApiResource, name: string, metadata: ObjectMeta, old: ObjectMeta): void {
  // `0` is the same as none.
  if (metadata.resourceVersion === '0') delete metadata.resourceVersion;
  if (metadata.resourceVersion === undefined && !resource.strategy.unconditionalUpdate) {
    const cause = fieldInvalid('metadata.resourceVersion', 0, 'must be specified for an update');
    throw new StatusError(invalid({ group: resource.group, kind: resource.resource }, name, [cause]));
  }
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== old.resourceVersion) {
    checkVersionText(metadata.resourceVersion);
    throw new StatusError(conflict(resource.groupResource, name));
  }
}

/** Why a write with another uid is refused. */
export function uidMismatch(resource: ApiResource, metadata: ObjectMeta, asked: string): string {
  const key = ['/registry', resource.resource, metadata.namespace, metadata.name].filter((part) => part).join('/');
  const mismatch = `Precondition failed: UID in precondition: ${asked}, UID in object meta: ${metadata.uid}`;
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${mismatch}`;
}

/** Throws 409 for a deletion of another object, or of another state of it. */
export function checkPreconditions(resource: ApiResource, existing: Revision, { preconditions }: Deletion): void {
  const kind = { group: resource.group, resource: resource.kind };
  const version = String(existing.version);
  if (preconditions.uid !== undefined && preconditions.uid !== existing.uid) {
    const mismatch = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${existing.uid})`;
    const why = `${mismatch}. The object might have been deleted and then recreated`;
    throw new StatusError(conflict(kind, existing.name, why));
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== version) {
    const asked = `the ResourceVersion in the precondition (${preconditions.resourceVersion})`;
    const why = `${asked} does not match the ResourceVersion in record (${version}). The object might have been modified`;
    throw new StatusError(conflict(kind, existing.name, why));
  }
}

/** kube-apiserver answers 500 here too. */
export const versionOnCreate: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'resourceVersion should not be set on objects to be created',
  code: 500,
};

/** Throws 500 for a resourceVersion that is no number. */
export function checkVersionText(version: string): void {
  if (/^\d+$/.test(version)) return;
  const message = `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`;
  throw new StatusError({ ...versionOnCreate, message });
}

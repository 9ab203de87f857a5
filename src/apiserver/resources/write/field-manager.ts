import type { JsonObject } from '../../../meta/json-values.js';
import type { ManagedFieldsEntry } from '../../../meta/objects.js';
import { schemaOf } from '../../../resources/schema.js';
import type { Steps } from '../../../time/steps.js';
import { typeOfCustomKind } from '../../managed-fields/custom-type.js';
import { isReset, type Managed, printEntries, sentEntries, storedEntries } from '../../managed-fields/entries.js';
import { type Fields, isSameSet } from '../../managed-fields/fields.js';
import type { ManagedKind, ManagedVersion, Writer } from '../../managed-fields/managed-kind.js';
import { DEDUCED, typeOfKind } from '../../managed-fields/owned-type.js';
import { resetFieldsOf } from '../../managed-fields/reset-fields.js';
import { managedByScale, managedOfScale, type ReplicasPath } from '../../managed-fields/scale-fields.js';
import { trackUpdate } from '../../managed-fields/track-update.js';
import { UnidentifiedItem } from '../../managed-fields/typed-value.js';
import { TypingError } from '../../managed-fields/validate.js';
import { metadataOf } from '../object-meta.js';
import { type ApiResource, hasSubresource, type Registry } from '../registry.js';
import { replicasPath } from '../subresources.js';
import { zeroOf } from '../typed-object.js';

/** `metadata.managedFields`. */
export type ManagedFields = readonly ManagedFieldsEntry[] | undefined;

/**
 * The managedFields that an object has after a write. `live` is the state before, undefined if the object is created; `next`
 * the new one, with its defaults, before the strategy of its kind changes it.
 */
export type Track = (live: JsonObject | undefined, next: JsonObject) => Steps<ManagedFields> | ManagedFields;

/** Knows the kinds of all resources as far as their managed fields are concerned. */
export class FieldManager {
  readonly #registry: Registry;
  readonly #timestamp: () => string;
  readonly #versions = new WeakMap<ApiResource, ManagedVersion>();
  readonly #kinds = new WeakMap<ApiResource, Map<string, ManagedKind>>();

  constructor(registry: Registry, timestamp: () => string) {
    this.#registry = registry;
    this.#timestamp = timestamp;
  }

  /** A manager that writes now. */
  writer(manager: string): Writer {
    return { manager, time: this.#timestamp() };
  }

  /** The tracking of a write that is no apply. */
  update(
    resource: ApiResource,
    subresource: string,
    manager: string,
  ): (live: JsonObject | undefined, next: JsonObject) => Steps<ManagedFields> {
    const kind = this.kind(resource, subresource);
    return (live, next) => trackWrite(kind, live, next, this.writer(manager));
  }

  /** The managedFields that the Scale of an object has while it is written. */
  ofScale(resource: ApiResource, live: JsonObject): ManagedFields {
    return toManagedFields(managedOfScale(managedOf(live), this.#replicasPath(resource)));
  }

  /** The managedFields of an object after its Scale was written, with those of the Scale. */
  *afterScale(resource: ApiResource, live: JsonObject, scale: ManagedFields): Steps<ManagedFields> {
    const [parent, path] = [managedOf(live), this.#replicasPath(resource)];
    return toManagedFields(yield* managedByScale(parent, storedEntries(scale), path, resource.apiVersion));
  }

  #replicasPath(resource: ApiResource): ReplicasPath {
    return (apiVersion) => {
      const version = this.#registry.findVersion(resource, apiVersion);
      if (version === undefined) return undefined;
      return hasSubresource(version, 'scale') ? replicasPath(version) : 'none';
    };
  }

  /** A resource as a kind with managed fields. */
  kind(resource: ApiResource, subresource: string): ManagedKind {
    let kinds = this.#kinds.get(resource);
    if (kinds === undefined) this.#kinds.set(resource, (kinds = new Map()));
    let kind = kinds.get(subresource);
    if (kind === undefined) kinds.set(subresource, (kind = this.#makeKind(resource, subresource)));
    return kind;
  }

  #makeKind(resource: ApiResource, subresource: string): ManagedKind {
    const { kind, apiVersion, isCustom } = resource;
    const own = this.#versionOf(resource);
    const schema = isCustom ? undefined : schemaOf(resource);
    const zero = schema === undefined ? {} : (zeroOf(schema) as JsonObject);
    return {
      kind,
      apiVersion,
      subresource,
      isCustom,
      type: own.type,
      resets: resetFieldsOf(resource, subresource, hasSubresource(resource, 'status')),
      zero: { ...zero, kind, apiVersion },
      version: (wanted) => (wanted === apiVersion ? own : this.#otherVersion(resource, wanted)),
    };
  }

  #otherVersion(resource: ApiResource, apiVersion: string): ManagedVersion | undefined {
    const version = this.#registry.findVersion(resource, apiVersion);
    return version && this.#versionOf(version);
  }

  #versionOf(resource: ApiResource): ManagedVersion {
    let version = this.#versions.get(resource);
    if (version === undefined) {
      const custom = resource.custom?.schema.json;
      const type = resource.isCustom ? typeOfCustomKind(custom) : (typeOfKind(resource) ?? DEDUCED);
      this.#versions.set(resource, (version = { type, convert: this.#converter(resource) }));
    }
    return version;
  }

  #converter(to: ApiResource): (object: JsonObject) => JsonObject {
    return (object) => {
      const { apiVersion } = object;
      if (apiVersion === to.apiVersion) return object;
      const from = this.#registry.findVersion(to, String(apiVersion));
      // Conversions may change their argument.
      const copy = structuredClone(object);
      const stored = from?.conversion === undefined ? copy : from.conversion.toStorage(copy);
      return to.conversion === undefined ? stored : to.conversion.fromStorage(stored);
    };
  }
}

function* trackWrite(
  kind: ManagedKind,
  live: JsonObject | undefined,
  next: JsonObject,
  writer: Writer,
): Steps<ManagedFields> {
  const sent = metadataOf(next).managedFields;
  const managed = yield* startingPoint(kind, live, sent);
  // An object whose managers were removed is not tracked before it is applied.
  if (managed.size === 0 && live !== undefined) return undefined;
  try {
    return toManagedFields(yield* trackUpdate(kind, live ?? kind.zero, next, managed, writer));
  } catch (error) {
    // A write does not fail because its fields cannot be tracked.
    if (error instanceof TypingError || error instanceof UnidentifiedItem) return undefined;
    throw error;
  }
}

/** The managers before a write: those that the client sent if they are valid, otherwise those of the live object. */
function* startingPoint(kind: ManagedKind, live: JsonObject | undefined, sent: ManagedFields): Steps<Managed> {
  const stored = live === undefined ? undefined : metadataOf(live).managedFields;
  // For a custom resource an empty list is the same as none.
  if (kind.subresource !== '' || sent === undefined || (kind.isCustom && sent.length === 0))
    return storedEntries(stored);
  if (isReset(sent)) return new Map();
  // Most clients send back what they have read.
  const isSame = (yield* isSameButTimes(sent, stored)) && sent.every(({ time }, at) => time === stored![at]!.time);
  return (isSame ? undefined : yield* sentEntries(sent)) ?? storedEntries(stored);
}

/** The managers of a stored object. */
export function managedOf(live: JsonObject | undefined): Managed {
  return storedEntries(live === undefined ? undefined : metadataOf(live).managedFields);
}

/** Managers as `metadata.managedFields`. */
export function toManagedFields(managed: Managed): ManagedFields {
  return printEntries(managed) as ManagedFields;
}

/** Whether two states of managedFields differ in times at most. */
export function* isSameButTimes(a: ManagedFields, b: ManagedFields): Steps<boolean> {
  if (a === undefined || b === undefined || a.length !== b.length) return a === b;
  for (const [at, one] of a.entries()) {
    const other = b[at]!;
    const isSame =
      one.manager === other.manager &&
      one.operation === other.operation &&
      one.apiVersion === other.apiVersion &&
      one.subresource === other.subresource &&
      (yield* isSameSet(one.fieldsV1 as Fields, other.fieldsV1 as Fields));
    if (!isSame) return false;
  }
  return true;
}

/** What is wrong with managedFields that a webhook has changed; undefined if they are valid. */
export function* managedFieldsProblem(managedFields: ManagedFields): Steps<string | undefined> {
  for (const { operation, apiVersion, fieldsType, fieldsV1 } of managedFields ?? []) {
    if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`';
    if (fieldsType !== 'FieldsV1') return 'fieldsType must be `FieldsV1`';
    if (!apiVersion) return 'apiVersion must be set';
    if ((yield* sentEntries([{ operation, apiVersion, fieldsType, fieldsV1 }])) === undefined)
      return 'invalid fieldsV1';
  }
  return undefined;
}

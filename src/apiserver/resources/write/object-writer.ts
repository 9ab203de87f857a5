import { isDeepStrictEqual } from 'node:util';
import { copyLarge, equalLarge, PIECE } from '../../../codec/json/large-json.js';
import { StatusError } from '../../../meta/errors/errors.js';
import { alreadyExists, conflict, forbidden, invalid, notFound } from '../../../meta/errors/status.js';
import { valueAt } from '../../../meta/json-paths.js';
import type { JsonObject } from '../../../meta/json-values.js';
import type { ManagedFieldsEntry, ObjectMeta } from '../../../meta/objects.js';
import type { GroupVersionKind } from '../../../meta/resource.js';
import { type Undo, undoOnce } from '../../../meta/undo.js';
import { schemaOf } from '../../../resources/schema.js';
import type { Clock } from '../../../time/clock.js';
import { randomUid } from '../../../time/random-uid.js';
import { type Steps, withoutPauses } from '../../../time/steps.js';
import { timestamp } from '../../../time/timestamps.js';
import { printObject } from '../../storage/printed-object.js';
import { type Draft, keyOf, Revision, UNCOMMITTED } from '../../storage/storage.js';
import { type Admission, DEFAULT_PLUGINS, type Origin } from '../admission.js';
import { collectCauses } from '../causes.js';
import { type ClusterContext, clusterFor } from '../cluster.js';
import { objectIn, prepareRevisions } from '../conversions.js';
import {
  FOREGROUND_FINALIZER,
  metadataCauses,
  metadataOf,
  metadataUpdateCauses,
  ORPHAN_FINALIZER,
  orderedMetadata,
  readMetadata,
} from '../object-meta.js';
import { type ApiResource, hasSubresource, type Registry } from '../registry.js';
import { type Strategy, selectedFields, type Warn } from '../strategy.js';
import { zeroOf } from '../typed-object.js';
import { type RequestPart, WriteAdmission } from './admitted-write.js';
import { FieldManager, isSameButTimes, type Track } from './field-manager.js';
import {
  checkNamespace,
  checkPreconditions,
  checkType,
  checkVersion,
  checkVersionText,
  isNamespaces,
  NAMESPACES,
  uidMismatch,
  versionOnCreate,
} from './write-checks.js';

/** The result of a write: the stored state or, in a dry run, the one that would be stored. */
export interface Written {
  readonly revision: Revision;
  /** Whether the object was created. */
  readonly isNew: boolean;
}

/** The result of a deletion. */
export interface Deleted {
  /** The last state if the object is gone, with its own resourceVersion; otherwise the terminating one. */
  readonly revision: Revision;
  readonly isGone: boolean;
}

/** The parts of an update. */
export interface Update {
  /**
   * Returns the new state. It may change `old`, which is a copy, and may throw a StatusError. Called again if another write
   * was committed first.
   */
  readonly change: (old: JsonObject) => JsonObject | Steps<JsonObject>;
  /** Combines both states for a subresource that writes a part of the object, such as `status`. @default the whole object is written */
  readonly merge?: ((old: JsonObject, next: JsonObject) => JsonObject) | undefined;
  /** The subresource that is written, such as `status`. @default the whole object is written */
  readonly subresource?: string | undefined;
  /** The object to create if there is none, for kinds that a PUT can create. */
  readonly create?: (() => JsonObject | Steps<JsonObject>) | undefined;
  /** Whether an object of any kind is created if there is none. */
  readonly alwaysCreates?: boolean | undefined;
  /** The managedFields of the new state. @default those of the old one */
  readonly track?: Track | undefined;
  /** Called with the warnings about the new state. */
  readonly warn?: Warn | undefined;
  /** Throws a StatusError to refuse the new state. Without `old` the object is created. */
  readonly check?: ((next: JsonObject, old: JsonObject | undefined) => void) | undefined;
  /** Whether the update leaves `metadata.generation` as it is. */
  readonly keepsGeneration?: boolean | undefined;
  /** Whether another uid in the new state is a 409 (PUT) or an invalid change (PATCH). */
  readonly checksUid?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** The request that writes: webhooks, policies and quota decide about it. @default no request: they are not asked */
  readonly by?: Origin | undefined;
  /**
   * The kind that admission sees instead of the object, for a subresource with a kind of its own, such as `scale`. `change` has
   * mutating webhooks called for it.
   */
  readonly view?: { readonly kind: GroupVersionKind; of(object: JsonObject): JsonObject } | undefined;
}

/** How an object is created. */
export type Creation = Pick<Update, 'track' | 'warn' | 'dryRun' | 'by'>;

/** The characters of generated names: without vowels, so that they form no words. */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const NAME_SUFFIX_LENGTH = 5;
const GENERATED_NAME_LIMIT = 63;
const NAME_ATTEMPTS = 8;

/** The latest time that a Kubernetes timestamp can represent. */
const LAST_MOMENT_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

/** What the server sets, whatever was sent. */
const SYSTEM_FIELDS = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

const IMMORTAL_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

const ADMIT_ALL: Admission = {
  plugins: new Set(DEFAULT_PLUGINS),
  mutate: () => undefined,
  validate: () => undefined,
};

/** The options of a deletion. */
export interface Deletion {
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly dryRun: boolean;
  /** The request that deletes. @default no request: webhooks and policies are not asked */
  readonly by?: Origin | undefined;
  /** Whether the object is deleted as one of a collection: admission does not get its name then. */
  readonly inCollection?: boolean | undefined;
  /** Called with the warnings of webhooks. */
  readonly warn?: Warn | undefined;
}

/**
 * Creates, updates and deletes objects by the rules of all objects and of their kind. Requests and the server's own
 * controllers write through it, so that the same rules hold for both.
 *
 * Each write works in steps, since objects may be large, and other writes may come in between. The step that commits checks
 * that the revision it started from is still the latest; if not, the write starts over.
 */
export class ObjectWriter {
  readonly #clock: Clock;
  readonly #registry: Registry;
  readonly #admitted: WriteAdmission;
  readonly #cluster: ClusterContext;
  /** Tracks which manager has set which field. */
  readonly fields: FieldManager;

  /** @param admission decides about the writes that come from requests */
  constructor(clock: Clock, registry: Registry, admission: Admission = ADMIT_ALL) {
    this.#clock = clock;
    this.#registry = registry;
    this.#admitted = new WriteAdmission(admission);
    this.#cluster = { registry, plugins: admission.plugins, randomName: (stem) => this.#randomName(stem) };
    this.fields = new FieldManager(registry, () => this.timestamp());
  }

  /** The current time plus `inMs`, as a Kubernetes timestamp. */
  timestamp(inMs = 0): string {
    return timestamp(this.#clock.now() + inMs);
  }

  /** Creates an object. The caller must not use `object` afterwards. */
  *create(
    resource: ApiResource,
    namespace: string,
    object: JsonObject,
    { track, warn = ignore, dryRun = false, by }: Creation = {},
  ): Steps<Written> {
    const given = readMetadata(object, resource);
    checkNamespace(resource, namespace, given);
    this.#checkOpen(resource, namespace, given.name ?? '');
    checkType(resource, object, given.name ?? '');
    for (const field of SYSTEM_FIELDS) delete given[field];
    if (resource.namespaced) given.namespace = namespace;
    else delete given.namespace;

    let next: JsonObject = { ...object, metadata: orderedMetadata(given) };
    const { strategy } = resource;
    yield* setDefaults(strategy, next);
    yield* setManagedFields(next, track, undefined);
    // There is no generated name yet.
    let cluster = clusterFor(this.#cluster, resource, given.name ?? given.generateName ?? 'Unknown');
    strategy.admit(next, undefined, cluster);
    const request: RequestPart = { operation: 'CREATE', resource, subresource: '', old: undefined, dryRun, warn };
    const place = { namespace, name: given.name ?? '' };
    const mutation = this.#admitted.mutate({ ...request, ...place, object: next }, by, cluster);
    if (mutation !== undefined) {
      next = (yield* mutation)!;
      checkNamespace(resource, namespace, metadataOf(next));
    }
    const metadata = metadataOf(next);
    const { resourceVersion } = metadata;
    if (resource.namespaced) metadata.namespace = namespace;
    metadata.uid = randomUid(this.#clock);
    metadata.creationTimestamp = this.timestamp();
    if (!dryRun) delete metadata.resourceVersion;
    if (strategy.generation !== 'none') metadata.generation = 1;
    if (metadata.name === undefined && metadata.generateName !== undefined) {
      metadata.name = this.#generateName(resource, namespace, metadata.generateName);
    }
    if (metadata.name !== given.name) cluster = clusterFor(this.#cluster, resource, metadata.name ?? '');
    using _reservation = this.#allocate(resource, next, undefined);
    if (hasSubresource(resource, 'status') && !strategy.createsStatus) delete next['status'];
    strategy.prepareCreate(next);
    if (next['status'] === undefined) fillStatus(resource, next);
    strategy.canonicalize(next, undefined);
    next['metadata'] = orderedMetadata(metadataOf(next));
    const causes = yield* collectCauses(
      metadataCauses(metadataOf(next), resource),
      strategy.causes(next, undefined, '', warn),
    );
    if (causes.length > 0) throw new StatusError(invalid(validatedKind(resource), metadata.name ?? '', causes));
    for (const text of strategy.warnings(next, undefined)) warn(text);
    strategy.approve(next, undefined, cluster);
    const name = metadata.name!;
    const validation = this.#admitted.validate({ ...request, namespace, name, object: next }, by);
    if (validation !== undefined) yield* validation;
    // Only a positive number counts as a resourceVersion here, as on kube-apiserver.
    if (!dryRun && /^\d*[1-9]\d*$/.test(resourceVersion ?? '')) throw new StatusError(versionOnCreate);
    const draft = yield* this.#draft(resource, next, dryRun);
    this.#checkOpen(resource, namespace, name);
    const existing = resource.collection.get(keyOf(namespace, name));
    if (existing !== undefined) {
      const status = alreadyExists(resource.groupResource, name);
      if (existing.isTerminating) status.message = `object is being deleted: ${status.message}`;
      throw new StatusError(status);
    }
    return { revision: commit(resource, draft, dryRun), isNew: true };
  }

  /** Updates an object, or creates it if `update.create` and its kind allow that. */
  *update(resource: ApiResource, namespace: string, name: string, update: Update): Steps<Written> {
    return yield* untilFirst(resource, keyOf(namespace, name), (existing) => {
      if (existing !== undefined) return this.#updateFrom(existing, resource, namespace, update);
      const creates = resource.strategy.createOnUpdate || update.alwaysCreates === true;
      if (update.create === undefined || !creates) throw new StatusError(notFound(resource.groupResource, name));
      return this.#createByUpdate(resource, namespace, name, update);
    });
  }

  /** Returns undefined if another write was committed first. */
  *#updateFrom(
    existing: Revision,
    resource: ApiResource,
    namespace: string,
    update: Update,
  ): Steps<Written | undefined> {
    const old = yield* this.#fromStorage(resource, existing);
    const change = update.change((yield* copyLarge(old)) as JsonObject);
    const changed = isSteps(change) ? yield* change : change;
    update.check?.(changed, old);
    const size = existing.line.length;
    let reservation: Undo | undefined;
    using _reservation = undoOnce(() => reservation?.());
    const next = yield* this.#prepareUpdate(resource, namespace, old, changed, update, size, (object) => {
      reservation = this.#allocate(resource, object, old);
    });
    if ((yield* isUnchanged(next, old, size)) && !(yield* this.#isStale(resource, existing))) {
      return { revision: existing, isNew: false };
    }

    const metadata = metadataOf(next);
    const isLast =
      existing.isTerminating &&
      (metadata.finalizers ?? []).length === 0 &&
      !metadataOf(old).deletionGracePeriodSeconds &&
      resource.strategy.termination?.isHeld(next) !== true;
    if (isLast) {
      // The answer to the removal of the last finalizer is the sent state, which is never stored.
      const answer = new Revision('MODIFIED', UNCOMMITTED, yield* this.#draft(resource, next, true), undefined);
      if (resource.collection.get(existing.key) !== existing) return undefined;
      if (update.dryRun !== true) resource.collection.remove(existing.key);
      return { revision: answer, isNew: false };
    }
    const draft = yield* this.#draft(resource, next, update.dryRun, existing);
    if (resource.collection.get(existing.key) !== existing) return undefined;
    return { revision: commit(resource, draft, update.dryRun), isNew: false };
  }

  /** Creates the object of a PUT. It may have a resourceVersion, but no uid. */
  *#createByUpdate(resource: ApiResource, namespace: string, name: string, update: Update): Steps<Written> {
    const created = update.create!();
    const object = isSteps(created) ? yield* created : created;
    update.check?.(object, undefined);
    const { resourceVersion = '0', ...metadata } = readMetadata(object, resource);
    if (metadata.uid !== undefined) {
      const why = uidMismatch(resource, { namespace, name, uid: '' }, metadata.uid);
      throw new StatusError(conflict(resource.groupResource, name, why));
    }
    checkVersionText(resourceVersion);
    return yield* this.create(resource, namespace, { ...object, metadata }, update);
  }

  /** Deletes an object, or marks it as terminating if its kind, finalizers or grace period need that. */
  *delete(resource: ApiResource, namespace: string, name: string, options: Deletion): Steps<Deleted> {
    return yield* untilFirst(resource, keyOf(namespace, name), (existing) => {
      if (existing === undefined) throw new StatusError(notFound(resource.groupResource, name));
      if (isNamespaces(resource) && IMMORTAL_NAMESPACES.has(name)) {
        throw new StatusError(forbidden(NAMESPACES, name, 'this namespace may not be deleted'));
      }
      checkPreconditions(resource, existing, options);
      return this.#deleteFrom(existing, resource, options);
    });
  }

  /** Returns undefined if another write was committed first. */
  *#deleteFrom(existing: Revision, resource: ApiResource, options: Deletion): Steps<Deleted | undefined> {
    const object = yield* this.#fromStorage(resource, existing);
    const isLatest = (): boolean => resource.collection.get(existing.key) === existing;
    const admitDeletion = (state: Revision): Steps<void> => this.#admitDeletionOf(state, resource, options);
    const metadata = metadataOf(object);
    const { termination } = resource.strategy;
    const isFirst = metadata.deletionTimestamp === undefined;

    if (termination !== undefined && isFirst) {
      metadata.deletionTimestamp = this.timestamp();
      const finalizers = gcFinalizers(resource, metadata, options);
      if (finalizers.length > 0) metadata.finalizers = finalizers;
      else delete metadata.finalizers;
      termination.begin(object, metadata.deletionTimestamp);
      object['metadata'] = orderedMetadata(metadata);
      yield* admitDeletion(existing);
      const draft = yield* this.#draft(resource, object, options.dryRun);
      return isLatest() ? { revision: commit(resource, draft, options.dryRun), isGone: false } : undefined;
    }
    if (termination?.isHeld(object) === true) return { revision: existing, isGone: false };

    const grace = this.#beginGrace(resource, object, options);
    if (grace === 'pending') return { revision: existing, isGone: false };
    const finalizers = gcFinalizers(resource, metadata, options);
    if (finalizers.length > 0) metadata.finalizers = finalizers;
    else delete metadata.finalizers;
    if (finalizers.length > 0 && grace === undefined) this.#markDeleting(metadata);
    object['metadata'] = orderedMetadata(metadata);

    const waits = finalizers.length > 0 || (grace ?? 0) > 0;
    // A kind with a grace period is marked first even if the period is 0: watches see MODIFIED, then DELETED.
    const isMarked = waits || grace !== undefined;
    yield* admitDeletion(existing);
    let draft: Draft | undefined;
    if (isMarked && !(yield* equal(object, yield* this.#fromStorage(resource, existing), existing.line.length))) {
      draft = yield* this.#draft(resource, object, options.dryRun);
    }
    if (!isLatest()) return undefined;
    const revision = draft === undefined ? existing : commit(resource, draft, options.dryRun);
    if (waits) return { revision, isGone: false };
    if (options.dryRun) return { revision, isGone: true };
    if (revision !== existing) {
      // kube-apiserver asks once more about the marked object.
      yield* admitDeletion(revision);
      if (resource.collection.get(existing.key) !== revision) return undefined;
    }
    resource.collection.remove(existing.key);
    return { revision, isGone: true };
  }

  *#admitDeletionOf(state: Revision, resource: ApiResource, options: Deletion): Steps<void> {
    if (options.by !== undefined)
      yield* this.#admitted.deletion(resource, yield* this.#fromStorage(resource, state), options);
  }

  #allocate({ strategy, collection }: ApiResource, object: JsonObject, old: JsonObject | undefined): Undo | undefined {
    return strategy.allocate?.(object, old, { collection, clock: this.#clock });
  }

  /** The new state of an update, validated and complete except for its resourceVersion. */
  *#prepareUpdate(
    resource: ApiResource,
    namespace: string,
    old: JsonObject,
    changed: JsonObject,
    update: Update,
    size: number,
    allocate: (object: JsonObject) => void,
  ): Steps<JsonObject> {
    const oldMetadata = metadataOf(old);
    const name = oldMetadata.name!;
    const { strategy } = resource;
    const sent = readMetadata(changed, resource);
    checkNamespace(resource, namespace, sent);
    if (resource.namespaced) sent.namespace = namespace;
    else delete sent.namespace;
    if (update.checksUid === true && sent.uid !== undefined && sent.uid !== oldMetadata.uid) {
      throw new StatusError(conflict(resource.groupResource, name, uidMismatch(resource, oldMetadata, sent.uid)));
    }
    checkType(resource, changed, name);

    let next: JsonObject = { ...typeOf(resource), ...withoutType(changed), metadata: orderedMetadata(sent) };
    yield* setDefaults(strategy, next);
    yield* setManagedFields(next, update.track, old);
    const cluster = update.merge === undefined ? clusterFor(this.#cluster, resource, name) : undefined;
    if (cluster !== undefined) strategy.admit(next, old, cluster);
    const { subresource = '', dryRun = false, warn = ignore, by, view } = update;
    const request: RequestPart = { operation: 'UPDATE', resource, subresource, kind: view?.kind, old, dryRun, warn };
    const place = { namespace, name };
    const mutation =
      view === undefined ? this.#admitted.mutate({ ...request, ...place, object: next }, by, cluster) : undefined;
    if (mutation !== undefined) {
      next = (yield* mutation)!;
      checkNamespace(resource, namespace, metadataOf(next));
      if (resource.namespaced) metadataOf(next).namespace = namespace;
    }

    const metadata = metadataOf(next);
    checkVersion(resource, name, metadata, oldMetadata);
    metadata.uid ??= oldMetadata.uid!;
    metadata.resourceVersion = oldMetadata.resourceVersion!;
    metadata.creationTimestamp = oldMetadata.creationTimestamp!;
    if (oldMetadata.deletionTimestamp !== undefined) metadata.deletionTimestamp = oldMetadata.deletionTimestamp;
    if (oldMetadata.deletionGracePeriodSeconds !== undefined) {
      metadata.deletionGracePeriodSeconds ??= oldMetadata.deletionGracePeriodSeconds;
    }
    if (oldMetadata.generation === undefined) delete metadata.generation;
    else metadata.generation = oldMetadata.generation;
    if (update.merge !== undefined) {
      next['metadata'] = orderedMetadata(metadata);
      const { managedFields } = metadata;
      next = update.merge(old, next);
      next['metadata'] = orderedMetadata({ ...metadataOf(next), managedFields });
      if (subresource === 'status') strategy.prepareStatus(next, old);
    } else {
      allocate(next);
      if (hasSubresource(resource, 'status')) {
        if (old['status'] === undefined) delete next['status'];
        else next['status'] = old['status'];
      }
      strategy.canonicalize(next, old);
      next['metadata'] = orderedMetadata(metadataOf(next));
    }
    const isWhole = update.merge === undefined;
    const isCounted = strategy.generation !== 'none' && update.keepsGeneration !== true;
    if (isCounted && (yield* isNewGeneration(resource, old, next, isWhole, size))) {
      metadataOf(next).generation = (oldMetadata.generation ?? 0) + 1;
      next['metadata'] = orderedMetadata(metadataOf(next));
    }
    const causes = yield* collectCauses(
      metadataCauses(metadataOf(next), resource),
      // kube-apiserver checks this for all kinds, and again with the rules of each kind.
      metadataUpdateCauses(metadataOf(next), oldMetadata),
      metadataUpdateCauses(metadataOf(next), oldMetadata),
      strategy.causes(next, old, subresource, warn),
    );
    if (causes.length > 0) {
      throw new StatusError(invalid(validatedKind(resource), metadataOf(next).name ?? name, causes));
    }
    if (update.warn !== undefined) for (const text of strategy.warnings(next, old)) update.warn(text);
    if (cluster !== undefined) strategy.approve(next, old, cluster);
    const states = view === undefined ? { object: next } : { object: view.of(next), old: view.of(old) };
    const validation = this.#admitted.validate({ ...request, ...place, ...states }, by);
    if (validation !== undefined) yield* validation;
    return next;
  }

  /**
   * Begins or shortens the grace period and returns it in seconds. Undefined: the kind has none, or it is over; `pending`:
   * it is running and stays as it is.
   */
  #beginGrace(resource: ApiResource, object: JsonObject, options: Deletion): number | 'pending' | undefined {
    const { gracePeriod } = resource.strategy;
    if (gracePeriod === undefined) return undefined;
    const metadata = metadataOf(object);
    const asked =
      options.gracePeriodSeconds === undefined || options.gracePeriodSeconds >= 0 ? options.gracePeriodSeconds : 1;
    if (metadata.deletionTimestamp === undefined) {
      const mostSeconds = Math.floor((LAST_MOMENT_MS - this.#clock.now()) / 1000);
      const seconds = Math.min(gracePeriod(object, asked), mostSeconds);
      metadata.deletionTimestamp = this.timestamp(seconds * 1000);
      metadata.deletionGracePeriodSeconds = seconds;
      if (metadata.generation !== undefined) metadata.generation++;
      return seconds;
    }
    const left = metadata.deletionGracePeriodSeconds ?? 0;
    if (left === 0) return undefined;
    if (asked === undefined || asked >= left) return 'pending';
    const deadline = Date.parse(metadata.deletionTimestamp) - left * 1000 + asked * 1000;
    const isOver = deadline < this.#clock.now();
    metadata.deletionTimestamp = this.timestamp(isOver ? 0 : deadline - this.#clock.now());
    metadata.deletionGracePeriodSeconds = isOver && asked !== 0 ? 1 : asked;
    return metadata.deletionGracePeriodSeconds;
  }

  #markDeleting(metadata: ObjectMeta): void {
    if (metadata.deletionTimestamp === undefined && metadata.generation !== undefined) metadata.generation++;
    metadata.deletionTimestamp ??= this.timestamp();
    metadata.deletionGracePeriodSeconds = 0;
  }

  *#draft(resource: ApiResource, object: JsonObject, dryRun = false, previous?: Revision | undefined): Steps<Draft> {
    const typed: JsonObject = { ...typeOf(resource), ...withoutType(object) };
    const stored = yield* toStorage(resource, typed);
    const { name, namespace } = metadataOf(stored);
    const fields = selectedFields(resource.storedFields, stored);
    const json = yield* printObject(stored, !dryRun, previous?.printedFields);
    return { namespace: namespace ?? '', name: name!, object: stored, fields, json };
  }

  *#fromStorage(resource: ApiResource, revision: Revision): Steps<JsonObject> {
    const { conversion } = resource;
    if (conversion?.remote !== undefined) {
      const preparation = prepareRevisions(resource, [revision]);
      if (preparation !== undefined) yield* preparation;
      return objectIn(resource, revision);
    }
    const object = yield* revision.decodeInSteps();
    return conversion === undefined ? object : conversion.fromStorage(object);
  }

  /**
   * Whether an object would be stored in another form now, because the storage version or a schema has changed: any write
   * then stores it again.
   */
  *#isStale({ conversion }: ApiResource, revision: Revision): Steps<boolean> {
    if (conversion === undefined) return false;
    const stored = yield* revision.decodeInSteps();
    if (conversion.remote !== undefined) return conversion.remote.storageApiVersion !== stored['apiVersion'];
    const converted = conversion.toStorage(conversion.fromStorage(yield* revision.decodeInSteps()));
    return !(yield* equal(stored, converted, revision.line.length));
  }

  /** Throws 403 for a create if the definition or the namespace is terminating, 404 without the namespace. */
  #checkOpen(resource: ApiResource, namespace: string, name: string): void {
    if (resource.isClosed?.() === true) {
      const why = 'create not allowed while custom resource definition is terminating';
      throw new StatusError(forbidden(resource.groupResource, name, why));
    }
    if (!resource.namespaced) return;
    const found = this.#registry.find('', 'v1', 'namespaces')?.collection.get(namespace);
    if (found === undefined) throw new StatusError(notFound(NAMESPACES, namespace));
    if (!found.isTerminating) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const status = forbidden(resource.groupResource, name, why);
    const message = `namespace ${namespace} is being terminated`;
    status.details = {
      ...status.details,
      causes: [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }],
    };
    throw new StatusError(status);
  }

  #generateName(resource: ApiResource, namespace: string, stem: string): string {
    const base = stem.slice(0, GENERATED_NAME_LIMIT - NAME_SUFFIX_LENGTH);
    let name = '';
    for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
      name = this.#randomName(base);
      if (resource.collection.get(keyOf(namespace, name)) === undefined) break;
    }
    return name;
  }

  #randomName(stem: string): string {
    let name = stem;
    for (let i = 0; i < NAME_SUFFIX_LENGTH; i++) {
      name += NAME_ALPHABET[Math.floor(this.#clock.random() * NAME_ALPHABET.length)];
    }
    return name;
  }
}

/** Runs a write; returns undefined if the object does not exist, because another write deleted it first. */
export function* ifPresent<T>(write: Steps<T>): Steps<T | undefined> {
  try {
    return yield* write;
  } catch (error) {
    if (error instanceof StatusError && error.status === 404) return undefined;
    throw error;
  }
}

/** The last attempt of a write runs at once, so that no other write can be committed first unless it waits for a webhook. */
const MAX_ATTEMPTS = 3;

/** Repeats a write on the latest state of an object until no other write was committed first. */
function* untilFirst<T>(
  resource: ApiResource,
  key: string,
  attempt: (existing: Revision | undefined) => Steps<T | undefined>,
): Steps<T> {
  for (let attempts = 1; ; attempts++) {
    const steps = attempt(resource.collection.get(key));
    const result = attempts < MAX_ATTEMPTS ? yield* steps : yield* withoutPauses(steps);
    if (result !== undefined) return result;
  }
}

/** An object in the version in which it is stored. */
function* toStorage({ conversion }: ApiResource, object: JsonObject): Steps<JsonObject> {
  if (conversion === undefined) return object;
  const { remote } = conversion;
  return remote === undefined
    ? conversion.toStorage(object)
    : (yield* remote.convert([object], remote.storageApiVersion))[0]!;
}

function ignore(): void {}

function commit(resource: ApiResource, draft: Draft, dryRun = false): Revision {
  return dryRun ? new Revision('MODIFIED', UNCOMMITTED, draft, undefined) : resource.collection.put(draft);
}

/** An object from JSON has no functions. */
function isSteps(change: JsonObject | Steps<JsonObject>): change is Steps<JsonObject> {
  return typeof change['next'] === 'function';
}

/** Whether two values are equal; `size` is that of their object. */
function* equal(a: unknown, b: unknown, size: number): Steps<boolean> {
  return size <= PIECE ? isDeepStrictEqual(a, b) : yield* equalLarge(a, b);
}

function* setDefaults({ defaults }: Strategy, object: JsonObject): Steps<void> {
  const steps = defaults(object);
  if (steps !== undefined) yield* steps;
}

/** Sets the managedFields of a new state. `old` is the one before, undefined if the object is created. */
function* setManagedFields(next: JsonObject, track: Track | undefined, old: JsonObject | undefined): Steps<void> {
  const kept = old === undefined ? undefined : metadataOf(old).managedFields;
  const tracked = track === undefined ? kept : track(old, next);
  const managedFields = tracked === undefined || 'length' in tracked ? tracked : yield* tracked;
  const metadata = metadataOf(next);
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields as ManagedFieldsEntry[];
}

/** Whether a new state is the old one, but for the times of its managers. */
function* isUnchanged(next: JsonObject, old: JsonObject, size: number): Steps<boolean> {
  const metadata = metadataOf(next);
  const { managedFields } = metadataOf(old);
  if (!(yield* isSameButTimes(metadata.managedFields, managedFields))) return false;
  return yield* equal({ ...next, metadata: orderedMetadata({ ...metadata, managedFields }) }, old, size);
}

/** Adds an empty status to a built-in kind that has one. */
function fillStatus(resource: ApiResource, object: JsonObject): void {
  if (resource.isCustom || !hasSubresource(resource, 'status')) return;
  const status = schemaOf(resource)?.fields.get('status');
  if (status !== undefined) object['status'] = zeroOf(status.schema);
}

function validatedKind({ group, kind, strategy }: ApiResource): { group: string; kind: string } {
  return { group: strategy.statusGroup ?? group, kind };
}

function typeOf(resource: ApiResource): { kind: string; apiVersion: string } {
  return { kind: resource.kind, apiVersion: resource.apiVersion };
}

/** kind and apiVersion come first in every stored object, so that a list can cut them off. */
function withoutType(object: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

/** The finalizers of an object after a deletion, with those of the garbage collector by its propagation policy. */
function gcFinalizers(resource: ApiResource, metadata: ObjectMeta, options: Deletion): string[] {
  const present = metadata.finalizers ?? [];
  const { dependents } = resource.strategy;
  if (dependents === 'none') return present;
  const kept = present.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER);
  const policy =
    options.orphanDependents !== undefined
      ? options.orphanDependents
        ? 'Orphan'
        : 'Background'
      : (options.propagationPolicy ??
        (present.includes(FOREGROUND_FINALIZER)
          ? 'Foreground'
          : present.includes(ORPHAN_FINALIZER)
            ? 'Orphan'
            : undefined));
  if (policy === 'Orphan' || (policy === undefined && dependents === 'orphan')) kept.push(ORPHAN_FINALIZER);
  if (policy === 'Foreground') kept.push(FOREGROUND_FINALIZER);
  return kept;
}

/** Whether a write increments the generation. Annotations count for some kinds, but not in writes of a subresource. */
function* isNewGeneration(
  resource: ApiResource,
  old: JsonObject,
  next: JsonObject,
  isWhole: boolean,
  size: number,
): Steps<boolean> {
  const ignored = new Set(['metadata', 'apiVersion', 'kind']);
  if (!resource.isCustom || hasSubresource(resource, 'status')) ignored.add('status');
  for (const field of new Set([...Object.keys(old), ...Object.keys(next)])) {
    if (!ignored.has(field) && !(yield* equal(old[field], next[field], size))) return true;
  }
  if (!isWhole || resource.strategy.generation !== 'contentAndAnnotations') return false;
  const annotations = ['metadata', 'annotations'];
  return !(yield* equal(valueAt(old, annotations), valueAt(next, annotations), size));
}

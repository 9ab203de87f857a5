import { StatusError } from '../../meta/errors/errors.js';
import type { OwnerReference } from '../../meta/objects.js';
import type { Steps } from '../../time/steps.js';
import { FOREGROUND_FINALIZER, metadataOf, ORPHAN_FINALIZER } from '../resources/object-meta.js';
import type { ApiResource } from '../resources/registry.js';
import type { Deletion } from '../resources/write/object-writer.js';
import type { Collection, Revision } from '../storage/storage.js';
import { changeMetadata, removeFinalizer } from './change-metadata.js';
import { ControllerQueue } from './controller-queue.js';
import type { ServerController, ServerControllerContext } from './server-controller.js';

/** The collection and key of an object. */
interface Place {
  readonly collection: Collection;
  readonly key: string;
}

const SEPARATOR = ' ';

/**
 * Deletes objects whose owners are all gone, and carries out the propagation policy of deletions: dependents first
 * (`Foreground`), later (`Background`), or kept (`Orphan`).
 *
 * Each commit updates its index of dependents by the owner's uid. An owner that never existed, or was created again with
 * another uid, counts as gone. Owners of a kind that is not served count as present.
 */
export function startGarbageCollector(context: ServerControllerContext): ServerController {
  const { storage, registry, writer } = context;
  const dependentsOf = new Map<string, Map<string, Place>>();
  const alive = new Map<string, Place>();
  const collections = new Map<string, Collection>();
  const queue = new ControllerQueue(context.clock, 'garbage-collector', reconcile, context.onError);
  for (const collection of storage.collections()) {
    collection.scan(storage.version, '', '', (revision) => {
      note(revision, collection);
      return true;
    });
  }
  const unsubscribe = storage.subscribe(note);

  function note(revision: Revision, collection: Collection): void {
    collections.set(collection.id, collection);
    const item = itemOf(collection, revision.key);
    const place = { collection, key: revision.key };
    const { previous } = revision;
    const before = previous === undefined || previous.type === 'DELETED' ? [] : previous.owners;
    const now = revision.type === 'DELETED' ? [] : revision.owners;
    const keptByUid = new Map([...now].reverse().map((owner) => [owner.uid, owner]));
    for (const owner of before) {
      const kept = keptByUid.get(owner.uid);
      if (kept === undefined) forget(owner.uid, item);
      if (kept?.blockOwnerDeletion !== owner.blockOwnerDeletion) addOwner(owner);
    }
    for (const { uid } of now) remember(uid, item, place);
    if (revision.type === 'DELETED') {
      alive.delete(revision.uid);
      for (const dependent of dependentsOf.get(revision.uid)?.keys() ?? []) queue.add(dependent);
      return;
    }
    alive.set(revision.uid, place);
    if (now.length > 0 || revision.isTerminating) queue.add(item);
  }

  function remember(uid: string, item: string, place: Place): void {
    let dependents = dependentsOf.get(uid);
    if (dependents === undefined) dependentsOf.set(uid, (dependents = new Map()));
    dependents.set(item, place);
  }

  function forget(uid: string, item: string): void {
    const dependents = dependentsOf.get(uid);
    dependents?.delete(item);
    if (dependents?.size === 0) dependentsOf.delete(uid);
  }

  /** Queues an owner, which may be waiting for its dependents. */
  function addOwner({ uid }: OwnerReference): void {
    const place = alive.get(uid);
    if (place !== undefined) queue.add(itemOf(place.collection, place.key));
  }

  function* reconcile(item: string): Steps<void> {
    // Names of roles may contain the separator, ids of collections never do.
    const at = item.indexOf(SEPARATOR);
    const collection = collections.get(item.slice(0, at));
    const revision = collection?.get(item.slice(at + 1));
    const resource = resourceOf(collection);
    if (revision === undefined || resource === undefined) return;
    if (revision.isTerminating) yield* finishDeletion(resource, revision);
    else if (revision.owners.length > 0) yield* checkOwners(resource, revision);
  }

  function resourceOf(collection: Collection | undefined): ApiResource | undefined {
    for (const resource of registry.stored()) if (resource.collection === collection) return resource;
    return undefined;
  }

  function* checkOwners(resource: ApiResource, revision: Revision): Steps<void> {
    const lost = revision.owners.filter((owner) => !exists(owner, revision.namespace));
    if (lost.length === 0) return;
    if (lost.length === revision.owners.length) {
      yield* remove(resource, revision, 'Background');
      return;
    }
    yield* dropOwners(resource, revision, new Set(lost.map((owner) => owner.uid)));
  }

  /** Whether an owner exists, in the namespace of its dependent or cluster-scoped. */
  function exists(owner: OwnerReference, namespace: string): boolean {
    const group = owner.apiVersion.includes('/') ? owner.apiVersion.slice(0, owner.apiVersion.indexOf('/')) : '';
    const kind = registry.findKind(group, owner.kind);
    // A cluster-scoped object cannot have a namespaced owner; such a reference is ignored.
    if (kind === undefined || (kind.namespaced && namespace === '')) return true;
    const found = kind.collection.get(kind.namespaced ? `${namespace}/${owner.name}` : owner.name);
    return found?.uid === owner.uid;
  }

  /** Whether an owner keeps its dependents. One with the finalizer foregroundDeletion does not. */
  function holds(owner: OwnerReference, namespace: string): boolean {
    const place = alive.get(owner.uid);
    const revision = place?.collection.get(place.key);
    if (revision?.isTerminating !== true) return exists(owner, namespace);
    return metadataOf(revision.decode()).finalizers?.includes(FOREGROUND_FINALIZER) !== true;
  }

  function* finishDeletion(resource: ApiResource, revision: Revision): Steps<void> {
    const finalizers = metadataOf(revision.decode()).finalizers ?? [];
    const dependents = [...(dependentsOf.get(revision.uid)?.values() ?? [])];
    if (finalizers.includes(ORPHAN_FINALIZER)) {
      for (const { collection, key } of dependents) {
        const dependent = collection.get(key);
        const kind = resourceOf(collection);
        if (dependent !== undefined && kind !== undefined) yield* dropOwners(kind, dependent, new Set([revision.uid]));
        yield;
      }
      yield* removeFinalizer(writer, resource, revision, ORPHAN_FINALIZER);
    } else if (finalizers.includes(FOREGROUND_FINALIZER)) {
      let blocking = 0;
      for (const { collection, key } of dependents) {
        yield;
        const dependent = collection.get(key);
        const kind = resourceOf(collection);
        if (dependent === undefined || kind === undefined) continue;
        const leaving = dependent.owners.filter((candidate) => !holds(candidate, dependent.namespace));
        if (!dependent.isTerminating && leaving.length < dependent.owners.length) {
          yield* dropOwners(kind, dependent, new Set(leaving.map(({ uid }) => uid)));
          continue;
        }
        const isParent = dependentsOf.has(dependent.uid);
        const isGone = dependent.isTerminating
          ? false
          : yield* remove(kind, dependent, isParent ? 'Foreground' : 'Background');
        const owner = dependent.owners.find(({ uid }) => uid === revision.uid);
        if (!isGone && owner?.blockOwnerDeletion === true) blocking++;
      }
      if (blocking === 0) yield* removeFinalizer(writer, resource, revision, FOREGROUND_FINALIZER);
    }
  }

  function* remove(
    resource: ApiResource,
    revision: Revision,
    propagationPolicy: 'Background' | 'Foreground',
  ): Steps<boolean> {
    const options: Deletion = { preconditions: { uid: revision.uid }, propagationPolicy, dryRun: false };
    try {
      return (yield* writer.delete(resource, revision.namespace, revision.name, options)).isGone;
    } catch (error) {
      // Deleting one dependent may have deleted the next, and an object of the same name may exist by now.
      if (error instanceof StatusError && (error.status === 404 || error.status === 409)) return true;
      throw error;
    }
  }

  function* dropOwners(resource: ApiResource, revision: Revision, uids: ReadonlySet<string>): Steps<void> {
    yield* changeMetadata(writer, resource, revision, (metadata) => {
      metadata.ownerReferences = (metadata.ownerReferences ?? []).filter((owner) => !uids.has(owner.uid));
    });
  }

  return {
    stop() {
      unsubscribe();
      queue.stop();
    },
  };
}

function itemOf(collection: Collection, key: string): string {
  return `${collection.id}${SEPARATOR}${key}`;
}

import { hash } from 'node:crypto';
import {
  type CacheEntry,
  type Client,
  type DeepReadonly,
  isConflict,
  isInvalid,
  isNotFound,
  KubeflectError,
  type KubernetesObject,
  type New,
  type Resource,
  statusErrorOf,
} from '../../index.js';
import type { OwnerReference } from '../../meta/objects.js';
import { checkOptions } from '../../meta/options/known-options.js';
import { printGroupResource } from '../../meta/resource.js';
import { type ObjectToApply, objectToApply, wrongOwner } from '../apply-owned.js';
import type { ObjectState } from '../object-state.js';
import { controllerOf } from '../owners.js';
import type { ApplyTo } from '../types.js';
import type { UsedCache } from '../wakes/used-cache.js';
import type { UsedCaches } from '../wakes/used-caches.js';

/** What {@link OwnedObjects} needs from its run. */
export interface OwningRun<T extends KubernetesObject> {
  readonly object: DeepReadonly<T>;
  readonly state: ObjectState;
  readonly caches: UsedCaches<T>;
  /** The cluster of `for` and `owns`. */
  readonly cluster: Client;
  readonly fieldManager: string;
  /** The client of the run for a cluster. */
  clientOf(cluster: Client): Client;
  applySkipped(): void;
}

/** An object to apply, and how. */
interface Desired<U> extends ObjectToApply<U> {
  readonly cluster: Client;
  readonly isOwned: boolean;
}

/** The objects that a run applies, owns and prunes. */
export class OwnedObjects<T extends KubernetesObject> {
  readonly #run: OwningRun<T>;
  /** The objects that this run has applied, as answered, by cluster, resource and key. */
  readonly #applied = new Map<
    string,
    { readonly hash: string; readonly object: KubernetesObject; readonly isOwned: boolean }
  >();
  readonly #deletedUids = new Set<string>();

  constructor(run: OwningRun<T>) {
    this.#run = run;
  }

  /** Forgets the earlier applies of objects that this run, which is done, has not applied. */
  forgetOthers(): void {
    const { applied } = this.#run.state;
    if (applied === undefined || applied.size === this.#applied.size) return;
    for (const id of applied.keys()) if (!this.#applied.has(id)) applied.delete(id);
  }

  /** A deletion that the run has sent. */
  noteDeleted(uid: string): void {
    this.#deletedUids.add(uid);
  }

  async apply<U>(resource: Resource<U>, object: DeepReadonly<New<U>>, options: ApplyTo = {}): Promise<U> {
    const desired = this.#desired(resource, object, options);
    const { cluster, key, namespace, body, isOwned } = desired;
    const id = this.#idOf(cluster, resource, key);
    const [cache] = this.#run.caches.of(cluster, resource);
    const cached = cache?.entry(key);
    if (isOwned) this.#checkController(desired, cached?.facts.ownerReferences);
    const digest = hash('sha1', JSON.stringify(body), 'base64');
    const again = this.#applied.get(id);
    if (again !== undefined && again.hash === digest) return again.object as U;
    const last = this.#run.state.applied?.get(id);
    if (
      cached !== undefined &&
      last?.hash === digest &&
      cached.facts.resourceVersion === last.resourceVersion &&
      !this.#deletedUids.has(cached.facts.uid)
    ) {
      this.#run.applySkipped();
      const copy = cache?.copyOf(cached as CacheEntry<unknown>) as KubernetesObject;
      this.#applied.set(id, { hash: digest, object: copy, isOwned });
      return copy as U;
    }
    const answer = await this.#send(desired, this.#run.clientOf(cluster).forResource(resource, namespace));
    const { resourceVersion } = (answer as KubernetesObject).metadata;
    this.#run.state.applied ??= new Map();
    this.#run.state.applied.set(id, { hash: digest, resourceVersion });
    this.#applied.set(id, { hash: digest, object: answer as KubernetesObject, isOwned });
    return answer;
  }

  owned<U>(resource: Resource<U>): readonly DeepReadonly<U>[] {
    const cache = this.#run.caches.ownedCache(resource);
    const objects: DeepReadonly<U>[] = [];
    const known = new Set<string>();
    for (const key of this.#cachedKeys(cache)) {
      const id = this.#idOf(this.#run.cluster, resource, key);
      known.add(id);
      const applied = this.#applied.get(id);
      const object = applied === undefined ? cache.lister.get(key) : (applied.object as DeepReadonly<U>);
      if (object !== undefined && !this.#isDeleted(object)) objects.push(object);
    }
    const prefix = this.#idOf(this.#run.cluster, resource, '');
    for (const [id, { object, isOwned }] of this.#applied)
      if (isOwned && id.startsWith(prefix) && !known.has(id) && !this.#isDeleted(object))
        objects.push(object as DeepReadonly<U>);
    return objects;
  }

  async prune(): Promise<void> {
    for (const cache of this.#run.caches.owned) {
      for (const key of this.#cachedKeys(cache)) {
        const facts = cache.entry(key)?.facts;
        if (facts === undefined || facts.deletionTimestamp !== undefined || this.#deletedUids.has(facts.uid)) continue;
        if (this.#applied.has(this.#idOf(this.#run.cluster, cache.resource, key))) continue;
        const client = this.#run.clientOf(this.#run.cluster).forResource(cache.resource, facts.namespace);
        try {
          await client.delete(facts.name, { preconditions: { uid: facts.uid } });
        } catch (error) {
          // It is gone already, or another object has its name now.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
        this.noteDeleted(facts.uid);
      }
    }
  }

  /** The keys of the cached objects that the run's object controls. */
  *#cachedKeys(cache: UsedCache<unknown>): IterableIterator<string> {
    const { uid } = this.#run.object.metadata;
    for (const key of cache.ownerIndex?.keys(uid) ?? []) {
      if (controllerOf(cache.entry(key)?.facts.ownerReferences)?.uid === uid) yield key;
    }
  }

  #isDeleted(object: unknown): boolean {
    return this.#deletedUids.has((object as KubernetesObject).metadata.uid);
  }

  #desired<U>(resource: Resource<U>, object: DeepReadonly<New<U>>, options: ApplyTo): Desired<U> {
    const { owner: isOwned = true, client: cluster = this.#run.cluster } = checkOptions('apply', options, {
      owner: true,
      client: true,
    });
    const home = this.#run.object as DeepReadonly<KubernetesObject>;
    const desired = objectToApply(resource, object, home, isOwned);
    if (isOwned && cluster !== this.#run.cluster)
      throw wrongOwner(home, resource, desired.key, 'it is in another cluster');
    return { ...desired, cluster, isOwned };
  }

  #checkController(
    { resource, key }: Desired<unknown>,
    references: readonly DeepReadonly<OwnerReference>[] | undefined,
    cause?: unknown,
  ): void {
    const other = controllerOf(references);
    if (other === undefined || other.uid === this.#run.object.metadata.uid) return;
    throw new ControlledElsewhereError(`${printGroupResource(resource)} ${key}`, other, cause);
  }

  async #send<U>(desired: Desired<U>, client: ReturnType<Client['forResource']>): Promise<U> {
    const { body, isOwned } = desired;
    const { fieldManager } = this.#run;
    try {
      return (await client.apply(body as never, { fieldManager, force: true })) as U;
    } catch (error) {
      // The cache did not have the object: the server refuses a second controller.
      if (isOwned && isInvalid(error) && statusErrorOf(error)?.message.includes('ontroller') === true) {
        const name = (body as { readonly metadata: { readonly name: string } }).metadata.name;
        const stored = (await client.get(name)) as KubernetesObject;
        this.#checkController(desired, stored.metadata.ownerReferences, error);
      }
      throw error;
    }
  }

  #idOf(cluster: Client, resource: Resource<unknown>, key: string): string {
    return `${this.#run.caches.numberOf(cluster)} ${printGroupResource(resource)} ${key}`;
  }
}

/** An object cannot be applied because another object controls it. */
class ControlledElsewhereError extends KubeflectError {
  static {
    ControlledElsewhereError.prototype.name = 'ControlledElsewhereError';
  }

  constructor(object: string, controller: DeepReadonly<OwnerReference>, cause?: unknown) {
    const { kind, name, uid } = controller;
    super(
      'CONTROLLED_ELSEWHERE',
      `${object} is controlled by ${kind} ${name} (uid ${uid}): delete it, or choose another name`,
      cause === undefined ? {} : { cause },
    );
  }
}

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
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { printGroupResource } from '../../meta/resource.js';
import { type ApplyTarget, applyTarget, completeObject, wrongOwner } from '../apply-owned.js';
import type { ObjectState } from '../object-state.js';
import { controllerOf } from '../owners.js';
import type { ApplyTo } from '../types.js';
import type { UsedCache } from '../wakes/used-cache.js';
import type { UsedCaches } from '../wakes/used-caches.js';
import { digestOf } from './digest.js';

/** What {@link OwnedObjects} needs from its run. */
export interface OwningRun<T extends KubernetesObject> {
  readonly object: DeepReadonly<T>;
  readonly state: ObjectState;
  readonly caches: UsedCaches<T>;
  /** The cluster of `for` and `owns`. */
  readonly cluster: Client;
  readonly fieldManager: string;
  /** Throws if the run has ended. */
  check(): void;
  /** The client of the run for a cluster. */
  clientOf(cluster: Client): Client;
  applySkipped(): void;
}

/** An object that the run has applied. */
interface AppliedInRun {
  /** The object as it was given, as JSON. */
  readonly text: string;
  readonly isOwned: boolean;
  /** The object as it was answered or, if nothing was sent, as it is cached. */
  readonly object: KubernetesObject;
}

/** An object to send, and how. */
interface Desired<U> extends ApplyTarget<U> {
  readonly object: DeepReadonly<New<U>>;
  readonly isOwned: boolean;
  readonly cluster: Client;
  /** Identifies it among the applied objects. */
  readonly id: string;
  /** The object as JSON. */
  readonly text: string;
}

const applyNames: OptionNames<ApplyTo> = { owner: true, client: true };
const noOptions: ApplyTo = {};

/** The objects that a run applies, owns and prunes. */
export class OwnedObjects<T extends KubernetesObject> {
  readonly #run: OwningRun<T>;
  /** The objects that this run has applied, by cluster, resource and key. */
  readonly #applied = new Map<string, AppliedInRun>();
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

  async apply<U>(resource: Resource<U>, object: DeepReadonly<New<U>>, options: ApplyTo = noOptions): Promise<U> {
    this.#run.check();
    const { owner: isOwned = true, client: cluster = this.#run.cluster } = checkOptions('apply', options, applyNames);
    const home = this.#run.object as DeepReadonly<KubernetesObject>;
    const target = applyTarget(resource, object, home, isOwned);
    if (isOwned && cluster !== this.#run.cluster)
      throw wrongOwner(home, resource, target.key, 'it is in another cluster');
    const id = this.#idOf(cluster, resource, target.key);
    const text = JSON.stringify(object);
    const again = this.#applied.get(id);
    if (again !== undefined && again.text === text && again.isOwned === isOwned) return again.object as U;
    const [cache] = this.#run.caches.of(cluster, resource);
    const cached = cache?.entry(target.key);
    let answer: U;
    if (cache !== undefined && cached !== undefined && this.#isUnchanged(id, text, isOwned, cached)) {
      this.#run.applySkipped();
      answer = cache.copyOf(cached) as U;
    } else answer = await this.#send({ ...target, object, isOwned, cluster, id, text }, cached);
    this.#applied.set(id, { text, isOwned, object: answer as KubernetesObject });
    return answer;
  }

  /** Whether the cached object is as the last apply of an equal one has left it. */
  #isUnchanged(id: string, text: string, isOwned: boolean, { facts }: CacheEntry<unknown>): boolean {
    const last = this.#run.state.applied?.get(id);
    if (last === undefined || last !== appliedDigest(text, isOwned, facts.resourceVersion)) return false;
    return this.#deletedUids.size === 0 || !this.#deletedUids.has(facts.uid);
  }

  owned<U>(resource: Resource<U>): readonly DeepReadonly<U>[] {
    this.#run.check();
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
    this.#run.check();
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

  async #send<U>(desired: Desired<U>, cached: CacheEntry<unknown> | undefined): Promise<U> {
    const { object, resource, namespace, cluster, isOwned, id, text } = desired;
    const { fieldManager, state } = this.#run;
    if (isOwned) this.#checkController(desired, cached?.facts.ownerReferences);
    const owner = isOwned ? (this.#run.object as DeepReadonly<KubernetesObject>) : undefined;
    const body = completeObject(object, namespace, owner);
    const client = this.#run.clientOf(cluster).forResource(resource, namespace);
    try {
      const answer = await client.apply(body, { fieldManager, force: true });
      const { resourceVersion } = (answer as KubernetesObject).metadata;
      state.applied ??= new Map();
      state.applied.set(id, appliedDigest(text, isOwned, resourceVersion));
      return answer;
    } catch (error) {
      // The cache did not have the object: the server refuses a second controller.
      if (isOwned && isInvalid(error) && statusErrorOf(error)?.message.includes('ontroller') === true) {
        const { name } = (body as { readonly metadata: { readonly name: string } }).metadata;
        const stored = (await client.get(name)) as KubernetesObject;
        this.#checkController(desired, stored.metadata.ownerReferences, error);
      }
      throw error;
    }
  }

  #checkController(
    { resource, key }: ApplyTarget<unknown>,
    references: readonly DeepReadonly<OwnerReference>[] | undefined,
    cause?: unknown,
  ): void {
    const other = controllerOf(references);
    if (other === undefined || other.uid === this.#run.object.metadata.uid) return;
    throw new ControlledElsewhereError(`${printGroupResource(resource)} ${key}`, other, cause);
  }

  #idOf(cluster: Client, resource: Resource<unknown>, key: string): string {
    return `${this.#run.caches.numberOf(cluster)} ${printGroupResource(resource)} ${key}`;
  }
}

/** Equal if an equal object was applied, with or without an owner, and the result has this version. */
function appliedDigest(text: string, isOwned: boolean, resourceVersion: string): string {
  return digestOf(`${resourceVersion} ${isOwned} ${text}`);
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

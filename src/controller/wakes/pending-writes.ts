import type { CacheEntry } from '../../index.js';
import { isAtLeast, type UsedCache } from './used-cache.js';

/** A write of one object that a cache does not have yet. */
interface PendingObject {
  readonly cache: UsedCache<unknown>;
  readonly key: string;
  /** The cache must have this version or a newer one. */
  resourceVersion: string | undefined;
  /** The cache must not have an object of this uid, unless it is being deleted. */
  deletedUid: string | undefined;
}

/** A write of unknown effect: it got no answer, or concerned many objects. */
export interface PendingCollection {
  readonly cache: UsedCache<unknown>;
  /** The version that the collection had after the write; undefined until the server was asked. */
  resourceVersion: string | undefined;
}

/** The writes of one key that its caches may not have yet. Only what a cache will hold is remembered. */
export class PendingWrites {
  readonly #objects = new Map<string, PendingObject>();
  readonly #collections = new Map<number, PendingCollection>();

  get isEmpty(): boolean {
    return this.#objects.size === 0 && this.#collections.size === 0;
  }

  /** The server answered a write of an object with this version. */
  stored(cache: UsedCache<unknown>, key: string, resourceVersion: string): void {
    // A newer version of an object that was deleted and created again is a version after the deletion.
    this.#objects.set(idOf(cache, key), { cache, key, resourceVersion, deletedUid: undefined });
  }

  /** The server answered the deletion of an object. */
  deleted(cache: UsedCache<unknown>, key: string, uid: string): void {
    const id = idOf(cache, key);
    const pending = this.#objects.get(id);
    if (pending !== undefined) pending.deletedUid = uid;
    else this.#objects.set(id, { cache, key, resourceVersion: undefined, deletedUid: uid });
  }

  /** Something in the collection may have changed. */
  unknown(cache: UsedCache<unknown>): void {
    this.#collections.set(cache.number, { cache, resourceVersion: undefined });
  }

  /** The version that the last remembered write of an object was answered with. */
  versionOf(cache: UsedCache<unknown>, key: string): string | undefined {
    return this.#objects.get(idOf(cache, key))?.resourceVersion;
  }

  /** Whether an object that was written is missing in a cache that is past the write. */
  hasLost(cache: UsedCache<unknown>): boolean {
    for (const { cache: its, key, resourceVersion, deletedUid } of this.#objects.values()) {
      if (its !== cache || resourceVersion === undefined || deletedUid !== undefined) continue;
      if (cache.entry(key) === undefined && cache.hasReached(resourceVersion)) return true;
    }
    return false;
  }

  /** Collections whose version the server has to be asked for. */
  unanswered(): PendingCollection[] {
    return [...this.#collections.values()].filter(({ resourceVersion }) => resourceVersion === undefined);
  }

  /** Drops the writes that the caches have; returns whether a run need not wait for those that are left: their caches are late. */
  settle(): boolean {
    for (const [id, pending] of this.#objects) if (isSeen(pending)) this.#objects.delete(id);
    for (const [number, pending] of this.#collections) if (isReached(pending)) this.#collections.delete(number);
    if (this.isEmpty) return true;
    for (const { cache } of this.awaited()) if (!cache.isLate) return false;
    return true;
  }

  /** The caches that do not have all of these writes. */
  get behind(): ReadonlySet<UsedCache<unknown>> {
    this.settle();
    return new Set([...this.awaited()].map(({ cache }) => cache));
  }

  /** The caches of other clusters that do not have these writes are late from now on. Returns those that were not before. */
  markLate(): UsedCache<unknown>[] {
    const late: UsedCache<unknown>[] = [];
    const mark = (cache: UsedCache<unknown>, isSeen: () => boolean): void => {
      if (!cache.isElsewhere || cache.isLate) return;
      cache.missed = { isSeen };
      late.push(cache);
    };
    for (const pending of this.#objects.values()) mark(pending.cache, () => isSeen(pending));
    for (const { cache } of this.#collections.values()) {
      // The server may not say which version it has: any progress of the cache ends this, and the next run waits again.
      const { informer } = cache.lease;
      const version = informer.resourceVersion;
      mark(cache, () => informer.resourceVersion !== version);
    }
    return late;
  }

  /** Drops writes that wait for a cache that is no longer used. */
  forget(cache: UsedCache<unknown>): void {
    for (const [id, pending] of this.#objects) if (pending.cache === cache) this.#objects.delete(id);
    this.#collections.delete(cache.number);
  }

  /** What has to happen in the caches: each version that must be reached, and each object whose event may settle a write. */
  *awaited(): IterableIterator<{
    readonly cache: UsedCache<unknown>;
    readonly key: string | undefined;
    readonly version: string | undefined;
  }> {
    for (const { cache, key, resourceVersion } of this.#objects.values())
      yield { cache, key, version: resourceVersion };
    for (const { cache, resourceVersion } of this.#collections.values())
      yield { cache, key: undefined, version: resourceVersion };
  }
}

function isSeen({ cache, key, resourceVersion, deletedUid }: PendingObject): boolean {
  const entry = cache.entry(key);
  if (resourceVersion !== undefined && !hasVersion(cache, entry, resourceVersion)) return false;
  return deletedUid === undefined || entry?.facts.uid !== deletedUid || entry.facts.deletionTimestamp !== undefined;
}

function isReached({ cache, resourceVersion }: PendingCollection): boolean {
  return resourceVersion !== undefined && cache.hasReached(resourceVersion);
}

function hasVersion(cache: UsedCache<unknown>, entry: CacheEntry<unknown> | undefined, version: string): boolean {
  return (entry !== undefined && isAtLeast(entry.facts.resourceVersion, version)) || cache.hasReached(version);
}

function idOf(cache: UsedCache<unknown>, key: string): string {
  return `${cache.number} ${key}`;
}

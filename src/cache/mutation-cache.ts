import type { Accessor } from '../meta/accessor.js';
import { DeletedFinalStateUnknown } from '../meta/key.js';
import { compareResourceVersions } from '../meta/resource-version.js';
import { requireFunction } from '../meta/validate.js';
import type { Clock } from '../time/clock.js';
import { LruCache } from '../time/lru-cache.js';
import { realClock } from '../time/real-clock.js';
import type { Indexer } from './indexer.js';

/** Options of a {@link MutationCache}. */
export interface MutationCacheOptions<T, N extends string = string> {
  readonly accessor: Accessor<T>;
  /** The informer's store, behind the server by a moment. */
  readonly backingStore: { getByKey(key: string): T | undefined };
  /** Where `byIndex` looks; usually the same store. @default none: `byIndex` throws */
  readonly indexer?: Indexer<T, N> | undefined;
  /** Whether objects are shown that the store does not have yet. @default false */
  readonly includeAdds?: boolean | undefined;
  /** How long a write is remembered for which the store never makes up. @default 300_000 */
  readonly ttlMs?: number | undefined;
  /** How many writes are remembered. @default 100 */
  readonly size?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** What is remembered of an object: what was written, or that it is gone. */
interface Memory<T> {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly item: T | undefined;
}

/**
 * Shows a store as if your own writes were in it already. Tell it what the server answered to your writes with
 * {@link mutation}; until the store has caught up, reads show that instead.
 *
 * Feed it from the informer ({@link onAddOrUpdate}, {@link onDelete}), so that a write that lost a race is forgotten at
 * once: the answer to an update may arrive after the watch has told that the object was deleted, and must not bring it
 * back.
 *
 * Newer means a greater resourceVersion. Where a server's versions cannot be ordered, what the store has counts.
 */
export class MutationCache<T, N extends string = string> {
  readonly #accessor: Accessor<T>;
  readonly #store: { getByKey(key: string): T | undefined };
  readonly #indexer: Indexer<T, N> | undefined;
  readonly #includeAdds: boolean;
  readonly #memories: LruCache<string, Memory<T>>;

  constructor(options: MutationCacheOptions<T, N>) {
    const { clock = realClock, size = 100, ttlMs = 300_000 } = options;
    requireFunction('backingStore.getByKey', options.backingStore?.getByKey);
    this.#accessor = options.accessor;
    this.#store = options.backingStore;
    this.#indexer = options.indexer;
    this.#includeAdds = options.includeAdds ?? false;
    this.#memories = new LruCache({ clock, size, ttlMs });
  }

  /** How many writes and deletions are remembered. */
  get size(): number {
    return this.#memories.size;
  }

  /** The newest that is known of the object. */
  getByKey(key: string): T | undefined {
    const stored = this.#store.getByKey(key);
    if (stored !== undefined) return this.#newer(key, stored);
    return this.#includeAdds ? this.#memories.get(key)?.item : undefined;
  }

  /**
   * The objects under this value of an index. An object that the store files under it is found in its newest state, even
   * if that would be filed elsewhere.
   */
  byIndex(name: N, value: string): T[] {
    const indexer = this.#indexer;
    if (indexer === undefined) throw new TypeError('this MutationCache has no indexer: give it one to use byIndex');
    const keys = indexer.indexKeys(name, value);
    const found = keys.map((key) => this.#newer(key, indexer.getByKey(key) as T));
    if (!this.#includeAdds) return found;
    const valuesOf = indexer.indexers[name];
    const known = new Set(keys);
    for (const { key, item } of this.#memories.values()) {
      if (item === undefined || known.has(key)) continue;
      const stored = indexer.getByKey(key);
      if (stored !== undefined && this.#newer(key, stored) === stored) continue;
      try {
        if (valuesOf?.(item).includes(value)) found.push(item);
      } catch {
        // An index function that cannot read this object would have kept it out of the store as well.
      }
    }
    return found;
  }

  /** The server answered a write of yours with this. */
  mutation(item: T): void {
    const written = this.#memoryOf(item);
    const known = this.#memories.get(written.key);
    if (known !== undefined) {
      if (isOlder(written, known)) return;
      const isGone = known.item === undefined;
      if (isGone && (written.resourceVersion === known.resourceVersion || written.uid === known.uid)) return;
    }
    this.#memories.set(written.key, written);
  }

  /** The informer has seen this state. */
  onAddOrUpdate(item: T): void {
    const seen = this.#memoryOf(item);
    const known = this.#memories.get(seen.key);
    if (known !== undefined && !isOlder(seen, known)) this.#memories.delete(seen.key);
  }

  /** The informer has seen the object go. */
  onDelete(item: T | DeletedFinalStateUnknown<T>): void {
    const object = item instanceof DeletedFinalStateUnknown ? item.object : item;
    if (object === undefined) {
      // Nothing is left to compare with: what the store says is all there is.
      this.#memories.delete((item as DeletedFinalStateUnknown<T>).key);
      return;
    }
    const gone = this.#memoryOf(object);
    const known = this.#memories.get(gone.key);
    // A newer object of the same name: that one is not gone.
    if (known !== undefined && isOlder(gone, known) && known.uid !== gone.uid) return;
    this.#memories.set(gone.key, { ...gone, item: undefined });
  }

  #newer(key: string, stored: T): T {
    const known = this.#memories.get(key);
    if (known === undefined) return stored;
    if (isOlder(this.#memoryOf(stored), known)) return known.item ?? stored;
    this.#memories.delete(key);
    return stored;
  }

  #memoryOf(item: T): Memory<T> {
    const accessor = this.#accessor;
    return {
      key: accessor.key(item),
      uid: accessor.uid(item),
      resourceVersion: accessor.resourceVersion(item) || '0',
      item,
    };
  }
}

function isOlder(a: Memory<unknown>, b: Memory<unknown>): boolean {
  return compareResourceVersions(a.resourceVersion, b.resourceVersion) === -1;
}

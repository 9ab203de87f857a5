import type { Abortable } from '../../meta/objects.js';
import { fnv1a } from '../../structures/fnv1a.js';

/** How collections are divided into shards; the same in all replicas. */
export interface ShardSpace {
  /** From 2 to 256. Shard `i` covers the `i`-th of so many equal parts of the range of 64-bit hashes. */
  readonly count: number;
  /** Whether an object belongs to a shard by its uid or by its namespace. */
  readonly by: 'uid' | 'namespace';
}

/**
 * The text that decides about the shard of an object: its own uid, its namespace, or the uid of its controller (the owner
 * reference with `controller: true`). An object without a controller is in no shard by `controllerUid`.
 */
export type ShardKey = 'uid' | 'namespace' | 'controllerUid';

/** The shard of a uid or namespace: the same as kube-apiserver's, which hashes it with 64-bit FNV-1a. */
export function shardOf({ count }: Pick<ShardSpace, 'count'>, text: string): number {
  return shardOfBytes(count, Buffer.from(text));
}

/** {@link shardOf} for a text that is in UTF-8. */
export function shardOfBytes(count: number, bytes: Uint8Array, start?: number, end?: number): number {
  const { high, low } = fnv1a(bytes, start, end);
  // hash * count / 2^64, rounded down: both products have at most 40 bits.
  return Math.floor((high * count + Math.floor((low * count) / 0x1_0000_0000)) / 0x1_0000_0000);
}

/**
 * Caches whose shards change while they run. `ShardSet` in shard-set.ts implements it for all caches of a manager at once:
 *
 * ```
 *   const shards = new ShardSet({ count: 32, by: 'uid' });            // none at first
 *   factory.acquire(widgets, { informer: { shard: shards.of('uid') } });               // `for`
 *   factory.acquire(configMaps, { informer: { shard: shards.of('controllerUid') } });  // `owns`
 *   await shards.gain([3, 4], { signal });
 * ```
 *
 * - An informer that is started while no shard is held syncs at once, with an empty cache.
 * - Objects of a gained shard are add events with `isInInitialList: true`.
 * - Objects of a released shard are delete events with `isReleased: true`: the object still exists, and left the cache only.
 *   `isReleased` of every other delete event is false.
 */
export interface ShardedSource {
  readonly space: ShardSpace;
  /** The shards whose objects are in all caches, in ascending order. Not those that are being gained. */
  readonly held: readonly number[];
  /**
   * Reads the objects of further shards. Resolves when they are in the cache of every informer, and their events are queued for
   * all handlers. Shards that are held already are ignored. Failed lists are reported and repeated until the signal aborts or
   * the shards are released: then it rejects, and the cache has nothing of them.
   */
  gain(shards: Iterable<number>, options?: Abortable): Promise<void>;
  /**
   * Removes the objects of shards from the caches. Resolves when no lister returns them any more, and their events are queued for
   * all handlers. `held` lacks the shards at once. Shards that are not held are ignored. Never rejects.
   */
  release(shards: Iterable<number>): Promise<void>;
}

import type { ShardBits } from './shard-filter.js';

/**
 * The objects of a cache that go by their controller, with their shards. An object may get another controller, and has to leave
 * the cache then: a filter that sees the foreign controller finds here that the object was kept before.
 *
 * Objects are added when they are decoded, and not later: the next event of the same piece of the stream may give them another
 * controller. They are removed when the next watch begins, since until then events that were decoded may be dropped, and come
 * again.
 */
export class OwnedKeys {
  readonly #shards = new Map<string, number>();
  readonly #gone = new Set<string>();

  shardOf(key: string): number | undefined {
    return this.#shards.get(key);
  }

  /** An object was decoded and kept. */
  add(key: string, shard: number): void {
    this.#shards.set(key, shard);
  }

  /** An event of the object was passed on: it is in the cache, or was deleted. */
  confirm(key: string, isDeleted: boolean): void {
    if (isDeleted) this.#gone.add(key);
    else this.#gone.delete(key);
  }

  /** A watch begins: nothing that was decoded is on its way. */
  sweep(): void {
    for (const key of this.#gone) this.#shards.delete(key);
    this.#gone.clear();
  }

  /** Removes the objects of all other shards. */
  retain(shards: ShardBits): void {
    for (const [key, shard] of this.#shards) if (shards[shard] !== 1) this.#shards.delete(key);
  }

  clear(): void {
    this.#shards.clear();
    this.#gone.clear();
  }
}

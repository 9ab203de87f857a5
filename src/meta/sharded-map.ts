/** Up to here one Map will do: moving all of it takes a few milliseconds. */
const oneMapHolds = 32_768;
const shardCount = 64;
/** How many characters of a string decide where it goes; keys differ at their ends. */
const charactersHashed = 8;

/**
 * A Map for very many entries. A Map that is full moves everything into one twice as large, in one go: at half a million
 * entries that holds the event loop for 50 ms and more. This one goes over to many small Maps before that hurts.
 *
 * ```
 *   size ≤ 32,768      [ Map ]
 *   beyond             [ Map | Map | Map | … 64 ]      the end of a key decides which
 * ```
 *
 * It has what a Map has, but for the order of its entries, which nobody asks it for.
 */
export class ShardedMap<K, V> {
  #shards: Map<K, V>[] = [new Map()];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: K): V | undefined {
    return this.#shardOf(key).get(key);
  }

  has(key: K): boolean {
    return this.#shardOf(key).has(key);
  }

  set(key: K, value: V): void {
    const shard = this.#shardOf(key);
    const before = shard.size;
    shard.set(key, value);
    this.#size += shard.size - before;
    if (this.#size > oneMapHolds && this.#shards.length === 1) this.#split(shard);
  }

  delete(key: K): boolean {
    const deleted = this.#shardOf(key).delete(key);
    // Small again, and empty: one Map is faster.
    if (deleted && --this.#size === 0 && this.#shards.length > 1) this.clear();
    return deleted;
  }

  clear(): void {
    this.#shards = [new Map()];
    this.#size = 0;
  }

  #shardOf(key: K): Map<K, V> {
    const shards = this.#shards;
    return shards[shards.length === 1 ? 0 : hash(key)] as Map<K, V>;
  }

  #split(full: Map<K, V>): void {
    this.#shards = Array.from({ length: shardCount }, () => new Map());
    for (const [key, value] of full) this.#shardOf(key).set(key, value);
  }
}

/** Which shard; the same for keys that a Map takes for the same. */
function hash(key: unknown): number {
  if (typeof key === 'number') return Math.abs(Math.trunc(key)) % shardCount || 0;
  if (typeof key !== 'string') return 0;
  let sum = key.length;
  for (let i = Math.max(0, key.length - charactersHashed); i < key.length; i++)
    sum = (sum * 31 + key.charCodeAt(i)) | 0;
  return (sum ^ (sum >>> 6) ^ (sum >>> 12)) & (shardCount - 1);
}

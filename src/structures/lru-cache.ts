/** A bounded map. Adding an entry beyond `capacity` removes the entry that was read or written least recently. */
export class LruCache<K, V> {
  readonly #capacity: number;
  /** From the least to the most recently used, because a Map iterates in insertion order. */
  readonly #entries = new Map<K, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as K);
  }
}

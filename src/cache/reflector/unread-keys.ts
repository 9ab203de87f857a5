/** The objects of a collection that an informer could not read and left out. */
export interface SkippedObjects {
  /** Objects and events that were left out since the start. */
  readonly total: number;
  /**
   * Keys of objects whose newest version cannot be read. The cache has the last version that could be read, if any. A key is
   * removed when a version of its object can be read, or the object is deleted.
   */
  readonly keys: readonly string[];
  /**
   * Objects since the last list whose key could not be read either. If there are any, an object that was missing in that list
   * may be one of them, and stays in the cache.
   */
  readonly withoutKey: number;
}

export const noSkippedObjects: SkippedObjects = Object.freeze({
  total: 0,
  keys: Object.freeze([]),
  withoutKey: 0,
});

/** The objects of a collection that exist and cannot be read: a list without them does not mean that they were deleted. */
export class UnreadKeys {
  #keys = new Set<string>();
  #withoutKey = 0;

  get isEmpty(): boolean {
    return this.#keys.size === 0 && this.#withoutKey === 0;
  }

  get keys(): readonly string[] {
    return [...this.#keys];
  }

  get withoutKey(): number {
    return this.#withoutKey;
  }

  /** @param key undefined if it cannot be read */
  add(key: string | undefined): void {
    if (key === undefined) this.#withoutKey++;
    else this.#keys.add(key);
  }

  /** A version of the object was read, or it was deleted. */
  delete(key: string): void {
    this.#keys.delete(key);
  }

  /** Whether the object with this key may be one of these. */
  mayInclude(key: string): boolean {
    return this.#withoutKey > 0 || this.#keys.has(key);
  }

  replaceWith(others: UnreadKeys): void {
    this.#keys = new Set(others.#keys);
    this.#withoutKey = others.#withoutKey;
  }
}

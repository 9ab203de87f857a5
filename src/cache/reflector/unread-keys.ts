/** What an informer could not read of its collection, and left out. */
export interface SkippedObjects {
  /** How many objects and events have been left out since the start. */
  readonly total: number;
  /**
   * Objects whose newest version cannot be read, and which are in the cache as they were last read, or not at all. A key goes
   * from here when a version of its object can be read, or with the object.
   */
  readonly keys: readonly string[];
  /**
   * How many objects since the last list did not even show their key. While there are any, an object that this list did not
   * show may be one of them, and has stayed in the cache.
   */
  readonly withoutKey: number;
}

/** Nothing was left out. */
export const noSkippedObjects: SkippedObjects = Object.freeze({
  total: 0,
  keys: Object.freeze([]),
  withoutKey: 0,
});

/**
 * The objects of a collection that are there and could not be read. A list that has left these out does not say that they are
 * gone.
 */
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

  /** One more; undefined if not even its key could be read. */
  add(key: string | undefined): void {
    if (key === undefined) this.#withoutKey++;
    else this.#keys.add(key);
  }

  /** It has been read since, or is gone. */
  delete(key: string): void {
    this.#keys.delete(key);
  }

  /** Whether an object may be one of these. */
  mayInclude(key: string): boolean {
    return this.#withoutKey > 0 || this.#keys.has(key);
  }

  /** From now on exactly those. */
  replaceWith(others: UnreadKeys): void {
    this.#keys = new Set(others.#keys);
    this.#withoutKey = others.#withoutKey;
  }
}

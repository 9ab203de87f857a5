import type { JsonObject } from '../../meta/json-values.js';
import type { Collection, Revision } from '../storage/storage.js';

/** The objects of a small collection in the form in which requests use them, read once for each revision. */
export class StoredObjects<T> {
  readonly #collection: Collection;
  readonly #read: (object: JsonObject) => T;
  readonly #known = new WeakMap<Revision, T>();
  /** As of a place in the changes of the collection. */
  #cached: { readonly end: number; readonly all: readonly T[] } = { end: -1, all: [] };

  constructor(collection: Collection, read: (object: JsonObject) => T) {
    this.#collection = collection;
    this.#read = read;
  }

  get size(): number {
    return this.#collection.size;
  }

  /** In the order of their keys. */
  get all(): readonly T[] {
    const end = this.#collection.changesEnd;
    if (this.#cached.end !== end) this.#cached = { end, all: this.#readAll() };
    return this.#cached.all;
  }

  #readAll(): T[] {
    const all: T[] = [];
    this.#collection.scan(Number.POSITIVE_INFINITY, '', '', (revision) => {
      let value = this.#known.get(revision);
      if (value === undefined) {
        value = this.#read(revision.decode());
        this.#known.set(revision, value);
      }
      all.push(value);
      return true;
    });
    return all;
  }
}

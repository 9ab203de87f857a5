import type { Accessor } from '../meta/accessor.js';
import type { DeletedFinalStateUnknown } from '../meta/key.js';
import { requireFunction } from '../meta/validate.js';
import { Indexer } from './indexer.js';
import type { Store } from './store.js';

/** Options of an {@link UndeltaStore}. */
export interface UndeltaStoreOptions<T> {
  readonly accessor: Accessor<T>;
  /** @default the accessor's key */
  readonly keyOf?: ((item: T) => string) | undefined;
  /** Called with everything that is stored, after every change. The array is yours; what is in it is everybody's. */
  readonly push: (items: T[]) => void;
}

/**
 * A store for those who want no changes but the whole: after every write it pushes the complete contents. Each push costs
 * as much as there are items, so this is for small collections.
 *
 * What `push` throws reaches the writer, with the write done.
 */
export class UndeltaStore<T> implements Store<T> {
  readonly #store: Indexer<T>;
  readonly #push: (items: T[]) => void;

  constructor(options: UndeltaStoreOptions<T>) {
    requireFunction('push', options.push);
    this.#store = new Indexer<T>({ accessor: options.accessor, keyOf: options.keyOf });
    this.#push = options.push;
  }

  add(item: T): void {
    this.#store.add(item);
    this.#push(this.#store.list());
  }

  update(item: T): void {
    this.add(item);
  }

  delete(item: T | DeletedFinalStateUnknown<T>): void {
    this.#store.delete(item);
    this.#push(this.#store.list());
  }

  replace(items: T[], resourceVersion: string): void {
    this.#store.replace(items, resourceVersion);
    this.#push(this.#store.list());
  }

  resync(): void {}

  bookmark(resourceVersion: string): void {
    this.#store.bookmark(resourceVersion);
  }

  get size(): number {
    return this.#store.size;
  }

  get resourceVersion(): string {
    return this.#store.resourceVersion;
  }

  get(item: T): T | undefined {
    return this.#store.get(item);
  }

  getByKey(key: string): T | undefined {
    return this.#store.getByKey(key);
  }

  list(): T[] {
    return this.#store.list();
  }

  listKeys(): string[] {
    return this.#store.listKeys();
  }

  iterate(): IterableIterator<T> {
    return this.#store.iterate();
  }
}

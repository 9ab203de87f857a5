import type { DeepReadonly } from '../../meta/objects.js';
import type { Indexer } from '../store/indexer.js';
import type { IndexedLister } from './lister.js';

/**
 * One index of a cache. On a running informer it is built in slices: a read before `whenReady()` has resolved throws.
 */
export interface Index<T> {
  readonly name: string;
  whenReady(): Promise<void>;
  /** The objects filed under the value; parses each. */
  list(value: string): DeepReadonly<T>[];
  /** Never parses. Sorted. */
  keys(value: string): string[];
  /** Never parses. */
  count(value: string): number;
  /** The values that at least one object is filed under. */
  values(): string[];
}

/** An {@link Index} of an informer. */
export class InformerIndex<I extends object, T> implements Index<T> {
  readonly name: string;
  readonly #indexer: Indexer<I>;
  readonly #lister: IndexedLister<I, T>;
  readonly #ready: Promise<void>;

  constructor(name: string, indexer: Indexer<I>, lister: IndexedLister<I, T>, ready: Promise<void>) {
    this.name = name;
    this.#indexer = indexer;
    this.#lister = lister;
    this.#ready = ready;
  }

  whenReady(): Promise<void> {
    return this.#ready;
  }

  list(value: string): DeepReadonly<T>[] {
    return this.#lister.listIndex(this.name, value);
  }

  keys(value: string): string[] {
    return this.#indexer.indexKeys(this.name, value);
  }

  count(value: string): number {
    return this.#indexer.indexCount(this.name, value);
  }

  values(): string[] {
    return this.#indexer.indexValues(this.name);
  }
}

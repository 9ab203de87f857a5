import { KubeflectError } from '../meta/errors.js';
import { Heap as BinaryHeap, type HeapOptions as BinaryHeapOptions } from '../meta/heap.js';
import type { Abortable } from '../meta/objects.js';
import { requireFunction } from '../meta/validate.js';
import { Waiters } from '../time/waiters.js';

/** A heap was closed: it takes nothing more, and once it is empty nothing comes out of it. */
export class HeapClosedError extends KubeflectError {
  static {
    HeapClosedError.prototype.name = 'HeapClosedError';
  }

  constructor() {
    super('HEAP_CLOSED', 'heap is closed');
  }
}

/** How a {@link Heap} identifies and orders its items. */
export type HeapOptions<T> = BinaryHeapOptions<string, T>;

/**
 * A queue out of which the smallest item comes first, and in which an item can be found, changed and removed by its key.
 * `pop` waits for an item; whoever has waited longest gets the first one.
 *
 * A closed heap takes nothing more; what is in it can still be popped.
 */
export class Heap<T> {
  readonly #keyOf: (item: T) => string;
  readonly #items: BinaryHeap<string, T>;
  readonly #waiters = new Waiters<T>();
  #closed = false;

  constructor(options: HeapOptions<T>) {
    requireFunction('keyOf', options.keyOf);
    requireFunction('compare', options.compare);
    this.#keyOf = options.keyOf;
    this.#items = new BinaryHeap(options);
  }

  /** How many items wait. */
  get length(): number {
    return this.#items.size;
  }

  /** Adds the item, or replaces the one with its key and moves it to where it belongs now. */
  add(item: T): void {
    this.#requireOpen();
    this.#items.set(item);
    this.#serve();
  }

  /** The same as {@link add}. */
  update(item: T): void {
    this.add(item);
  }

  /** Adds many; those who wait get the smallest of all, not of those that happened to come first. */
  addAll(items: Iterable<T>): void {
    this.#requireOpen();
    for (const item of items) this.#items.set(item);
    this.#serve();
  }

  /** Adds the item unless there is one with its key. */
  addIfNotPresent(item: T): void {
    this.#requireOpen();
    if (this.#items.has(this.#keyOf(item))) return;
    this.#items.set(item);
    this.#serve();
  }

  /** Removes the item with the key of this one. @throws when there is none. */
  delete(item: T): void {
    const key = this.#keyOf(item);
    if (!this.#items.has(key))
      throw new KubeflectError('NOT_FOUND', `object not found: there is no ${key} in the heap`);
    this.#items.delete(key);
  }

  /** The item with the key of this one. */
  get(item: T): T | undefined {
    return this.#items.get(this.#keyOf(item));
  }

  getByKey(key: string): T | undefined {
    return this.#items.get(key);
  }

  /** What would be popped next. */
  peek(): T | undefined {
    return this.#items.peek();
  }

  /** All items, in no promised order. */
  list(): T[] {
    return [...this.#items];
  }

  listKeys(): string[] {
    return Array.from(this.#items, this.#keyOf);
  }

  /**
   * Takes out the smallest item, now or when there is one.
   * @throws HeapClosedError when the heap is closed and empty; the signal's reason on abort.
   */
  async pop({ signal }: Abortable = {}): Promise<T> {
    signal?.throwIfAborted();
    if (this.#items.size > 0) return this.#items.pop() as T;
    if (this.#closed) throw new HeapClosedError();
    const served = await this.#waiters.wait(signal);
    if (served !== undefined) return served;
    signal?.throwIfAborted();
    throw new HeapClosedError();
  }

  /** Sends away those who wait. */
  close(): void {
    this.#closed = true;
    this.#waiters.dismiss();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  #serve(): void {
    while (this.#waiters.any && this.#items.size > 0) this.#waiters.serve(this.#items.pop() as T);
  }

  #requireOpen(): void {
    if (this.#closed) throw new HeapClosedError();
  }
}

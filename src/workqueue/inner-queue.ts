import { PagedArray } from '../structures/paged-array.js';
import type { NumberQueue } from './number-queue.js';

/** An item in the queue. Inner queues see it; everybody else sees the item. */
export interface QueueEntry<T> {
  readonly item: T;
}

/** The order in which waiting items come out. The work queue keeps duplicates away from it. */
export interface InnerQueue<T> {
  readonly length: number;
  push(entry: QueueEntry<T>): void;
  /** The next entry; called only while there is one. */
  pop(): QueueEntry<T>;
  /** The item was added again while it waits here; a queue of priorities may move it. */
  touch(entry: QueueEntry<T>): void;
}

interface NumberedEntry<T> extends QueueEntry<T> {
  readonly number: number;
}

/** In the order of an inner queue. */
export class InnerNumberQueue<T> implements NumberQueue {
  readonly #inner: InnerQueue<T>;
  readonly #items: PagedArray<T>;
  readonly #entries = new PagedArray<NumberedEntry<T>>();

  /** @param items by number */
  constructor(inner: InnerQueue<T>, items: PagedArray<T>) {
    this.#inner = inner;
    this.#items = items;
  }

  get length(): number {
    return this.#inner.length;
  }

  push(number: number): void {
    const entry = { item: this.#items.get(number) as T, number };
    this.#entries.set(number, entry);
    this.#inner.push(entry);
  }

  pop(): number {
    const { number } = this.#inner.pop() as NumberedEntry<T>;
    this.#entries.unset(number);
    return number;
  }

  touch(number: number): void {
    this.#inner.touch(this.#entries.get(number) as NumberedEntry<T>);
  }

  shrink(): void {
    this.#entries.clear();
  }
}

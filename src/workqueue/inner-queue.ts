import { PagedArray } from '../structures/paged-array.js';
import type { NumberQueue } from './number-queue.js';

/** A queued item, as an {@link InnerQueue} holds it. */
export interface QueueEntry<T> {
  readonly item: T;
}

/** Decides the order of queued items. The work queue pushes an item only once until it is popped. */
export interface InnerQueue<T> {
  readonly length: number;
  push(entry: QueueEntry<T>): void;
  /** Removes the next entry. Not called while `length` is 0. */
  pop(): QueueEntry<T>;
  /** Called when a queued item is added again: a priority queue may move it. */
  touch(entry: QueueEntry<T>): void;
}

interface NumberedEntry<T> extends QueueEntry<T> {
  readonly number: number;
}

/** Numbers in the order of an {@link InnerQueue}. */
export class InnerNumberQueue<T> implements NumberQueue {
  readonly #inner: InnerQueue<T>;
  readonly #items: PagedArray<T>;
  readonly #entries = new PagedArray<NumberedEntry<T>>();

  /** @param items the items by number */
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

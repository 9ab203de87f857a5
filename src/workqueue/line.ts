import { growTypedArray } from '../structures/grow-typed-array.js';
import { PagedArray } from '../structures/paged-array.js';

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

/** The numbers of the items that wait in a work queue, in the order in which they come out. A number is in it once. */
export interface Line {
  readonly length: number;
  push(number: number): void;
  /** The next number; called only while there is one. */
  pop(): number;
  /** The item was added again while it waits here. */
  touch(number: number): void;
  /** Gives back the memory of a line that is empty. */
  shrink(): void;
}

const fewest = 16;

/** First in, first out: each number leads to the one behind it. */
export class Fifo implements Line {
  #next = new Int32Array(fewest);
  #first = 0;
  #last = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (number >= this.#next.length) this.#next = growTypedArray(this.#next, number);
    if (this.#length++ === 0) this.#first = number;
    else this.#next[this.#last] = number;
    this.#last = number;
  }

  pop(): number {
    const number = this.#first;
    this.#first = this.#next[number] as number;
    this.#length--;
    return number;
  }

  touch(): void {}

  shrink(): void {
    this.#next = new Int32Array(fewest);
  }
}

interface NumberedEntry<T> extends QueueEntry<T> {
  readonly number: number;
}

/** In the order of an inner queue. */
export class InnerLine<T> implements Line {
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

import { growTypedArray } from '../structures/grow-typed-array.js';

/** The numbers of the queued items of a work queue, in the order in which they are handed out. A number is in it once. */
export interface NumberQueue {
  readonly length: number;
  push(number: number): void;
  /** Removes the next number. Not called while `length` is 0. */
  pop(): number;
  /** Called when a queued item is added again. */
  touch(number: number): void;
  /** Frees memory. Called only while `length` is 0. */
  shrink(): void;
}

const initialCapacity = 16;

/** First in, first out, as a linked list: `#next[number]` is the number behind it. */
export class NumberFifo implements NumberQueue {
  #next = new Int32Array(initialCapacity);
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
    this.#next = new Int32Array(initialCapacity);
  }
}

import { enlarged } from '../structures/enlarged.js';

/** The numbers of the items that wait in a work queue, in the order in which they come out. A number is in it once. */
export interface NumberQueue {
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
export class NumberFifo implements NumberQueue {
  #next = new Int32Array(fewest);
  #first = 0;
  #last = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (number >= this.#next.length) this.#next = enlarged(this.#next, number);
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

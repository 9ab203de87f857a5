const SMALLEST = 16;

/**
 * A queue in a circle: first in, first out, in constant time, and its memory follows its length both ways.
 *
 * ```
 *   #head = 6, #length = 5, capacity 8 (always a power of two, so that wrapping around is one `&`)
 *
 *   index   0   1   2   3   4   5   6   7
 *         [ c | d | e |   |   |   | a | b ]        shift() takes a, push() writes to index 3
 *                   ↑ last          ↑ #head
 *
 *   full: the capacity doubles.   under a quarter: it halves, down to 16.
 * ```
 *
 * Slots are emptied when taken, so that nothing is kept alive by having been queued once.
 */
export class Ring<T> implements Iterable<T> {
  #slots: (T | undefined)[] = new Array(SMALLEST).fill(undefined);
  #head = 0;
  #length = 0;

  /** How many items are queued. */
  get length(): number {
    return this.#length;
  }

  /** How many items fit before the ring grows. */
  get capacity(): number {
    return this.#slots.length;
  }

  /** Adds to the end. */
  push(item: T): void {
    if (this.#length === this.#slots.length) this.#resize(this.#length * 2);
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item;
    this.#length++;
  }

  /** Takes the first, or undefined if there is none. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const slots = this.#slots;
    const item = slots[this.#head];
    slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (slots.length - 1);
    this.#length--;
    if (slots.length > SMALLEST && this.#length < slots.length >> 2) this.#resize(slots.length >> 1);
    return item;
  }

  /** The item at `index` from the front, or undefined if there is none: `at(0)` is what `shift` would take. */
  at(index: number): T | undefined {
    if (index < 0 || index >= this.#length) return undefined;
    return this.#slots[(this.#head + index) & (this.#slots.length - 1)];
  }

  /** Drops everything. */
  clear(): void {
    this.#slots = new Array(SMALLEST).fill(undefined);
    this.#head = 0;
    this.#length = 0;
  }

  /** The items from first to last. What is pushed or taken meanwhile is seen or missed accordingly. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let index = 0; index < this.#length; index++) yield this.at(index) as T;
  }

  #resize(capacity: number): void {
    const slots: (T | undefined)[] = new Array(capacity).fill(undefined);
    for (let index = 0; index < this.#length; index++) slots[index] = this.at(index);
    this.#slots = slots;
    this.#head = 0;
  }
}

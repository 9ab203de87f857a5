const MIN_CAPACITY = 16;

/**
 * A FIFO queue in a circular array. All operations take constant time; the array grows and shrinks with the length.
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
 * `shift` clears the slot, so that the ring keeps no reference to an item that was taken.
 */
export class Ring<T> implements Iterable<T> {
  #slots: (T | undefined)[] = new Array(MIN_CAPACITY).fill(undefined);
  #head = 0;
  #length = 0;

  /** The number of items. */
  get length(): number {
    return this.#length;
  }

  /** The number of items that fit before the ring grows. */
  get capacity(): number {
    return this.#slots.length;
  }

  /** Appends an item. */
  push(item: T): void {
    if (this.#length === this.#slots.length) this.#resize(this.#length * 2);
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item;
    this.#length++;
  }

  /** Removes and returns the first item; undefined if there is none. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const slots = this.#slots;
    const item = slots[this.#head];
    slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (slots.length - 1);
    this.#length--;
    if (slots.length > MIN_CAPACITY && this.#length < slots.length >> 2) this.#resize(slots.length >> 1);
    return item;
  }

  /** The item at `index` from the front; undefined if there is none. `at(0)` is the item that `shift` returns next. */
  at(index: number): T | undefined {
    if (index < 0 || index >= this.#length) return undefined;
    return this.#slots[(this.#head + index) & (this.#slots.length - 1)];
  }

  /** Removes all items. */
  clear(): void {
    this.#slots = new Array(MIN_CAPACITY).fill(undefined);
    this.#head = 0;
    this.#length = 0;
  }

  /** The items from first to last. Reads by index, so that items pushed meanwhile are included and each `shift` skips one. */
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

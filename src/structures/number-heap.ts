import { growTypedArray } from './grow-typed-array.js';

const INITIAL_PLACES = 8;
/** Not a power of two: places and numbers never have to grow in the same `set`. */
const INITIAL_NUMBERS = 6;
/** `clear` keeps arrays up to this length: allocating new ones costs more than it frees. */
const KEPT_NUMBERS = 1024;

/**
 * A min-heap of small numbers by rank; equal ranks come out in the order in which they were set. It holds each number at
 * most once. {@link Heap} puts keys and values on top of it.
 *
 * ```
 *               0                   parent(i)   = (i − 1) >> 2
 *        /    /   \    \            children(i) = 4i + 1 … 4i + 4
 *       1    2     3    4
 *    5 6 7 8 …                      #numbers, #ranks   by place in the heap
 *                                   #places, #orders   by number
 * ```
 *
 * Memory access dominates the time of a large heap. Typed arrays keep the four ranks that are compared next to each
 * other, and the owner's records are not read. `set`, `pop` and `delete` take O(log n), `sorted` O(n log n), everything
 * else O(1).
 */
export class NumberHeap {
  #numbers = new Int32Array(INITIAL_PLACES);
  #ranks = new Float64Array(INITIAL_PLACES);
  /** The place plus one; 0 if the heap does not hold the number. */
  #places = new Int32Array(INITIAL_NUMBERS);
  #orders = new Float64Array(INITIAL_NUMBERS);
  #size = 0;
  #order = 0;

  /** How many numbers the heap holds. */
  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    return number < this.#places.length && this.#places[number] !== 0;
  }

  /** The rank of a number that the heap holds. */
  rankOf(number: number): number {
    return this.#ranks[(this.#places[number] as number) - 1] as number;
  }

  /** The rank of the number that `pop` returns next. The heap must not be empty. */
  get firstRank(): number {
    return this.#ranks[0] as number;
  }

  /** Adds the number, or gives it a new rank and moves it behind all others of that rank. */
  set(number: number, rank: number): void {
    if (number >= this.#places.length) {
      this.#places = growTypedArray(this.#places, number);
      this.#orders = growTypedArray(this.#orders, number);
    }
    this.#orders[number] = this.#order++;
    if (this.#places[number] !== 0) {
      this.#settle((this.#places[number] as number) - 1, number, rank);
      return;
    }
    if (this.#size === this.#ranks.length) {
      this.#numbers = growTypedArray(this.#numbers, this.#size);
      this.#ranks = growTypedArray(this.#ranks, this.#size);
    }
    this.#up(this.#size++, number, rank);
  }

  /** Removes and returns the number of the lowest rank. The heap must not be empty. */
  pop(): number {
    const first = this.#numbers[0] as number;
    this.delete(first);
    return first;
  }

  /** Removes a number that the heap holds. */
  delete(number: number): void {
    const place = (this.#places[number] as number) - 1;
    this.#places[number] = 0;
    const end = --this.#size;
    if (place !== end) this.#settle(place, this.#numbers[end] as number, this.#ranks[end] as number);
  }

  /** Removes all numbers, and frees the memory of a large heap. */
  clear(): void {
    this.#size = 0;
    if (this.#places.length <= KEPT_NUMBERS) {
      this.#places.fill(0);
      return;
    }
    this.#numbers = new Int32Array(INITIAL_PLACES);
    this.#ranks = new Float64Array(INITIAL_PLACES);
    this.#places = new Int32Array(INITIAL_NUMBERS);
    this.#orders = new Float64Array(INITIAL_NUMBERS);
  }

  /** All numbers in the order in which `pop` would return them. */
  sorted(): number[] {
    return [...this.#numbers.subarray(0, this.#size)].sort(
      (a, b) => this.rankOf(a) - this.rankOf(b) || (this.#orders[a] as number) - (this.#orders[b] as number),
    );
  }

  #settle(place: number, number: number, rank: number): void {
    if (place > 0 && this.#isBefore(number, rank, (place - 1) >> 2)) this.#up(place, number, rank);
    else this.#down(place, number, rank);
  }

  #up(from: number, number: number, rank: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 2;
      if (!this.#isBefore(number, rank, parent)) break;
      this.#put(place, this.#numbers[parent] as number, this.#ranks[parent] as number);
      place = parent;
    }
    this.#put(place, number, rank);
  }

  #down(from: number, number: number, rank: number): void {
    let place = from;
    for (;;) {
      let least = 4 * place + 1;
      if (least >= this.#size) break;
      const end = Math.min(least + 4, this.#size);
      for (let child = least + 1; child < end; child++)
        if (this.#isBefore(this.#numbers[child] as number, this.#ranks[child] as number, least)) least = child;
      if (this.#isBefore(number, rank, least)) break;
      this.#put(place, this.#numbers[least] as number, this.#ranks[least] as number);
      place = least;
    }
    this.#put(place, number, rank);
  }

  /** Whether the number comes out before the one at `place`. */
  #isBefore(number: number, rank: number, place: number): boolean {
    const other = this.#ranks[place] as number;
    if (rank !== other) return rank < other;
    return (this.#orders[number] as number) < (this.#orders[this.#numbers[place] as number] as number);
  }

  #put(place: number, number: number, rank: number): void {
    this.#numbers[place] = number;
    this.#ranks[place] = rank;
    this.#places[number] = place + 1;
  }
}

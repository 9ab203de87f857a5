import { enlarged } from './enlarged.js';

const fewestPlaces = 8;
/** Grows at other times than the places do, so that no `set` pays for both. */
const fewestNumbers = 6;

/**
 * A min-heap of small numbers by rank; equal ranks come out in the order in which they were set. A number is in it once.
 *
 * ```
 *               0                   parent(i)   = (i − 1) >> 2
 *        /    /   \    \            children(i) = 4i + 1 … 4i + 4
 *       1    2     3    4
 *    5 6 7 8 …                      #numbers, #ranks   by place in the heap
 *                                   #places, #orders   by number
 * ```
 *
 * A large heap spends its time waiting for memory. So it is flat, four ranks that are compared stand side by side, and the
 * owner's records are not touched. `set`, `pop` and `delete` take O(log n), everything else O(1).
 */
export class NumberHeap {
  #numbers = new Int32Array(fewestPlaces);
  #ranks = new Float64Array(fewestPlaces);
  /** One more than the place; 0 if the number is not in. */
  #places = new Int32Array(fewestNumbers);
  #orders = new Float64Array(fewestNumbers);
  #size = 0;
  #order = 0;

  /** How many numbers are in. */
  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    return number < this.#places.length && this.#places[number] !== 0;
  }

  /** The rank of a number that is in. */
  rankOf(number: number): number {
    return this.#ranks[(this.#places[number] as number) - 1] as number;
  }

  /** The rank of what comes out next; only while there is something. */
  get firstRank(): number {
    return this.#ranks[0] as number;
  }

  /** Puts the number in, or moves it to where it belongs now. */
  set(number: number, rank: number): void {
    if (number >= this.#places.length) {
      this.#places = enlarged(this.#places, number);
      this.#orders = enlarged(this.#orders, number);
    }
    this.#orders[number] = this.#order++;
    if (this.#places[number] !== 0) {
      this.#settle((this.#places[number] as number) - 1, number, rank);
      return;
    }
    if (this.#size === this.#ranks.length) {
      this.#numbers = enlarged(this.#numbers, this.#size);
      this.#ranks = enlarged(this.#ranks, this.#size);
    }
    this.#up(this.#size++, number, rank);
  }

  /** Takes out the first number; only while there is one. */
  pop(): number {
    const first = this.#numbers[0] as number;
    this.delete(first);
    return first;
  }

  /** Takes out a number that is in. */
  delete(number: number): void {
    const place = (this.#places[number] as number) - 1;
    this.#places[number] = 0;
    const end = --this.#size;
    if (place !== end) this.#settle(place, this.#numbers[end] as number, this.#ranks[end] as number);
  }

  /** Takes out all, and gives the memory back. */
  clear(): void {
    this.#numbers = new Int32Array(fewestPlaces);
    this.#ranks = new Float64Array(fewestPlaces);
    this.#places = new Int32Array(fewestNumbers);
    this.#orders = new Float64Array(fewestNumbers);
    this.#size = 0;
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

  /** Whether the number comes before what is at the place. */
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

import type { PagedArray } from './paged-array.js';
import { hashOf } from './string-hash.js';

const partBits = 6;
const partCount = 1 << partBits;
const INITIAL_SLOTS = 512;

/**
 * A hash table from very many strings to their numbers, from 1. The owner holds the strings, by number.
 *
 * ```
 *   64 parts of    [ hash, number | –, 0 | hash, number | hash, number | … ]
 * ```
 *
 * The highest bits of the hash select the part, the lowest bits the slot; a string whose slot is taken is in the next free
 * one. A part that is nearly full is replaced by one of twice the size, which takes a fraction of a millisecond.
 */
export class StringTable {
  readonly #strings: PagedArray<unknown>;
  readonly #hashOf: (text: string) => number;
  readonly #parts: Part[] = [];
  /** The last search, as long as its result is valid: most strings are searched twice in a row. */
  #isCurrent = false;
  #sought = '';
  #hash = 0;
  #slot = 0;

  constructor(strings: PagedArray<unknown>, hash: (text: string) => number = hashOf) {
    this.#strings = strings;
    this.#hashOf = hash;
    while (this.#parts.length < partCount) this.#parts.push(new Part(INITIAL_SLOTS));
  }

  /** The number of the string; 0 if the table does not hold it. */
  find(text: string): number {
    if (!this.#isCurrent || text !== this.#sought) this.#seek(text);
    return this.#part.pairs[2 * this.#slot + 1] as number;
  }

  /** Adds a string that the table does not hold. */
  add(text: string, number: number): void {
    if (!this.#isCurrent || text !== this.#sought) this.#seek(text);
    const part = this.#part;
    part.fill(this.#slot, this.#hash, number);
    if (part.taken <= part.most) return;
    this.#parts[this.#hash >>> (32 - partBits)] = part.doubled();
    this.#isCurrent = false;
  }

  /** Removes a string that the table holds. */
  delete(text: string): void {
    if (!this.#isCurrent || text !== this.#sought) this.#seek(text);
    this.#part.empty(this.#slot);
    this.#isCurrent = false;
    this.#sought = '';
  }

  get #part(): Part {
    return this.#parts[this.#hash >>> (32 - partBits)] as Part;
  }

  #seek(text: string): void {
    this.#isCurrent = true;
    this.#sought = text;
    const hash = this.#hashOf(text);
    this.#hash = hash;
    const { pairs } = this.#part;
    const mask = pairs.length / 2 - 1;
    let slot = hash & mask;
    for (;;) {
      const number = pairs[2 * slot + 1] as number;
      if (number === 0 || (pairs[2 * slot] === hash && this.#strings.get(number) === text)) break;
      slot = (slot + 1) & mask;
    }
    this.#slot = slot;
  }
}

/** Open addressing with linear probing. */
class Part {
  /** Hash and number of slot i are at 2i and 2i + 1; the number of a free slot is 0. */
  readonly pairs: Int32Array;
  /** The number of taken slots, and the limit beyond which searches become long. */
  taken = 0;
  readonly most: number;

  /** @param slots a power of two */
  constructor(slots: number) {
    this.pairs = new Int32Array(2 * slots);
    this.most = (slots * 11) >> 4;
  }

  fill(slot: number, hash: number, number: number): void {
    this.pairs[2 * slot] = hash;
    this.pairs[2 * slot + 1] = number;
    this.taken++;
  }

  /** Frees a slot and moves later entries up, so that no search ends at this slot before it reaches its string. */
  empty(slot: number): void {
    const { pairs } = this;
    const mask = pairs.length / 2 - 1;
    let hole = slot;
    for (let next = (slot + 1) & mask; pairs[2 * next + 1] !== 0; next = (next + 1) & mask) {
      const hash = pairs[2 * next] as number;
      // The search for this entry starts after the hole.
      if (((next - hash) & mask) < ((next - hole) & mask)) continue;
      pairs[2 * hole] = hash;
      pairs[2 * hole + 1] = pairs[2 * next + 1] as number;
      hole = next;
    }
    pairs[2 * hole + 1] = 0;
    this.taken--;
  }

  doubled(): Part {
    const larger = new Part(this.pairs.length);
    const mask = larger.pairs.length / 2 - 1;
    for (let at = 0; at < this.pairs.length; at += 2) {
      const number = this.pairs[at + 1] as number;
      if (number === 0) continue;
      const hash = this.pairs[at] as number;
      let slot = hash & mask;
      while (larger.pairs[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
      larger.fill(slot, hash, number);
    }
    return larger;
  }
}

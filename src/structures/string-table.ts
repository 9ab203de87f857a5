import type { PagedArray } from './paged-array.js';
import { hashOf } from './string-hash.js';

const partBits = 6;
const partCount = 1 << partBits;
const fewestSlots = 512;

/**
 * From very many strings to their numbers, from 1; the strings themselves are the owner's, by number.
 *
 * ```
 *   64 parts of    [ hash, number | –, 0 | hash, number | hash, number | … ]
 * ```
 *
 * The first bits of its hash say in which part a string is, the last bits at which slot; if that is taken, it is at the next
 * one that was free. A part that is nearly full moves to one twice as large, which takes a fraction of a millisecond.
 */
export class StringTable {
  readonly #strings: PagedArray<unknown>;
  readonly #hashOf: (text: string) => number;
  readonly #parts: Part[] = [];
  /** The last search, while its result holds: most strings are looked for twice in a row. */
  #isCurrent = false;
  #sought = '';
  #hash = 0;
  #slot = 0;

  constructor(strings: PagedArray<unknown>, hash: (text: string) => number = hashOf) {
    this.#strings = strings;
    this.#hashOf = hash;
    while (this.#parts.length < partCount) this.#parts.push(new Part(fewestSlots));
  }

  /** The number of the string; 0 if it is not in. */
  find(text: string): number {
    if (!this.#isCurrent || text !== this.#sought) this.#seek(text);
    return this.#part.pairs[2 * this.#slot + 1] as number;
  }

  /** Puts in a string that is not in. */
  add(text: string, number: number): void {
    if (!this.#isCurrent || text !== this.#sought) this.#seek(text);
    const part = this.#part;
    part.fill(this.#slot, this.#hash, number);
    if (part.taken <= part.most) return;
    this.#parts[this.#hash >>> (32 - partBits)] = part.doubled();
    this.#isCurrent = false;
  }

  /** Takes out a string that is in. */
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
  /** The hash and the number of a slot are at twice its index; number 0 says that it is free. */
  readonly pairs: Int32Array;
  /** Slots that are not free, and how many may be: beyond, searches become long. */
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

  /** What stands behind the slot moves up, so that no search ends at a free slot before it has come to its string. */
  empty(slot: number): void {
    const { pairs } = this;
    const mask = pairs.length / 2 - 1;
    let hole = slot;
    for (let next = (slot + 1) & mask; pairs[2 * next + 1] !== 0; next = (next + 1) & mask) {
      const hash = pairs[2 * next] as number;
      // Its search begins behind the hole.
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

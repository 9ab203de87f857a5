import { PagedArray } from './paged-array.js';
import { StringTable } from './string-table.js';

/** So few are looked through faster than anything can be hashed. Most queues are no longer than this most of the time. */
const few = 8;
/** Beyond this a Map is slower than a table, and takes long to grow. */
const many = 16_384;

/**
 * Gives each key a small number for as long as the key is in. What else is known of the key stands in arrays, at that number:
 * no object per key for the garbage collector to copy, and one search for everything that is to be done with a key.
 *
 * ```
 *   #keys   [ –, 'a/x', 'b/y', … ]          by number; up to 8 keys, this is all
 *   #map    { 'a/x' → 1, 'b/y' → 2, … }     up to 16,384
 *   #table  the same                        beyond: a Map of half a million holds the event loop for 50 ms when it doubles
 * ```
 *
 * This is for strings. Keys of other types are always in the Map, and told apart as by a Map. Numbers start at 1; those that
 * became free are given again first. Memory is given back when the last key is taken out.
 */
export class KeyNumbers<K = unknown> {
  /** At a number that is free: the one that became free before it. */
  readonly #keys = new PagedArray<K | number>();
  readonly #map = new Map<K, number>();
  #table: StringTable | undefined;
  #size = 0;
  #highest = 0;
  #free = 0;

  /** How many keys are in. */
  get size(): number {
    return this.#size;
  }

  /** The number of the key; 0 if it is not in. */
  find(key: K): number {
    if (typeof key === 'string') {
      if (this.#table !== undefined) return this.#table.find(key);
      if (this.#highest <= few) return this.#lookThrough(key);
    }
    return this.#map.get(key) ?? 0;
  }

  /** The number of the key, which is in from now on. */
  add(key: K): number {
    const known = this.find(key);
    if (known !== 0) return known;
    let number = this.#free;
    if (number !== 0) {
      this.#free = this.#keys.get(number) as number;
    } else {
      number = ++this.#highest;
      if (number === few + 1) this.#startMap();
    }
    this.#keys.set(number, key);
    this.#size++;
    if (typeof key !== 'string') this.#map.set(key, number);
    else if (this.#table !== undefined) this.#table.add(key, number);
    else if (this.#highest > few) this.#map.set(key, number);
    if (this.#size > many && this.#table === undefined) this.#startTable();
    return number;
  }

  /** Takes out the key that has this number. */
  remove(number: number): void {
    const key = this.#keys.get(number) as K;
    if (typeof key !== 'string') this.#map.delete(key);
    else if (this.#table !== undefined) this.#table.delete(key);
    else if (this.#highest > few) this.#map.delete(key);
    this.#keys.set(number, this.#free);
    this.#free = number;
    if (--this.#size === 0) this.#restart();
  }

  /** Takes out all keys. */
  clear(): void {
    this.#map.clear();
    this.#keys.clear();
    this.#size = 0;
    this.#restart();
  }

  #lookThrough(key: string): number {
    let number = this.#highest;
    while (number > 0 && this.#keys.get(number) !== key) number--;
    return number;
  }

  #startMap(): void {
    for (let number = 1; number <= few; number++) this.#map.set(this.#keys.get(number) as K, number);
  }

  #startTable(): void {
    this.#table = new StringTable(this.#keys);
    const all = [...this.#map];
    this.#map.clear();
    for (const [key, number] of all) {
      if (typeof key === 'string') this.#table.add(key, number);
      else this.#map.set(key, number);
    }
  }

  #restart(): void {
    this.#keys.shrink();
    this.#table = undefined;
    this.#highest = 0;
    this.#free = 0;
  }
}

import { PagedArray } from './paged-array.js';
import { StringTable } from './string-table.js';

/** Up to this many keys a linear search is faster than a hash. Most queues are usually shorter than this. */
const LINEAR_SEARCH_LIMIT = 8;
/** Beyond this many keys a Map is slower than a StringTable, and blocks the event loop when it grows. */
const MAP_LIMIT = 16_384;

/**
 * Gives each key a small number until the key is removed. Owners keep their data about a key in arrays, at that number: there
 * is no object per key for the garbage collector to copy, and a key is looked up once for everything that is done with it.
 *
 * ```
 *   #keys   [ –, 'a/x', 'b/y', … ]          by number; up to 8 keys, this is all
 *   #map    { 'a/x' → 1, 'b/y' → 2, … }     up to 16,384
 *   #table  the same                        beyond: a Map of 500,000 keys blocks the event loop for 50 ms when it doubles
 * ```
 *
 * This is for strings. Keys of other types are always in the Map, and compared as a Map compares them. Numbers start at 1; the
 * most recently freed one is reused first. Memory is freed when the last key is removed.
 */
export class KeyNumbers<K = unknown> {
  /** By number. A free number holds the one that was freed before it. */
  readonly #keys = new PagedArray<K | number>();
  readonly #map = new Map<K, number>();
  #table: StringTable | undefined;
  #size = 0;
  #highest = 0;
  #free = 0;

  /** The number of keys. */
  get size(): number {
    return this.#size;
  }

  /** The number of the key; 0 if there is no such key. */
  find(key: K): number {
    if (typeof key === 'string') {
      if (this.#table !== undefined) return this.#table.find(key);
      if (this.#highest <= LINEAR_SEARCH_LIMIT) return this.#searchLinearly(key);
    }
    return this.#map.get(key) ?? 0;
  }

  /** The number of the key, which is added if it is new. */
  add(key: K): number {
    const known = this.find(key);
    if (known !== 0) return known;
    let number = this.#free;
    if (number !== 0) {
      this.#free = this.#keys.get(number) as number;
    } else {
      number = ++this.#highest;
      if (number === LINEAR_SEARCH_LIMIT + 1) this.#startMap();
    }
    this.#keys.set(number, key);
    this.#size++;
    if (typeof key !== 'string') this.#map.set(key, number);
    else if (this.#table !== undefined) this.#table.add(key, number);
    else if (this.#highest > LINEAR_SEARCH_LIMIT) this.#map.set(key, number);
    if (this.#size > MAP_LIMIT && this.#table === undefined) this.#startTable();
    return number;
  }

  /** Removes the key that has this number. */
  remove(number: number): void {
    const key = this.#keys.get(number) as K;
    if (typeof key !== 'string') this.#map.delete(key);
    else if (this.#table !== undefined) this.#table.delete(key);
    else if (this.#highest > LINEAR_SEARCH_LIMIT) this.#map.delete(key);
    this.#keys.set(number, this.#free);
    this.#free = number;
    if (--this.#size === 0) this.#restart();
  }

  /** Removes all keys. */
  clear(): void {
    this.#map.clear();
    this.#keys.clear();
    this.#size = 0;
    this.#restart();
  }

  #searchLinearly(key: string): number {
    let number = this.#highest;
    while (number > 0 && this.#keys.get(number) !== key) number--;
    return number;
  }

  #startMap(): void {
    for (let number = 1; number <= LINEAR_SEARCH_LIMIT; number++) this.#map.set(this.#keys.get(number) as K, number);
  }

  #startTable(): void {
    this.#table = new StringTable(this.#keys);
    const entries = [...this.#map];
    this.#map.clear();
    for (const [key, number] of entries) {
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

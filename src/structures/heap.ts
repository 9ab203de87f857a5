import { KeyNumbers } from './key-numbers.js';
import { PagedArray } from './paged-array.js';

/** How a {@link Heap} identifies and orders what it holds. */
export interface HeapOptions<K, V> {
  /** What makes an item the same item: setting another one with an equal key replaces it. */
  readonly keyOf: (value: V) => K;
  /** Negative when `a` comes out before `b`. Items that compare equal come out in no promised order. */
  readonly compare: (a: V, b: V) => number;
}

interface Entry<V> {
  readonly number: number;
  value: V;
  index: number;
}

/**
 * A binary min-heap whose items are also found by key, so that one in the middle can be replaced, moved or deleted.
 *
 * ```
 *            0                 parent(i)   = (i − 1) >> 1
 *          /   \               children(i) = 2i + 1, 2i + 2
 *         1     2
 *        / \   / \             #entries   [e0, e1, e2, e3, e4, e5, e6]   every parent before its children
 *       3   4 5   6            #byNumber  a key's number → the same entry, which knows its own index
 * ```
 *
 * Entries carry their index, because a Map written at every swap costs more than the whole rest of a sift.
 * `set`, `pop` and `delete` take O(log n), everything else O(1).
 */
export class Heap<K, V> implements Iterable<V> {
  readonly #entries: Entry<V>[] = [];
  readonly #numbers: KeyNumbers<K> = new KeyNumbers();
  readonly #byNumber: PagedArray<Entry<V>> = new PagedArray();
  readonly #keyOf: (value: V) => K;
  readonly #compare: (a: V, b: V) => number;

  constructor(options: HeapOptions<K, V>) {
    this.#keyOf = options.keyOf;
    this.#compare = options.compare;
  }

  /** How many items there are. */
  get size(): number {
    return this.#entries.length;
  }

  /** Adds the item, or replaces the one with its key and moves it to where it belongs now. */
  set(value: V): void {
    const number = this.#numbers.add(this.#keyOf(value));
    const known = this.#byNumber.get(number);
    if (known !== undefined) {
      known.value = value;
      this.#settle(known);
      return;
    }
    const entry: Entry<V> = { number, value, index: this.#entries.length };
    this.#entries.push(entry);
    this.#byNumber.set(number, entry);
    this.#up(entry);
  }

  /** Whether there is an item with this key. */
  has(key: K): boolean {
    return this.#numbers.find(key) !== 0;
  }

  /** The item with this key. */
  get(key: K): V | undefined {
    return this.#byNumber.get(this.#numbers.find(key))?.value;
  }

  /** The item that comes out next; it stays where it is. */
  peek(): V | undefined {
    return this.#entries[0]?.value;
  }

  /** Takes out the first item. */
  pop(): V | undefined {
    const first = this.#entries[0];
    if (first !== undefined) this.#remove(first);
    return first?.value;
  }

  /** Takes out the item with this key, wherever it is. */
  delete(key: K): V | undefined {
    const entry = this.#byNumber.get(this.#numbers.find(key));
    if (entry !== undefined) this.#remove(entry);
    return entry?.value;
  }

  /** Takes out everything. */
  clear(): void {
    this.#entries.length = 0;
    this.#numbers.clear();
    this.#byNumber.clear();
  }

  /** The items in the order of the heap's array: the first one is the smallest, the rest is in no promised order. */
  *[Symbol.iterator](): IterableIterator<V> {
    for (const entry of this.#entries) yield entry.value;
  }

  #remove(entry: Entry<V>): void {
    this.#numbers.remove(entry.number);
    this.#byNumber.unset(entry.number);
    if (this.#numbers.size === 0) this.#byNumber.shrink();
    const last = this.#entries.pop() as Entry<V>;
    if (last === entry) return;
    last.index = entry.index;
    this.#entries[last.index] = last;
    this.#settle(last);
  }

  #settle(entry: Entry<V>): void {
    const before = entry.index;
    this.#up(entry);
    if (entry.index === before) this.#down(entry);
  }

  #up(entry: Entry<V>): void {
    const entries = this.#entries;
    let index = entry.index;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = entries[parentIndex] as Entry<V>;
      if (this.#compare(entry.value, parent.value) >= 0) break;
      entries[index] = parent;
      parent.index = index;
      index = parentIndex;
    }
    entries[index] = entry;
    entry.index = index;
  }

  #down(entry: Entry<V>): void {
    const entries = this.#entries;
    let index = entry.index;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= entries.length) break;
      let child = entries[left] as Entry<V>;
      const right = entries[left + 1];
      if (right !== undefined && this.#compare(right.value, child.value) < 0) child = right;
      if (this.#compare(entry.value, child.value) <= 0) break;
      const childIndex = child.index;
      entries[index] = child;
      child.index = index;
      index = childIndex;
    }
    entries[index] = entry;
    entry.index = index;
  }
}

import { KeyNumbers } from './key-numbers.js';
import { NumberHeap } from './number-heap.js';
import { PagedArray } from './paged-array.js';

/**
 * A min-heap of values by rank, in which each value is also found by its key. Equal ranks come out in the order in which
 * they were set.
 *
 * ```
 *   key ── KeyNumbers ──▶ number ──┬── NumberHeap ──▶ rank and order
 *                                  └── #values ─────▶ value
 * ```
 *
 * An owner that numbers its keys itself, such as the work queue, uses {@link NumberHeap} directly.
 * `set`, `pop` and `delete` take O(log n), `sorted` O(n log n), everything else O(1).
 */
export class Heap<K, V> {
  readonly #numbers: KeyNumbers<K> = new KeyNumbers();
  readonly #heap = new NumberHeap();
  readonly #values = new PagedArray<V>();

  /** The number of values. */
  get size(): number {
    return this.#heap.size;
  }

  /** The rank of the value that `pop` returns next; undefined if the heap is empty. */
  get firstRank(): number | undefined {
    return this.#heap.size === 0 ? undefined : this.#heap.firstRank;
  }

  /** Adds the value, or replaces the one with this key and moves it behind all others of its new rank. */
  set(key: K, value: V, rank: number): void {
    const number = this.#numbers.add(key);
    this.#values.set(number, value);
    this.#heap.set(number, rank);
  }

  /** The rank of the value with this key; undefined if there is none. */
  rankOf(key: K): number | undefined {
    const number = this.#numbers.find(key);
    return number === 0 ? undefined : this.#heap.rankOf(number);
  }

  /** Removes and returns the value of the lowest rank. */
  pop(): V | undefined {
    return this.#heap.size === 0 ? undefined : this.#forget(this.#heap.pop());
  }

  /** Removes and returns the value with this key. */
  delete(key: K): V | undefined {
    const number = this.#numbers.find(key);
    if (number === 0) return undefined;
    this.#heap.delete(number);
    return this.#forget(number);
  }

  /** All values in the order in which `pop` would return them. */
  sorted(): V[] {
    return this.#heap.sorted().map((number) => this.#values.get(number) as V);
  }

  #forget(number: number): V {
    const value = this.#values.get(number) as V;
    this.#values.unset(number);
    this.#numbers.remove(number);
    if (this.#heap.size === 0) {
      this.#values.shrink();
      this.#heap.clear();
    }
    return value;
  }
}

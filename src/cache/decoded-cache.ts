import type { DeepReadonly } from '../meta/objects.js';
import { requireInteger } from '../meta/validate.js';
import type { ItemView } from './item-view.js';

/**
 * Keeps some of what was decoded for those who read the same objects again and again.
 *
 * Two generations instead of a list of uses: what is read from the old one moves to the young one, and when the young one
 * has used up half of the budget it becomes the old one. That bounds the memory, costs two look-ups at most, and needs no
 * bookkeeping when objects change: an item that nobody reads any more falls out by itself.
 */
export class DecodedCache<I extends object, T> {
  readonly #view: ItemView<I, T>;
  readonly #budget: number;
  #young = new Map<I, DeepReadonly<T>>();
  #old = new Map<I, DeepReadonly<T>>();
  #youngWeight = 0;

  constructor(view: ItemView<I, T>, budgetBytes: number) {
    this.#view = view;
    this.#budget = requireInteger('decodedBudget', budgetBytes);
  }

  decode(item: I): DeepReadonly<T> {
    const weight = this.#view.weight(item);
    // Nothing to gain for what is an object already, nor for one that would push everything else out.
    if (weight === 0 || weight > this.#budget / 2) return this.#view.decode(item);
    const young = this.#young.get(item);
    if (young !== undefined) return young;
    const object = this.#old.get(item) ?? this.#view.decode(item);
    if (this.#youngWeight + weight > this.#budget / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#young.set(item, object);
    this.#youngWeight += weight;
    return object;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngWeight = 0;
  }
}

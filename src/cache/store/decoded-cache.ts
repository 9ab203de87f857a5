import type { DeepReadonly } from '../../meta/objects.js';
import { requireInteger } from '../../meta/validate.js';
import type { ItemView, Keeper } from './item-view.js';

/**
 * Keeps some of what was decoded for those who read the same objects again and again. The objects are kept on the items
 * themselves, so that a read costs no look-up. This only knows where they are, weakly: whoever holds an item holds all of
 * the slab that its bytes are in, long after the store has a newer one.
 *
 * Two generations instead of a list of uses: when the young one has used up half of the budget, the old one is gone
 * through: what was read meanwhile is young again, the rest is let go of. That bounds the memory and needs no bookkeeping
 * when objects change: an item that nobody holds any more is gone with its object.
 */
export class DecodedCache<I extends object, T> {
  readonly #view: ItemView<I, T>;
  readonly #budget: number;
  #young: WeakRef<Keeper>[] = [];
  #old: WeakRef<Keeper>[] = [];
  #youngWeight = 0;

  constructor(view: ItemView<I, T>, budgetBytes: number) {
    this.#view = view;
    this.#budget = requireInteger('decodedBudget', budgetBytes);
  }

  decode(item: I): DeepReadonly<T> {
    const keeper = this.#view.keeper(item);
    // Nothing to gain for what is an object already …
    if (keeper === undefined) return this.#view.decode(item);
    if (keeper.decoded !== undefined) {
      // As long as nothing is old, nobody will ask.
      if (this.#old.length > 0) keeper.touched = true;
      return keeper.decoded as DeepReadonly<T>;
    }
    const object = this.#view.decode(item);
    // … nor for one that would push everything else out.
    const weight = keeper.length;
    if (weight > this.#budget / 2) return object;
    if (this.#youngWeight + weight > this.#budget / 2) this.#turnOver(this.#budget / 2 - weight);
    keeper.decoded = object;
    keeper.touched = false;
    this.#young.push(new WeakRef(keeper));
    this.#youngWeight += weight;
    return object;
  }

  /** Begins a new generation, with at most so many bytes of the one before the last. */
  #turnOver(most: number): void {
    const aging = this.#old;
    this.#old = this.#young;
    this.#young = [];
    this.#youngWeight = 0;
    for (const reference of aging) {
      const keeper = reference.deref();
      if (keeper === undefined) continue;
      if (!keeper.touched || this.#youngWeight + keeper.length > most / 2) {
        keeper.decoded = undefined;
        continue;
      }
      keeper.touched = false;
      this.#young.push(reference);
      this.#youngWeight += keeper.length;
    }
  }
}

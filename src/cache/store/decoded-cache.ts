import type { DeepReadonly } from '../../meta/objects.js';
import { requireInteger } from '../../meta/options/validate.js';
import type { DecodedSlot, ItemView } from './item-view.js';

/** Below this number, references to collected items are not looked for. */
const FEW_REFERENCES = 1024;

/**
 * Keeps decoded objects for readers of the same objects, up to a number of bytes. An object is stored in the slot of its item,
 * so that a read needs no look-up. The cache references slots weakly: a reference to an item keeps the slab of its bytes in
 * memory, after the store has a newer item too.
 *
 * It has two generations instead of a list of uses. When the young generation has used up half of the budget, the old one is
 * swept: objects that were read since then become young again, the others are dropped. An item that is garbage collected takes
 * its object with it, and its reference is removed when as many have been added as there were left by the last removal.
 */
export class DecodedCache<I extends object, T> {
  readonly #view: ItemView<I, T>;
  readonly #budget: number;
  #young: WeakRef<DecodedSlot>[] = [];
  #old: WeakRef<DecodedSlot>[] = [];
  #youngWeight = 0;
  /** The number of young references at which those to collected items are removed. */
  #pruneAt = FEW_REFERENCES;

  constructor(view: ItemView<I, T>, budgetBytes: number) {
    this.#view = view;
    this.#budget = requireInteger('decodedBudget', budgetBytes);
  }

  /** The bytes that objects may take. */
  get budget(): number {
    return this.#budget;
  }

  /** The bytes of the objects that are decoded now. Looks at each of them. */
  get bytes(): number {
    let bytes = 0;
    for (const reference of [...this.#young, ...this.#old]) {
      const slot = reference.deref();
      if (slot?.decoded !== undefined) bytes += slot.length;
    }
    return bytes;
  }

  decode(item: I): DeepReadonly<T> {
    const slot = this.#view.decodedSlot(item);
    if (slot === undefined) return this.#view.decode(item);
    if (slot.decoded !== undefined) {
      // The flag is read only when an old generation is swept.
      if (this.#old.length > 0) slot.touched = true;
      return slot.decoded as DeepReadonly<T>;
    }
    const object = this.#view.decode(item);
    const weight = slot.length;
    // An object that does not fit into a generation would push out all others.
    if (weight > this.#budget / 2) return object;
    if (this.#youngWeight + weight > this.#budget / 2) this.#turnOver(this.#budget / 2 - weight);
    slot.decoded = object;
    slot.touched = false;
    this.#young.push(new WeakRef(slot));
    this.#youngWeight += weight;
    if (this.#young.length >= this.#pruneAt) this.#prune();
    return object;
  }

  /** Removes references to items that were collected: objects that change often leave one for each state that was read. */
  #prune(): void {
    this.#youngWeight = 0;
    this.#young = this.#young.filter((reference) => {
      const slot = reference.deref();
      this.#youngWeight += slot?.length ?? 0;
      return slot !== undefined;
    });
    this.#pruneAt = Math.max(FEW_REFERENCES, 2 * this.#young.length);
  }

  /** Starts a new generation with up to half of `budget` bytes of the oldest one. */
  #turnOver(budget: number): void {
    const aging = this.#old;
    this.#old = this.#young;
    this.#young = [];
    this.#youngWeight = 0;
    this.#pruneAt = FEW_REFERENCES;
    for (const reference of aging) {
      const slot = reference.deref();
      if (slot === undefined) continue;
      if (!slot.touched || this.#youngWeight + slot.length > budget / 2) {
        slot.decoded = undefined;
        continue;
      }
      slot.touched = false;
      this.#young.push(reference);
      this.#youngWeight += slot.length;
    }
  }
}

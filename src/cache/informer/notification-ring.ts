import { Ring } from '../../structures/ring.js';
import { ItemAdd, ItemDelete, type ItemEvent, ItemUpdate } from './informer-event.js';

/** Where a listener's events wait, in order. */
export interface EventRing<I, T> {
  readonly length: number;
  /** Returns how many events that were part of the initial list will now never come out. */
  push(event: ItemEvent<I, T>): number;
  shift(): ItemEvent<I, T> | undefined;
  clear(): void;
}

/** Every event waits for itself. */
export class PlainRing<I, T> implements EventRing<I, T> {
  readonly #ring = new Ring<ItemEvent<I, T>>();

  get length(): number {
    return this.#ring.length;
  }

  push(event: ItemEvent<I, T>): number {
    this.#ring.push(event);
    return 0;
  }

  shift(): ItemEvent<I, T> | undefined {
    return this.#ring.shift();
  }

  clear(): void {
    this.#ring.clear();
  }
}

interface Slot<I, T> {
  event: ItemEvent<I, T> | undefined;
}

const emptySlotsKept = 1024;

/**
 * At most one event waits per object: a later one is merged into it. What a slow handler has not seen yet, it sees as if
 * it had happened at once, and memory is bounded by the number of objects.
 *
 * | waits | comes | becomes |
 * | --- | --- | --- |
 * | add | update | add of the newest |
 * | add | delete | nothing: the handler never knew it |
 * | update | update | update from the oldest to the newest |
 * | update | delete | delete |
 * | delete | add | update: the name was used again |
 */
export class CoalescingRing<I, T> implements EventRing<I, T> {
  #ring = new Ring<Slot<I, T>>();
  readonly #waiting = new Map<string, Slot<I, T>>();

  get length(): number {
    return this.#waiting.size;
  }

  push(event: ItemEvent<I, T>): number {
    const { key } = event;
    const slot = this.#waiting.get(key);
    if (slot?.event === undefined) {
      const added = { event };
      this.#ring.push(added);
      this.#waiting.set(key, added);
      return 0;
    }
    const merged = merge(slot.event, event);
    // As old as the oldest of what it stands for.
    if (merged !== undefined) merged.toldAt = slot.event.toldAt;
    const initial = Number(isInitial(slot.event)) + Number(isInitial(event));
    const lost = initial - Number(merged !== undefined && isInitial(merged));
    slot.event = merged;
    if (merged === undefined) {
      this.#waiting.delete(key);
      this.#sweep();
    }
    return lost;
  }

  /** An empty slot is passed over when its turn comes; while nothing comes out, they must not collect. */
  #sweep(): void {
    if (this.#ring.length < 2 * this.#waiting.size + emptySlotsKept) return;
    const ring = new Ring<Slot<I, T>>();
    for (const slot of this.#ring) if (slot.event !== undefined) ring.push(slot);
    this.#ring = ring;
  }

  shift(): ItemEvent<I, T> | undefined {
    for (let slot = this.#ring.shift(); slot !== undefined; slot = this.#ring.shift()) {
      if (slot.event === undefined) continue;
      this.#waiting.delete(slot.event.key);
      return slot.event;
    }
    return undefined;
  }

  clear(): void {
    this.#ring.clear();
    this.#waiting.clear();
  }
}

/** Whether the event is part of the initial list. */
export function isInitial<I, T>(event: ItemEvent<I, T>): boolean {
  return event instanceof ItemAdd && event.isInInitialList;
}

function merge<I, T>(waits: ItemEvent<I, T>, comes: ItemEvent<I, T>): ItemEvent<I, T> | undefined {
  const { view } = comes;
  if (waits instanceof ItemAdd) {
    return comes instanceof ItemDelete ? undefined : new ItemAdd(view, comes.item, waits.isInInitialList);
  }
  // Whatever happened in between, it begins with what the handler was told last.
  const before = waits.oldItem;
  if (comes instanceof ItemDelete) return new ItemDelete(view, before, comes.item, comes.finalStateKnown);
  const isResync = comes instanceof ItemUpdate && comes.isResync && waits instanceof ItemUpdate && waits.isResync;
  return new ItemUpdate(view, before, comes.item, isResync);
}

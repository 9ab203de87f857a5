import { Ring } from '../../structures/ring.js';
import type { ItemView } from '../store/item-view.js';
import { ItemAdd, ItemDelete, type ItemEvent, ItemUpdate } from './informer-event.js';

/** The events that wait for one handler, in order. */
export interface EventRing<I, T> {
  readonly length: number;
  /** Returns how many events of the first list were merged away. */
  push(event: ItemEvent<I, T>): number;
  shift(): ItemEvent<I, T> | undefined;
  clear(): void;
}

/** Holds every event. */
export class FifoRing<I, T> implements EventRing<I, T> {
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
 * Holds at most one event per object: a later event is merged into the waiting one, so that memory is bounded by the number of
 * objects.
 *
 * | waiting | pushed | result |
 * | --- | --- | --- |
 * | add | update | add with the newest state |
 * | add | delete | no event: the handler does not know the object |
 * | update | update | update from the oldest to the newest state |
 * | update | delete | delete |
 * | delete | add | update: the object was recreated; a resync if it was released, and came back unchanged |
 */
export class MergingRing<I, T> implements EventRing<I, T> {
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
    // The lag of a merged event counts from the first one.
    if (merged !== undefined) {
      merged.queuedAt = slot.event.queuedAt;
      merged.recorded = event.recorded;
    }
    const initial = Number(isInitial(slot.event)) + Number(isInitial(event));
    const lost = initial - Number(merged !== undefined && isInitial(merged));
    slot.event = merged;
    if (merged === undefined) {
      this.#waiting.delete(key);
      this.#sweep();
    }
    return lost;
  }

  /** Removes empty slots, which `shift` skips: a handler that takes no events must not accumulate them. */
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

/** Whether the event is part of the first list. */
export function isInitial<I, T>(event: ItemEvent<I, T>): boolean {
  return event instanceof ItemAdd && event.isInInitialList;
}

function merge<I, T>(waiting: ItemEvent<I, T>, pushed: ItemEvent<I, T>): ItemEvent<I, T> | undefined {
  const { view } = pushed;
  if (waiting instanceof ItemAdd) {
    return pushed instanceof ItemDelete ? undefined : new ItemAdd(view, pushed.item, waiting.isInInitialList);
  }
  // The old state is the one that the handler got last.
  const before = waiting.oldItem;
  if (pushed instanceof ItemDelete) {
    return new ItemDelete(view, before, pushed.item, pushed.finalStateKnown, pushed.isReleased);
  }
  const isResync =
    waiting instanceof ItemUpdate
      ? pushed instanceof ItemUpdate && pushed.isResync && waiting.isResync
      : waiting.isReleased && isUnchanged(view, before, pushed.item);
  // States between the two were left out, as in a list.
  return new ItemUpdate(view, before, pushed.item, isResync, true);
}

function isUnchanged<I, T>({ accessor }: ItemView<I, T>, before: I, after: I): boolean {
  return accessor.resourceVersion(before) === accessor.resourceVersion(after);
}

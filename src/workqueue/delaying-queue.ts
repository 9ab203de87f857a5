import { Heap } from '../meta/heap.js';
import { requireNumber } from '../meta/validate.js';
import { channels } from '../observe/channels.js';
import type { Timer } from '../time/clock.js';
import { keyByValue } from './key-by-value.js';
import { WorkQueue, type WorkQueueOptions } from './work-queue.js';

interface Delayed<T> {
  readonly key: unknown;
  readonly item: T;
  readonly readyAt: number;
  /** Breaks ties, so that equal delays come out in the order they were asked for. */
  readonly order: number;
}

/** Items that come due together are moved in slices of this time: a million of them must not hold the event loop. */
const sliceMs = 5;
/** Reading the clock costs more than moving an item. */
const itemsBetweenLooks = 128;

/**
 * A work queue that can be told to wait: `addAfter` adds an item once its time has come.
 *
 * An item waits once: asked for again, the earlier time wins. Adding it directly leaves the delayed add in place. Delays are
 * measured on the monotonic clock, so that a wall clock set forward or back neither releases nor strands anything. One timer
 * serves all items.
 */
export class DelayingQueue<T = string> extends WorkQueue<T> {
  readonly #waiting: Heap<unknown, Delayed<T>>;
  readonly #keyOf: (item: T) => unknown;
  #timer: Timer | undefined;
  #timerDueAt = Number.POSITIVE_INFINITY;
  #order = 0;

  constructor(options: WorkQueueOptions<T> = {}) {
    super(options);
    this.#keyOf = options.keyOf ?? keyByValue;
    this.#waiting = new Heap({
      keyOf: (delayed) => delayed.key,
      compare: (a, b) => a.readyAt - b.readyAt || a.order - b.order,
    });
  }

  /** Items whose time has not come. */
  get delayedLength(): number {
    return this.#waiting.size;
  }

  /** Adds the item after `ms`; at once if that is 0 or less. Dropped after shutdown, which also drops all that wait. */
  addAfter(item: T, ms: number): void {
    requireNumber('ms', ms, Number.NEGATIVE_INFINITY);
    if (this.isShuttingDown) return;
    if (this.name !== undefined && channels.workqueueRetry.hasSubscribers) {
      channels.workqueueRetry.publish({ queue: this.name, item, delayMs: Math.max(0, ms) });
    }
    if (ms <= 0) {
      super.add(item);
      return;
    }
    const key = this.#keyOf(item);
    const readyAt = this.clock.monotonicNow() + ms;
    const known = this.#waiting.get(key);
    if (known !== undefined && known.readyAt <= readyAt) return;
    this.#waiting.set({ key, item, readyAt, order: this.#order++ });
    if (readyAt < this.#timerDueAt) this.#arm(readyAt);
  }

  /** For queues in which an item waits in one place only: its delayed add will not happen. */
  protected cancelDelayed(item: T): void {
    this.#waiting.delete(this.#keyOf(item));
  }

  protected override onShutDown(): void {
    this.#timer?.cancel();
    this.#waiting.clear();
  }

  #arm(readyAt: number): void {
    this.#timer?.cancel();
    this.#timerDueAt = readyAt;
    this.#timer = this.clock.setTimer(Math.max(0, readyAt - this.clock.monotonicNow()), () => this.#release());
  }

  #release(): void {
    this.#timerDueAt = Number.POSITIVE_INFINITY;
    const started = this.clock.monotonicNow();
    let now = started;
    for (let moved = 1; ; moved++) {
      const next = this.#waiting.peek();
      if (next === undefined) return;
      if (
        next.readyAt > now ||
        (moved % itemsBetweenLooks === 0 && (now = this.clock.monotonicNow()) - started > sliceMs)
      ) {
        this.#arm(next.readyAt);
        return;
      }
      this.#waiting.pop();
      // Not `this.add`: a queue built on this one has said what it had to say when the delay began.
      super.add(next.item);
    }
  }
}

import { requireNumber } from '../meta/options/validate.js';
import { channels } from '../observe/channels.js';
import type { RefTimer } from '../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../time/scheduler.js';
import { WorkQueue } from './work-queue.js';

/**
 * A work queue with `addAfter`, which adds an item after a delay.
 *
 * An item has at most one delay: of two, the earlier one counts. Adding it directly does not cancel the delay. Delays are
 * measured on the monotonic clock, so that a change of the wall clock has no effect. One timer serves all items; it keeps the
 * process alive only while a `get` waits, so that a program whose workers have stopped ends without `shutDown`.
 */
export class DelayingQueue<T = string> extends WorkQueue<T> {
  /** Adds the items that are due, in slices of the scheduler. */
  readonly #releasing: Task = schedulerOf(this.clock).add('workqueue delays', (budget) => this.#release(budget));
  #timer: RefTimer | undefined;
  #timerDueAt = Number.POSITIVE_INFINITY;

  /** The number of delayed items. */
  get delayedLength(): number {
    return this.delayedItems;
  }

  /** Milliseconds until the first delayed item is due; Infinity if there is none. */
  get nextDueInMs(): number {
    return this.delayedItems === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(0, this.firstDueAt - this.clock.monotonicNow());
  }

  /** Adds the item after `ms`, or at once if that is 0 or less. Does nothing after `shutDown`, which drops delayed items. */
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
    this.delay(item, this.clock.monotonicNow() + ms);
    if (this.firstDueAt < this.#timerDueAt) this.#arm();
  }

  protected override onGetters(any: boolean): void {
    if (any) this.#timer?.ref();
    else this.#timer?.unref();
  }

  protected override onShutDown(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timerDueAt = this.firstDueAt;
    const ms = Math.max(0, this.#timerDueAt - this.clock.monotonicNow());
    const onDue = (): void => {
      this.#timerDueAt = Number.POSITIVE_INFINITY;
      this.#releasing.wake();
    };
    this.#timer = this.clock.setTimer(ms, onDue, { keepAlive: this.hasGetters });
  }

  #release(budget: SliceBudget): boolean {
    const now = this.clock.monotonicNow();
    while (this.firstDueAt <= now) {
      if (!budget.take()) return true;
      // Not `this.add`: a subclass handled the item when the delay began.
      this.addFirstDelayed();
    }
    if (this.firstDueAt < this.#timerDueAt) this.#arm();
    return false;
  }
}

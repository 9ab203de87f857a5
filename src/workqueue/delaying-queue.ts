import { requireNumber } from '../meta/validate.js';
import { channels } from '../observe/channels.js';
import type { RefTimer } from '../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../time/scheduler.js';
import { WorkQueue } from './work-queue.js';

/**
 * A work queue that can be told to wait: `addAfter` adds an item once its time has come.
 *
 * An item waits once: asked for again, the earlier time wins. Adding it directly leaves the delayed add in place. Delays are
 * measured on the monotonic clock, so that a wall clock set forward or back neither releases nor strands anything. One timer
 * serves all items. A process stays alive for it while somebody waits in `get`, and no longer: workers that were told to stop
 * leave nothing behind that has to be shut down.
 */
export class DelayingQueue<T = string> extends WorkQueue<T> {
  /** Adds the items that are due, in slices of the scheduler. */
  readonly #releasing: Task = schedulerOf(this.clock).add('workqueue delays', (budget) => this.#release(budget));
  #timer: RefTimer | undefined;
  #timerDueAt = Number.POSITIVE_INFINITY;

  /** Items whose time has not come. */
  get delayedLength(): number {
    return this.delayedItems;
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

import type { Clock } from '../../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../../time/scheduler.js';
import { nextStep, type Steps } from '../../time/steps.js';

/**
 * The work of one of the server's controllers: each item once, in the order of `add`, in slices of the scheduler. A commit
 * that adds an item is therefore answered before the item is reconciled.
 */
export class ControllerQueue {
  readonly #reconcile: (item: string) => Steps<void>;
  readonly #items = new Set<string>();
  readonly #task: Task;
  #current: Steps<void> | undefined;

  /**
   * @param name names the work in the scheduler's diagnostics
   * @param onError is called with what `reconcile` throws; the next item follows
   */
  constructor(clock: Clock, name: string, reconcile: (item: string) => Steps<void>, onError: (error: unknown) => void) {
    this.#reconcile = reconcile;
    this.#task = schedulerOf(clock).add(name, (budget) => this.#step(budget), {
      onError: (error) => {
        this.#current = undefined;
        this.#task.wake();
        onError(error);
      },
    });
  }

  add(item: string): void {
    this.#items.add(item);
    this.#task.wake();
  }

  stop(): void {
    this.#task.remove();
  }

  #step(budget: SliceBudget): boolean {
    while (budget.takeSlow()) {
      this.#current ??= this.#next();
      if (this.#current === undefined) return false;
      if (nextStep(this.#current).done === true) this.#current = undefined;
    }
    return true;
  }

  #next(): Steps<void> | undefined {
    const [item] = this.#items;
    if (item === undefined) return undefined;
    this.#items.delete(item);
    return this.#reconcile(item);
  }
}

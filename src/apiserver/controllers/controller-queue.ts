import type { Clock } from '../../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../../time/scheduler.js';
import { nextStep, type Steps } from '../../time/steps.js';
import { StorageUnavailableError } from '../storage/storage-unavailable.js';

/**
 * The work of one of the server's controllers: each item once, in the order of `add`, in slices of the scheduler. A commit
 * that adds an item is therefore answered before the item is reconciled. An item whose write the storage refuses, because its disk is
 * full, stays and is reconciled when the storage can be written again.
 */
export class ControllerQueue {
  readonly #reconcile: (item: string) => Steps<void>;
  readonly #items = new Set<string>();
  readonly #task: Task;
  #current: Steps<void> | undefined;
  /** The item of `#current`. */
  #item = '';

  /**
   * @param name names the work in the scheduler's diagnostics
   * @param onError is called with what `reconcile` throws; the next item follows
   */
  constructor(clock: Clock, name: string, reconcile: (item: string) => Steps<void>, onError: (error: unknown) => void) {
    this.#reconcile = reconcile;
    this.#task = schedulerOf(clock).add(name, (budget) => this.#step(budget), {
      onError: (error) => {
        this.#current = undefined;
        if (error instanceof StorageUnavailableError) this.#postpone(error);
        else {
          this.#task.wake();
          onError(error);
        }
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

  /** Reconciles the item again when the storage can be written. */
  #postpone({ recovered }: StorageUnavailableError): void {
    this.#items.add(this.#item);
    void recovered.then(() => this.#task.wake());
  }

  #step(budget: SliceBudget): boolean {
    while (budget.takeSlow()) {
      this.#current ??= this.#next();
      if (this.#current === undefined) return false;
      const step = nextStep(this.#current);
      if (step.done === true) this.#current = undefined;
      else if (step.value !== undefined) {
        void step.value.then(() => this.#task.wake());
        return false;
      }
    }
    return true;
  }

  #next(): Steps<void> | undefined {
    const [item] = this.#items;
    if (item === undefined) return undefined;
    this.#items.delete(item);
    this.#item = item;
    return this.#reconcile(item);
  }
}

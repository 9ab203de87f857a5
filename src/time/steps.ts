import type { Clock } from './clock.js';
import { type SliceBudget, schedulerOf } from './scheduler.js';

/**
 * Work that can be interrupted at each `yield`. The same generator runs synchronously with {@link finish}, or in slices of
 * the scheduler with {@link inSlices}.
 */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps synchronously: for small inputs, and for start-up. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Short work is done before the scheduler is asked: a turn of the event loop would cost more than the work. */
const FIRST_STEPS = 16;
const FIRST_MS = 1;

/**
 * Runs the steps in slices of the clock's scheduler and resolves with their result. The first few run at once, so that short
 * work needs no turn of the event loop. Rejects with what a step throws, or with `signal.reason` at the next step after an
 * abort; the generator is closed then, so that its `finally` blocks run.
 *
 * @param name names the work in the scheduler's diagnostics
 */
export async function inSlices<T>(clock: Clock, name: string, steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  const next = (): IteratorResult<void, T> => {
    if (signal?.aborted !== true) return steps.next();
    steps.return(undefined as T);
    throw signal.reason;
  };
  const end = clock.monotonicNow() + FIRST_MS;
  for (let i = 0; i < FIRST_STEPS && clock.monotonicNow() < end; i++) {
    const step = next();
    if (step.done === true) return step.value;
  }
  return new Promise((resolve, reject) => {
    const work = (budget: SliceBudget): boolean => {
      while (budget.takeSlow()) {
        const step = next();
        if (step.done === true) {
          resolve(step.value);
          return false;
        }
      }
      return true;
    };
    schedulerOf(clock).add(name, work, { onError: reject }).wake();
  });
}

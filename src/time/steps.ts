import type { Clock } from './clock.js';
import { schedulerOf } from './scheduler.js';

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

/**
 * Runs the steps in slices of the clock's scheduler and resolves with their result. Rejects with the error that a step
 * throws. After an abort it closes the generator at the next step, so that its `finally` blocks run, and rejects with
 * `signal.reason`.
 *
 * @param name names the work in the scheduler's diagnostics
 */
export function inSlices<T>(clock: Clock, name: string, steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const task = schedulerOf(clock).add(
      name,
      (budget) => {
        while (budget.takeSlow()) {
          if (signal?.aborted) {
            steps.return(undefined as T);
            reject(signal.reason);
            return false;
          }
          const step = steps.next();
          if (step.done === true) {
            resolve(step.value);
            return false;
          }
        }
        return true;
      },
      { onError: reject },
    );
    task.wake();
  });
}

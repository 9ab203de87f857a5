import type { Clock } from './clock.js';
import { type SliceBudget, schedulerOf } from './scheduler.js';

/**
 * Work that can be interrupted at each `yield`. The same generator runs synchronously with {@link finish}, or in slices of
 * the scheduler with {@link inSlices}.
 */
export type Steps<T> = Generator<void, T, void>;

/** How many nodes of a document a walk visits in one step. */
const NODES_PER_STEP = 256;

let visited = 0;

/**
 * Counts a node of a walk through a document; true if the walk should yield, so that it pauses often enough but not at each
 * node. The count starts anew with each step, so that the steps of a walk do not depend on other work.
 */
export function isStepDue(): boolean {
  if (++visited < NODES_PER_STEP) return false;
  visited = 0;
  return true;
}

/** Runs one step. */
export function nextStep<T>(steps: Steps<T>): IteratorResult<void, T> {
  visited = 0;
  return steps.next();
}

/** Runs all steps synchronously: for small inputs, and for start-up. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = nextStep(steps);
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
    const work = (budget: SliceBudget): boolean => {
      while (budget.takeSlow()) {
        if (signal?.aborted === true) {
          steps.return(undefined as T);
          throw signal.reason;
        }
        const step = nextStep(steps);
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

const FIRST_STEPS = 16;
const FIRST_MS = 1;

/**
 * Like {@link inSlices}, but runs the first few steps at once: for requests, most of which are so short that a turn of the
 * event loop would cost more than the work.
 */
export async function promptlyInSlices<T>(clock: Clock, name: string, steps: Steps<T>): Promise<T> {
  const end = clock.monotonicNow() + FIRST_MS;
  for (let i = 0; i < FIRST_STEPS && clock.monotonicNow() < end; i++) {
    const step = nextStep(steps);
    if (step.done === true) return step.value;
  }
  return inSlices(clock, name, steps);
}

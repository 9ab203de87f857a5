import type { Clock } from './clock.js';
import { type SliceBudget, schedulerOf } from './scheduler.js';

/**
 * Work that can be interrupted at each `yield`. The same generator runs synchronously with {@link finish}, or in slices of
 * the scheduler with {@link inSlices}. A step that yields a promise waits for it, see {@link waitFor}.
 */
export type Steps<T> = Generator<void | Promise<void>, T, void>;

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
export function nextStep<T>(steps: Steps<T>): IteratorResult<void | Promise<void>, T> {
  visited = 0;
  return steps.next();
}

/** Runs all steps synchronously: for small inputs, and for start-up. Throws if a step waits. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = nextStep(steps);
    if (step.done === true) return step.value;
    if (step.value !== undefined) {
      steps.return(undefined as T);
      throw new Error('These steps wait for a promise: run them with inSlices, not with finish');
    }
  }
}

/** Waits for a promise, and returns its value or throws its error. Other work goes on meanwhile. */
export function* waitFor<T>(promise: Promise<T>): Steps<T> {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  const settled = promise.then(
    (value) => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  // A task can be woken for another reason before the promise is settled.
  while (outcome === undefined) yield settled;
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/** Runs steps without pauses between them. It still waits where they wait. */
export function* withoutPauses<T>(steps: Steps<T>): Steps<T> {
  try {
    for (;;) {
      const step = nextStep(steps);
      if (step.done === true) return step.value;
      if (step.value !== undefined) yield step.value;
    }
  } finally {
    steps.return(undefined as T);
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
        if (step.value !== undefined) {
          void step.value.then(() => task.wake());
          return false;
        }
      }
      return true;
    };
    const task = schedulerOf(clock).add(name, work, { onError: reject });
    task.wake();
  });
}

const FIRST_STEPS = 16;
const FIRST_MS = 1;

/**
 * Like {@link inSlices}, but runs the first few steps at once: for requests, most of which are so short that a turn of the
 * event loop would cost more than the work.
 */
export async function promptlyInSlices<T>(clock: Clock, name: string, steps: Steps<T>): Promise<T> {
  let end = clock.monotonicNow() + FIRST_MS;
  for (let i = 0; i < FIRST_STEPS && clock.monotonicNow() < end; i++) {
    const step = nextStep(steps);
    if (step.done === true) return step.value;
    if (step.value === undefined) continue;
    await step.value;
    i = 0;
    end = clock.monotonicNow() + FIRST_MS;
  }
  return inSlices(clock, name, steps);
}

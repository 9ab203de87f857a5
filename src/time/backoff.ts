import { checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Abortable } from '../meta/objects.js';
import { requireInteger, requireNumber } from '../meta/validate.js';
import type { Clock } from './clock.js';

/** How delays grow from one failure to the next. */
export interface BackoffOptions {
  /** The first delay, before jitter. */
  readonly initialMs: number;
  /**
   * What each delay is multiplied with to get the next one; 0 keeps them all the same.
   * @default 2
   */
  readonly factor?: number | undefined;
  /**
   * Where the growth ends. Jitter comes on top of it.
   * @default Infinity
   */
  readonly capMs?: number | undefined;
  /**
   * How much of the delay is added at random: 1 gives from once to twice the delay.
   * @default 0
   */
  readonly jitter?: number | undefined;
  /**
   * Begins anew when this long has passed without a step.
   * @default Infinity
   */
  readonly resetAfterMs?: number | undefined;
}

const backoffNames: OptionNames<BackoffOptions> = {
  initialMs: true,
  factor: true,
  capMs: true,
  jitter: true,
  resetAfterMs: true,
};

/**
 * Delays that grow with each failure in a row. Ask {@link next} after every failure; success needs no word: a long
 * enough time without failures begins anew by itself.
 *
 * The quiet time is measured between two steps, so that a long outage stays at the cap instead of starting over and over.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #initialMs: number;
  readonly #factor: number;
  readonly #capMs: number;
  readonly #jitter: number;
  readonly #resetAfterMs: number;
  #baseMs: number;
  #lastStep: number | undefined;

  constructor(clock: Clock, options: BackoffOptions) {
    checkOptions('backoff', options, backoffNames);
    this.#clock = clock;
    this.#initialMs = requireNumber('initialMs', options.initialMs);
    this.#factor = requireNumber('factor', options.factor ?? 2);
    this.#capMs = numberOrInfinity('capMs', options.capMs);
    this.#jitter = requireNumber('jitter', options.jitter ?? 0);
    this.#resetAfterMs = numberOrInfinity('resetAfterMs', options.resetAfterMs);
    this.#baseMs = Math.min(this.#initialMs, this.#capMs);
  }

  /** How long to wait now. Each call is one failure more. */
  next(): number {
    const now = this.#clock.monotonicNow();
    if (this.#lastStep !== undefined && now - this.#lastStep > this.#resetAfterMs) this.reset();
    this.#lastStep = now;
    const base = this.#baseMs;
    if (this.#factor > 0) this.#baseMs = Math.min(base * this.#factor, this.#capMs, Number.MAX_SAFE_INTEGER);
    return base + base * this.#jitter * this.#clock.random();
  }

  /** Begins anew. */
  reset(): void {
    this.#baseMs = Math.min(this.#initialMs, this.#capMs);
    this.#lastStep = undefined;
  }
}

function numberOrInfinity(name: string, value: number | undefined): number {
  return value === undefined || value === Number.POSITIVE_INFINITY
    ? Number.POSITIVE_INFINITY
    : requireNumber(name, value);
}

/** What was given, and the defaults for what was not: half of a policy must not be one without cap, jitter and reset. */
export function withDefaults<O extends object>(given: Readonly<Partial<O>> | undefined, defaults: O): O {
  const told = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(told) };
}

/** How a reflector waits between attempts to list and watch. */
export const reflectorBackoff: BackoffOptions = {
  initialMs: 800,
  factor: 2,
  capMs: 30_000,
  jitter: 1,
  resetAfterMs: 120_000,
};

/** How often to try, and how long to wait in between. */
export interface RetryPolicy extends BackoffOptions {
  /** Attempts in all, the first one included. */
  readonly steps: number;
}

/** For conflicts among several writers that each do one small thing: 5 attempts, about 10 ms apart. */
export const defaultRetry: RetryPolicy = { steps: 5, initialMs: 10, factor: 1, jitter: 0.1 };

/** What {@link retry} repeats, and when. */
export interface RetryOptions extends Abortable {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  /** Whether another attempt may help. */
  readonly retriable: (error: unknown) => boolean;
}

/** Attempts until it works, fails with an error that is not retriable, or has used up its steps: then the last error. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, policy, retriable, signal } = options;
  const { steps: most, ...growth } = policy;
  const steps = requireInteger('steps', most, 1);
  const backoff = new Backoff(clock, growth);
  for (let step = 1; ; step++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (step >= steps || !retriable(error)) throw error;
    }
    await clock.sleep(backoff.next(), { signal });
  }
}

import type { Abortable } from '../meta/objects.js';
import { checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { requireInteger, requireNumber } from '../meta/options/validate.js';
import type { Clock } from './clock.js';

/** How the delays of a {@link Backoff} grow. */
export interface BackoffOptions {
  /** The first delay, before jitter. */
  readonly initialMs: number;
  /**
   * Each delay is the previous one times this; 0 keeps all delays the same.
   * @default 2
   */
  readonly factor?: number | undefined;
  /**
   * The longest delay before jitter.
   * @default Infinity
   */
  readonly capMs?: number | undefined;
  /**
   * The largest random addition, as a fraction of the delay: 1 gives one to two times the delay.
   * @default 0
   */
  readonly jitter?: number | undefined;
  /**
   * Starts again at `initialMs` when this much time has passed since the last step.
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
 * Delays that grow with each consecutive failure. Call {@link next} after every failure. A success needs no call: after
 * `resetAfterMs` without a failure the delays start again at `initialMs`.
 *
 * `resetAfterMs` is measured from the last failure and not from the first, so that the delays stay at the cap during a long
 * outage.
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

  /** Counts one more failure and returns the delay before the next attempt. */
  next(): number {
    const now = this.#clock.monotonicNow();
    if (this.#lastStep !== undefined && now - this.#lastStep > this.#resetAfterMs) this.reset();
    this.#lastStep = now;
    const base = this.#baseMs;
    if (this.#factor > 0) this.#baseMs = Math.min(base * this.#factor, this.#capMs, Number.MAX_SAFE_INTEGER);
    return base + base * this.#jitter * this.#clock.random();
  }

  /** Starts again at `initialMs`. */
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

/** Fills in the defaults field by field, so that a policy with one field given keeps the cap, jitter and reset of the default. */
export function withDefaults<O extends object>(given: Readonly<Partial<O>> | undefined, defaults: O): O {
  const defined = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(defined) };
}

/** The delays of a reflector between attempts to list and watch; client-go's values. */
export const reflectorBackoff: BackoffOptions = {
  initialMs: 800,
  factor: 2,
  capMs: 30_000,
  jitter: 1,
  resetAfterMs: 120_000,
};

/** Number of attempts and the delays between them. */
export interface RetryPolicy extends BackoffOptions {
  /** The number of attempts, including the first one. */
  readonly steps: number;
}

/** For 409 Conflict among several writers of one object: 5 attempts, about 10 ms apart. */
export const defaultRetry: RetryPolicy = { steps: 5, initialMs: 10, factor: 1, jitter: 0.1 };

/** Options of {@link retry}. */
export interface RetryOptions extends Abortable {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  /** Whether another attempt may succeed after this error. */
  readonly retriable: (error: unknown) => boolean;
}

/** Calls `attempt` until it succeeds. Throws the last error if that is not retriable or `policy.steps` are used up. */
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

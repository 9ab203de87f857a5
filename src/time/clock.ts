import type { Abortable } from '../meta/objects.js';
import type { OptionNames } from '../meta/options/known-options.js';

/** A callback that runs once, unless it is cancelled before. */
export interface Timer {
  /** Idempotent; does nothing after the timer has fired. */
  cancel(): void;
}

/** A timer that can start or stop keeping the process alive, as Node's `Timeout` can. */
export interface RefTimer extends Timer {
  /** The timer keeps the process alive from now on. */
  ref(): void;
  /** The timer no longer keeps the process alive. */
  unref(): void;
}

/** Options of {@link Clock.setTimer}. */
export interface TimerOptions {
  /**
   * Whether the timer keeps the process alive. Watchdogs pass false: they only observe other work.
   * @default true
   */
  readonly keepAlive?: boolean | undefined;
}

export const timerNames: OptionNames<TimerOptions> = { keepAlive: true };

/**
 * The only source of time, random numbers and turns of the event loop. Every part that needs one of these takes a Clock:
 * {@link realClock} in production, `FakeClock` of `kubeflect/testing` in tests.
 */
export interface Clock {
  /** The wall clock, in milliseconds since 1970. It may jump forwards and backwards. */
  now(): number;

  /** Milliseconds from an arbitrary start; never decreases. For durations and deadlines. */
  monotonicNow(): number;

  /** Resolves after `ms`. On abort it cancels its timer and rejects with `signal.reason`. */
  sleep(ms: number, options?: Abortable): Promise<void>;

  /** A number from 0 (included) to 1 (excluded). */
  random(): number;

  /** Calls `callback` once after `ms`, never synchronously. Timers due at the same time fire in the order they were set. */
  setTimer(ms: number, callback: () => void, options?: TimerOptions): RefTimer;

  /** Calls `callback` once in the next turn of the event loop, after pending I/O callbacks. */
  defer(callback: () => void): Timer;

  /** {@link defer} as a promise, for an async function that has to wait one turn. Long work uses the scheduler instead. */
  yield(): Promise<void>;
}

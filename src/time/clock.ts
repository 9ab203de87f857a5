import type { OptionNames } from '../meta/known-options.js';
import type { Abortable } from '../meta/objects.js';

/** A callback that will run once; `cancel` makes sure that it will not. */
export interface Timer {
  /** Idempotent; harmless after the timer has fired. */
  cancel(): void;
}

/** A timer whose hold on the process can be changed while it waits, by the names that Node has for it. */
export interface RefTimer extends Timer {
  /** The process stays alive for it from now on. */
  ref(): void;
  /** The process may end without waiting for it. */
  unref(): void;
}

/** How a timer treats the process it runs in. */
export interface TimerOptions {
  /**
   * Whether the process stays alive for this timer. Watchdogs say false: they guard work and are none themselves.
   * @default true
   */
  readonly keepAlive?: boolean | undefined;
}

export const timerNames: OptionNames<TimerOptions> = { keepAlive: true };

/**
 * The only source of time, chance and turns of the event loop. Everything that waits, measures or draws takes one, so
 * that a test can own all three: {@link realClock} is the machine's, `FakeClock` of `kubeflect/testing` is yours.
 */
export interface Clock {
  /** Milliseconds since 1970, as the wall clock says: it may jump either way. */
  now(): number;

  /** Milliseconds from an arbitrary start; never goes back. Durations and deadlines are measured with this one. */
  monotonicNow(): number;

  /** Resolves after `ms`; rejects with `signal.reason` on abort and leaves no timer behind. */
  sleep(ms: number, options?: Abortable): Promise<void>;

  /** A number from 0 (included) to 1 (excluded). */
  random(): number;

  /** Calls back once after `ms` (in a turn of its own, even for 0). Timers due at the same time fire in the order they were set. */
  setTimer(ms: number, callback: () => void, options?: TimerOptions): RefTimer;

  /** Calls back in the next turn of the event loop, after pending input and output had their chance. */
  defer(callback: () => void): Timer;

  /** Resolves in the next turn of the event loop, so that sockets, timers and others run in between. */
  yield(): Promise<void>;
}

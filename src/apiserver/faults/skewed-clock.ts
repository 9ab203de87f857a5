import type { Abortable } from '../../meta/objects.js';
import type { Clock, RefTimer, Timer, TimerOptions } from '../../time/clock.js';

/**
 * The server's clock: that of its options, with a wall clock that can be skewed, as on a machine without NTP, and with
 * its own random numbers if there is a seed.
 */
export class SkewedClock implements Clock {
  readonly #clock: Clock;
  readonly #random: () => number;
  skewMs = 0;

  /** @param random replaces the random numbers of `clock` */
  constructor(clock: Clock, random?: () => number) {
    this.#clock = clock;
    this.#random = random ?? (() => clock.random());
  }

  now(): number {
    return this.#clock.now() + this.skewMs;
  }

  monotonicNow(): number {
    return this.#clock.monotonicNow();
  }

  sleep(ms: number, options?: Abortable): Promise<void> {
    return this.#clock.sleep(ms, options);
  }

  random(): number {
    return this.#random();
  }

  setTimer(ms: number, callback: () => void, options?: TimerOptions): RefTimer {
    return this.#clock.setTimer(ms, callback, options);
  }

  defer(callback: () => void): Timer {
    return this.#clock.defer(callback);
  }

  yield(): Promise<void> {
    return this.#clock.yield();
  }
}

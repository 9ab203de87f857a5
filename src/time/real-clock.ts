import { performance } from 'node:perf_hooks';
import type { Clock, RefTimer } from './clock.js';
import { delayOf, sleepOn } from './sleep.js';

/** Node fires a timer of more than this at once, with a warning; longer delays are walked in legs. */
const LONGEST_LEG_MS = 0x7fff_ffff;

class RealTimer implements RefTimer {
  #handle: NodeJS.Timeout | undefined;
  #remainingMs: number;
  readonly #callback: () => void;
  #keepAlive: boolean;

  constructor(ms: number, callback: () => void, keepAlive: boolean) {
    this.#remainingMs = ms;
    this.#callback = callback;
    this.#keepAlive = keepAlive;
    this.#arm();
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }

  ref(): void {
    this.#keepAlive = true;
    this.#handle?.ref();
  }

  unref(): void {
    this.#keepAlive = false;
    this.#handle?.unref();
  }

  #arm(): void {
    const leg = Math.min(Math.ceil(this.#remainingMs), LONGEST_LEG_MS);
    this.#remainingMs -= leg;
    this.#handle = setTimeout(() => (this.#remainingMs > 0 ? this.#arm() : this.#callback()), leg);
    if (!this.#keepAlive) this.#handle.unref();
  }
}

/** The machine's own time, chance and event loop. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  sleep: (ms, options) => sleepOn(realClock, ms, options),
  random: () => Math.random(),
  setTimer: (ms, callback, options) => new RealTimer(delayOf(ms), callback, options?.keepAlive ?? true),
  defer(callback) {
    const handle = setImmediate(callback);
    return { cancel: () => clearImmediate(handle) };
  },
  yield: () => new Promise((resolve) => setImmediate(resolve)),
};

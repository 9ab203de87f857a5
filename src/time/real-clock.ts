import { performance } from 'node:perf_hooks';
import type { Clock, RefTimer } from './clock.js';
import { delayOf, sleepOn } from './sleep.js';

/** The longest delay that `setTimeout` supports; Node fires a longer one at once. Longer delays take several timeouts. */
const MAX_TIMEOUT_MS = 0x7fff_ffff;

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
    const timeoutMs = Math.min(Math.ceil(this.#remainingMs), MAX_TIMEOUT_MS);
    this.#remainingMs -= timeoutMs;
    this.#handle = setTimeout(() => (this.#remainingMs > 0 ? this.#arm() : this.#callback()), timeoutMs);
    if (!this.#keepAlive) this.#handle.unref();
  }
}

/** The machine's time, random numbers and event loop. */
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

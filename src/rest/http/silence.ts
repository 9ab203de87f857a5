import type { Clock, Timer, TimerOptions } from '../../time/clock.js';

/** How many times within the limit the counter is looked at: silence is noticed at most a fourth late. */
const LOOKS = 4;

/**
 * Notices when a counter stands still. What counts pays nothing for being watched: the counter is only read, a few times
 * per limit.
 *
 * A timer that fires late, because the event loop was blocked, proves nothing: the bytes may be waiting in the socket. So
 * silence is only declared after the sockets have been polled once more.
 */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #limitMs: () => number;
  readonly #progress: () => number;
  readonly #onSilent: (silentMs: number) => void;
  #timer: Timer | undefined;
  #seen: number;
  #seenAt: number;

  /** `limitMs` is asked at every look: what is known of a connection may change while it is watched. */
  constructor(clock: Clock, limitMs: () => number, progress: () => number, onSilent: (silentMs: number) => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#progress = progress;
    this.#onSilent = onSilent;
    this.#seen = progress();
    this.#seenAt = clock.monotonicNow();
    this.#arm();
  }

  /** Never calls back again. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(this.#limitMs() / LOOKS, () => this.#look(false), { keepAlive: false });
  }

  #look(hasPolled: boolean): void {
    const progress = this.#progress();
    const now = this.#clock.monotonicNow();
    if (progress !== this.#seen) {
      this.#seen = progress;
      this.#seenAt = now;
    }
    const silentMs = now - this.#seenAt;
    if (silentMs < this.#limitMs()) this.#arm();
    else if (!hasPolled) this.#timer = this.#clock.defer(() => this.#look(true));
    else {
      this.#seenAt = now;
      this.#arm();
      this.#onSilent(silentMs);
    }
  }
}

/**
 * Calls back after `ms` unless cancelled, and only after the sockets have been polled once more: whatever would have
 * cancelled it may be waiting there when the event loop was blocked.
 */
export function setDeadline(clock: Clock, ms: number, callback: () => void, options?: TimerOptions): Timer {
  const poll = (): void => {
    timer = clock.defer(callback);
  };
  let timer: Timer = clock.setTimer(ms, poll, options);
  return { cancel: () => timer.cancel() };
}

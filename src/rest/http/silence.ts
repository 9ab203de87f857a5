import type { Clock, Timer, TimerOptions } from '../../time/clock.js';

/** How often within the limit the counter is read: silence is detected at most an eighth of the limit late. */
const LOOKS = 8;

/**
 * Detects that a counter has not changed for some time. It reads the counter a few times per limit, so that counting costs
 * nothing more.
 *
 * A timer may fire late because the event loop was blocked, while bytes wait in the socket. Therefore `onSilent` is only called
 * after the sockets have been polled once more.
 */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #limitMs: () => number;
  readonly #progress: () => number;
  readonly #onSilent: (silentMs: number) => void;
  #timer: Timer | undefined;
  #seen: number;
  #seenAt: number;

  /** @param limitMs called at each reading, since the limit depends on the protocol of the connection */
  constructor(clock: Clock, limitMs: () => number, progress: () => number, onSilent: (silentMs: number) => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#progress = progress;
    this.#onSilent = onSilent;
    this.#seen = progress();
    this.#seenAt = clock.monotonicNow();
    this.#arm(0);
  }

  /** Never calls `onSilent` again. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(silentMs: number): void {
    const limitMs = this.#limitMs();
    // Timers of Node.js fire up to a millisecond early: the last of the looks must not wait for a whole further one.
    const ms = Math.min(limitMs / LOOKS, limitMs - silentMs);
    this.#timer = this.#clock.setTimer(ms, () => this.#look(false), { keepAlive: false });
  }

  #look(hasPolled: boolean): void {
    const progress = this.#progress();
    const now = this.#clock.monotonicNow();
    if (progress !== this.#seen) {
      this.#seen = progress;
      this.#seenAt = now;
    }
    const silentMs = now - this.#seenAt;
    if (silentMs < this.#limitMs()) this.#arm(silentMs);
    else if (!hasPolled) this.#timer = this.#clock.defer(() => this.#look(true));
    else {
      this.#seenAt = now;
      this.#arm(0);
      this.#onSilent(silentMs);
    }
  }
}

/**
 * Calls back after `ms` unless it is cancelled, and only after the sockets have been polled once more: if the event loop was
 * blocked, the bytes that would have cancelled it may be waiting there.
 */
export function setDeadline(clock: Clock, ms: number, callback: () => void, options?: TimerOptions): Timer {
  const poll = (): void => {
    timer = clock.defer(callback);
  };
  let timer: Timer = clock.setTimer(ms, poll, options);
  return { cancel: () => timer.cancel() };
}

import { requireFunction, requireNumber } from '../meta/validate.js';
import type { Clock } from './clock.js';

/** Which errors {@link RetryWithDeadline} counts, and for how long they may go on. */
export interface RetryWithDeadlineOptions {
  /** How long after the first error of a series retrying is worth it; 0 never retries. */
  readonly maxMs: number;
  /**
   * An error that comes this long after the last one begins a new series.
   * @default 60000
   */
  readonly resetAfterMs?: number | undefined;
  /** Which errors count; the others are not even noticed. */
  readonly retriable: (error: unknown) => boolean;
}

/**
 * Allows retries for a while after the first error of a series. A reflector uses it for a server that answers 500:
 * for a short time the watch is simply opened again, after that the collection is listed anew.
 */
export class RetryWithDeadline {
  readonly #clock: Clock;
  readonly #maxMs: number;
  readonly #resetAfterMs: number;
  readonly #retriable: (error: unknown) => boolean;
  #first: number | undefined;
  #last: number | undefined;

  constructor(clock: Clock, options: RetryWithDeadlineOptions) {
    this.#clock = clock;
    this.#maxMs = requireNumber('maxMs', options.maxMs);
    this.#resetAfterMs = requireNumber('resetAfterMs', options.resetAfterMs ?? 60_000);
    requireFunction('retriable', options.retriable);
    this.#retriable = options.retriable;
  }

  /** Takes note of how an attempt ended; undefined is success, and changes nothing. */
  after(error: unknown): void {
    if (error === undefined || !this.#retriable(error)) return;
    const now = this.#clock.monotonicNow();
    if (this.#last !== undefined && now - this.#last >= this.#resetAfterMs) this.#forget();
    this.#first ??= now;
    this.#last = now;
  }

  /** Whether the series of errors is still short enough; a false ends the series. */
  shouldRetry(): boolean {
    if (this.#maxMs === 0 || this.#first === undefined) return false;
    if (this.#clock.monotonicNow() - this.#first <= this.#maxMs) return true;
    this.#forget();
    return false;
  }

  #forget(): void {
    this.#first = undefined;
    this.#last = undefined;
  }
}

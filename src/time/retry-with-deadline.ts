import { requireFunction, requireNumber } from '../meta/options/validate.js';
import type { Clock } from './clock.js';

/** Options of {@link RetryWithDeadline}. */
export interface RetryWithDeadlineOptions {
  /** How long after the first error of a series retries are allowed; 0 allows none. */
  readonly maxMs: number;
  /**
   * An error this long after the last one starts a new series.
   * @default 60000
   */
  readonly resetAfterMs?: number | undefined;
  /** Returns whether an error begins or continues a series; other errors are ignored. */
  readonly retriable: (error: unknown) => boolean;
}

/**
 * Allows retries for `maxMs` after the first error of a series. A reflector uses it for a watch that fails with 500
 * InternalError: within that time it reopens the watch, later it relists.
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

  /** Records how an attempt ended. Undefined, which is a success, changes nothing. */
  after(error: unknown): void {
    if (error === undefined || !this.#retriable(error)) return;
    const now = this.#clock.monotonicNow();
    if (this.#last !== undefined && now - this.#last >= this.#resetAfterMs) this.#forget();
    this.#first ??= now;
    this.#last = now;
  }

  /** Whether another retry is allowed. Returning false ends the series. */
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

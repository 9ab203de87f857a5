import type { Clock } from '../index.js';
import { ItemExponentialLimiter, type RateLimiter } from '../workqueue/index.js';

/** The date that the last run of a key left behind. */
interface RetryDate {
  readonly kind: 'failed' | 'waiting' | 'conflict';
  readonly delayMs: number;
  /** On the monotonic clock. */
  readonly dueAt: number;
}

/** The first delay of `waiting` and of conflicts, which doubles each time. */
const firstWaitMs = 1000;
const longestWaitMs = 300_000;

/**
 * How long keys wait after runs that failed, wait or conflicted. Each kind has a count of its own, and only runs that were due
 * count: a run that a change brought forward keeps the date of the run before.
 */
export class RetryDates {
  readonly #clock: Clock;
  readonly #limiters: Readonly<Record<RetryDate['kind'], RateLimiter<string>>>;
  readonly #dates = new Map<string, RetryDate>();

  /** @param failures the limiter of failed runs */
  constructor(clock: Clock, failures: RateLimiter<string> = new ItemExponentialLimiter()) {
    this.#clock = clock;
    const patient = () => new ItemExponentialLimiter({ baseMs: firstWaitMs, maxMs: longestWaitMs });
    this.#limiters = { failed: failures, waiting: patient(), conflict: patient() };
  }

  /** Failed runs since the last one that did not fail. */
  failures(key: string): number {
    return this.#limiters.failed.numRequeues(key);
  }

  /** Conflicts in a row. */
  conflicts(key: string): number {
    return this.#limiters.conflict.numRequeues(key);
  }

  /**
   * The time until the next run of a key whose run ended like this.
   *
   * @param startedAt when the run that ended began, on the monotonic clock
   * @param leastMs it waits at least this long
   */
  after(kind: RetryDate['kind'], key: string, startedAt: number, leastMs = 0): number {
    const now = this.#clock.monotonicNow();
    const last = this.#dates.get(key);
    const wasDue = last === undefined || last.kind !== kind || startedAt >= last.dueAt;
    // Every conflict counts, because the fifth in a row is a failure.
    const delayMs = wasDue || kind === 'conflict' ? this.#limiters[kind].when(key) : last.delayMs;
    const date = !wasDue && last.dueAt > now ? last.dueAt : now + delayMs;
    const dueAt = Math.max(date, now + leastMs);
    if (kind === 'waiting') this.#limiters.failed.forget(key);
    if (kind !== 'conflict') this.#limiters.conflict.forget(key);
    this.#dates.set(key, { kind, delayMs, dueAt });
    return dueAt - now;
  }

  /** The run was done, or the object is gone: it starts anew. */
  forget(key: string): void {
    this.#dates.delete(key);
    for (const limiter of Object.values(this.#limiters)) limiter.forget(key);
  }
}

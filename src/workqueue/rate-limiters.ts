import { checkOptions } from '../meta/options/known-options.js';
import { optionError, requireInteger, requireNumber } from '../meta/options/validate.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { TokenBucket } from '../time/token-bucket.js';
import { type KeyOf, keyByValue } from './key-by-value.js';

/** Decides how long an item waits before its next retry. */
export interface RateLimiter<T> {
  /** The delay before the next retry of this item, in ms. Each call counts as one more failure. */
  when(item: T): number;
  /** How often `when` was called for this item since the last `forget`. */
  numRequeues(item: T): number;
  /** Clears the failures of an item that succeeded or will not be retried. */
  forget(item: T): void;
}

/** Options of the limiters that count failures per item. */
export interface ItemLimiterOptions<T> {
  /** What makes two items the same. @default strings as they are, objects by their fields */
  readonly keyOf?: ((item: T) => unknown) | undefined;
}

/** Counts failures per item; the subclass turns the count into a delay. */
abstract class FailureCounter<T> implements RateLimiter<T> {
  readonly #failures = new Map<unknown, number>();
  readonly #keyOf: KeyOf<T>;

  constructor(options: ItemLimiterOptions<T> = {}) {
    this.#keyOf = options.keyOf ?? keyByValue;
  }

  /** The delay after this many earlier failures. */
  protected abstract delayAfter(failures: number): number;

  when(item: T): number {
    const key = this.#keyOf(item);
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    return this.delayAfter(failures);
  }

  numRequeues(item: T): number {
    return this.#failures.get(this.#keyOf(item)) ?? 0;
  }

  forget(item: T): void {
    this.#failures.delete(this.#keyOf(item));
  }
}

/** Doubles the delay of an item with each failure: `baseMs`, twice that, … up to `maxMs`. */
export class ItemExponentialLimiter<T = string> extends FailureCounter<T> {
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor(
    options: ItemLimiterOptions<T> & {
      /** @default 5 */
      readonly baseMs?: number | undefined;
      /** @default 1_000_000 (1000 s) */
      readonly maxMs?: number | undefined;
    } = {},
  ) {
    super(checkOptions('new ItemExponentialLimiter', options, { keyOf: true, baseMs: true, maxMs: true }));
    this.#baseMs = requireNumber('baseMs', options.baseMs ?? 5);
    this.#maxMs = requireNumber('maxMs', options.maxMs ?? 1_000_000);
  }

  protected delayAfter(failures: number): number {
    // 2 ** 1024 is Infinity, which Math.min caps; 0 * Infinity would be NaN.
    return this.#baseMs === 0 ? 0 : Math.min(this.#baseMs * 2 ** failures, this.#maxMs);
  }
}

/** Delays an item by `fastMs` for its first `fastTries` failures, then by `slowMs`. */
export class ItemFastSlowLimiter<T = string> extends FailureCounter<T> {
  readonly #fastMs: number;
  readonly #slowMs: number;
  readonly #fastTries: number;

  constructor(
    options: ItemLimiterOptions<T> & { readonly fastMs: number; readonly slowMs: number; readonly fastTries: number },
  ) {
    const names = { keyOf: true, fastMs: true, slowMs: true, fastTries: true } as const;
    super(checkOptions('new ItemFastSlowLimiter', options, names));
    this.#fastMs = requireNumber('fastMs', options.fastMs);
    this.#slowMs = requireNumber('slowMs', options.slowMs);
    this.#fastTries = requireInteger('fastTries', options.fastTries);
  }

  protected delayAfter(failures: number): number {
    return failures < this.#fastTries ? this.#fastMs : this.#slowMs;
  }
}

/** Limits the rate of all items together with one token bucket; an item that finds it empty waits for the next token. */
export class BucketLimiter<T = string> implements RateLimiter<T> {
  readonly #bucket: TokenBucket;

  constructor(
    options: {
      /** Tokens added per second. @default 10 */
      readonly qps?: number | undefined;
      /** Tokens in a full bucket. @default 100 */
      readonly burst?: number | undefined;
      readonly clock?: Clock | undefined;
    } = {},
  ) {
    checkOptions('new BucketLimiter', options, { qps: true, burst: true, clock: true });
    this.#bucket = new TokenBucket(options.clock ?? realClock, { qps: options.qps ?? 10, burst: options.burst ?? 100 });
  }

  when(_item: T): number {
    return this.#bucket.reserve();
  }

  numRequeues(_item: T): number {
    return 0;
  }

  forget(_item: T): void {}
}

/** Calls all of its limiters and returns the longest delay. */
export class MaxOfLimiter<T = string> implements RateLimiter<T> {
  readonly #limiters: readonly RateLimiter<T>[];

  constructor(...limiters: readonly RateLimiter<T>[]) {
    if (limiters.length === 0) throw optionError('limiters', 'at least one rate limiter', limiters);
    this.#limiters = limiters;
  }

  when(item: T): number {
    let longest = 0;
    for (const limiter of this.#limiters) longest = Math.max(longest, limiter.when(item));
    return longest;
  }

  numRequeues(item: T): number {
    let most = 0;
    for (const limiter of this.#limiters) most = Math.max(most, limiter.numRequeues(item));
    return most;
  }

  forget(item: T): void {
    for (const limiter of this.#limiters) limiter.forget(item);
  }
}

/** Caps the delays of another limiter at `maxMs`. */
export class MaxWaitLimiter<T = string> implements RateLimiter<T> {
  readonly #limiter: RateLimiter<T>;
  readonly #maxMs: number;

  constructor(limiter: RateLimiter<T>, options: { readonly maxMs: number }) {
    this.#limiter = limiter;
    this.#maxMs = requireNumber('maxMs', checkOptions('new MaxWaitLimiter', options, { maxMs: true }).maxMs);
  }

  when(item: T): number {
    return Math.min(this.#limiter.when(item), this.#maxMs);
  }

  numRequeues(item: T): number {
    return this.#limiter.numRequeues(item);
  }

  forget(item: T): void {
    this.#limiter.forget(item);
  }
}

/**
 * The default of `RateLimitingQueue`, as in client-go: 5 ms, 10, 20, … 1000 s per item, and 10 retries a second over all items
 * after a burst of 100.
 */
export function defaultControllerLimiter<T = string>(
  options: ItemLimiterOptions<T> & { readonly clock?: Clock | undefined } = {},
): RateLimiter<T> {
  const { keyOf, clock } = checkOptions('defaultControllerLimiter', options, { keyOf: true, clock: true });
  return new MaxOfLimiter<T>(new ItemExponentialLimiter<T>({ keyOf }), new BucketLimiter<T>({ clock }));
}

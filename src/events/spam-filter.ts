import { LruCache } from '../structures/lru-cache.js';
import type { Clock } from '../time/clock.js';
import { TokenBucket } from '../time/token-bucket.js';
import type { CoreEvent } from './core-event.js';
import { spamKey } from './event-keys.js';

/** Options of a {@link SpamFilter}. */
export interface SpamFilterOptions {
  readonly clock: Clock;
  /** How many events of one type about one object are written at once. */
  readonly burst: number;
  /** The time after which one more is written. */
  readonly refillMs: number;
  readonly cacheSize: number;
}

/** Limits the events of one reporter, type and object, with a token bucket for each combination. */
export class SpamFilter {
  readonly #options: SpamFilterOptions;
  readonly #buckets: LruCache<string, TokenBucket>;

  constructor(options: SpamFilterOptions) {
    this.#options = options;
    this.#buckets = new LruCache(options.cacheSize);
  }

  /** Takes a token; returns true if there was none. */
  isSpam(event: CoreEvent): boolean {
    const { clock, burst, refillMs } = this.#options;
    const key = spamKey(event);
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = new TokenBucket(clock, { qps: 1000 / refillMs, burst });
      this.#buckets.set(key, bucket);
    }
    return !bucket.tryTake();
  }
}

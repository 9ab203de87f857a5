import { LruCache } from '../structures/lru-cache.js';
import type { Clock } from '../time/clock.js';
import { TokenBucket } from '../time/token-bucket.js';
import type { CoreEvent } from './core-event.js';
import { spamKey } from './event-keys.js';

/** Options of a {@link SpamFilter}. */
export interface SpamFilterOptions {
  readonly clock: Clock;
  /** How many events about one object go through at once. */
  readonly burst: number;
  /** After how long one more does. */
  readonly refillMs: number;
  readonly cacheSize: number;
}

/** Protects the server from a reporter that has a lot to say about one object: a token bucket for each of them. */
export class SpamFilter {
  readonly #options: SpamFilterOptions;
  readonly #buckets: LruCache<string, TokenBucket>;

  constructor(options: SpamFilterOptions) {
    this.#options = options;
    this.#buckets = new LruCache(options.cacheSize);
  }

  /** Whether this event is one too many. Asking counts. */
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

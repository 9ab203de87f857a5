import { checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { DelayingQueue } from './delaying-queue.js';
import { defaultControllerLimiter, type RateLimiter } from './rate-limiters.js';
import { type WorkQueueOptions, workQueueNames } from './work-queue.js';

/** Options of a {@link RateLimitingQueue}. */
export interface QueueOptions<T> extends WorkQueueOptions<T> {
  /** Decides how long a failed item waits. @default 5 ms doubled up to 1000 s per item, and 10 a second overall after a burst of 100 */
  readonly limiter?: RateLimiter<T> | undefined;
}

const queueNames: OptionNames<QueueOptions<never>> = { ...workQueueNames, limiter: true };

/**
 * The queue of a controller: an item that failed is added again after a delay that grows with its failures.
 *
 * @example
 * const queue = new RateLimitingQueue({ name: 'pods' });
 * pods.enqueueInto(queue);
 * await processQueue(queue, { workers: 4, signal, reconcile });
 */
export class RateLimitingQueue<T = string> extends DelayingQueue<T> {
  readonly #limiter: RateLimiter<T>;

  constructor(options: QueueOptions<T> = {}) {
    const { limiter, ...base } = checkOptions('new RateLimitingQueue', options, queueNames);
    super(base);
    this.#limiter = limiter ?? defaultControllerLimiter<T>({ keyOf: options.keyOf, clock: this.clock });
  }

  /** Adds the item after the delay that the limiter returns, and counts a failure. */
  addRateLimited(item: T): void {
    this.addAfter(item, this.#limiter.when(item));
  }

  /** Clears the failures of the item in the limiter. `done` must be called as well. */
  forget(item: T): void {
    this.#limiter.forget(item);
  }

  /** How often `addRateLimited` was called for the item since the last `forget`. */
  numRequeues(item: T): number {
    return this.#limiter.numRequeues(item);
  }
}

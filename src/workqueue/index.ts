/** Queues of work to do, and the loop that does it. */
export type { EnqueueHint, HintedQueue } from '../meta/queue-sink.js';
export { DelayingQueue } from './delaying-queue.js';
export { type KeyOf, keyByValue } from './key-by-value.js';
export type { InnerQueue, QueueEntry } from './line.js';
export { type ParallelizeOptions, parallelizeUntil } from './parallelize.js';
export { lowPriority, type PriorityOptions, PriorityQueue } from './priority-queue.js';
export {
  type ProcessOptions,
  processQueue,
  type ReconcileContext,
  type ReconcileQueue,
  type ReconcileResult,
} from './process-queue.js';
export {
  BucketLimiter,
  defaultControllerLimiter,
  defaultItemBasedLimiter,
  ItemExponentialLimiter,
  ItemFastSlowLimiter,
  type ItemLimiterOptions,
  MaxOfLimiter,
  MaxWaitLimiter,
  type RateLimiter,
} from './rate-limiters.js';
export { type QueueOptions, RateLimitingQueue } from './rate-limiting-queue.js';
export { TerminalError } from './terminal-error.js';
export { WorkQueue, type WorkQueueOptions } from './work-queue.js';

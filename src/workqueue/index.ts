/** `kubeflect/workqueue`: the other queues and the rate limiters. `RateLimitingQueue` and `processQueue` are in `kubeflect`. */
export { DelayingQueue } from './delaying-queue.js';
export { type ParallelizeOptions, parallelizeUntil } from './parallelize.js';
export { lowPriority, type PriorityOptions, PriorityQueue, type PriorityQueueOptions } from './priority-queue.js';
export type { ReconcileQueue } from './process-queue.js';
export {
  BucketLimiter,
  defaultControllerLimiter,
  ItemExponentialLimiter,
  ItemFastSlowLimiter,
  type ItemLimiterOptions,
  MaxOfLimiter,
  MaxWaitLimiter,
  type RateLimiter,
} from './rate-limiters.js';
export { WorkQueue, type WorkQueueOptions } from './work-queue.js';

/**
 * `kubeflect/cache`: the parts that informers are made of, with client-go's nouns and their whole method sets. The types of
 * informers, listers and their events are exported from `kubeflect`.
 */

export { ConditionImpossibleError } from '../client/wait/conditions.js';
export type { ListHead } from '../codec/codec.js';
export type { Raw } from '../codec/raw.js';
export type { BatchSink, Flow, WatchSink } from '../codec/watch-source.js';
export { type Accessor, type ObjectAccessor, type ObjectWithMeta, objectAccessor } from '../meta/accessor.js';
export { DeletedFinalStateUnknown } from '../meta/key.js';
export type { ListParameters, WatchParameters } from '../meta/options/parameters.js';
export type { WireEvent } from '../meta/watch-event.js';
export { Controller, type ControllerOptions, type NewInformerOptions, newInformer } from './informer/controller.js';
export { SlowHandlerError, SubscriptionRemovedError } from './informer/subscription.js';
export type {
  Delta,
  Deltas,
  ObjectDelta,
} from './queue/delta.js';
export { DeltaFIFO, type DeltaFIFOOptions } from './queue/delta-fifo.js';
export type { KnownObjects, ProcessDeltas, Queue } from './queue/queue.js';
export { RealFIFO, type RealFIFOOptions } from './queue/real-fifo.js';
export {
  type FailureReason,
  Reflector,
  type ReflectorOptions,
  type ReflectorStatus,
  type WatchErrorHandler,
} from './reflector/reflector.js';
export type { SkippedObjects } from './reflector/unread-keys.js';
export { ClientListWatch, type ClientListWatchOptions } from './source/client-list-watch.js';
export { type ListerWatcher, ListWatch, type ListWatchFunctions } from './source/list-watch.js';
export { type IndexSpec, namespaceIndex } from './store/index-spec.js';
export { Indexer, type IndexerOptions, type Indexers, type ItemIndexFunction } from './store/indexer.js';
export type { ReflectorStore, Store, StoreChange } from './store/store.js';
export { QueueClosedError, TransactionError } from './store/store-errors.js';
export type { ReadableStore } from './wait/informer-watcher.js';
export { RetryWatcher, type RetryWatcherOptions, type Watchable } from './wait/retry-watcher.js';
export {
  type UntilOptions,
  UntilTimeoutError,
  type UntilWithSyncOptions,
  until,
  untilWithSync,
  type WatchCondition,
} from './wait/until.js';
export {
  absent,
  crdEstablished,
  deleted,
  deploymentAvailable,
  hasCondition,
  podReady,
} from './wait/wait-conditions.js';

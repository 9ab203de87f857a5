/** `kubeflect/cache`: the parts that informers are made of, with client-go's nouns and their whole method sets. */
export { type Accessor, type ObjectAccessor, type ObjectWithMeta, objectAccessor } from '../meta/accessor.js';
export { DeletedFinalStateUnknown, deletionAwareKey, formatKey } from '../meta/key.js';
export { Backoff, type BackoffOptions, reflectorBackoff } from '../time/backoff.js';
export type { SliceBudget } from '../time/scheduler.js';
export { ClientListWatch, type ClientListWatchOptions } from './client-list-watch.js';
export { type Comparison, type ComparisonOptions, compareWithServer, type ItemDifference } from './consistency.js';
export {
  Controller,
  type ControllerOptions,
  type NewInformerOptions,
  newInformer,
  type TakenProcessor,
} from './controller.js';
export {
  type BookmarkDelta,
  type Delta,
  type Deltas,
  isObjectDelta,
  type ObjectDelta,
  type ReplacedAllDelta,
  type SyncAllDelta,
} from './delta.js';
export { DeltaFIFO, type DeltaFIFOOptions } from './delta-fifo.js';
export {
  DeltaProcessor,
  type DeltaProcessorOptions,
  type ItemHandler,
  processDeltas,
  processDeltasInBatch,
} from './delta-processor.js';
export { QueueClosedError, TransactionError } from './errors.js';
export { filteringHandler, type ResourceEventHandler } from './event-handler.js';
export {
  type ByteIndex,
  byLabel,
  byNamespace,
  byOwnerUid,
  type IndexFunction,
  type IndexSpec,
  namespaceIndex,
  toItemIndexFunction,
} from './index-functions.js';
export {
  type IndexBuild,
  Indexer,
  type IndexerOptions,
  type Indexers,
  type ItemIndexFunction,
  type Replacement,
  type Retention,
} from './indexer.js';
export type { AddEvent, CacheEntry, DeleteEvent, InformerEvent, SyncedMark, UpdateEvent } from './informer-event.js';
export type { Index } from './informer-index.js';
export type { InformerStatus } from './informer-status.js';
export { InformerWatcher, type InformerWatcherOptions, type ReadableStore } from './informer-watcher.js';
export { HeldObject, heldView, hold, type ItemView, type Keeper, type ObjectFacts, rawView } from './item-view.js';
export type { ItemKey } from './key-of.js';
export { type ListerWatcher, ListWatch, type ListWatchFunctions } from './list-watch.js';
export { SlowHandlerError, type SubscribeOptions, type Subscription, SubscriptionRemovedError } from './listener.js';
export type { Lister, ReadOptions } from './lister.js';
export { MappedListWatch } from './mapped-list-watch.js';
export { MutationDetector, type MutationDetectorMode, type MutationDetectorOptions } from './mutation-detector.js';
export { NamespacesListWatch } from './namespaces-list-watch.js';
export { ownerKeys } from './owner-keys.js';
export {
  allOf,
  annotationsChanged,
  anyOf,
  type EventPredicate,
  generationChanged,
  labelsChanged,
  matchesLabels,
  not,
  resourceVersionChanged,
} from './predicates.js';
export type { ProcessDeltas, Queue, Taken } from './queue.js';
export type { KnownObjects, QueueBase } from './queue-base.js';
export { RealFIFO, type RealFIFOOptions } from './real-fifo.js';
export {
  type FailureReason,
  Reflector,
  type ReflectorOptions,
  type ReflectorState,
  type ReflectorStatus,
  type WatchErrorHandler,
} from './reflector.js';
export { VeryShortWatchError } from './reflector-errors.js';
export { RetryWatcher, type RetryWatcherOptions, type Watchable } from './retry-watcher.js';
export { ServerTraits } from './server-traits.js';
export {
  type InformerErrorHandler,
  InformerStoppedError,
  type SharedIndexInformer,
  SharedInformer,
  type SharedInformerOptions,
} from './shared-informer.js';
export type { ReflectorStore, Store, StoreChange, TransactionalStore } from './store.js';
export {
  type Collection,
  type UntilLimits,
  type UntilOptions,
  type UntilSelection,
  UntilTimeoutError,
  type UntilWithSyncOptions,
  until,
  untilWithoutRetry,
  untilWithSync,
  WatchClosedError,
  type WatchCondition,
  type WatchConditions,
} from './until.js';
export {
  absent,
  ConditionImpossibleError,
  crdEstablished,
  deleted,
  deploymentAvailable,
  hasCondition,
  podReady,
} from './wait-conditions.js';
export { SilentWatchError, UnexpectedObjectError } from './watch-session.js';

/** `kubeflect/cache`: the parts that informers are made of, with client-go's nouns and their whole method sets. */
export { type Accessor, type ObjectAccessor, type ObjectWithMeta, objectAccessor } from '../meta/accessor.js';
export { DeletedFinalStateUnknown, deletionAwareKey, formatKey } from '../meta/key.js';
export { Backoff, type BackoffOptions, reflectorBackoff } from '../time/backoff.js';
export type { SliceBudget } from '../time/scheduler.js';
export {
  type Comparison,
  type ComparisonOptions,
  compareWithServer,
  type ItemDifference,
} from './check/consistency.js';
export {
  MutationDetector,
  type MutationDetectorMode,
  type MutationDetectorOptions,
} from './check/mutation-detector.js';
export {
  Controller,
  type ControllerOptions,
  type NewInformerOptions,
  newInformer,
  type TakenProcessor,
} from './informer/controller.js';
export {
  DeltaProcessor,
  type DeltaProcessorOptions,
  type ItemHandler,
  processDeltas,
  processDeltasInBatch,
} from './informer/delta-processor.js';
export { filteringHandler, type ResourceEventHandler } from './informer/event-handler.js';
export type {
  AddEvent,
  CacheEntry,
  DeleteEvent,
  InformerEvent,
  SyncedMark,
  UpdateEvent,
} from './informer/informer-event.js';
export type { Index } from './informer/informer-index.js';
export type { InformerStatus } from './informer/informer-status.js';
export {
  SlowHandlerError,
  type SubscribeOptions,
  type Subscription,
  SubscriptionRemovedError,
} from './informer/listener.js';
export type { Lister, ReadOptions } from './informer/lister.js';
export { ownerKeys } from './informer/owner-keys.js';
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
} from './informer/predicates.js';
export {
  type InformerErrorHandler,
  InformerStoppedError,
  type SharedIndexInformer,
  SharedInformer,
  type SharedInformerOptions,
} from './informer/shared-informer.js';
export {
  type BookmarkDelta,
  type Delta,
  type Deltas,
  isObjectDelta,
  type ObjectDelta,
  type ReplacedAllDelta,
  type SyncAllDelta,
} from './queue/delta.js';
export { DeltaFIFO, type DeltaFIFOOptions } from './queue/delta-fifo.js';
export type { ProcessDeltas, Queue, Taken } from './queue/queue.js';
export type { KnownObjects, QueueBase } from './queue/queue-base.js';
export { RealFIFO, type RealFIFOOptions } from './queue/real-fifo.js';
export {
  type FailureReason,
  Reflector,
  type ReflectorOptions,
  type ReflectorState,
  type ReflectorStatus,
  type WatchErrorHandler,
} from './reflector/reflector.js';
export { VeryShortWatchError } from './reflector/reflector-errors.js';
export { SilentWatchError, UnexpectedObjectError } from './reflector/watch-session.js';
export { ClientListWatch, type ClientListWatchOptions } from './source/client-list-watch.js';
export { type ListerWatcher, ListWatch, type ListWatchFunctions } from './source/list-watch.js';
export { MappedListWatch } from './source/mapped-list-watch.js';
export { NamespacesListWatch } from './source/namespaces-list-watch.js';
export { ServerTraits } from './source/server-traits.js';
export {
  type ByteIndex,
  byLabel,
  byNamespace,
  byOwnerUid,
  type IndexFunction,
  type IndexSpec,
  namespaceIndex,
  toItemIndexFunction,
} from './store/index-functions.js';
export {
  type IndexBuild,
  Indexer,
  type IndexerOptions,
  type Indexers,
  type ItemIndexFunction,
  type Replacement,
  type Retention,
} from './store/indexer.js';
export {
  HeldObject,
  heldView,
  hold,
  type ItemView,
  type Keeper,
  type ObjectFacts,
  rawView,
} from './store/item-view.js';
export type { ItemKey } from './store/key-of.js';
export type { ReflectorStore, Store, StoreChange, TransactionalStore } from './store/store.js';
export { QueueClosedError, TransactionError } from './store/store-errors.js';
export { InformerWatcher, type InformerWatcherOptions, type ReadableStore } from './wait/informer-watcher.js';
export { RetryWatcher, type RetryWatcherOptions, type Watchable } from './wait/retry-watcher.js';
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
} from './wait/until.js';
export {
  absent,
  ConditionImpossibleError,
  crdEstablished,
  deleted,
  deploymentAvailable,
  hasCondition,
  podReady,
} from './wait/wait-conditions.js';

/**
 * `kubeflect`: the everyday names of controllers, operators and dashboards. Each name is exported from one entry only: the
 * parts behind these are in `kubeflect/cache`, `kubeflect/client`, `kubeflect/rest` and `kubeflect/workqueue`, the types of
 * Kubernetes objects in `kubeflect/types`.
 */
export type { ResourceEventHandler } from './cache/informer/event-handler.js';
export type {
  AddEvent,
  CacheEntry,
  DeleteEvent,
  InformerEvent,
  SyncedMark,
  UpdateEvent,
} from './cache/informer/informer-event.js';
export type { Index } from './cache/informer/informer-index.js';
export type { InformerStatus } from './cache/informer/informer-status.js';
export type { Lister, ReadOptions } from './cache/informer/lister.js';
export { ownerKeys } from './cache/informer/owner-keys.js';
export {
  annotationsChanged,
  type EventPredicate,
  generationChanged,
  labelsChanged,
  matchesLabels,
  resourceVersionChanged,
} from './cache/informer/predicates.js';
export {
  type InformerErrorHandler,
  InformerStoppedError,
  type SharedIndexInformer,
} from './cache/informer/shared-informer.js';
export type { EnqueueOptions, SubscribeOptions, Subscription } from './cache/informer/subscription.js';
export * from './cache/store/index-functions.js';
export type { ObjectFacts } from './cache/store/item-view.js';
export type { ClusterResource, NamespacedResource } from './client/builtin-clients.js';
export { Client, type ClientOptions } from './client/client.js';
export type { ListOptions, WriteOptions } from './client/options.js';
export type { CollectionClient, ResourceClient } from './client/resource-client.js';
export { type RetryOnConflictOptions, retryOnConflict } from './client/retry-on-conflict.js';
export { type ByteTransform, drop } from './codec/codec.js';
export { LeadershipLostError } from './election/election-errors.js';
export { LeaderElector } from './election/leader-elector.js';
export {
  type AcquireOptions,
  type BuiltinInformers,
  CacheSyncError,
  type FactoryOptions,
  type InformerAccessor,
  type InformerLease,
  type InformerOptions,
  type ShardOptions,
  SharedInformerFactory,
  type Transform,
  type Unsynced,
} from './informers/index.js';
export { defineResource } from './kinds/define-resource.js';
export {
  isAlreadyExists,
  isConflict,
  isConnectionLost,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isReason,
  isTooManyRequests,
  isUnauthorized,
  type StatusPredicate,
  statusErrorOf,
} from './meta/errors/error-predicates.js';
export { type FailedRequest, KubeflectError, ParseError, StatusError } from './meta/errors/errors.js';
export type { StatusReason } from './meta/errors/status.js';
export { KeyError, type ObjectName, objectKey, splitKey } from './meta/key.js';
export {
  type Abortable,
  type DeepReadonly,
  type JsonPatchOperation,
  type KubernetesList,
  type KubernetesObject,
  type MergePatch,
  mutableCopy,
  type New,
  type PartialObjectMetadata,
  type Unstructured,
  type writtenAs,
} from './meta/objects.js';
export type { Resource } from './meta/resource.js';
export { compareResourceVersions } from './meta/resource-version.js';
export { escapeFieldValue } from './meta/selectors/field-selector.js';
export {
  labelSelectorFromObject,
  type ParsedLabelSelector,
  parseLabelSelector,
} from './meta/selectors/label-selector.js';
export type { Undo } from './meta/undo.js';
export type { WatchEvent } from './meta/watch-event.js';
export { type ResourceTree, resources } from './resources/resources.js';
export type { KubeConfigLike } from './rest/config/kubeconfig-like.js';
export { ConfigError, CredentialsError } from './rest/credentials/config-errors.js';
export { ConnectionLostError, RequestError } from './rest/http/request-errors.js';
export type { Clock } from './time/clock.js';
export { realClock } from './time/real-clock.js';
export { terminationSignal } from './time/termination-signal.js';
export {
  type ProcessOptions,
  processQueue,
  type ReconcileContext,
  type ReconcileResult,
} from './workqueue/process-queue.js';
export { type QueueOptions, RateLimitingQueue } from './workqueue/rate-limiting-queue.js';
export { TerminalError } from './workqueue/terminal-error.js';

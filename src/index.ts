/**
 * `kubeflect`: what a controller, an operator or a dashboard needs every day. The parts behind these names, with their whole
 * method sets, are in `kubeflect/cache`, `kubeflect/workqueue`, `kubeflect/client` and `kubeflect/rest`.
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
export type { SubscribeOptions, Subscription } from './cache/informer/listener.js';
export type { Lister, ReadOptions } from './cache/informer/lister.js';
export { ownerKeys } from './cache/informer/owner-keys.js';
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
} from './cache/informer/predicates.js';
export {
  type InformerErrorHandler,
  InformerStoppedError,
  type SharedIndexInformer,
} from './cache/informer/shared-informer.js';
export { type ByteIndex, byLabel, byNamespace, byOwnerUid, type IndexFunction } from './cache/store/index-functions.js';
export type { ObjectFacts } from './cache/store/item-view.js';
export { Client, type ClientBehaviour, type ClientOptions } from './client/client.js';
export type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  WatchOptions,
  WriteOptions,
} from './client/options.js';
export type { CollectionClient, MetadataClient, ResourceClient, StatusOf } from './client/resource-client.js';
export type { ClusterResource, NamespacedResource } from './client/resource-tree.js';
export { type RetryOnConflictOptions, retryOnConflict } from './client/retry-on-conflict.js';
export type { WatchEvent } from './client/watch-event.js';
export { type ByteTransform, drop } from './codec/codec.js';
export { LeadershipLostError } from './election/election-errors.js';
export { LeaderElector, type LeaderElectorOptions } from './election/leader-elector.js';
export {
  type BuiltinInformers,
  type CacheOptions,
  CacheSyncError,
  type FactoryOptions,
  type InformerAccessor,
  type InformerLease,
  type InformerOptions,
  SharedInformerFactory,
  type Transform,
  type Unsynced,
} from './informers/index.js';
export {
  hasStatusCause,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isConnectionLost,
  isConnectionRefused,
  isConnectionReset,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNetworkTimeout,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isResourceExpired,
  isServerTimeout,
  isServiceUnavailable,
  isStoreReadError,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnexpectedServerError,
  isUnsupportedMediaType,
  type StatusPredicate,
  statusErrorOf,
  suggestsClientDelay,
} from './meta/error-predicates.js';
export { type FailedRequest, KubeflectError, ParseError, StatusError } from './meta/errors.js';
export { KeyError, type ObjectName, objectKey, splitKey } from './meta/key.js';
export {
  type Abortable,
  type Condition,
  type DeepReadonly,
  type JsonPatchOperation,
  type KubernetesList,
  type KubernetesObject,
  type LabelSelector,
  type LabelSelectorRequirement,
  type ListMeta,
  type ManagedFieldsEntry,
  type MergePatch,
  mutableCopy,
  type New,
  type ObjectMeta,
  type OwnerReference,
  type PartialObjectMetadata,
  type StoredObjectMeta,
  type TypeMeta,
  type Unstructured,
} from './meta/objects.js';
export type { FieldValidation, Preconditions, PropagationPolicy, ResourceVersionMatch } from './meta/options.js';
export {
  apiVersionOf,
  defineResource,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  groupVersionKindOf,
  parseApiVersion,
  type Resource,
} from './meta/resource.js';
export { compareResourceVersions } from './meta/resource-version.js';
export {
  escapeFieldValue,
  type FieldLookup,
  type FieldRequirement,
  type ParsedFieldSelector,
  parseFieldSelector,
} from './meta/selectors/field-selector.js';
export type { LabelOperator, LabelRequirement } from './meta/selectors/label-requirement.js';
export {
  type LabelLookup,
  labelSelectorFromObject,
  type ParsedLabelSelector,
  parseLabelSelector,
} from './meta/selectors/label-selector.js';
export type { Status, StatusCause, StatusDetails, StatusReason } from './meta/status.js';
export type { AddedEvent, DeletedEvent, ModifiedEvent } from './meta/watch-event.js';
export type { KubeConfigLike } from './rest/config/kubeconfig-like.js';
export { ConfigError, CredentialsError } from './rest/credentials/config-errors.js';
export { ConnectionLostError, RequestError } from './rest/http/request-errors.js';
export type { Clock, RefTimer, Timer, TimerOptions } from './time/clock.js';
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

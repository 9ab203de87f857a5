/** `kubeflect/client`: the types behind `Client`, discovery, manifests, and conditions to wait for. */
export type { Preconditions } from '../meta/options/parameters.js';
export type {
  GroupKind,
  GroupResource,
  GroupVersion,
  GroupVersionKind,
  GroupVersionResource,
} from '../meta/resource.js';
export { apiVersionOf, parseApiVersion } from '../meta/resource.js';
export type {
  BookmarkEvent,
  BookmarkObject,
  WatchEventOrBookmark,
} from '../meta/watch-event.js';
export type { ResourceEntry } from '../resources/builtin-resource.js';
export type { BuiltinResources } from '../resources/tree.js';
export { ApiDiscovery } from './api-discovery.js';
export type { ClientBehaviour } from './client.js';
export type { ApiGroup, ApiResource } from './discovery-documents.js';
export type { ApplySet } from './manifests/apply-set.js';
export { ManifestDiff, type ObjectDiff } from './manifests/diff-manifests.js';
export type { FieldChange } from './manifests/field-changes.js';
export {
  ManifestError,
  type ManifestPlace,
  type ManifestProblem,
  type ObjectReference,
} from './manifests/manifest-error.js';
export type { ManifestSource } from './manifests/manifest-set.js';
export type {
  ApplyManifestsOptions,
  DeleteManifestsOptions,
  DiffManifestsOptions,
  ManifestProgress,
  ManifestResult,
} from './manifests/options.js';
export { metricsResources, type NodeMetrics, type PodMetrics } from './metrics/metrics-resources.js';
export type { NodeUsage, PodUsage, TopOptions } from './metrics/top.js';
export type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  PatchOptions,
  WatchOptions,
} from './options.js';
export type { ProxyTarget } from './proxy-request.js';
export type {
  LogClient,
  LogLineOptions,
  LogOptions,
  MetadataClient,
  StatusOf,
  SubresourceClient,
} from './resource-client.js';
export type {
  AttachOptions,
  CopyOptions,
  CopyProgress,
  ExecOptions,
  ForwardedPort,
  LogLine,
  LogSource,
  LogsOptions,
  PodClient,
  PortForward,
  PortForwardOptions,
} from './streams/pod-client.js';
export { conditions, type WaitCondition } from './wait/conditions.js';
export { type WaitOptions, WaitTimeoutError } from './wait/wait-for.js';

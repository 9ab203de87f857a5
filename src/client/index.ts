/** `kubeflect/client`: typed, dynamic and metadata clients, discovery, and paged lists. */
export type { AddedEvent, BookmarkEvent, BookmarkObject, DeletedEvent, ModifiedEvent } from '../meta/watch-event.js';
export type { BuiltinResource, BuiltinSubresource, ResourceEntry } from '../resources/builtin-resource.js';
export type { BuiltinResources } from '../resources/tree.js';
export { type BackoffOptions, defaultBackoff, defaultRetry, type RetryPolicy } from '../time/backoff.js';
export {
  ApiDiscovery,
  type DiscoveryFailure,
  type ServerVersion,
} from './api-discovery.js';
export {
  Client,
  type ClientBehaviour,
  type ClientOptions,
  type ClientSourceOptions,
  type RestBackedClientOptions,
} from './client.js';
export type { ApiGroup, ApiResource } from './discovery-documents.js';
export type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  SelectorOptions,
  WatchOptions,
  WriteOptions,
} from './options.js';
export { type ListPage, ListPager, type ListPagerOptions, type Page, type PagedList } from './pager.js';
export type {
  CollectionClient,
  LogClient,
  LogOptions,
  MetadataClient,
  NewPart,
  ResourceClient,
  StatusOf,
  SubresourceClient,
} from './resource-client.js';
export {
  type BuiltinClients,
  type ClusterResource,
  defineGroups,
  type NamespacedResource,
  type RequestClient,
} from './resource-tree.js';
export { type RetryOnConflictOptions, retryOnConflict } from './retry-on-conflict.js';
export type { WatchEvent, WatchEventOrBookmark } from './watch-event.js';

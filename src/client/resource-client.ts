import type {
  Abortable,
  DeepReadonly,
  JsonPatchOperation,
  KubernetesList,
  MergePatch,
  New,
  PartialObjectMetadata,
  Unstructured,
} from '../meta/objects.js';
import { abortableNames, type OptionNames } from '../meta/options/known-options.js';
import type { WatchEvent, WatchEventOrBookmark } from '../meta/watch-event.js';
import type { TokenRequest } from '../resources/types/authentication-v1.js';
import type { Scale } from '../resources/types/autoscaling-v1.js';
import type { Binding } from '../resources/types/core-v1.js';
import type { Eviction } from '../resources/types/policy-v1.js';
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  WatchOptions,
  WriteOptions,
} from './options.js';

/** The type of an object's `status`: `never` if the type has none, a record if the fields of the type are unknown. */
export type StatusOf<T> = T extends { status?: infer S }
  ? NonNullable<S>
  : string extends keyof T
    ? Readonly<Record<string, unknown>>
    : never;

/**
 * Reads a collection: of one namespace, of all of them, or of the cluster. Returned objects are new: change them as you like.
 *
 * Every method rejects with a StatusError when the server refuses the request, with a RequestError when no complete answer
 * arrives, and with `signal.reason` on abort.
 */
export interface CollectionClient<T> {
  /** Sends one request: for all objects, or for one page if `limit` is set. */
  list(options?: ListOptions): Promise<KubernetesList<T>>;
  /**
   * Yields every object, page by page; `limit` is the size of a page. All pages show one resourceVersion. If the server
   * compacts that version meanwhile, the loop throws 410 (`isExpired`): start again.
   */
  listAll(options?: ListOptions): AsyncIterableIterator<T>;
  /**
   * Sends one watch request; the loop ends when the server ends it, and throws a StatusError on an ERROR event. Leaving the
   * loop closes the connection. To follow a collection, use an informer: it watches again after every end.
   */
  watch(
    options?: WatchOptions & { readonly allowWatchBookmarks?: false | undefined },
  ): AsyncIterableIterator<WatchEvent<T>>;
  watch(options: WatchOptions): AsyncIterableIterator<WatchEventOrBookmark<T>>;
}

/** Reads and writes the objects of one resource, in one namespace or of the cluster. Returned objects are new. */
export interface ResourceClient<T> extends CollectionClient<T> {
  get(name: string, options?: GetOptions): Promise<T>;
  /** Creates the object; fills in `apiVersion` and `kind` if they are left out. */
  create(object: DeepReadonly<New<T>>, options?: WriteOptions): Promise<T>;
  /** Replaces the object; 409 (`isConflict`) if it has changed since its `resourceVersion`, see `retryOnConflict`. */
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<T>;
  /** Replaces `status`; the server ignores all other fields. */
  updateStatus(object: DeepReadonly<T>, options?: WriteOptions): Promise<T>;
  /** Sends an array as a JSON patch, an object as a merge patch or with `type: 'strategic'` as a strategic merge patch. */
  patch(name: string, patch: MergePatch<T> | readonly JsonPatchOperation[], options?: PatchOptions): Promise<T>;
  /** Merges into `status`. */
  patchStatus(name: string, status: MergePatch<StatusOf<T>>, options?: WriteOptions): Promise<T>;
  /** Server-side apply: creates the object or merges these fields into it, and records `fieldManager` as their owner. */
  apply(object: DeepReadonly<New<T>>, options: ApplyOptions): Promise<T>;
  /** Resolves when the server has accepted the deletion; finalizers and grace periods may keep the object for a while. */
  delete(name: string, options?: DeleteOptions): Promise<void>;
  /** Deletes all objects that match the selectors, in this namespace; without a selector, all objects. */
  deleteCollection(options?: DeleteCollectionOptions): Promise<void>;

  /** A client of a subresource, such as `pods/web-0/eviction`. */
  subresource(name: 'scale'): SubresourceClient<Scale>;
  subresource(name: 'status'): SubresourceClient<T>;
  subresource(name: 'eviction'): SubresourceClient<Eviction>;
  subresource(name: 'binding'): SubresourceClient<Binding>;
  subresource(name: 'token'): SubresourceClient<TokenRequest>;
  subresource(name: 'log'): LogClient;
  subresource<S = Unstructured>(name: string): SubresourceClient<S>;
}

/** The body that a caller writes to a subresource; the client fills in `apiVersion`, `kind` and `metadata`. */
export type NewPart<S> = Omit<New<S>, 'metadata'> & Partial<Pick<New<S>, 'metadata'>>;

/**
 * Reads and writes a subresource of the objects of one namespace or of the cluster. Not every subresource has every verb:
 * `scale` has get, update and patch; `eviction` has create.
 */
export interface SubresourceClient<S> {
  get(name: string, options?: Abortable): Promise<S>;
  create(
    name: string,
    body: DeepReadonly<Omit<New<S>, 'metadata'> & Partial<Pick<New<S>, 'metadata'>>>,
    options?: WriteOptions,
  ): Promise<S>;
  update(name: string, body: DeepReadonly<S>, options?: WriteOptions): Promise<S>;
  /** Sends an array as a JSON patch, an object as a merge patch or with `type: 'strategic'` as a strategic merge patch. */
  patch(name: string, patch: MergePatch<S> | readonly JsonPatchOperation[], options?: PatchOptions): Promise<S>;
  apply(
    name: string,
    body: DeepReadonly<Omit<New<S>, 'metadata'> & Partial<Pick<New<S>, 'metadata'>>>,
    options: ApplyOptions,
  ): Promise<S>;
}

/** Which part of a container's log is read. */
export interface LogOptions extends Abortable {
  /** @default the pod's only container; a pod of several needs this */
  readonly container?: string | undefined;
  /** Reads the log of the previous instance of the container, before its restart. @default false */
  readonly previous?: boolean | undefined;
  /** Begins this many lines before the end. @default at the beginning */
  readonly tailLines?: number | undefined;
  /** Begins this many seconds ago. @default at the beginning */
  readonly sinceSeconds?: number | undefined;
  /** Begins at this time, as RFC 3339. @default at the beginning */
  readonly sinceTime?: string | undefined;
  /** Puts the time before each line. @default false */
  readonly timestamps?: boolean | undefined;
  /** Ends after about this many bytes. @default no limit */
  readonly limitBytes?: number | undefined;
}

export const logNames: OptionNames<LogOptions> = {
  ...abortableNames,
  container: true,
  previous: true,
  tailLines: true,
  sinceSeconds: true,
  sinceTime: true,
  timestamps: true,
  limitBytes: true,
};

/** Options of reading a log line by line. */
export interface LogLineOptions extends LogOptions {
  /** Waits for new lines, until the container ends. @default false */
  readonly follow?: boolean | undefined;
  /** The maximal length of a line; a longer one rejects with a RequestError. @default 4194304 */
  readonly maxLineBytes?: number | undefined;
}

export const logLineNames: OptionNames<LogLineOptions> = { ...logNames, follow: true, maxLineBytes: true };

/** Reads the logs of pods. */
export interface LogClient {
  /** Reads the log as one string, up to `maxAnswerBytes` of the client's options. */
  text(name: string, options?: LogOptions): Promise<string>;
  /** Yields lines. Leaving the loop, or `return()` at any time, closes the connection. */
  lines(name: string, options?: LogLineOptions): AsyncIterableIterator<string>;
}

/** Reads the objects of one resource as PartialObjectMetadata: without spec and status. */
export interface MetadataClient
  extends CollectionClient<PartialObjectMetadata>,
    Pick<ResourceClient<PartialObjectMetadata>, 'get' | 'patch' | 'delete' | 'deleteCollection'> {}

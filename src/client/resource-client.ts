import { abortableNames, type OptionNames } from '../meta/known-options.js';
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

/** The type of an object's `status`; never when it has none, anything when nothing is known of the object. */
export type StatusOf<T> = T extends { status?: infer S }
  ? NonNullable<S>
  : string extends keyof T
    ? Readonly<Record<string, unknown>>
    : never;

/**
 * Reads a collection: of one namespace, of all of them, or of the cluster. What it returns is yours to change.
 *
 * Everything rejects with a StatusError when the server says no, with a RequestError when it does not answer, and with
 * `signal.reason` on abort.
 */
export interface CollectionClient<T> {
  /** One request: everything, or one page when `limit` says so. */
  list(options?: ListOptions): Promise<KubernetesList<T>>;
  /**
   * Every object, page by page; `limit` is the size of a page. All of them are of one version: when reading takes so long
   * that the server has forgotten it, the loop throws (`isExpired`) and has to begin anew.
   */
  listAll(options?: ListOptions): AsyncIterableIterator<T>;
  /**
   * One connection; the loop ends when the server ends it, and throws a StatusError on an ERROR event. Leaving the loop
   * closes the connection. To follow a collection for long, use an informer: it comes back after every end.
   */
  watch(
    options?: WatchOptions & { readonly allowWatchBookmarks?: false | undefined },
  ): AsyncIterableIterator<WatchEvent<T>>;
  watch(options: WatchOptions): AsyncIterableIterator<WatchEventOrBookmark<T>>;
}

/** Reads and writes the objects of one resource, in one namespace or of the cluster. What it returns is yours to change. */
export interface ResourceClient<T> extends CollectionClient<T> {
  get(name: string, options?: GetOptions): Promise<T>;
  /** `apiVersion` and `kind` are filled in where they are left out. */
  create(object: DeepReadonly<New<T>>, options?: WriteOptions): Promise<T>;
  /** Replaces the object; a conflict (`isConflict`) if it has changed since its `resourceVersion`, see `retryOnConflict`. */
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<T>;
  /** Replaces the status and nothing else. */
  updateStatus(object: DeepReadonly<T>, options?: WriteOptions): Promise<T>;
  /** An array is a JSON patch, an object a merge patch unless `type` says strategic. */
  patch(name: string, patch: MergePatch<T> | readonly JsonPatchOperation[], options?: PatchOptions): Promise<T>;
  /** Merges into the status and nothing else. */
  patchStatus(name: string, status: MergePatch<StatusOf<T>>, options?: WriteOptions): Promise<T>;
  /** Server-side apply: makes the object, or makes it have what is given, and remembers who wanted it. */
  apply(object: DeepReadonly<New<T>>, options: ApplyOptions): Promise<T>;
  /** Resolves when the server has taken it on; finalizers and grace periods may keep the object for a while. */
  delete(name: string, options?: DeleteOptions): Promise<void>;
  /** Deletes everything selected, in this namespace; everything there is without a selector. */
  deleteCollection(options?: DeleteCollectionOptions): Promise<void>;

  /** A part of the objects with a path of its own. */
  subresource(name: 'scale'): SubresourceClient<Scale>;
  subresource(name: 'status'): SubresourceClient<T>;
  subresource(name: 'eviction'): SubresourceClient<Eviction>;
  subresource(name: 'binding'): SubresourceClient<Binding>;
  subresource(name: 'token'): SubresourceClient<TokenRequest>;
  subresource(name: 'log'): LogClient;
  subresource<S = Unstructured>(name: string): SubresourceClient<S>;
}

/** What you write of a subresource: metadata and, where they are known, `apiVersion` and `kind` are filled in. */
export type NewPart<S> = Omit<New<S>, 'metadata'> & Partial<Pick<New<S>, 'metadata'>>;

/**
 * Reads and writes a subresource of the objects of one namespace or of the cluster. Not every subresource has every verb:
 * a scale is read and changed, an eviction only created.
 */
export interface SubresourceClient<S> {
  get(name: string, options?: Abortable): Promise<S>;
  create(
    name: string,
    body: DeepReadonly<Omit<New<S>, 'metadata'> & Partial<Pick<New<S>, 'metadata'>>>,
    options?: WriteOptions,
  ): Promise<S>;
  update(name: string, body: DeepReadonly<S>, options?: WriteOptions): Promise<S>;
  /** An array is a JSON patch, an object a merge patch unless `type` says strategic. */
  patch(name: string, patch: MergePatch<S> | readonly JsonPatchOperation[], options?: PatchOptions): Promise<S>;
  apply(
    name: string,
    body: DeepReadonly<Omit<New<S>, 'metadata'> & Partial<Pick<New<S>, 'metadata'>>>,
    options: ApplyOptions,
  ): Promise<S>;
}

/** What of a container's log is wanted. */
export interface LogOptions extends Abortable {
  /** @default the pod's only container; a pod of several needs this */
  readonly container?: string | undefined;
  /** The log of the container's last life. @default false */
  readonly previous?: boolean | undefined;
  /** Begins so many lines before the end. @default at the beginning */
  readonly tailLines?: number | undefined;
  /** Begins so many seconds ago. @default at the beginning */
  readonly sinceSeconds?: number | undefined;
  /** Begins at this time, as RFC 3339. @default at the beginning */
  readonly sinceTime?: string | undefined;
  /** Puts the time before each line. @default false */
  readonly timestamps?: boolean | undefined;
  /** Ends after about so many bytes. @default no limit */
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

/** How a log is read line by line. */
export interface LogLineOptions extends LogOptions {
  /** Goes on with what is still to come, until the container ends. @default false */
  readonly follow?: boolean | undefined;
  /** The longest line that is read; a longer one rejects with a RequestError. @default 4194304 */
  readonly maxLineBytes?: number | undefined;
}

export const logLineNames: OptionNames<LogLineOptions> = { ...logNames, follow: true, maxLineBytes: true };

/** Reads the logs of pods. */
export interface LogClient {
  /** The whole of it, as one text; at most `maxAnswerBytes` of the client's options. */
  text(name: string, options?: LogOptions): Promise<string>;
  /** Line by line. Leaving the loop, or `return()` at any time, closes the connection. */
  lines(name: string, options?: LogLineOptions): AsyncIterableIterator<string>;
}

/** Reads the metadata of the objects of one resource and leaves the rest of them on the server. */
export interface MetadataClient
  extends CollectionClient<PartialObjectMetadata>,
    Pick<ResourceClient<PartialObjectMetadata>, 'get' | 'patch' | 'delete' | 'deleteCollection'> {}

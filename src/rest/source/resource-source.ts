import type { DecoderOptions, ListHead } from '../../codec/codec.js';
import type { Raw } from '../../codec/raw.js';
import type { BatchSink, Flow, ListSource, WatchSink, WatchSource } from '../../codec/watch-source.js';
import type { ListParameters, SelectorParameters, WatchParameters } from '../../meta/options/parameters.js';
import type { GroupVersionResource } from '../../meta/resource.js';
import { flowList, flowWatch } from '../request/read-objects.js';
import type { Request } from '../request/request.js';
import type { RestClient } from '../request/rest-client.js';

/** The collection of a {@link ResourceSource}, and how its objects are decoded. */
export interface ResourceSourceOptions extends Omit<DecoderOptions, 'isStrict'>, SelectorParameters {
  readonly resource: GroupVersionResource;
  /** @default all namespaces */
  readonly namespace?: string | undefined;
  /** Requests PartialObjectMetadata instead of whole objects. @default false */
  readonly metadataOnly?: boolean | undefined;
}

/**
 * Lists and watches a collection of a server as `Raw` handles, for informers. Chunks are queued when they come, decoded in
 * slices of the clock's scheduler, and pushed in batches; a sink that pauses pauses the socket.
 *
 * `done` of a watch resolves when the server ends it, even in the middle of an event; it rejects with a StatusError if the
 * server refuses the watch, and with a RequestError (`isConnectionLost`) if the connection breaks. Bytes that are no events
 * are pushed as one ERROR event of reason InternalError, which ends the watch. A single object that cannot be read does not: a
 * handle without content is pushed in its place.
 */
export class ResourceSource<T> implements ListSource<Raw<T>>, WatchSource<Raw<T>> {
  readonly #rest: RestClient;
  readonly #options: ResourceSourceOptions;

  constructor(rest: RestClient, options: ResourceSourceOptions) {
    this.#rest = rest;
    this.#options = options;
  }

  list(options: ListParameters, sink: BatchSink<Raw<T>>, signal: AbortSignal): Flow<ListHead> {
    return flowList(this.#request('list', options), this.#options, sink, this.#rest.clock, signal);
  }

  open(options: WatchParameters, sink: WatchSink<Raw<T>>, signal: AbortSignal): Flow<void> {
    const request = this.#request('object', options).param('watch', true);
    return flowWatch(request, this.#options, sink, this.#rest.clock, signal);
  }

  #request(of: 'object' | 'list', options: ListParameters | WatchParameters): Request {
    const { resource, namespace, labelSelector, fieldSelector, metadataOnly } = this.#options;
    const request = this.#rest.get().resource(resource);
    if (namespace !== undefined) request.namespace(namespace);
    if (metadataOnly === true) request.metadataOnly(of);
    return request.params({ labelSelector, fieldSelector, ...options });
  }
}

import type { ListerWatcher } from '../cache/source/list-watch.js';
import { ServerTraits } from '../cache/source/server-traits.js';
import type { ListHead } from '../codec/codec.js';
import type { Raw } from '../codec/raw.js';
import { SlabArena } from '../codec/slab.js';
import type { BatchSink, Flow, WatchSink } from '../codec/watch-source.js';
import type { ListParameters, WatchParameters } from '../meta/options/parameters.js';
import type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
import { flowWatch } from '../rest/request/read-objects.js';
import { abortable } from '../time/signals.js';
import type { CompatList, CompatObject, ListPromise } from './informer.js';
import { isModelList, toModelForm } from './model-form.js';
import { type ConnectionLease, leaseConnection } from './shared-connection.js';
import { requestFor } from './watch-request.js';

/** Options of a {@link PathListWatch}. */
export interface PathListWatchOptions<T> {
  readonly kubeconfig: KubeConfigLike;
  readonly path: string;
  readonly listFn: ListPromise<T>;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** Called each time the server has accepted a watch. */
  readonly onOpen: () => void;
}

/**
 * Lists with a function and watches a path, as the official client does. Listed objects stay as the function returned them;
 * `read` converts watched ones to the same form.
 */
export class PathListWatch<T extends CompatObject> implements ListerWatcher<T | Raw<T>> {
  readonly supportsWatchList: boolean = false;
  readonly #options: PathListWatchOptions<T>;
  #lease: ConnectionLease | undefined;
  #isModelForm = false;
  #isClosed = false;
  readonly #unknownServer = new ServerTraits();

  constructor(options: PathListWatchOptions<T>) {
    this.#options = options;
  }

  get traits(): ServerTraits {
    return this.#lease?.traits ?? this.#unknownServer;
  }

  list(_: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Flow<ListHead> {
    return { resume() {}, done: this.#list(sink, signal) };
  }

  open(options: WatchParameters, sink: WatchSink<Raw<T>>, signal: AbortSignal): Flow<void> {
    let flow: Flow<void> | undefined;
    const open = async (): Promise<void> => {
      const { rest } = await abortable(this.#connection(), signal);
      const { path, labelSelector, fieldSelector, onOpen } = this.#options;
      const request = requestFor(rest, path, { ...options, labelSelector, fieldSelector, watch: true });
      flow = flowWatch(request, { arena: new SlabArena() }, sink, rest.clock, signal, onOpen);
      await flow.done;
    };
    return {
      resume: () => flow?.resume(),
      done: open(),
      get received() {
        return flow?.received ?? 0;
      },
    };
  }

  /** Decodes an object to the form of the list function. */
  read(raw: Raw<T>): T {
    const object = raw.decode();
    return this.#isModelForm ? toModelForm(object) : object;
  }

  /** Releases the connection. */
  close(): void {
    this.#isClosed = true;
    this.#lease?.release();
  }

  async #list(sink: BatchSink<T>, signal: AbortSignal): Promise<ListHead> {
    const { listFn } = this.#options;
    // The function takes no signal: after an abort its result is dropped.
    const list = await abortable(
      Promise.resolve().then(() => listFn()),
      signal,
    );
    requireList(list);
    this.#isModelForm = isModelList(list);
    const { kind = '', apiVersion = '' } = list;
    const items = list.items ?? [];
    const itemKind = kind.endsWith('List') ? kind.slice(0, -'List'.length) : '';
    if (itemKind !== '' && apiVersion !== '') {
      // Watched objects have kind and apiVersion; items of the official client's lists do not.
      for (const item of items) {
        item.kind ??= itemKind;
        item.apiVersion ??= apiVersion;
      }
    }
    if (items.length > 0) sink.batch(items);
    await this.#listRest(list, sink, signal);
    return { kind, apiVersion, metadata: { resourceVersion: list.metadata?.resourceVersion ?? '' } };
  }

  /** Reads the other pages if the function returned only the first one: missing objects would look deleted. */
  async #listRest(list: CompatList<T>, sink: BatchSink<T>, signal: AbortSignal): Promise<void> {
    const { path, labelSelector, fieldSelector } = this.#options;
    const metadata = list.metadata as { readonly continue?: string; readonly _continue?: string } | undefined;
    let token = metadata?._continue ?? metadata?.continue;
    while (token) {
      const { rest } = await abortable(this.#connection(), signal);
      const params = { labelSelector, fieldSelector, limit: list.items.length, continue: token };
      const page = await requestFor(rest, path, params).list<T>({ signal });
      if (page.items.length > 0) sink.batch(this.#isModelForm ? page.items.map(toModelForm) : page.items);
      token = page.metadata.continue;
    }
  }

  async #connection(): Promise<ConnectionLease> {
    if (this.#lease !== undefined) return this.#lease;
    const lease = await leaseConnection(this.#options.kubeconfig);
    if (this.#isClosed || this.#lease !== undefined) lease.release();
    this.#lease ??= lease;
    return this.#lease;
  }
}

/** Rejects what is not a list: it would look like an empty one, and delete every object. `items` may be null in an empty list. */
function requireList(list: unknown): void {
  const { items, metadata } = (list ?? {}) as { readonly items?: unknown; readonly metadata?: unknown };
  if (Array.isArray(items) || (metadata && (items === undefined || items === null))) return;
  throw new TypeError(
    'the list function must return a list, an object with metadata and items; ' +
      'with a client that returns { response, body }, return the body',
  );
}

import type { Client } from '../../client/client.js';
import type { ListHead } from '../../codec/codec.js';
import type { Raw } from '../../codec/raw.js';
import type { BatchSink, Flow, ListSource, WatchSink, WatchSource } from '../../codec/watch-source.js';
import type { KubernetesList } from '../../meta/objects.js';
import type { ListParameters, WatchParameters } from '../../meta/options/parameters.js';
import { requireFunction } from '../../meta/options/validate.js';
import type { Resource } from '../../meta/resource.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { abortable } from '../../time/signals.js';
import { ClientListWatch, type ClientListWatchOptions } from './client-list-watch.js';
import { ServerTraits } from './server-traits.js';

/** A collection that a reflector can list and watch. `T` is the type of its items: objects or `Raw` handles. */
export interface ListerWatcher<T> extends ListSource<T>, WatchSource<T> {
  /** @internal One object per server. */
  readonly traits: ServerTraits;
  /** Whether a watch may ask for `sendInitialEvents`. */
  readonly supportsWatchList: boolean;
  /**
   * @internal A number for the part of the collection that it reads, if that may change; undefined while the cache behind it
   * does not have exactly this part, all at one resourceVersion.
   */
  coverage?(): number | undefined;
}

/** The functions of a {@link ListWatch}. */
export interface ListWatchFunctions<T> {
  list(
    options: ListParameters,
    signal: AbortSignal,
  ): Promise<Pick<KubernetesList<T>, 'metadata' | 'items'> & Partial<KubernetesList<T>>>;
  /** May reject, or yield an ERROR event, if the collection cannot be watched. */
  watch(
    options: WatchParameters,
    signal: AbortSignal,
  ): AsyncIterable<WireEvent<T>> | Promise<AsyncIterable<WireEvent<T>>>;
  /** Whether `watch` supports `sendInitialEvents`. @default false */
  readonly supportsWatchList?: boolean | undefined;
}

/**
 * A {@link ListerWatcher} made of two functions, for sources other than an API server. Its items are plain objects.
 *
 * @example
 * const listWatch = new ListWatch<Widget>({
 *   list: (options, signal) => client.forResource(widgets).list({ ...options, signal }),
 *   watch: (options, signal) => client.forResource(widgets).watch({ ...options, signal }),
 * });
 */
export class ListWatch<T> implements ListerWatcher<T> {
  /** @internal */
  readonly traits: ServerTraits = new ServerTraits();
  readonly supportsWatchList: boolean;
  readonly #functions: ListWatchFunctions<T>;

  constructor(functions: ListWatchFunctions<T>) {
    requireFunction('list', functions.list);
    requireFunction('watch', functions.watch);
    this.#functions = functions;
    this.supportsWatchList = functions.supportsWatchList ?? false;
  }

  /** A collection of an API server, as `Raw` handles. */
  static fromClient<T>(client: Client, resource: Resource<T>, options?: ClientListWatchOptions): ListerWatcher<Raw<T>> {
    return new ClientListWatch<T>(client, resource, options);
  }

  list(options: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Flow<ListHead> {
    const read = async (): Promise<ListHead> => {
      const {
        kind = '',
        apiVersion = '',
        metadata,
        items,
      } = await abortable(this.#functions.list(options, signal), signal);
      // Servers written in Go may send null for an empty list. A result of false is ignored: all items are here.
      if (items?.length > 0) sink.batch(items);
      return { kind, apiVersion, metadata };
    };
    return { resume() {}, done: read() };
  }

  open(options: WatchParameters, sink: WatchSink<T>, signal: AbortSignal): Flow<void> {
    let resume: (() => void) | undefined;
    const read = async (): Promise<void> => {
      let events: AsyncIterator<WireEvent<T>> | undefined;
      try {
        const iterable = await abortable(Promise.resolve(this.#functions.watch(options, signal)), signal);
        events = iterable[Symbol.asyncIterator]();
        const batch: WireEvent<T>[] = [];
        for (;;) {
          // `for await` would wait for an iterator that ignores the signal.
          const { done, value } = await abortable(events.next(), signal);
          if (done === true) return;
          batch[0] = value;
          if (sink.batch(batch)) continue;
          await abortable(new Promise<void>((resolve) => (resume = resolve)), signal);
          resume = undefined;
        }
      } finally {
        void events?.return?.().catch(() => {});
      }
    };
    return { resume: () => resume?.(), done: read() };
  }
}

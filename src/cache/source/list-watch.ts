import type { Client } from '../../client/client.js';
import type { ListHead } from '../../codec/codec.js';
import type { Raw } from '../../codec/raw.js';
import type { BatchSink, Flow, ListSource, WatchSink, WatchSource } from '../../codec/watch-source.js';
import type { KubernetesList } from '../../meta/objects.js';
import type { ListParameters, WatchParameters } from '../../meta/parameters.js';
import type { Resource } from '../../meta/resource.js';
import { requireFunction } from '../../meta/validate.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { abortable } from '../../time/signals.js';
import { ClientListWatch, type ClientListWatchOptions } from './client-list-watch.js';
import { ServerTraits } from './server-traits.js';

/** What a reflector reads: a collection that can be listed and watched. `T` is what it brings, objects or handles. */
export interface ListerWatcher<T> extends ListSource<T>, WatchSource<T> {
  /** @internal What is known of the server behind it; one object per server. */
  readonly traits: ServerTraits;
  /** Whether a watch may begin with the whole collection. */
  readonly supportsWatchList: boolean;
}

/** A collection as two functions, for what is no API server or must be asked in a way of its own. */
export interface ListWatchFunctions<T> {
  list(
    options: ListParameters,
    signal: AbortSignal,
  ): Promise<Pick<KubernetesList<T>, 'metadata' | 'items'> & Partial<KubernetesList<T>>>;
  /** May reject, or yield an ERROR event, when there is nothing to watch. */
  watch(
    options: WatchParameters,
    signal: AbortSignal,
  ): AsyncIterable<WireEvent<T>> | Promise<AsyncIterable<WireEvent<T>>>;
  /** Whether `watch` understands `sendInitialEvents`. @default false */
  readonly supportsWatchList?: boolean | undefined;
}

/**
 * A {@link ListerWatcher} made of two functions. It brings plain objects, so an informer on it keeps objects.
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

  /** A collection of an API server, as handles to bytes. */
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
      // A whole answer is there already: asking it to pause would not make it smaller.
      // Servers written in Go may say null where they have nothing.
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

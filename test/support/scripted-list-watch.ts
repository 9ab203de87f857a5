import type { ListerWatcher } from '../../src/cache/source/list-watch.js';
import { ServerTraits } from '../../src/cache/source/server-traits.js';
import type { ListHead } from '../../src/codec/codec.js';
import type { BatchSink, Flow, WatchSink } from '../../src/codec/watch-source.js';
import type { ListMeta } from '../../src/meta/objects.js';
import type { ListParameters, WatchParameters } from '../../src/meta/options/parameters.js';
import { initialEventsEndAnnotation, type WireEvent } from '../../src/meta/watch-event.js';

/** A watch whose events a test sends. */
export class ScriptedWatch<T> {
  readonly options: WatchParameters;
  readonly signal: AbortSignal;
  readonly #sink: WatchSink<T>;
  readonly done: Promise<void>;
  resumed = 0;
  /** `Flow.received`: undefined as of a source that does not count. */
  received: number | undefined;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;

  constructor(options: WatchParameters, sink: WatchSink<T>, signal: AbortSignal) {
    this.options = options;
    this.#sink = sink;
    this.signal = signal;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.done.catch(() => {});
    signal.addEventListener('abort', () => this.#reject(signal.reason));
  }

  get stopped(): boolean {
    return this.signal.aborted;
  }

  send(...events: WireEvent<T>[]): boolean {
    return this.#sink.batch(events);
  }

  added(object: T): boolean {
    return this.send({ type: 'ADDED', object });
  }

  modified(object: T): boolean {
    return this.send({ type: 'MODIFIED', object });
  }

  deleted(object: T): boolean {
    return this.send({ type: 'DELETED', object });
  }

  bookmark(resourceVersion: string, initialEventsEnd?: string): boolean {
    const annotations = initialEventsEnd === undefined ? undefined : { [initialEventsEndAnnotation]: initialEventsEnd };
    return this.send({
      type: 'BOOKMARK',
      object: { apiVersion: 'v1', kind: 'Pod', metadata: { resourceVersion, annotations } },
    });
  }

  error(object: unknown): boolean {
    return this.send({ type: 'ERROR', object: object as never });
  }

  close(): void {
    this.#resolve();
  }

  fail(error: unknown): void {
    this.#reject(error);
  }
}

/** The answer to a list request. */
export interface ScriptedList<T> {
  readonly items: readonly T[];
  readonly metadata: ListMeta;
  readonly kind?: string;
  readonly apiVersion?: string;
}

/** A source whose answers a test scripts. */
export class ScriptedListWatch<T> implements ListerWatcher<T> {
  readonly traits: ServerTraits;
  supportsWatchList: boolean;
  readonly lists: ListParameters[] = [];
  readonly watches: ScriptedWatch<T>[] = [];
  onList: (options: ListParameters, count: number) => ScriptedList<T> | Promise<ScriptedList<T>> = () => ({
    items: [],
    metadata: { resourceVersion: '1' },
  });
  /** Called for each watch, with its number from 1; a throw is an error answer of the server. */
  onWatch: (watch: ScriptedWatch<T>, count: number) => void = () => {};

  constructor(options: { readonly supportsWatchList?: boolean; readonly silenceMs?: () => number } = {}) {
    this.traits = new ServerTraits(options.silenceMs);
    this.supportsWatchList = options.supportsWatchList ?? false;
  }

  get lastWatch(): ScriptedWatch<T> {
    const watch = this.watches[this.watches.length - 1];
    if (watch === undefined) throw new Error('there was no watch');
    return watch;
  }

  list(options: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Flow<ListHead> {
    this.lists.push(strip(options));
    const answer = async (): Promise<ListHead> => {
      signal.throwIfAborted();
      const { items, metadata, kind = 'PodList', apiVersion = 'v1' } = await this.onList(options, this.lists.length);
      signal.throwIfAborted();
      if (items.length > 0) sink.batch(items);
      return { kind, apiVersion, metadata };
    };
    return { resume() {}, done: answer() };
  }

  open(options: WatchParameters, sink: WatchSink<T>, signal: AbortSignal): Flow<void> {
    const watch = new ScriptedWatch<T>(strip(options), sink, signal);
    this.watches.push(watch);
    const count = this.watches.length;
    // A server answers after `open` has returned.
    const done = Promise.resolve()
      .then(() => this.onWatch(watch, count))
      .then(() => watch.done);
    return {
      resume: () => void watch.resumed++,
      done,
      get received() {
        return watch.received;
      },
    };
  }
}

/** The parameters that would be sent: without those that are undefined. */
function strip<O extends object>(options: O): O {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as O;
}

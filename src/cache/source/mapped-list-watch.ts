import type { ListHead } from '../../codec/codec.js';
import type { BatchSink, Flow, WatchSink } from '../../codec/watch-source.js';
import { asError } from '../../meta/errors.js';
import type { ListParameters, WatchParameters } from '../../meta/parameters.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { messageOf } from '../../rest/http/request-errors.js';
import { Ring } from '../../structures/ring.js';
import type { Clock } from '../../time/clock.js';
import { type SliceBudget, schedulerOf } from '../../time/scheduler.js';
import { onAbort } from '../../time/signals.js';
import type { ListerWatcher } from './list-watch.js';
import type { ServerTraits } from './server-traits.js';
import { warn } from './watch-warning.js';

/** So many entries may wait to be mapped before their source is asked to pause. */
const highWater = 500;
/** Mapped entries are passed on when there are this many, and at the end of each slice. */
const batchSize = 100;

/**
 * A source of something else: maps every item of another source, for instance from bytes to objects. Mapping may take long
 * (parsing does), so it is done in slices like everything else.
 */
export class MappedListWatch<I, O> implements ListerWatcher<O> {
  readonly #source: ListerWatcher<I>;
  readonly #map: (item: I) => O;
  readonly #clock: Clock;
  readonly #unreadable: ((item: I, error: Error) => O) | undefined;
  readonly #onError: (error: unknown) => void;

  constructor(options: {
    readonly source: ListerWatcher<I>;
    readonly map: (item: I) => O;
    /**
     * Stands for an item that cannot be mapped: its accessor names it, and says that it is unreadable, so that it is not
     * taken for gone. @default such an item is left out
     */
    readonly unreadable?: ((item: I, error: Error) => O) | undefined;
    readonly clock: Clock;
    /** Hears why an item is left out. @default a process warning */
    readonly onError?: ((error: unknown) => void) | undefined;
  }) {
    this.#source = options.source;
    this.#map = options.map;
    this.#unreadable = options.unreadable;
    this.#clock = options.clock;
    this.#onError = options.onError ?? ((error) => warn(`an item was left out: ${messageOf(error)}`));
  }

  get traits(): ServerTraits {
    return this.#source.traits;
  }

  get supportsWatchList(): boolean {
    return this.#source.supportsWatchList;
  }

  list(options: ListParameters, sink: BatchSink<O>, signal: AbortSignal): Flow<ListHead> {
    return this.#run<I, O, ListHead>(
      sink,
      signal,
      (item) => this.#mapItem(item),
      (inner) => this.#source.list(options, inner, signal),
    );
  }

  open(options: WatchParameters, sink: WatchSink<O>, signal: AbortSignal): Flow<void> {
    return this.#run<WireEvent<I>, WireEvent<O>, void>(
      sink,
      signal,
      (event) => this.#mapEvent(event),
      (inner) => this.#source.open(options, inner, signal),
    );
  }

  #mapEvent(event: WireEvent<I>): WireEvent<O> {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') return event;
    return { type: event.type, object: this.#mapItem(event.object) };
  }

  #mapItem(item: I): O {
    try {
      return this.#map(item);
    } catch (error) {
      if (this.#unreadable === undefined) throw error;
      return this.#unreadable(item, asError(error));
    }
  }

  #run<E, F, R>(
    sink: BatchSink<F>,
    signal: AbortSignal,
    map: (entry: E) => F,
    start: (inner: BatchSink<E>) => Flow<R>,
  ): Flow<R> {
    const inbox = new Ring<E>();
    const outbox: F[] = [];
    let paused = false;
    let upstreamPaused = false;
    let whenEmpty: (() => void) | undefined;
    const flush = () => {
      if (outbox.length === 0) return;
      const batch = outbox.splice(0);
      if (!sink.batch(batch)) paused = true;
    };
    const step = (budget: SliceBudget): boolean => {
      while (!paused && inbox.length > 0) {
        try {
          outbox.push(map(inbox.shift() as E));
        } catch (error) {
          this.#onError(error);
        }
        if (outbox.length >= batchSize) flush();
        if (!budget.takeSlow()) break;
      }
      flush();
      if (upstreamPaused && inbox.length < highWater / 2) {
        upstreamPaused = false;
        flow.resume();
      }
      if (inbox.length === 0) whenEmpty?.();
      return !paused && inbox.length > 0;
    };
    const task = schedulerOf(this.#clock).add('decode', step);
    const flow = start({
      batch: (entries) => {
        for (const entry of entries) inbox.push(entry);
        task.wake();
        upstreamPaused = inbox.length >= highWater;
        return !upstreamPaused;
      },
    });
    const drained = () =>
      new Promise<void>((resolve) => {
        if (inbox.length === 0 || signal.aborted) {
          resolve();
          return;
        }
        const undo = onAbort(signal, resolve);
        whenEmpty = () => {
          undo();
          resolve();
        };
      });
    const finish = async (): Promise<R> => {
      try {
        return await flow.done;
      } finally {
        // What arrived before the end belongs to it, even if the end was an error.
        await drained();
        task.remove();
      }
    };
    return {
      resume: () => {
        paused = false;
        task.wake();
      },
      done: finish(),
      get received() {
        return flow.received;
      },
    };
  }
}

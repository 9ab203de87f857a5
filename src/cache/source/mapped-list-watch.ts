import type { ListHead } from '../../codec/codec.js';
import { DecodeFlow, type FlowDecoder } from '../../codec/decode-flow.js';
import type { BatchSink, Flow, WatchSink } from '../../codec/watch-source.js';
import { asError } from '../../meta/errors/errors.js';
import type { ListParameters, WatchParameters } from '../../meta/options/parameters.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { messageOf } from '../../rest/http/request-errors.js';
import { Ring } from '../../structures/ring.js';
import type { Clock } from '../../time/clock.js';
import { onAbort } from '../../time/signals.js';
import type { ListerWatcher } from './list-watch.js';
import type { ServerTraits } from './server-traits.js';
import { warn } from './watch-warning.js';

/** How many bytes an entry counts as while it waits to be mapped: its source pauses at some 500 entries. */
const bytesPerEntry = 2_048;
/** At most this many entries are mapped, and no longer than this, between two looks of the scheduler at the clock. */
const entriesPerRead = 100;
const readMs = 0.5;

/** Maps every item of another source, for instance from `Raw` to an object, in slices of the scheduler. */
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
     * Makes a placeholder for an item that `map` throws for. Its accessor has the key and reports it as unreadable, so that
     * the store does not delete the object. @default the item is left out
     */
    readonly unreadable?: ((item: I, error: Error) => O) | undefined;
    readonly clock: Clock;
    /** Called with the error when an item is left out. @default a process warning */
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
    const clock = this.#clock;
    const decoder = new MappingDecoder<E, F>(map, clock, this.#onError);
    const flow = new DecodeFlow<F, readonly E[]>({
      decoder,
      sink,
      clock,
      name: 'decode',
      onDrain: () => source.resume(),
    });
    // Entries that wait when the signal aborts are dropped.
    const undoAbort = onAbort(signal, () => flow.cancel(signal.reason));
    flow.done.catch(() => {});
    let source: Flow<R>;
    try {
      source = start({ batch: (entries) => flow.chunk(entries) });
    } catch (error) {
      undoAbort();
      flow.cancel(error);
      throw error;
    }
    const finish = async (): Promise<R> => {
      try {
        const result = await source.done;
        flow.end();
        await flow.done;
        return result;
      } catch (error) {
        // Entries that came before the error are handed over first.
        flow.fail(error);
        await flow.done;
        throw error;
      } finally {
        undoAbort();
      }
    };
    return {
      resume: () => flow.resume(),
      done: finish(),
      get received() {
        return source.received;
      },
    };
  }
}

/** Maps entries where a decoder of bytes would parse them. */
class MappingDecoder<E, F> implements FlowDecoder<F, readonly E[]> {
  readonly isCrowded = false;
  readonly #inbox = new Ring<E>();
  readonly #map: (entry: E) => F;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;

  constructor(map: (entry: E) => F, clock: Clock, onError: (error: unknown) => void) {
    this.#map = map;
    this.#clock = clock;
    this.#onError = onError;
  }

  get buffered(): number {
    return this.#inbox.length * bytesPerEntry;
  }

  push(entries: readonly E[]): void {
    for (const entry of entries) this.#inbox.push(entry);
  }

  read(into: F[]): boolean {
    const until = this.#clock.monotonicNow() + readMs;
    do {
      if (this.#inbox.length === 0) return false;
      try {
        into.push(this.#map(this.#inbox.shift() as E));
      } catch (error) {
        this.#onError(error);
      }
    } while (into.length < entriesPerRead && this.#clock.monotonicNow() < until);
    return this.#inbox.length > 0;
  }

  end(): void {}

  close(): void {
    this.#inbox.clear();
  }
}

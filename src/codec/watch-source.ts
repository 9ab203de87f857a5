/**
 * The seam between what speaks to servers and what keeps caches: sources push batches, sinks may ask them to pause. There
 * is no promise and no closure per event on this path.
 */
import type { ListParameters, WatchParameters } from '../meta/parameters.js';
import type { WireEvent } from '../meta/watch-event.js';
import type { ListHead } from './codec.js';

/** Takes what a source pushes. */
export interface BatchSink<E> {
  /**
   * Takes one or more entries, in order. They are the sink's; the array is the source's, which will use it again.
   *
   * Answers false to say that this is enough for now. Nothing more comes then until {@link Flow.resume} is called; what
   * is still on its way stays on the wire.
   */
  batch(entries: readonly E[]): boolean;
}

/** A source at work. */
export interface Flow<R> {
  /** Goes on after a sink has answered false. Harmless when the flow is not paused. */
  resume(): void;
  /**
   * Settles once nothing more will be pushed: resolves when the server has come to an end, rejects with what went wrong,
   * or with `signal.reason`. Everything that came before has been handed over by then.
   */
  readonly done: Promise<R>;
  /**
   * Counts what has come from the server, the head of its answer included, whether or not it has been pushed yet. A source
   * that leaves it out is judged by what it pushes.
   */
  readonly received?: number | undefined;
}

/** Takes the events of a watch; `T` is what they carry: handles or plain objects. */
export type WatchSink<T> = BatchSink<WireEvent<T>>;

/** How a watch comes about. */
export interface WatchSource<T> {
  /**
   * Opens a watch and pushes its events. An error answer of the server rejects `done` with a StatusError; so do not ERROR
   * events, which are pushed like any other event.
   */
  open(options: WatchParameters, sink: WatchSink<T>, signal: AbortSignal): Flow<void>;
}

/** How a list comes about. */
export interface ListSource<T> {
  /** Fetches one list (or one page) and pushes its items; `done` resolves to what it says beside them. */
  list(options: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Flow<ListHead>;
}

/**
 * The interface between `rest`, which reads lists and watches, and `cache`, which stores them: sources push batches, and a sink
 * can pause its source. There is no promise and no closure per event.
 */
import type { ListParameters, WatchParameters } from '../meta/options/parameters.js';
import type { WireEvent } from '../meta/watch-event.js';
import type { ListHead } from './codec.js';

/** Receives what a source pushes. */
export interface BatchSink<E> {
  /**
   * Receives one or more entries, in order. The source reuses the array after the call; the entries may be kept.
   *
   * Returning false pauses the source: it pushes nothing until {@link Flow.resume}, and stops reading from the connection.
   */
  batch(entries: readonly E[]): boolean;
}

/** A running list or watch. */
export interface Flow<R> {
  /** Continues after the sink has returned false. Does nothing if the flow is not paused. */
  resume(): void;
  /**
   * Settles after the last entry has been pushed: resolves when the server ends the response, rejects with the error, or with
   * `signal.reason` on abort.
   */
  readonly done: Promise<R>;
  /**
   * A counter that increases with everything that the server sends, including the head of the response, even if it has not
   * been pushed yet. Without it, the pushed batches are the only sign that the connection is alive.
   */
  readonly received?: number | undefined;
}

/** Receives the events of a watch; `T` is the type of their objects: `Raw` or plain objects. */
export type WatchSink<T> = BatchSink<WireEvent<T>>;

/** Opens watches. */
export interface WatchSource<T> {
  /**
   * Opens a watch and pushes its events. An error response rejects `done` with a StatusError; an ERROR event does not, and is
   * pushed like any other event.
   */
  open(options: WatchParameters, sink: WatchSink<T>, signal: AbortSignal): Flow<void>;
}

/** Reads lists. */
export interface ListSource<T> {
  /** Reads one list or one page and pushes its items; `done` resolves to its other fields. */
  list(options: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Flow<ListHead>;
}

import type { Abortable } from '../../meta/objects.js';
import type { ReflectorStore } from '../store/store.js';
import type { Deltas } from './delta.js';

/** Called with what comes out of a queue. `isInInitialList` is true for all that belongs to the first list. */
export type ProcessDeltas<T> = (deltas: Deltas<T>, isInInitialList: boolean) => void;

/** Deltas that were taken from a queue: all of one object (DeltaFIFO), or each of another object (RealFIFO). */
export interface QueueBatch<T> {
  readonly deltas: Deltas<T>;
  readonly isInInitialList: boolean;
  /** To be called when the batch was processed: only then does it count towards `hasSynced`. Idempotent. */
  finish(): void;
}

/**
 * The way from a reflector to a store: changes go in as the watch brings them, and come out for one consumer.
 *
 * What comes out is gone, whatever becomes of its processing: nothing is ever queued again.
 */
export interface Queue<T> extends ReflectorStore<T> {
  /** Keys that wait (DeltaFIFO) or changes that wait (RealFIFO). */
  readonly length: number;

  /**
   * True once the first list, or what was added before any list, has come out and been processed; never false again.
   */
  readonly hasSynced: boolean;
  /** Resolves when `hasSynced` becomes true. */
  whenSynced(options?: Abortable): Promise<void>;

  /** @internal The next changes, up to `most` objects; undefined while there are none. One consumer, one at a time. */
  take(most: number): QueueBatch<T> | undefined;

  /**
   * Processes the next changes of one object, now or when there are any.
   * @throws QueueClosedError when the queue is closed and empty; what `process` throws, with the changes gone all the same.
   */
  pop(process: ProcessDeltas<T>, options?: Abortable): Promise<void>;

  /** Calls back whenever the queue may have become non-empty, and when it is closed. One listener; the last one counts. */
  onReady(listener: (() => void) | undefined): void;

  /** Nobody waits any more; what is queued can still be taken. */
  close(): void;
  readonly isClosed: boolean;
}

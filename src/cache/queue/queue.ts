import type { Abortable } from '../../meta/objects.js';
import type { Undo } from '../../meta/undo.js';
import type { ReflectorStore } from '../store/store.js';
import type { Deltas } from './delta.js';

/** Called with deltas that were taken from a queue. `isInInitialList` is true for those of the first list. */
export type ProcessDeltas<T> = (deltas: Deltas<T>, isInInitialList: boolean) => void;

/** What a queue reads from the store behind it, to find the objects that a list no longer has. */
export interface KnownObjects<T> {
  listKeys(): string[];
  getByKey(key: string): T | undefined;
}

/** Deltas that were taken from a queue: all of one object (DeltaFIFO), or each of another object (RealFIFO). */
export interface QueueBatch<T> {
  readonly deltas: Deltas<T>;
  readonly isInInitialList: boolean;
  /** To be called when the batch was processed: only then does it count towards `hasSynced`. Idempotent. */
  finish(): void;
}

/**
 * Carries deltas from a reflector to a store. The reflector adds them in the order of the watch; one consumer takes them.
 *
 * A delta that was taken is never queued again, even if processing it fails.
 */
export interface Queue<T> extends ReflectorStore<T> {
  /** The number of keys (DeltaFIFO) or deltas (RealFIFO) in the queue. */
  readonly length: number;

  /**
   * True once the first list, or the deltas that were added before any list, were taken and processed; never false again.
   */
  readonly hasSynced: boolean;
  /** Resolves when `hasSynced` becomes true. */
  whenSynced(options?: Abortable): Promise<void>;

  /** @internal The next deltas, of up to `most` objects; undefined if the queue is empty. One batch at a time. */
  take(most: number): QueueBatch<T> | undefined;

  /**
   * Processes the next deltas of one object, now or when there are any.
   * @throws QueueClosedError if the queue is closed and empty; what `process` throws, with the deltas removed all the same.
   */
  pop(process: ProcessDeltas<T>, options?: Abortable): Promise<void>;

  /** Calls the listener when the queue may have become non-empty, and when it is closed. A second listener replaces the first. */
  onReady(listener: () => void): Undo;

  /** Ends every `pop` that waits on an empty queue. Queued deltas can still be taken. */
  close(): void;
  readonly isClosed: boolean;
}

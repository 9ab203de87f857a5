import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown, KeyError } from '../../meta/key.js';
import type { Abortable } from '../../meta/objects.js';
import { abortableNames, checkOptions } from '../../meta/options/known-options.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { Waiters } from '../../time/waiters.js';
import { type ItemKey, itemKey } from '../store/key-of.js';
import { QueueClosedError } from '../store/store-errors.js';
import type { Delta, Deltas } from './delta.js';
import type { ProcessDeltas, Queue, QueueBatch } from './queue.js';
import { SyncState } from './sync-state.js';

/** `isFull` from this number of deltas on. */
const highWater = 2_000;
/** `onDrain` calls back at this number of deltas. */
const lowWater = 1_000;

/** The common part of DeltaFIFO and RealFIFO: waiting, closing, backpressure, the count of the first list, and keys. */
export abstract class SingleConsumerQueue<T> implements Queue<T> {
  /** {@link keyOf} for an object or a tombstone. */
  protected readonly keyOfItem: ItemKey<T>;
  #populated = false;
  #initialLeft = 0;
  readonly #sync = new SyncState();
  #closed = false;
  #listener: (() => void) | undefined;
  readonly #waiters = new Waiters<true>();
  #drained: (() => void) | undefined;

  constructor(accessor: Accessor<T>, keyOf: ((item: T) => string) | undefined) {
    this.keyOfItem = itemKey(accessor, keyOf);
  }

  abstract readonly length: number;
  abstract add(item: T): void;
  abstract update(item: T): void;
  abstract delete(item: T | DeletedFinalStateUnknown<T>): void;
  abstract replace(items: T[], resourceVersion: string, isKept?: (key: string) => boolean): void;
  abstract resync(): void;
  /** @internal */
  abstract take(most: number): QueueBatch<T> | undefined;

  get hasSynced(): boolean {
    return this.#sync.isCompleted;
  }

  whenSynced(options: Abortable = {}): Promise<void> {
    return this.#sync.whenCompleted(checkOptions('queue.whenSynced', options, abortableNames).signal);
  }

  pop(process: ProcessDeltas<T>, options: Abortable = {}): Promise<void> {
    return this.popUpTo(1, process, checkOptions('pop', options, abortableNames));
  }

  /** {@link pop} of up to `most` objects. */
  protected async popUpTo(most: number, process: ProcessDeltas<T>, options: Abortable): Promise<void> {
    for (;;) {
      const batch = this.take(most);
      if (batch !== undefined) {
        try {
          process(batch.deltas, batch.isInInitialList);
        } finally {
          batch.finish();
        }
        return;
      }
      if (this.#closed) throw new QueueClosedError();
      await this.#waiters.wait(options.signal);
      options.signal?.throwIfAborted();
    }
  }

  /** The number of deltas in the queue. */
  protected get deltaCount(): number {
    return this.length;
  }

  get isFull(): boolean {
    return this.deltaCount >= highWater;
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
    this.#checkDrained();
  }

  onReady(listener: () => void): Undo {
    this.#listener = listener;
    if (this.length > 0 || this.#closed) listener();
    return undoOnce(() => {
      if (this.#listener === listener) this.#listener = undefined;
    });
  }

  close(): void {
    this.#closed = true;
    this.signalReady();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The key of an object, a tombstone, a delta, or the newest of several deltas. */
  keyOf(item: T | DeletedFinalStateUnknown<T> | Delta<T> | Deltas<T>): string {
    if (Array.isArray(item)) {
      const newest = item[item.length - 1] as Delta<T> | undefined;
      if (newest === undefined) throw new KeyError(item, '0 length Deltas object: there is no newest delta');
      return this.keyOf(newest);
    }
    if (item instanceof DeletedFinalStateUnknown) return item.key;
    if (isDelta<T>(item)) {
      if (!('object' in item)) throw new KeyError(item, `a ${item.type} delta is about the whole collection`);
      return this.keyOf(item.object);
    }
    return this.keyOfItem(item as T);
  }

  /** To be called when the queue may have become non-empty, and when it was closed. */
  protected signalReady(): void {
    this.#listener?.();
    while (this.#waiters.serve(true));
  }

  /** A change was queued before any list: there is no first list to wait for. */
  protected notePopulated(): void {
    if (this.#populated) return;
    this.#populated = true;
    this.#checkSynced();
  }

  /** The first list was queued. The queue has synced when so many items were processed. */
  protected noteInitialList(items: number): void {
    if (this.#populated) return;
    this.#populated = true;
    this.#initialLeft = items;
    this.#checkSynced();
  }

  /** Items of the first list that are not processed yet. */
  protected get initialLeft(): number {
    return this.#initialLeft;
  }

  /** The result of `take` for these deltas. */
  protected batchOf(deltas: Deltas<T>, items: number): QueueBatch<T> {
    let open = true;
    // Deltas that were taken before the first list was queued do not count, even if they are finished later.
    const initial = Math.min(items, this.#initialLeft);
    return {
      deltas,
      isInInitialList: !this.#sync.isCompleted,
      finish: () => {
        if (!open) return;
        open = false;
        this.#checkDrained();
        if (initial === 0) return;
        this.#initialLeft -= initial;
        this.#checkSynced();
      },
    };
  }

  #checkDrained(): void {
    if (this.#drained === undefined || this.deltaCount > lowWater) return;
    const callback = this.#drained;
    this.#drained = undefined;
    callback();
  }

  #checkSynced(): void {
    if (!this.#sync.isCompleted && this.#initialLeft === 0) this.#sync.complete();
  }
}

function isDelta<T>(item: unknown): item is Delta<T> {
  return (
    typeof item === 'object' &&
    item !== null &&
    'type' in item &&
    typeof item.type === 'string' &&
    deltaTypes.has(item.type)
  );
}

const deltaTypes = new Set(['Added', 'Updated', 'Deleted', 'Replaced', 'Sync', 'ReplacedAll', 'SyncAll', 'Bookmark']);

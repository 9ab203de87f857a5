import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown, KeyError } from '../../meta/key.js';
import { abortableNames, checkOptions } from '../../meta/known-options.js';
import type { Abortable } from '../../meta/objects.js';
import { Waiters } from '../../time/waiters.js';
import { type ItemKey, itemKey } from '../store/key-of.js';
import { QueueClosedError } from '../store/store-errors.js';
import type { Delta, Deltas } from './delta.js';
import type { ProcessDeltas, Queue, QueueBatch } from './queue.js';
import { SyncState } from './sync-state.js';

/** With this many changes waiting the producer pauses … */
const highWater = 2_000;
/** … and at this many it goes on. */
const lowWater = 1_000;

/** What a queue asks of the store behind it, to find out what a list no longer has. */
export interface KnownObjects<T> {
  listKeys(): string[];
  getByKey(key: string): T | undefined;
}

/** What both queues share: waiting, closing, the count of the first list, and keys. */
export abstract class QueueBase<T> implements Queue<T> {
  /** The hot path of {@link keyOf}: of an object, or of a tombstone. */
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

  /** {@link pop}, of up to `most` objects at once. */
  protected async popUpTo(most: number, process: ProcessDeltas<T>, options: Abortable): Promise<void> {
    for (;;) {
      const taken = this.take(most);
      if (taken !== undefined) {
        try {
          process(taken.deltas, taken.isInInitialList);
        } finally {
          taken.finish();
        }
        return;
      }
      if (this.#closed) throw new QueueClosedError();
      await this.#waiters.wait(options.signal);
      options.signal?.throwIfAborted();
    }
  }

  /** Changes that wait, all of them. */
  protected get waiting(): number {
    return this.length;
  }

  get isFull(): boolean {
    return this.waiting >= highWater;
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
    this.#checkDrained();
  }

  onReady(listener: (() => void) | undefined): void {
    this.#listener = listener;
    if (listener !== undefined && (this.length > 0 || this.#closed)) listener();
  }

  close(): void {
    this.#closed = true;
    this.ready();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The key of whatever a queue may hold: an object, a tombstone, a delta, or several of them. */
  keyOf(item: T | DeletedFinalStateUnknown<T> | Delta<T> | Deltas<T>): string {
    if (Array.isArray(item)) {
      const newest = item[item.length - 1] as Delta<T> | undefined;
      if (newest === undefined) throw new KeyError(item, '0 length Deltas object: there is no newest one');
      return this.keyOf(newest);
    }
    if (item instanceof DeletedFinalStateUnknown) return item.key;
    if (isDelta<T>(item)) {
      if (!('object' in item)) throw new KeyError(item, `a ${item.type} delta is about no single object`);
      return this.keyOf(item.object);
    }
    return this.keyOfItem(item as T);
  }

  /** Something can be taken, or nothing ever will be. */
  protected ready(): void {
    this.#listener?.();
    while (this.#waiters.serve(true));
  }

  /** A change was queued outside of any list: if it is the first thing ever, there is no initial list to wait for. */
  protected notePopulated(): void {
    if (this.#populated) return;
    this.#populated = true;
    this.#checkSynced();
  }

  /** The first list has been queued, and counts as handed over when this many items have been processed. */
  protected noteInitialList(items: number): void {
    if (this.#populated) return;
    this.#populated = true;
    this.#initialLeft = items;
    this.#checkSynced();
  }

  /** Items of the initial list that are not processed yet. */
  protected get initialLeft(): number {
    return this.#initialLeft;
  }

  /** What `take` returns for these deltas. */
  protected batchOf(deltas: Deltas<T>, items: number): QueueBatch<T> {
    let open = true;
    // What was taken before the first list came is no part of it, whenever it is finished.
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
    if (this.#drained === undefined || this.waiting > lowWater) return;
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

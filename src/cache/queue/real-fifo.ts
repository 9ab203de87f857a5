import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import type { Abortable } from '../../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { optionError, requireFunction } from '../../meta/options/validate.js';
import { Ring } from '../../structures/ring.js';
import { type Delta, isObjectDelta, type ObjectDelta, type PartChange } from './delta.js';
import type { KnownObjects, ProcessDeltas, QueueBatch } from './queue.js';
import { SingleConsumerQueue } from './single-consumer-queue.js';

/** The largest number of objects in one batch. */
export const batchSize: number = 1000;

/** Options of a {@link RealFIFO}. */
export interface RealFIFOOptions<T> {
  readonly accessor: Accessor<T>;
  /** @default the accessor's key */
  readonly keyOf?: ((item: T) => string) | undefined;
  /**
   * Whether a list is one `ReplacedAll` delta, a resync one `SyncAll`, and a bookmark one `Bookmark`: deleted objects are
   * found when the list is applied. With false a list and a resync become one delta per object when they are queued, which
   * needs the known objects, and bookmarks are dropped.
   * @default true
   */
  readonly atomic?: boolean | undefined;
  /** The store behind the queue. Required with `atomic: false`, refused otherwise. @default none */
  readonly knownObjects?: KnownObjects<T> | undefined;
  /** Called with each object before it is queued, except tombstones and resyncs. @default none: objects are queued as they arrive */
  readonly transform?: ((item: T) => T) | undefined;
}

const realFIFONames: OptionNames<RealFIFOOptions<never>> = {
  accessor: true,
  keyOf: true,
  atomic: true,
  knownObjects: true,
  transform: true,
};

/**
 * The queue of informers: every delta is taken in the order in which the server sent it, across all objects.
 *
 * Deltas are not merged, and the deletion of an unknown object is delivered too. The deltas of a batch are of different
 * objects, so that a store can apply it as one transaction.
 */
export class RealFIFO<T> extends SingleConsumerQueue<T> {
  readonly #atomic: boolean;
  readonly #known: KnownObjects<T> | undefined;
  readonly #transform: ((item: T) => T) | undefined;
  readonly #line = new Ring<Delta<T>>();

  constructor(options: RealFIFOOptions<T>) {
    checkOptions('new RealFIFO', options, realFIFONames);
    super(options.accessor, options.keyOf);
    this.#atomic = options.atomic ?? true;
    this.#known = options.knownObjects;
    if (options.transform !== undefined) requireFunction('transform', options.transform);
    this.#transform = options.transform;
    if (this.#atomic && this.#known !== undefined) {
      throw optionError(
        'knownObjects',
        'left out when atomic, because a list is compared with the store when it is applied',
        this.#known,
      );
    }
    if (!this.#atomic && this.#known === undefined) {
      throw optionError('knownObjects', 'the store behind the queue when not atomic', this.#known);
    }
  }

  get length(): number {
    return this.#line.length;
  }

  add(item: T): void {
    this.notePopulated();
    this.#line.push({ type: 'Added', object: this.#transformed(item) });
    this.signalReady();
  }

  update(item: T): void {
    this.notePopulated();
    this.#line.push({ type: 'Updated', object: this.#transformed(item) });
    this.signalReady();
  }

  delete(item: T | DeletedFinalStateUnknown<T>): void {
    this.notePopulated();
    const object = item instanceof DeletedFinalStateUnknown ? item : this.#transformed(item);
    this.#line.push({ type: 'Deleted', object });
    this.signalReady();
  }

  replace(items: T[], resourceVersion: string, isKept?: (key: string) => boolean): void {
    if (this.#atomic) {
      const objects = this.#transform === undefined ? items : items.map((item) => this.#transformed(item));
      this.#line.push({ type: 'ReplacedAll', resourceVersion, objects, isKept });
    } else {
      this.#replaceOneByOne(items, isKept);
    }
    this.noteInitialList(this.#line.length);
    this.signalReady();
  }

  resync(): void {
    if (this.#atomic) {
      this.#line.push({ type: 'SyncAll' });
      this.signalReady();
      return;
    }
    const queued = this.#newestByKey();
    for (const key of this.#known?.listKeys() ?? []) {
      const object = this.#known?.getByKey(key);
      if (object !== undefined && !queued.has(key)) this.#line.push({ type: 'Sync', object });
    }
    this.signalReady();
  }

  /** @internal The store covers another part of the collection from here on. */
  changePart(change: PartChange<T>): void {
    this.#line.push({ type: 'PartChanged', change });
    this.signalReady();
  }

  progress(resourceVersion: string): void {
    if (!this.#atomic) return;
    this.#line.push({ type: 'Bookmark', resourceVersion });
    this.signalReady();
  }

  /** @internal */
  take(most: number): QueueBatch<T> | undefined {
    if (this.#line.length === 0) return undefined;
    // A batch does not mix deltas of the first list with later ones.
    const limit = this.initialLeft > 0 ? Math.min(most, this.initialLeft) : most;
    const batch: Delta<T>[] = [];
    const keys = new Set<string>();
    for (let delta = this.#line.at(0); delta !== undefined && batch.length < limit; delta = this.#line.at(0)) {
      // A delta about the whole collection is a batch of its own.
      const key = isObjectDelta(delta) ? this.#keyIfAny(delta.object) : undefined;
      if (!isObjectDelta(delta) && batch.length > 0) break;
      // If the set does not grow, the key was in it: one look-up instead of two.
      if (key !== undefined && keys.add(key).size === batch.length) break;
      this.#line.shift();
      batch.push(delta);
      // An object without a key ends the batch; the store reports it.
      if (key === undefined) break;
    }
    return this.batchOf(batch, batch.length);
  }

  /**
   * Processes the next batch, now or when there is one: `processBatch` gets several deltas, `processSingle` one.
   * @throws QueueClosedError if the queue is closed and empty; what the function throws, with the deltas removed all the same.
   */
  popBatch(processBatch: ProcessDeltas<T>, processSingle: ProcessDeltas<T>, options: Abortable = {}): Promise<void> {
    const process: ProcessDeltas<T> = (deltas, isInInitialList) =>
      (deltas.length === 1 ? processSingle : processBatch)(deltas, isInInitialList);
    return this.popUpTo(batchSize, process, checkOptions('popBatch', options, abortableNames));
  }

  #replaceOneByOne(items: T[], isKept: ((key: string) => boolean) | undefined): void {
    const listed = new Set<string>();
    for (const item of items) listed.add(this.keyOfItem(item));
    const objects = items.map((item) => this.#transformed(item));
    const queued = this.#newestByKey();
    for (const [key, delta] of queued) {
      if (listed.has(key) || delta.type === 'Deleted' || isKept?.(key) === true) continue;
      const object = delta.object instanceof DeletedFinalStateUnknown ? delta.object.object : delta.object;
      this.#line.push({ type: 'Deleted', object: new DeletedFinalStateUnknown(key, object) });
    }
    for (const key of this.#known?.listKeys() ?? []) {
      if (listed.has(key) || queued.has(key) || isKept?.(key) === true) continue;
      this.#line.push({ type: 'Deleted', object: new DeletedFinalStateUnknown(key, this.#known?.getByKey(key)) });
    }
    for (const object of objects) this.#line.push({ type: 'Replaced', object });
  }

  /** The newest queued delta of each object, in the order of the first ones. */
  #newestByKey(): Map<string, ObjectDelta<T>> {
    const newest = new Map<string, ObjectDelta<T>>();
    for (const delta of this.#line) {
      if (!isObjectDelta(delta)) continue;
      const key = this.#keyIfAny(delta.object);
      if (key !== undefined) newest.set(key, delta);
    }
    return newest;
  }

  #keyIfAny(item: T | DeletedFinalStateUnknown<T>): string | undefined {
    try {
      return this.keyOfItem(item);
    } catch {
      return undefined;
    }
  }

  #transformed(item: T): T {
    return this.#transform === undefined ? item : this.#transform(item);
  }
}

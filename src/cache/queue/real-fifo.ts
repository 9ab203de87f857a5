import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/known-options.js';
import type { Abortable } from '../../meta/objects.js';
import { optionError, requireFunction } from '../../meta/validate.js';
import { Ring } from '../../structures/ring.js';
import { type Delta, isObjectDelta, type ObjectDelta } from './delta.js';
import type { ProcessDeltas, QueueBatch } from './queue.js';
import { type KnownObjects, QueueBase } from './queue-base.js';

/** The most objects in one batch. */
export const batchSize: number = 1000;

/** Options of a {@link RealFIFO}. */
export interface RealFIFOOptions<T> {
  readonly accessor: Accessor<T>;
  /** @default the accessor's key */
  readonly keyOf?: ((item: T) => string) | undefined;
  /**
   * Whether a list is one `ReplacedAll`, a resync one `SyncAll`, and bookmarks are passed on: what is gone is then found
   * out when the list is applied, against the store of that moment. Without it both are taken apart when they are queued,
   * for which the known objects are needed.
   * @default true
   */
  readonly atomic?: boolean | undefined;
  /** The store behind the queue. Required with `atomic: false`, refused otherwise. @default none */
  readonly knownObjects?: KnownObjects<T> | undefined;
  /** Changes objects before they are queued; tombstones and resyncs are passed over. @default none: objects are kept as they come */
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
 * The queue of informers: every change comes out, in the order in which the server sent it, across all objects.
 *
 * Nothing is merged and the deletion of what nobody knows is delivered too. Changes come out in batches of which each has
 * another object, so that a store can take a batch in one step.
 */
export class RealFIFO<T> extends QueueBase<T> {
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
        'left out when atomic, because lists are compared when they are applied',
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
    this.ready();
  }

  update(item: T): void {
    this.notePopulated();
    this.#line.push({ type: 'Updated', object: this.#transformed(item) });
    this.ready();
  }

  delete(item: T | DeletedFinalStateUnknown<T>): void {
    this.notePopulated();
    const object = item instanceof DeletedFinalStateUnknown ? item : this.#transformed(item);
    this.#line.push({ type: 'Deleted', object });
    this.ready();
  }

  replace(items: T[], resourceVersion: string, isKept?: (key: string) => boolean): void {
    if (this.#atomic) {
      const objects = this.#transform === undefined ? items : items.map((item) => this.#transformed(item));
      this.#line.push({ type: 'ReplacedAll', resourceVersion, objects, isKept });
    } else {
      this.#replaceOneByOne(items, isKept);
    }
    this.noteInitialList(this.#line.length);
    this.ready();
  }

  resync(): void {
    if (this.#atomic) {
      this.#line.push({ type: 'SyncAll' });
      this.ready();
      return;
    }
    const queued = this.#newestByKey();
    for (const key of this.#known?.listKeys() ?? []) {
      const object = this.#known?.getByKey(key);
      if (object !== undefined && !queued.has(key)) this.#line.push({ type: 'Sync', object });
    }
    this.ready();
  }

  progress(resourceVersion: string): void {
    if (!this.#atomic) return;
    this.#line.push({ type: 'Bookmark', resourceVersion });
    this.ready();
  }

  /** @internal */
  take(most: number): QueueBatch<T> | undefined {
    // A batch is of the initial list or of what came after it, never of both.
    const limit = this.initialLeft > 0 ? Math.min(most, this.initialLeft) : most;
    const batch: Delta<T>[] = [];
    const keys = new Set<string>();
    for (let delta = this.#line.at(0); delta !== undefined && batch.length < limit; delta = this.#line.at(0)) {
      // What is about the whole collection comes out alone.
      const key = isObjectDelta(delta) ? this.#keyIfAny(delta.object) : undefined;
      if (!isObjectDelta(delta) && batch.length > 0) break;
      // A set that does not grow knew the key: one look-up for asking and adding.
      if (key !== undefined && keys.add(key).size === batch.length) break;
      this.#line.shift();
      batch.push(delta);
      // An object without a key is the consumer's to complain about; nothing can join it.
      if (key === undefined) break;
    }
    return batch.length === 0 ? undefined : this.batchOf(batch, batch.length);
  }

  /**
   * Processes the next batch, now or when there is one: `processBatch` gets several changes, `processSingle` one.
   * @throws QueueClosedError when the queue is closed and empty; what the function throws, with the changes gone all the same.
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

  /** The newest queued change of each object, objects in the order they were first met. */
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

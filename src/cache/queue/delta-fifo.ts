import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireFunction } from '../../meta/options/validate.js';
import { Ring } from '../../structures/ring.js';
import type { Deltas, ObjectDelta } from './delta.js';
import type { KnownObjects, QueueBatch } from './queue.js';
import { SingleConsumerQueue } from './single-consumer-queue.js';

/** Options of a {@link DeltaFIFO}. */
export interface DeltaFIFOOptions<T> {
  readonly accessor: Accessor<T>;
  /** @default the accessor's key */
  readonly keyOf?: ((item: T) => string) | undefined;
  /** The store behind the queue: `replace` finds deleted objects in it, `resync` reads it. @default none */
  readonly knownObjects?: KnownObjects<T> | undefined;
  /** Whether objects of a list are `Replaced` deltas, which differ from those of a resync. @default false: `Sync` */
  readonly emitReplaced?: boolean | undefined;
  /** Called with each object before it is queued, except tombstones and resyncs. @default none: objects are queued as they arrive */
  readonly transform?: ((item: T) => T) | undefined;
}

const deltaFIFONames: OptionNames<DeltaFIFOOptions<never>> = {
  accessor: true,
  keyOf: true,
  knownObjects: true,
  emitReplaced: true,
  transform: true,
};

/**
 * Groups deltas by object: all deltas of one object are taken together.
 *
 * - The first delta of an object decides its place in the queue; later deltas join it there.
 * - `replace` queues a deletion for each object that the queue or the known objects have and the list has not.
 * - The deletion of an object that neither the queue nor the known objects have is dropped.
 *
 * Informers use a {@link RealFIFO}, which keeps the order across objects; a DeltaFIFO is for a `Controller` of your own.
 */
export class DeltaFIFO<T> extends SingleConsumerQueue<T> {
  readonly #known: KnownObjects<T> | undefined;
  readonly #replacedType: 'Replaced' | 'Sync';
  readonly #transform: ((item: T) => T) | undefined;
  /** A key is in `#line` exactly while it has deltas here. */
  readonly #deltas = new Map<string, ObjectDelta<T>[]>();
  readonly #line = new Ring<string>();
  #deltaCount = 0;

  constructor(options: DeltaFIFOOptions<T>) {
    checkOptions('new DeltaFIFO', options, deltaFIFONames);
    super(options.accessor, options.keyOf);
    this.#known = options.knownObjects;
    this.#replacedType = options.emitReplaced === true ? 'Replaced' : 'Sync';
    if (options.transform !== undefined) requireFunction('transform', options.transform);
    this.#transform = options.transform;
  }

  get length(): number {
    return this.#line.length;
  }

  /** More than `length` if an object has several deltas. */
  protected override get deltaCount(): number {
    return this.#deltaCount;
  }

  add(item: T): void {
    this.notePopulated();
    this.#queue('Added', item);
    this.signalReady();
  }

  update(item: T): void {
    this.notePopulated();
    this.#queue('Updated', item);
    this.signalReady();
  }

  delete(item: T | DeletedFinalStateUnknown<T>): void {
    const key = this.keyOfItem(item);
    this.notePopulated();
    if (!this.#deltas.has(key) && this.#known?.getByKey(key) === undefined) return;
    this.#queue('Deleted', item);
    this.signalReady();
  }

  replace(items: T[], _resourceVersion: string, isKept?: (key: string) => boolean): void {
    const listed = new Set<string>();
    for (const item of items) listed.add(this.keyOfItem(item));
    for (const item of items) this.#queue(this.#replacedType, item);
    let deletions = 0;
    for (const [key, deltas] of this.#deltas) {
      if (listed.has(key) || isKept?.(key) === true) continue;
      const newest = deltas[deltas.length - 1]?.object;
      const object = newest instanceof DeletedFinalStateUnknown ? newest.object : newest;
      this.#queueUnder(key, { type: 'Deleted', object: new DeletedFinalStateUnknown(key, object) });
      deletions++;
    }
    for (const key of this.#known?.listKeys() ?? []) {
      if (listed.has(key) || this.#deltas.has(key) || isKept?.(key) === true) continue;
      const object = this.#known?.getByKey(key);
      this.#queueUnder(key, { type: 'Deleted', object: new DeletedFinalStateUnknown(key, object) });
      deletions++;
    }
    this.noteInitialList(listed.size + deletions);
    this.signalReady();
  }

  resync(): void {
    if (this.#known === undefined) return;
    for (const key of this.#known.listKeys()) {
      const object = this.#known.getByKey(key);
      // Handlers get the queued deltas of the object, which are newer.
      if (object === undefined || this.#deltas.has(key)) continue;
      this.#queueUnder(key, { type: 'Sync', object });
    }
    this.signalReady();
  }

  /** @internal Returns the deltas of one object, whatever `most` is. */
  take(_most: number): QueueBatch<T> | undefined {
    const key = this.#line.shift();
    if (key === undefined) return undefined;
    const deltas = this.#deltas.get(key) as Deltas<T>;
    this.#deltas.delete(key);
    this.#deltaCount -= deltas.length;
    return this.batchOf(deltas, 1);
  }

  #queue(type: ObjectDelta<T>['type'], item: T | DeletedFinalStateUnknown<T>): void {
    const key = this.keyOfItem(item);
    const object =
      this.#transform === undefined || item instanceof DeletedFinalStateUnknown ? item : this.#transform(item);
    this.#queueUnder(key, { type, object });
  }

  #queueUnder(key: string, delta: ObjectDelta<T>): void {
    const deltas = this.#deltas.get(key);
    this.#deltaCount++;
    if (deltas === undefined) {
      this.#deltas.set(key, [delta]);
      this.#line.push(key);
    } else {
      deltas.push(delta);
      if (mergeDeletions(deltas)) this.#deltaCount--;
    }
  }
}

/** Merges two deletions in a row, and keeps the one with the final state. Returns whether there were two. */
function mergeDeletions<T>(deltas: ObjectDelta<T>[]): boolean {
  const newer = deltas[deltas.length - 1];
  const older = deltas[deltas.length - 2];
  if (newer?.type !== 'Deleted' || older?.type !== 'Deleted') return false;
  if (older.object instanceof DeletedFinalStateUnknown) deltas.splice(deltas.length - 2, 1);
  else deltas.pop();
  return true;
}

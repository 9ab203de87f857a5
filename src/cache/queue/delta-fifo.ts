import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import { checkOptions, type OptionNames } from '../../meta/known-options.js';
import { requireFunction } from '../../meta/validate.js';
import { Ring } from '../../structures/ring.js';
import type { Deltas, ObjectDelta } from './delta.js';
import type { QueueBatch } from './queue.js';
import { type KnownObjects, QueueBase } from './queue-base.js';

/** Options of a {@link DeltaFIFO}. */
export interface DeltaFIFOOptions<T> {
  readonly accessor: Accessor<T>;
  /** @default the accessor's key */
  readonly keyOf?: ((item: T) => string) | undefined;
  /** The store behind the queue: tells what a list no longer has, and what a resync shows. @default none */
  readonly knownObjects?: KnownObjects<T> | undefined;
  /** Whether items of a list come out as `Replaced`, to tell them from a resync. @default false: `Sync` */
  readonly emitReplaced?: boolean | undefined;
  /** Changes objects before they are queued; tombstones and resyncs are passed over. @default none: objects are kept as they come */
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
 * The classic queue of informers: changes are grouped by object, and all changes of one object come out together.
 *
 * - An object keeps the place in line it got with its first change; later changes join it there.
 * - What a list no longer has is told as a deletion, found out against the queue and the known objects.
 * - The deletion of what nobody knows is dropped.
 *
 * `RealFIFO` is what informers use by default: it keeps the order across objects too.
 */
export class DeltaFIFO<T> extends QueueBase<T> {
  readonly #known: KnownObjects<T> | undefined;
  readonly #replacedType: 'Replaced' | 'Sync';
  readonly #transform: ((item: T) => T) | undefined;
  /** A key is in line exactly while it has deltas here. */
  readonly #deltas = new Map<string, ObjectDelta<T>[]>();
  readonly #line = new Ring<string>();
  #waiting = 0;

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

  /** One object that changes all the time is one place in line, but no end of changes. */
  protected override get waiting(): number {
    return this.#waiting;
  }

  add(item: T): void {
    this.notePopulated();
    this.#queue('Added', item);
    this.ready();
  }

  update(item: T): void {
    this.notePopulated();
    this.#queue('Updated', item);
    this.ready();
  }

  delete(item: T | DeletedFinalStateUnknown<T>): void {
    const key = this.keyOfItem(item);
    this.notePopulated();
    if (!this.#deltas.has(key) && this.#known?.getByKey(key) === undefined) return;
    this.#queue('Deleted', item);
    this.ready();
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
    this.ready();
  }

  resync(): void {
    if (this.#known === undefined) return;
    for (const key of this.#known.listKeys()) {
      const object = this.#known.getByKey(key);
      // What has changes waiting will be seen anyway, and newer than this.
      if (object === undefined || this.#deltas.has(key)) continue;
      this.#queueUnder(key, { type: 'Sync', object });
    }
    this.ready();
  }

  /** @internal Objects do not mix in a DeltaFIFO: whatever `most` is, the changes of one come out. */
  take(_most: number): QueueBatch<T> | undefined {
    const key = this.#line.shift();
    if (key === undefined) return undefined;
    const deltas = this.#deltas.get(key) as Deltas<T>;
    this.#deltas.delete(key);
    this.#waiting -= deltas.length;
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
    this.#waiting++;
    if (deltas === undefined) {
      this.#deltas.set(key, [delta]);
      this.#line.push(key);
    } else {
      deltas.push(delta);
      if (mergeDeletions(deltas)) this.#waiting--;
    }
  }
}

/** Two deletions in a row say the same; the one that knows the final state is worth more. Whether there were two. */
function mergeDeletions<T>(deltas: ObjectDelta<T>[]): boolean {
  const newer = deltas[deltas.length - 1];
  const older = deltas[deltas.length - 2];
  if (newer?.type !== 'Deleted' || older?.type !== 'Deleted') return false;
  if (older.object instanceof DeletedFinalStateUnknown) deltas.splice(deltas.length - 2, 1);
  else deltas.pop();
  return true;
}

import { DeletedFinalStateUnknown } from '../../meta/key.js';
import type { SliceBudget } from '../../time/scheduler.js';
import { type Delta, type Deltas, isObjectDelta, type ObjectDelta } from '../queue/delta.js';
import type { Taken } from '../queue/queue.js';
import type { Replacement } from '../store/indexer.js';
import type { Store, StoreChange, TransactionalStore } from '../store/store.js';
import { TransactionError } from '../store/store-errors.js';

/** Hears what became of the store; the store is always changed first. */
export interface ItemHandler<T> {
  onAdd(item: T, isInInitialList: boolean): void;
  /** `old` and `item` are the same for a resync. */
  onUpdate(old: T, item: T): void;
  /** `old` is what was stored; undefined if nothing was, so that nobody can have seen it. */
  onDelete(item: T | DeletedFinalStateUnknown<T>, old: T | undefined): void;
}

/** Options of a {@link DeltaProcessor}. */
export interface DeltaProcessorOptions<T> {
  readonly store: Store<T>;
  readonly handler: ItemHandler<T>;
  readonly keyOf: (item: T) => string;
  /** Hears of changes that the store refused; the others are applied. @default they are thrown, after the others */
  readonly onStoreError?: ((error: unknown) => void) | undefined;
}

/** A budget without bounds, for those who have all the time in the world. */
const unlimited: SliceBudget = { take: () => true, takeSlow: () => true };

/**
 * Applies what comes out of a queue to a store and tells a handler, in slices: a list of a hundred thousand objects must
 * not hold the event loop.
 *
 * - The store comes first: whoever is told of a change finds it, or something newer, in the store.
 * - Several changes are one transaction, of which the handler hears afterwards, in order.
 * - A list is one replacement: built beside the live contents, swapped in one step, then told as deletions, updates and
 *   additions. Nothing else may be applied meanwhile.
 */
export class DeltaProcessor<T> {
  readonly #store: Store<T>;
  readonly #handler: ItemHandler<T>;
  readonly #keyOf: (item: T) => string;
  readonly #onStoreError: ((error: unknown) => void) | undefined;
  #work: Generator<undefined, void, void> | undefined;
  /** That of the step under way: work that runs out of it yields until the next one. */
  #budget: SliceBudget = unlimited;

  constructor(options: DeltaProcessorOptions<T>) {
    this.#store = options.store;
    this.#handler = options.handler;
    this.#keyOf = options.keyOf;
    this.#onStoreError = options.onStoreError;
  }

  /** Begins with these; `step` until it says that they are through. */
  begin(taken: Pick<Taken<T>, 'deltas' | 'isInInitialList' | 'sameObject'>): void {
    if (this.#work !== undefined) throw new Error('the deltas before these are not through yet');
    const { deltas, isInInitialList, sameObject } = taken;
    if (deltas.length === 0) throw new TypeError('there are no deltas to process');
    this.#work = this.#process(deltas, isInInitialList, sameObject);
  }

  /** Goes on for as long as the budget allows; true when all is done. What the handler throws, this throws. */
  step(budget: SliceBudget): boolean {
    if (this.#work === undefined) return true;
    try {
      this.#budget = budget;
      if (this.#work.next().done !== true) return false;
    } catch (error) {
      this.#work = undefined;
      throw error;
    }
    this.#work = undefined;
    return true;
  }

  *#process(deltas: Deltas<T>, isInInitialList: boolean, sameObject: boolean): Generator<undefined, void, void> {
    if (deltas.length > 1 && !sameObject) this.applyBatch(deltas, isInInitialList);
    else for (const delta of deltas) yield* this.#processOne(delta, isInInitialList);
  }

  *#processOne(delta: Delta<T>, isInInitialList: boolean): Generator<undefined, void, void> {
    if (delta.type === 'ReplacedAll') yield* this.#replaceAll(delta, isInInitialList);
    else if (delta.type === 'SyncAll') yield* this.#syncAll();
    else if (delta.type === 'Bookmark') this.#store.bookmark(delta.resourceVersion);
    else this.#applyOne(delta, isInInitialList);
  }

  #applyOne(delta: ObjectDelta<T>, isInInitialList: boolean): void {
    const { object } = delta;
    let old: T | undefined;
    try {
      old = this.#stored(object);
      if (delta.type === 'Deleted') this.#store.delete(object);
      else if (old === undefined) this.#store.add(object as T);
      else this.#store.update(object as T);
    } catch (error) {
      this.#refused(error);
      return;
    }
    this.#tell(delta, old, isInInitialList);
  }

  /** @internal Applies deltas of different objects in one transaction, where the store has them. */
  applyBatch(batch: Deltas<T>, isInInitialList: boolean): void {
    const store = this.#store;
    const deltas = objectDeltas(batch);
    if (!isTransactional(store)) {
      for (const delta of deltas) this.#applyOne(delta, isInInitialList);
      return;
    }
    const count = deltas.length;
    const olds: (T | undefined)[] = new Array(count);
    const changes: StoreChange<T>[] = new Array(count);
    for (let i = 0; i < count; i++) {
      const { type, object } = deltas[i] as ObjectDelta<T>;
      changes[i] = { type: type === 'Deleted' ? 'delete' : 'update', item: object };
    }
    let failure: TransactionError | undefined;
    try {
      store.transaction(changes, olds);
    } catch (error) {
      if (!(error instanceof TransactionError)) throw error;
      failure = error;
    }
    if (failure === undefined) {
      for (let i = 0; i < count; i++) this.#tell(deltas[i] as ObjectDelta<T>, olds[i], isInInitialList);
      return;
    }
    for (const i of failure.successfulIndices) this.#tell(deltas[i] as ObjectDelta<T>, olds[i], isInInitialList);
    this.#refused(failure);
  }

  #tell(delta: ObjectDelta<T>, old: T | undefined, isInInitialList: boolean): void {
    if (delta.type === 'Deleted') this.#handler.onDelete(delta.object, old);
    else if (old === undefined) this.#handler.onAdd(delta.object as T, isInInitialList);
    else this.#handler.onUpdate(old, delta.object as T);
  }

  *#replaceAll(
    delta: Extract<Delta<T>, { type: 'ReplacedAll' }>,
    isInInitialList: boolean,
  ): Generator<undefined, void, void> {
    const { objects, resourceVersion, isKept } = delta;
    const store = this.#store;
    const olds: (T | undefined)[] = [];
    const errors = new Map<number, unknown>();
    // A replacement knows what is in it; for any other store it has to be noted.
    const listed = isReplaceable(store) ? undefined : new Set<string>();
    const replacement = isReplaceable(store) ? store.beginReplace() : undefined;
    const wasEmpty = store.size === 0;
    try {
      for (let i = 0; i < objects.length; i++) {
        if (!this.#budget.take()) yield;
        const object = objects[i] as T;
        const key = this.#keyOf(object);
        const old = wasEmpty ? undefined : store.getByKey(key);
        listed?.add(key);
        olds.push(old);
        try {
          replacement?.add(object);
        } catch (error) {
          // As with any change that the store refuses: the object stays what it was, and the others do not suffer.
          errors.set(i, error);
          replacement?.keep(key);
        }
      }
    } catch (error) {
      // One object without a key, and nothing of the list can be trusted: all stays as it was.
      replacement?.abandon();
      this.#refused(error);
      return;
    }
    const gone: DeletedFinalStateUnknown<T>[] = [];
    for (const key of store.listKeys()) {
      if (!this.#budget.take()) yield;
      if ((listed ?? replacement)?.has(key)) continue;
      if (isKept?.(key) === true) replacement?.keep(key);
      else gone.push(new DeletedFinalStateUnknown(key, store.getByKey(key)));
    }
    try {
      if (replacement === undefined) store.replace(objects, resourceVersion, isKept);
      // An index may have joined while this was built, and it takes as long as all of this to file everything under it.
      while (replacement?.prepare(1) === false) if (!this.#budget.take()) yield;
      replacement?.commit(resourceVersion);
    } catch (error) {
      replacement?.abandon();
      this.#refused(error);
      return;
    }
    while (replacement?.settle(1) === false) if (!this.#budget.take()) yield;
    for (const tombstone of gone) {
      if (!this.#budget.take()) yield;
      this.#handler.onDelete(tombstone, tombstone.object);
    }
    for (let i = 0; i < objects.length; i++) {
      if (!this.#budget.take()) yield;
      if (errors.has(i)) continue;
      const old = olds[i];
      if (old === undefined) this.#handler.onAdd(objects[i] as T, isInInitialList);
      else this.#handler.onUpdate(old, objects[i] as T);
    }
    if (errors.size === 0) return;
    const applied = Array.from(objects.keys()).filter((i) => !errors.has(i));
    this.#refused(new TransactionError(applied, objects.length, [...errors.values()]));
  }

  *#syncAll(): Generator<undefined, void, void> {
    for (const item of this.#store.iterate()) {
      if (!this.#budget.take()) yield;
      this.#handler.onUpdate(item, item);
    }
  }

  #stored(object: T | DeletedFinalStateUnknown<T>): T | undefined {
    return this.#store.getByKey(object instanceof DeletedFinalStateUnknown ? object.key : this.#keyOf(object));
  }

  #refused(error: unknown): void {
    if (this.#onStoreError === undefined) throw error;
    this.#onStoreError(error);
  }
}

/**
 * @internal Applies deltas of one object to a store, oldest first, and tells a handler, all at once: for a controller of one's own.
 */
export function processDeltas<T>(options: DeltaProcessorOptions<T>, deltas: Deltas<T>, isInInitialList: boolean): void {
  const processor = new DeltaProcessor(options);
  processor.begin({ deltas, isInInitialList, sameObject: true });
  while (!processor.step(unlimited));
}

/** @internal Applies deltas of which each is of another object, in one transaction where the store has them, and tells a handler. */
export function processDeltasInBatch<T>(
  options: DeltaProcessorOptions<T>,
  deltas: Deltas<T>,
  isInInitialList: boolean,
): void {
  const [first] = deltas;
  // A delta of the whole collection comes by itself, and is no transaction.
  if (deltas.length > 1 || (first !== undefined && isObjectDelta(first)))
    new DeltaProcessor(options).applyBatch(deltas, isInInitialList);
  else processDeltas(options, deltas, isInInitialList);
}

function objectDeltas<T>(deltas: Deltas<T>): readonly ObjectDelta<T>[] {
  for (const delta of deltas) {
    if (!isObjectDelta(delta)) throw new TypeError(`a ${delta.type} delta cannot be part of a batch`);
  }
  return deltas as readonly ObjectDelta<T>[];
}

function isTransactional<T>(store: Store<T>): store is TransactionalStore<T> {
  return 'transaction' in store;
}

function isReplaceable<T>(store: Store<T>): store is Store<T> & { beginReplace(): Replacement<T> } {
  return 'beginReplace' in store;
}

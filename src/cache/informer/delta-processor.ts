import { DeletedFinalStateUnknown } from '../../meta/key.js';
import type { Steps } from '../../time/steps.js';
import type { Delta, Deltas, ObjectDelta, PartChange } from '../queue/delta.js';
import type { Indexer } from '../store/indexer.js';
import type { StoreChange } from '../store/store.js';
import { TransactionError } from '../store/store-errors.js';

/** Called with every change of the store, after the store was changed. */
export interface ItemHandler<T> {
  onAdd(item: T, isInInitialList: boolean): void;
  /** `old` and `item` are the same object in a resync. `isFromList`: a list found the change, and not the watch. */
  onUpdate(old: T, item: T, isFromList: boolean): void;
  /**
   * `old` is the item that was stored; undefined if there was none, so that no handler has seen the object. `isReleased`: the
   * object exists, and the store no longer covers it.
   */
  onDelete(item: T | DeletedFinalStateUnknown<T>, old: T | undefined, isReleased?: boolean): void;
}

/** Options of a {@link DeltaProcessor}. */
export interface DeltaProcessorOptions<T> {
  readonly store: Indexer<T>;
  readonly handler: ItemHandler<T>;
  readonly keyOf: (item: T) => string;
  /** Called with the error of changes that the store refused; the other changes are applied. @default the error is thrown */
  readonly onStoreError?: ((error: unknown) => void) | undefined;
}

/**
 * Applies the deltas of a queue to a store and calls a handler.
 *
 * - The store is changed first: a handler finds each change, or a newer state, in the store.
 * - The changes of a batch, one or many, are one transaction. The handler is called afterwards, in the order of the batch.
 * - A list is one replacement: built beside the live contents, swapped in one step, then reported as deletions, updates and
 *   additions. It is processed in steps, so that a list of 100,000 objects does not block the event loop. Nothing else may be
 *   applied until the last step.
 */
export class DeltaProcessor<T> {
  readonly #store: Indexer<T>;
  readonly #handler: ItemHandler<T>;
  readonly #keyOf: (item: T) => string;
  readonly #onStoreError: ((error: unknown) => void) | undefined;

  constructor(options: DeltaProcessorOptions<T>) {
    this.#store = options.store;
    this.#handler = options.handler;
    this.#keyOf = options.keyOf;
    this.#onStoreError = options.onStoreError;
  }

  /**
   * Processes one batch of a queue: at once, or in the steps that it returns if it is about the whole collection. Throws what
   * the handler throws.
   */
  process(deltas: Deltas<T>, isInInitialList: boolean): Steps<void> | undefined {
    // A delta about the whole collection is the only one of its batch.
    const first = deltas[0];
    if (first === undefined) return undefined;
    if (first.type === 'ReplacedAll') return this.#replaceAll(first, isInInitialList);
    if (first.type === 'SyncAll') return this.#syncAll();
    if (first.type === 'PartChanged') return this.#changePart(first.change);
    if (first.type === 'Bookmark') this.#store.bookmark(first.resourceVersion);
    else this.#apply(deltas as readonly ObjectDelta<T>[], isInInitialList);
    return undefined;
  }

  #apply(deltas: readonly ObjectDelta<T>[], isInInitialList: boolean): void {
    const count = deltas.length;
    const olds: (T | undefined)[] = new Array(count);
    const changes: StoreChange<T>[] = new Array(count);
    for (let i = 0; i < count; i++) {
      const { type, object } = deltas[i] as ObjectDelta<T>;
      changes[i] = { type: type === 'Deleted' ? 'delete' : 'update', item: object };
    }
    let failure: TransactionError | undefined;
    try {
      this.#store.transaction(changes, olds);
    } catch (error) {
      if (!(error instanceof TransactionError)) throw error;
      failure = error;
    }
    if (failure === undefined) {
      for (let i = 0; i < count; i++) this.#notify(deltas[i] as ObjectDelta<T>, olds[i], isInInitialList);
      return;
    }
    for (const i of failure.successfulIndices) this.#notify(deltas[i] as ObjectDelta<T>, olds[i], isInInitialList);
    this.#refused(failure);
  }

  /** The store decides between an addition and an update, not the type of the delta. */
  #notify(delta: ObjectDelta<T>, old: T | undefined, isInInitialList: boolean): void {
    if (delta.type === 'Deleted') this.#handler.onDelete(delta.object, old);
    else if (old === undefined) this.#handler.onAdd(delta.object as T, isInInitialList);
    else this.#handler.onUpdate(old, delta.object as T, delta.type === 'Replaced');
  }

  *#replaceAll(delta: Extract<Delta<T>, { type: 'ReplacedAll' }>, isInInitialList: boolean): Steps<void> {
    const { objects, resourceVersion, isKept } = delta;
    const store = this.#store;
    const olds: (T | undefined)[] = [];
    const errors = new Map<number, unknown>();
    const replacement = store.beginReplace();
    const wasEmpty = store.size === 0;
    const gone: DeletedFinalStateUnknown<T>[] = [];
    try {
      for (let i = 0; i < objects.length; i++) {
        yield;
        const object = objects[i] as T;
        const key = this.#keyOf(object);
        olds.push(wasEmpty ? undefined : store.getByKey(key));
        try {
          replacement.add(object);
        } catch (error) {
          // The object stays what it was, as after any change that the store refuses; the others are applied.
          errors.set(i, error);
          replacement.keep(key);
        }
      }
      for (const key of store.listKeys()) {
        yield;
        if (replacement.has(key)) continue;
        if (isKept?.(key) === true) replacement.keep(key);
        else gone.push(new DeletedFinalStateUnknown(key, store.getByKey(key)));
      }
      // An index that was added meanwhile has to be filled before the swap.
      yield* replacement.prepare();
      replacement.commit(resourceVersion);
    } catch (error) {
      // An object without a key, or an index that cannot be filled: the store stays as it was.
      replacement.abandon();
      this.#refused(error);
      return;
    }
    yield* replacement.settle();
    for (const tombstone of gone) {
      yield;
      this.#handler.onDelete(tombstone, tombstone.object);
    }
    for (let i = 0; i < objects.length; i++) {
      yield;
      if (errors.has(i)) continue;
      const old = olds[i];
      if (old === undefined) this.#handler.onAdd(objects[i] as T, isInInitialList);
      else this.#handler.onUpdate(old, objects[i] as T, true);
    }
    if (errors.size === 0) return;
    const applied = Array.from(objects.keys()).filter((i) => !errors.has(i));
    this.#refused(new TransactionError(applied, objects.length, [...errors.values()]));
  }

  *#changePart(change: PartChange<T>): Steps<void> {
    const store = this.#store;
    const { gained, isReleased, resourceVersion = store.resourceVersion } = change;
    if (isReleased !== undefined) {
      for (const item of store.iterate()) {
        yield;
        if (!isReleased(item)) continue;
        store.delete(item);
        store.bookmark(resourceVersion);
        this.#handler.onDelete(item, item, true);
      }
    }
    for (const item of gained) {
      yield;
      const old = store.getByKey(this.#keyOf(item));
      try {
        store.update(item);
      } catch (error) {
        this.#refused(error);
        continue;
      }
      // The versions of single objects say nothing about the rest of the store.
      store.bookmark(resourceVersion);
      if (old === undefined) this.#handler.onAdd(item, true);
      else this.#handler.onUpdate(old, item, true);
    }
    store.bookmark(resourceVersion);
    change.onProcessed();
  }

  *#syncAll(): Steps<void> {
    for (const item of this.#store.iterate()) {
      yield;
      this.#handler.onUpdate(item, item, false);
    }
  }

  #refused(error: unknown): void {
    if (this.#onStoreError === undefined) throw error;
    this.#onStoreError(error);
  }
}

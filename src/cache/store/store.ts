import type { DeletedFinalStateUnknown } from '../../meta/key.js';

/** Receives the changes of a reflector: the queue of an informer, or a store. */
export interface ReflectorStore<T> {
  add(item: T): void;
  update(item: T): void;
  delete(item: T | DeletedFinalStateUnknown<T>): void;
  /**
   * Replaces the contents by these items, as of this resourceVersion. Takes ownership of the array.
   *
   * @param isKept returns whether a stored item that is not among these stays, because the list had it and it could not be read
   */
  replace(items: T[], resourceVersion: string, isKept?: (key: string) => boolean): void;
  /** A resync is due. A store without handlers does nothing. */
  resync(): void;
  /**
   * The server sent a bookmark: the collection is unchanged up to this version. Only a queue that keeps the order has this
   * method; calling `bookmark` of the store would put its version ahead of changes that are still queued.
   */
  progress?(resourceVersion: string): void;
  /** Called with every resourceVersion that the reflector records. */
  updateResourceVersion?(resourceVersion: string): void;
  /** Whether the reflector should pause until `onDrain` calls back. Without effect if there is no `onDrain`. */
  readonly isFull?: boolean;
  /** Calls back once, when the queue is no longer full. */
  onDrain?(callback: () => void): void;
}

/**
 * Items by key.
 *
 * It returns the stored items themselves, which callers must not change. Lists are new arrays in no particular order.
 */
export interface Store<T> extends ReflectorStore<T> {
  /** The number of items. */
  readonly size: number;
  /** Adds the item, or replaces the one with its key: the same as `update`. */
  add(item: T): void;
  update(item: T): void;
  /** Removes the item with the same key, if there is one. */
  delete(item: T | DeletedFinalStateUnknown<T>): void;
  /** The stored item with the key of this one. */
  get(item: T): T | undefined;
  getByKey(key: string): T | undefined;
  list(): T[];
  listKeys(): string[];
  /** Replaces the contents in one step. A key error leaves the contents as they were; the last of equal keys wins. */
  replace(items: T[], resourceVersion: string, isKept?: (key: string) => boolean): void;
  /** Iterates over the items that are stored now; later changes of the store do not show. */
  iterate(): IterableIterator<T>;
  /**
   * The resourceVersion of the last write or bookmark; empty before the first. Versions are not compared: an older object that
   * is written later sets an older version.
   */
  readonly resourceVersion: string;
  /** Sets `resourceVersion` without a change. */
  bookmark(resourceVersion: string): void;
}

/** One change of a {@link TransactionalStore.transaction}. */
export interface StoreChange<T> {
  readonly type: 'add' | 'update' | 'delete';
  readonly item: T | DeletedFinalStateUnknown<T>;
}

/** A store that applies several changes in one step. */
export interface TransactionalStore<T> extends Store<T> {
  /**
   * Applies the changes in order. The version of the store becomes that of the last change.
   *
   * @param before is filled with the item that each applied change found under its key
   * @throws TransactionError with the changes that could not be applied; the others are.
   */
  transaction(changes: readonly StoreChange<T>[], before?: (T | undefined)[]): void;
}

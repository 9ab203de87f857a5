import type { DeletedFinalStateUnknown } from '../../meta/key.js';

/** Where a reflector puts what it sees: a queue in an informer, or a store directly. */
export interface ReflectorStore<T> {
  add(item: T): void;
  update(item: T): void;
  delete(item: T | DeletedFinalStateUnknown<T>): void;
  /**
   * From now on exactly these items, as of this version. Takes ownership of the array.
   *
   * @param isKept says which of the stored items stay although they are not among these: the source has them, and could not
   * read them. Without it none do.
   */
  replace(items: T[], resourceVersion: string, isKept?: (key: string) => boolean): void;
  /** A period has passed in which handlers want to see everything again. A store that tells nobody does nothing. */
  resync(): void;
  /**
   * The server says that nothing else has changed up to this version. Only a queue that passes it on in order has this;
   * a store's own `bookmark` would let its version overtake changes that still wait in a queue.
   */
  progress?(resourceVersion: string): void;
  /** Hears of every version the reflector records. */
  updateResourceVersion?(resourceVersion: string): void;
  /** So much waits here that the producer should pause until `onDrain` calls back; of no effect without that. */
  readonly isFull?: boolean;
  /** Calls back once, when what waits has become little again. */
  onDrain?(callback: () => void): void;
}

/**
 * Items by key.
 *
 * What it hands out is what it holds: shared with everybody, never to be changed. Lists are fresh arrays in no promised
 * order.
 */
export interface Store<T> extends ReflectorStore<T> {
  /** How many items there are. */
  readonly size: number;
  /** Adds the item, or replaces the one with its key: the same as `update`. */
  add(item: T): void;
  update(item: T): void;
  /** Removes the item with the same key; nothing happens to the contents if there is none. */
  delete(item: T | DeletedFinalStateUnknown<T>): void;
  /** The stored item with the key of this one. */
  get(item: T): T | undefined;
  getByKey(key: string): T | undefined;
  list(): T[];
  listKeys(): string[];
  /** Swaps the whole contents in one step; a key error leaves everything as it was, the last of equal keys wins. */
  replace(items: T[], resourceVersion: string, isKept?: (key: string) => boolean): void;
  /**
   * The items of this moment, whatever happens to the store while you walk through them.
   */
  iterate(): IterableIterator<T>;
  /**
   * The version of the last write, or of the last bookmark if that came later; empty before the first. The last one wins,
   * there is no comparison: an older object that is written later sets an older version.
   */
  readonly resourceVersion: string;
  /** Nothing has changed since, but the version is this one now. */
  bookmark(resourceVersion: string): void;
}

/** One change of a {@link TransactionalStore.transaction}. */
export interface StoreChange<T> {
  readonly type: 'add' | 'update' | 'delete';
  readonly item: T | DeletedFinalStateUnknown<T>;
}

/** A store that takes several changes in one step. */
export interface TransactionalStore<T> extends Store<T> {
  /**
   * Applies all changes whose key can be made, in order; the store's version becomes that of the last change.
   *
   * @param before is filled with what each change found under its key, where it was applied
   * @throws TransactionError naming those that could not be applied.
   */
  transaction(changes: readonly StoreChange<T>[], before?: (T | undefined)[]): void;
}

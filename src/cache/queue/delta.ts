import type { DeletedFinalStateUnknown } from '../../meta/key.js';

/**
 * One change on its way from the reflector to the store.
 *
 * - `Added`, `Updated`, `Deleted`: what the watch said.
 * - `Replaced`: one object of a list; `ReplacedAll`: the whole list at once.
 * - `Sync`: an object that handlers shall see again; `SyncAll`: all of them.
 * - `Bookmark`: nothing changed up to this version.
 */
export type Delta<T> = ObjectDelta<T> | ReplacedAllDelta<T> | SyncAllDelta | BookmarkDelta;

/** A change of one object. */
export interface ObjectDelta<T> {
  readonly type: 'Added' | 'Updated' | 'Deleted' | 'Replaced' | 'Sync';
  /** A tombstone only in a `Deleted` that was found out by a list. */
  readonly object: T | DeletedFinalStateUnknown<T>;
}

/** From now on exactly these objects. */
interface ReplacedAllDelta<T> {
  readonly type: 'ReplacedAll';
  readonly resourceVersion: string;
  readonly objects: T[];
  /** Which others stay as they are, because the list had them and they could not be read. @default none */
  readonly isKept?: ((key: string) => boolean) | undefined;
}

/** Everything that is stored shall be seen again. */
interface SyncAllDelta {
  readonly type: 'SyncAll';
}

/** The collection is unchanged up to this version. */
interface BookmarkDelta {
  readonly type: 'Bookmark';
  readonly resourceVersion: string;
}

/** Changes of one object, oldest first; never empty. */
export type Deltas<T> = readonly Delta<T>[];

/** Whether the delta is about one object, and so can share a batch with others. */
export function isObjectDelta<T>(delta: Delta<T>): delta is ObjectDelta<T> {
  return delta.type !== 'ReplacedAll' && delta.type !== 'SyncAll' && delta.type !== 'Bookmark';
}

import type { DeletedFinalStateUnknown } from '../../meta/key.js';

/**
 * One change on its way from the reflector to the store.
 *
 * - `Added`, `Updated`, `Deleted`: a watch event.
 * - `Replaced`: one object of a list; `ReplacedAll`: a whole list.
 * - `Sync`: a resync of one object; `SyncAll`: a resync of all objects.
 * - `Bookmark`: the collection is unchanged up to this resourceVersion.
 */
export type Delta<T> = ObjectDelta<T> | ReplacedAllDelta<T> | SyncAllDelta | BookmarkDelta;

/** A change of one object. */
export interface ObjectDelta<T> {
  readonly type: 'Added' | 'Updated' | 'Deleted' | 'Replaced' | 'Sync';
  /** A tombstone only in a `Deleted` that a list found out. */
  readonly object: T | DeletedFinalStateUnknown<T>;
}

/** A list: the store shall contain exactly these objects. */
interface ReplacedAllDelta<T> {
  readonly type: 'ReplacedAll';
  readonly resourceVersion: string;
  readonly objects: T[];
  /** Says which other stored objects stay, because the list had them and they could not be read. @default none */
  readonly isKept?: ((key: string) => boolean) | undefined;
}

/** A resync: handlers get every stored object again. */
interface SyncAllDelta {
  readonly type: 'SyncAll';
}

/** A bookmark: the collection is unchanged up to this resourceVersion. */
interface BookmarkDelta {
  readonly type: 'Bookmark';
  readonly resourceVersion: string;
}

/** The deltas of one batch, oldest first; never empty. */
export type Deltas<T> = readonly Delta<T>[];

/** Whether the delta is about one object. All others are about the whole collection and come alone in a batch. */
export function isObjectDelta<T>(delta: Delta<T>): delta is ObjectDelta<T> {
  return delta.type !== 'ReplacedAll' && delta.type !== 'SyncAll' && delta.type !== 'Bookmark';
}

import type { DeletedFinalStateUnknown } from '../../meta/key.js';

/**
 * One change on its way from the reflector to the store.
 *
 * - `Added`, `Updated`, `Deleted`: a watch event.
 * - `Replaced`: one object of a list; `ReplacedAll`: a whole list.
 * - `Sync`: a resync of one object; `SyncAll`: a resync of all objects.
 * - `Bookmark`: the collection is unchanged up to this resourceVersion.
 * - `PartChanged`: the store shall cover another part of the collection.
 */
export type Delta<T> = ObjectDelta<T> | ReplacedAllDelta<T> | SyncAllDelta | BookmarkDelta | PartChangedDelta<T>;

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

/**
 * Objects that come into the store, or leave it, because the store covers another part of the collection: the objects themselves
 * did not change.
 */
export interface PartChange<T> {
  /** Objects of a part that was not covered before. */
  readonly gained: readonly T[];
  /** Says which stored objects leave. @default none */
  readonly isReleased?: ((item: T) => boolean) | undefined;
  /** The version that all objects of the store have reached afterwards. @default that of the store */
  readonly resourceVersion?: string | undefined;
  /** Called when the store and the handlers have it. */
  onProcessed(): void;
}

interface PartChangedDelta<T> {
  readonly type: 'PartChanged';
  readonly change: PartChange<T>;
}

/** The deltas of one batch, oldest first; never empty. */
export type Deltas<T> = readonly Delta<T>[];

/** Whether the delta is about one object. All others are about the whole collection and come alone in a batch. */
export function isObjectDelta<T>(delta: Delta<T>): delta is ObjectDelta<T> {
  return 'object' in delta;
}

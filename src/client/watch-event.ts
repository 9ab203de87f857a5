import type { AddedEvent, BookmarkEvent, DeletedEvent, ModifiedEvent } from '../meta/watch-event.js';

/** What a client's watch yields; bookmarks only when they were asked for, and never errors: those are thrown. */
export type WatchEvent<T> = AddedEvent<T> | ModifiedEvent<T> | DeletedEvent<T>;

/** {@link WatchEvent}, and how far the watch has come. */
export type WatchEventOrBookmark<T> = WatchEvent<T> | BookmarkEvent;

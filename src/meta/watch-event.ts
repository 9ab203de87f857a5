import type { TypeMeta } from './objects.js';
import type { Status } from './status.js';

/** An object was created, changed or deleted, or entered or left the selection. A DELETED event carries its last state. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** Nothing of an object but how far the watch has come. */
export interface BookmarkObject extends TypeMeta {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** Everything up to this version has been told. */
export interface BookmarkEvent {
  readonly type: 'BOOKMARK';
  readonly object: BookmarkObject;
}

/** The watch has failed and ends here. */
interface ErrorEvent {
  readonly type: 'ERROR';
  readonly object: Status;
}

/** One event of a watch, as it comes over the wire. */
export type WireEvent<T> = WatchEvent<T> | BookmarkEvent | ErrorEvent;

/** An event about an object, or a bookmark: what clients hand out. An ERROR event is thrown instead. */
export type WatchEventOrBookmark<T> = WatchEvent<T> | BookmarkEvent;

/** The types an event can have; anything else is not a watch event. */
export type WatchEventType = WireEvent<unknown>['type'];

/** What {@link WatchEventType} lists, for a look at run time. @internal */
export const watchEventTypes: readonly WatchEventType[] = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'];

/** Whether a word is one of {@link watchEventTypes}. */
export function isWatchEventType(type: unknown): type is WatchEventType {
  return watchEventTypes.includes(type as WatchEventType);
}

/** On a bookmark, with the value `true`: the initial events of `sendInitialEvents` end here. */
export const initialEventsEndAnnotation = 'k8s.io/initial-events-end';

/** Whether a bookmark says that the initial events are complete. */
export function isInitialEventsEnd(bookmark: BookmarkObject): boolean {
  return bookmark.metadata.annotations?.[initialEventsEndAnnotation] === 'true';
}

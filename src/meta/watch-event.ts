import type { TypeMeta } from './objects.js';
import type { Status } from './status.js';

/** An object came to be, or came into the selection. */
export interface AddedEvent<T> {
  readonly type: 'ADDED';
  readonly object: T;
}

/** An object changed. */
export interface ModifiedEvent<T> {
  readonly type: 'MODIFIED';
  readonly object: T;
}

/** An object went, or left the selection; `object` is its last state, with the version of its end. */
export interface DeletedEvent<T> {
  readonly type: 'DELETED';
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
export interface ErrorEvent {
  readonly type: 'ERROR';
  readonly object: Status;
}

/** One event of a watch, as it comes over the wire. */
export type WatchEvent<T> = AddedEvent<T> | ModifiedEvent<T> | DeletedEvent<T> | BookmarkEvent | ErrorEvent;

/** The types an event can have; anything else is not a watch event. */
export type WatchEventType = WatchEvent<unknown>['type'];

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

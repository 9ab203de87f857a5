import type { Status } from './errors/status.js';
import type { TypeMeta } from './objects.js';

/** An object was created, changed or deleted, or started or stopped matching the selector. DELETED has its last state. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

/** The object of a bookmark: it has only a resourceVersion and annotations. */
export interface BookmarkObject extends TypeMeta {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** The server has sent all events up to this resourceVersion. */
export interface BookmarkEvent {
  readonly type: 'BOOKMARK';
  readonly object: BookmarkObject;
}

/** The watch has failed; it is the last event. */
interface ErrorEvent {
  readonly type: 'ERROR';
  readonly object: Status;
}

/** One event of a watch as the server sends it. */
export type WireEvent<T> = WatchEvent<T> | BookmarkEvent | ErrorEvent;

/** An event about an object, or a bookmark, as clients return it. An ERROR event is thrown as a StatusError. */
export type WatchEventOrBookmark<T> = WatchEvent<T> | BookmarkEvent;

/** The types of watch events. */
export type WatchEventType = WireEvent<unknown>['type'];

/** The values of {@link WatchEventType}. @internal */
export const watchEventTypes: readonly WatchEventType[] = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'];

/** Whether a value is one of {@link watchEventTypes}. */
export function isWatchEventType(type: unknown): type is WatchEventType {
  return watchEventTypes.includes(type as WatchEventType);
}

/** Has the value `true` on the bookmark that ends the initial events of `sendInitialEvents`. */
export const initialEventsEndAnnotation = 'k8s.io/initial-events-end';

/** Whether a bookmark ends the initial events of a watch-list. */
export function isInitialEventsEnd(bookmark: BookmarkObject): boolean {
  return bookmark.metadata.annotations?.[initialEventsEndAnnotation] === 'true';
}

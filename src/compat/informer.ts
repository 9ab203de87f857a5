/**
 * The types of the official client's informer. Names and signatures are those of `@kubernetes/client-node`, so that a program
 * only needs another import.
 */

/** A Kubernetes object: an instance of the official client's model classes, or a plain object. */
export interface CompatObject {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata?:
    | {
        name?: string | undefined;
        namespace?: string | undefined;
        resourceVersion?: string | undefined;
      }
    | undefined;
}

/** The result of a list function. */
export interface CompatList<T> {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata?:
    | {
        resourceVersion?: string | undefined;
        /** `continue` in the model classes. */
        _continue?: string | undefined;
      }
    | undefined;
  items: T[];
}

/** A callback for objects. */
export type ObjectCallback<T> = (obj: T) => void;
/** A callback for errors, or for `connect`. */
// biome-ignore lint/suspicious/noExplicitAny: programs were written against this type
export type ErrorCallback = (err?: any) => void;
/** A function that lists the whole collection. */
export type ListPromise<T> = () => Promise<CompatList<T>>;

/** An object was created, or entered the selection. */
export const ADD = 'add';
export type ADD = typeof ADD;
/** An object changed. */
export const UPDATE = 'update';
export type UPDATE = typeof UPDATE;
/** `add`, `update` and `delete`. */
export const CHANGE = 'change';
export type CHANGE = typeof CHANGE;
/** An object was deleted, or left the selection. */
export const DELETE = 'delete';
export type DELETE = typeof DELETE;
/** A watch was opened: the first one, and each reconnect. */
export const CONNECT = 'connect';
export type CONNECT = typeof CONNECT;
/** A request failed. The informer retries by itself; calling `start()` is allowed and has no effect. */
export const ERROR = 'error';
export type ERROR = typeof ERROR;

/** Lists and watches a collection, and calls callbacks for each change. */
export interface Informer<T> {
  on(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  on(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  off(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  off(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  /**
   * Resolves when the callbacks were called for the list and the watch is open, or at the first failure, after the `error`
   * callbacks were called. Does nothing on a running informer; a stopped one continues with its cache.
   */
  start(): Promise<void>;
  /** No callback is called after this; resolves when the informer has ended. The cache stays readable. */
  stop(): Promise<void>;
}

/** The cache of an informer. */
export interface ObjectCache<T> {
  /** Without a namespace: a cluster-scoped object. */
  get(name: string, namespace?: string): T | undefined;
  /** Without a namespace: all objects. */
  list(namespace?: string): ReadonlyArray<T>;
}

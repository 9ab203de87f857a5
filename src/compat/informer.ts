/**
 * The official JavaScript client's informer, by its types. The names and signatures are those of
 * `@kubernetes/client-node`, so that a program needs a new import and nothing else; what they promise is ours.
 */

/** An object of the API: of the official client's model classes, or plain. */
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

/** What a list function answers. */
export interface CompatList<T> {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata?:
    | {
        resourceVersion?: string | undefined;
        /** What the model classes call `continue`. */
        _continue?: string | undefined;
      }
    | undefined;
  items: T[];
}

/** Is told of an object. */
export type ObjectCallback<T> = (obj: T) => void;
/** Is told of an error, or that a watch is open. */
// biome-ignore lint/suspicious/noExplicitAny: what programs do with errors was written against this type
export type ErrorCallback = (err?: any) => void;
/** A list function: asks for the whole collection. */
export type ListPromise<T> = () => Promise<CompatList<T>>;

/** An object came to be, or came into the selection. */
export const ADD = 'add';
export type ADD = typeof ADD;
/** An object changed. */
export const UPDATE = 'update';
export type UPDATE = typeof UPDATE;
/** Any of the other three that are about objects. */
export const CHANGE = 'change';
export type CHANGE = typeof CHANGE;
/** An object went, or left the selection. */
export const DELETE = 'delete';
export type DELETE = typeof DELETE;
/** A watch is open: the first one, and each one after it. */
export const CONNECT = 'connect';
export type CONNECT = typeof CONNECT;
/** Something failed. It is tried again without anybody's help; calling `start()` is allowed and changes nothing. */
export const ERROR = 'error';
export type ERROR = typeof ERROR;

/** Lists a collection, watches it, and calls back. */
export interface Informer<T> {
  on(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  on(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  off(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  off(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  /**
   * Resolves when the list has been told and the watch is open, or at the first failure, which the `error` callbacks have
   * heard of by then. Of an informer that runs it changes nothing; one that was stopped goes on with what it knows.
   */
  start(): Promise<void>;
  /** No callback is called after this; resolves when nothing of it is left running. The cache stays readable. */
  stop(): Promise<void>;
}

/** The objects that an informer knows. */
export interface ObjectCache<T> {
  /** Without a namespace: an object of the cluster. */
  get(name: string, namespace?: string): T | undefined;
  /** Without a namespace: all of them. */
  list(namespace?: string): ReadonlyArray<T>;
}

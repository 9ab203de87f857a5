import type { StatusOf } from '../client/index.js';
import type { EventDetails } from '../events/index.js';
import type {
  ByteTransform,
  Client,
  Clock,
  DeepReadonly,
  InformerEvent,
  InformerOptions,
  KubernetesObject,
  Lister,
  New,
  ObjectName,
  ReconcileContext,
  Resource,
} from '../index.js';
import type { PolicyRule } from '../resources/types/rbac-v1.js';
import type { RateLimiter } from '../workqueue/index.js';

/**
 * What a run of a controller returns.
 *
 * - Nothing: done.
 * - `requeueAfterMs`: done, and the object is reconciled again after that time.
 * - `waiting`: not done, for this reason. The object is reconciled again after 1 s, 2 s, … 5 min, or at its next change.
 *
 * A throw is a failure: it is retried with backoff, no sooner than the error's `retryAfterMs` if it has one. A TerminalError is
 * not retried: the object is reconciled again at its next change.
 */
export type Result = void | { readonly requeueAfterMs: number } | { readonly waiting: string };

/** Which objects a cache holds, and how it stores them. */
export interface CacheOptions extends Omit<InformerOptions<never>, 'transform' | 'resyncMs' | 'shard'> {
  /** Fields that are not stored: `drop(…)`. @default none: objects are stored as they arrive */
  readonly transform?: ByteTransform | undefined;
}

/**
 * What a run of a controller works with. The functions do not use `this`, so that they can be destructured. They throw after
 * the run has ended.
 */
export interface ControllerContext<T> extends ReconcileContext {
  /** Aborts when this run must end: after `timeoutMs`, when leadership is lost, and at the end of `drainMs`. */
  readonly signal: AbortSignal;
  /** The key of the object. */
  readonly key: string;
  /** Identifies this run in logs. */
  readonly id: string;
  readonly clock: Clock;
  /**
   * Writes as this controller. It does not send a request when another replica may lead, ends requests with `signal`, sets the
   * field manager, and remembers its writes: the next run of this key begins when the caches have them.
   */
  readonly client: Client;
  /**
   * The same for a client of another cluster. A request takes at most `timeoutMs` of that client, or 10 s. While the cluster does
   * not answer, requests fail at once with the code `CLUSTER_AWAY`, and a run that failed is repeated when it answers.
   */
  through(client: Client): Client;
  /**
   * The cache of a kind in `for`, `owns` or `watches`. Throws a TypeError for any other; an error with the code `CACHE_BEHIND` if a
   * cache of another cluster has not synced, or does not have the writes of the runs before.
   */
  lister<U>(resource: Resource<U>, options?: { readonly client?: Client | undefined }): Lister<U>;
  /** The objects of a kind in `owns` that this object controls: as this run has applied them, else as cached. */
  owned<U>(resource: Resource<U>): readonly DeepReadonly<U>[];
  /**
   * Creates or updates an object by server-side apply, with force. Sends nothing if that is known to change nothing. Throws a
   * TypeError if the garbage collector could not find the owner: it is in another namespace, or namespaced and the object is
   * not.
   */
  apply<U>(resource: Resource<U>, object: DeepReadonly<New<U>>, options?: ApplyTo): Promise<U>;
  /** Deletes the objects of all kinds in `owns` that `owned` returns and this run has not applied. */
  prune(): Promise<void>;
  /**
   * Sets the status: all fields of it that this controller owns. It is written once, after the run, also if the run threw, and
   * only if it differs; the last call counts. `conditions` keep `lastTransitionTime` while their status is the same, and get
   * `observedGeneration`.
   */
  status(status: DeepReadonly<StatusOf<T>>): void;
  /** Records an event about the object. */
  event(details: EventDetails): void;
}

/** Options of {@link ControllerContext.apply}. */
export interface ApplyTo {
  /** Whether the object of the run becomes its controller. @default true */
  readonly owner?: boolean | undefined;
  /** The cluster to write to. @default the controller's */
  readonly client?: Client | undefined;
}

/** What else wakes a controller of `T`, and which of its objects: set one of `requests` and `references`. */
export interface ControllerWatchOptions<T, U> {
  /**
   * Returns the keys of the controller's objects that this object concerns. Called with the old and the new state of a changed
   * object, so that objects it no longer concerns wake too. @default none: `references` is set
   */
  readonly requests?:
    | ((object: DeepReadonly<U>, caches: Pick<ControllerContext<T>, 'lister'>) => Iterable<string | ObjectName>)
    | undefined;
  /** Returns the keys of the objects that an object of the controller refers to. @default none: `requests` is set */
  readonly references?: ((object: DeepReadonly<T>) => Iterable<string | ObjectName>) | undefined;
  /** Events for which it returns false wake nothing. @default all events pass except resyncs */
  readonly when?: ((event: InformerEvent<U>) => boolean) | undefined;
  /** The cluster it is in. @default the controller's */
  readonly client?: Client | undefined;
  /** Whether only metadata is read and cached. @default false */
  readonly metadataOnly?: boolean | undefined;
  /** A cache of its own, with selectors, namespaces or a transform. @default the manager's, which all controllers share */
  readonly cache?: CacheOptions | undefined;
}

/** A watch, as the function that `watches` is called with returns it. */
export interface ControllerWatch<T> {
  readonly resource: Resource<unknown>;
  /** Never set: it only holds the type of the controller's objects. */
  readonly of?: T;
}

/** What a controller is. */
export interface ControllerOptions<T extends KubernetesObject> {
  /** Names the controller in metrics, events, the field manager and the finalizer. Unique in a manager. */
  readonly name: string;
  /** The kind of the objects it reconciles, each in one run at a time. */
  readonly for: Resource<T>;
  /** Kinds that it creates: they are cached and indexed by owner, and a change of one wakes its owner. @default [] */
  readonly owns?: readonly Resource<unknown>[] | undefined;
  /** Other kinds that wake it. @default none */
  readonly watches?:
    | ((
        watch: <U>(resource: Resource<U>, options: ControllerWatchOptions<T, U>) => ControllerWatch<T>,
      ) => readonly ControllerWatch<T>[])
    | undefined;
  /** Events of `for` for which it returns false do not wake. @default all events pass except resyncs and own status writes */
  readonly when?: ((event: InformerEvent<T>) => boolean) | undefined;
  /** Makes the cluster match the object. Not called for an object that is being deleted. It may be called at any time, any number of times. */
  reconcile(object: DeepReadonly<T>, context: ControllerContext<T>): Result | Promise<Result>;
  /**
   * Cleans up what the garbage collector cannot. If it is set, reconcile is not called before the finalizer is stored, and the
   * finalizer is removed when this returns nothing. It may be called although reconcile never was.
   * @default none: there is no finalizer
   */
  finalize?(object: DeepReadonly<T>, context: ControllerContext<T>): Result | Promise<Result>;
  /** Called when the object is gone, to drop what is held of it in memory. Never during a run of it. @default none */
  gone?(key: string): void;
  /** @default the group of `for` (`kubeflect.dev` for built-in kinds), a slash, and the name */
  readonly finalizer?: string | undefined;
  /**
   * The type of a condition that is kept by itself: True after a run that was done; False, with the reason, after one that
   * waits or failed. A condition of this type that the run sets takes precedence.
   * @default none
   */
  readonly readyCondition?: string | undefined;
  /** How many objects are reconciled at the same time, besides runs that wait for a slow cluster other than its own. @default 4 */
  readonly workers?: number | undefined;
  /** How long a run may take before its signal aborts. @default 300_000 */
  readonly timeoutMs?: number | undefined;
  /** How long after its last run an object is reconciled again, give or take a tenth; 0 for never. @default 36_000_000 */
  readonly everyMs?: number | undefined;
  /** Decides how long a failed object waits. Only retries that were due count. @default 5 ms doubled up to 1000 s */
  readonly limiter?: RateLimiter<string> | undefined;
  /** Which replicas run it. @default 'leader' */
  readonly runsOn?: 'leader' | 'all' | undefined;
  /** The cluster of `for` and `owns`. @default the manager's */
  readonly client?: Client | undefined;
  /** A cache of its own for `for`. @default the manager's */
  readonly cache?: CacheOptions | undefined;
  /** Permissions beyond those that follow from the other options, for its Role. @default [] */
  readonly permissions?: readonly PolicyRule[] | undefined;
  /** Called for every failed run. @default a process warning, the same one once a minute */
  readonly onError?: ((error: unknown, key: string) => void) | undefined;
}

/** A controller that a manager can run. It is a value: it has no state and has started nothing. */
export interface Controller<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  readonly for: Resource<T>;
}

/** A controller in a manager. */
export interface RunningController<T extends KubernetesObject> {
  readonly name: string;
  /** Whether all caches of its own cluster have synced. */
  readonly hasSynced: boolean;
  /** How many objects wait and are being reconciled, and the keys of those whose last run failed. */
  readonly status: { readonly waiting: number; readonly running: number; readonly failing: readonly string[] };
  /** Wakes an object, for a source of events of your own; without a key all objects, with low priority. */
  enqueue(key?: string | ObjectName): void;
  /** Adds a watch. After `remove()` has resolved it wakes nothing, and a cache that nothing else uses is stopped. */
  watch<U>(resource: Resource<U>, options: ControllerWatchOptions<T, U>): { remove(): Promise<void> };
  /** Starts no more runs, waits for those in progress, and gives its caches back. */
  remove(): Promise<void>;
}

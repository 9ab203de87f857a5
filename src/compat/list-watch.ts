import { Controller } from '../cache/informer/controller.js';
import type { Deltas } from '../cache/queue/delta.js';
import { isObjectDelta } from '../cache/queue/delta.js';
import { RealFIFO } from '../cache/queue/real-fifo.js';
import type { FailureReason } from '../cache/reflector/reflector.js';
import { MappedListWatch } from '../cache/source/mapped-list-watch.js';
import { byNamespace } from '../cache/store/index-functions.js';
import { namespaceIndex } from '../cache/store/index-spec.js';
import { Indexer } from '../cache/store/indexer.js';
import { Raw } from '../codec/raw.js';
import { type Accessor, objectAccessor } from '../meta/accessor.js';
import { DeletedFinalStateUnknown, formatKey } from '../meta/key.js';
import { checkOptions } from '../meta/options/known-options.js';
import { requireFunction, requireString } from '../meta/options/validate.js';
import type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
import type { BackoffOptions } from '../time/backoff.js';
import { realClock } from '../time/real-clock.js';
import { Callbacks } from './callbacks.js';
import type {
  ADD,
  CHANGE,
  CONNECT,
  CompatObject,
  DELETE,
  ERROR,
  ErrorCallback,
  Informer,
  ListPromise,
  ObjectCache,
  ObjectCallback,
  UPDATE,
} from './informer.js';
import { PathListWatch } from './path-list-watch.js';
import { requireCluster } from './shared-connection.js';
import { toWatchError } from './watch-error.js';

/** Options that the official client's `ListWatch` does not have. */
export interface ListWatchOptions {
  /**
   * Delays after failures; missing fields have their defaults. @default 800 ms doubled up to 30 s, plus up to 100 % jitter;
   * reset after two minutes without a failure
   */
  readonly backoff?: Partial<BackoffOptions> | undefined;
}

/** The state between `start` and `stop`. */
interface Run<T> {
  readonly controller: Controller<T>;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  /** Called when `start` may resolve: the watch is open, a request failed, or it was stopped. */
  readonly waiters: Set<() => void>;
  isUp: boolean;
}

/** Failures without an `error` callback, as in the official client. */
const quiet: ReadonlySet<FailureReason> = new Set<FailureReason>(['expired', 'silent']);

/**
 * The official client's informer on this library's reflector: it continues after connection resets, 410 Gone, errors of the
 * server and silent connections, and calls no callback twice for one change.
 *
 * Callbacks are called after the cache was updated, for one object at a time, in the order of the server. Objects that a relist
 * finds unchanged cause no callback.
 */
export class ListWatch<T extends CompatObject> implements ObjectCache<T>, Informer<T> {
  readonly #path: string;
  readonly #kubeconfig: KubeConfigLike;
  readonly #listFn: ListPromise<T>;
  readonly #labelSelector: string | undefined;
  readonly #fieldSelector: string | undefined;
  readonly #options: ListWatchOptions;
  readonly #accessor: Accessor<T, T> = {
    ...(objectAccessor as unknown as Accessor<T, T>),
    unreadable: (item) => this.#unreadable.get(item),
  };
  /** The decoding errors of objects of which only the name is known. */
  readonly #unreadable = new WeakMap<T, Error>();
  readonly #callbacks = new Callbacks<T>();
  readonly #store: Indexer<T, typeof namespaceIndex>;
  #run: Run<T> | undefined;
  #resourceVersion = '';

  /**
   * @param watch its `config` is the KubeConfig of the server
   * @param autoStart whether the constructor calls `start`
   */
  constructor(
    path: string,
    watch: { readonly config: KubeConfigLike },
    listFn: ListPromise<T>,
    autoStart = true,
    labelSelector?: string,
    fieldSelector?: string,
    options: ListWatchOptions = {},
  ) {
    checkOptions('new ListWatch', options, { backoff: true });
    this.#path = requireString('path', path);
    requireFunction('listFn', listFn);
    this.#kubeconfig = watch.config;
    this.#listFn = listFn;
    this.#labelSelector = labelSelector;
    this.#fieldSelector = fieldSelector;
    this.#options = options;
    const namespaces = byNamespace();
    this.#store = new Indexer({
      accessor: this.#accessor,
      indexers: { [namespaceIndex]: (item: T) => namespaces.valuesOf(this.#accessor, item) },
    });
    if (autoStart) this.start().catch((error) => this.#callbacks.fail(error));
  }

  async start(): Promise<void> {
    requireCluster(this.#kubeconfig);
    this.#run ??= this.#begin();
    const { isUp, waiters } = this.#run;
    if (!isUp) await new Promise<void>((resolve) => waiters.add(resolve));
  }

  async stop(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    run.abort.abort();
    settle(run);
    await run.ended;
  }

  on(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  on(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  on(verb: string, cb: ObjectCallback<T> | ErrorCallback): void {
    requireFunction('cb', cb);
    this.#callbacks.on(verb, cb);
  }

  off(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  off(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  off(verb: string, cb: ObjectCallback<T> | ErrorCallback): void {
    this.#callbacks.off(verb, cb);
  }

  get(name: string, namespace?: string): T | undefined {
    return this.#store.getByKey(formatKey(namespace ?? '', name));
  }

  list(namespace?: string): ReadonlyArray<T> {
    return namespace ? this.#store.byIndex(namespaceIndex, namespace) : this.#store.list();
  }

  /** The last resourceVersion; empty before the first list. */
  latestResourceVersion(): string {
    return this.#run?.controller.lastSyncResourceVersion || this.#resourceVersion;
  }

  #begin(): Run<T> {
    const abort = new AbortController();
    const source = new PathListWatch<T>({
      kubeconfig: this.#kubeconfig,
      path: this.#path,
      listFn: this.#listFn,
      labelSelector: this.#labelSelector,
      fieldSelector: this.#fieldSelector,
      onOpen: () => this.#connected(run),
    });
    const skipped = (error: unknown) => this.#failed(run, error, 'skipped');
    // Not atomic: the cache is updated object by object, so that at a stop it is never ahead of the callbacks.
    const queue = new RealFIFO<T>({ accessor: this.#accessor, atomic: false, knownObjects: this.#store });
    const controller = new Controller<T>({
      name: this.#path,
      typeDescription: this.#path,
      clock: realClock,
      accessor: this.#accessor,
      queue,
      listWatch: new MappedListWatch<T | Raw<T>, T>({
        source,
        map: (item) => (item instanceof Raw ? source.read(item) : item),
        unreadable: (item, error) => this.#standIn(item, error),
        clock: realClock,
      }),
      process: (deltas) => {
        try {
          this.#apply(deltas);
        } catch (error) {
          skipped(error);
        }
      },
      backoff: this.#options.backoff,
      onError: (error, { reason }) => this.#failed(run, error, reason),
    });
    const live = async (): Promise<void> => {
      try {
        await controller.run(abort.signal);
      } finally {
        source.close();
        this.#resourceVersion = controller.lastSyncResourceVersion;
      }
    };
    const run: Run<T> = { controller, abort, ended: live(), waiters: new Set(), isUp: false };
    return run;
  }

  #standIn(item: T | Raw<T>, error: Error): T {
    const { namespace, name, resourceVersion } = item instanceof Raw ? item : {};
    const object = (name ? { metadata: { namespace, name, resourceVersion } } : {}) as T;
    this.#unreadable.set(object, error);
    return object;
  }

  #apply(deltas: Deltas<T>): void {
    for (const delta of deltas) {
      if (!isObjectDelta(delta)) continue;
      const { type, object } = delta;
      const known = this.#store.getByKey(
        object instanceof DeletedFinalStateUnknown ? object.key : this.#accessor.key(object),
      );
      if (type === 'Deleted') {
        if (known === undefined) continue;
        this.#store.delete(object);
        this.#callbacks.call('delete', object instanceof DeletedFinalStateUnknown ? known : object);
      } else if (object instanceof DeletedFinalStateUnknown) {
        throw new TypeError(`a tombstone of ${object.key} has the delta type ${type}`);
      } else if (known === undefined) {
        this.#store.add(object);
        this.#callbacks.call('add', object);
      } else if (!this.#isSame(known, object)) {
        this.#store.update(object);
        this.#callbacks.call('update', object);
      }
    }
  }

  #isSame(known: T, object: T): boolean {
    const version = this.#accessor.resourceVersion(object);
    return version !== '' && version === this.#accessor.resourceVersion(known);
  }

  #connected(run: Run<T>): void {
    if (run.abort.signal.aborted) return;
    this.#callbacks.connected();
    run.controller.whenSynced({ signal: run.abort.signal }).then(
      () => {
        run.isUp = true;
        settle(run);
      },
      () => {},
    );
  }

  #failed(run: Run<T>, error: unknown, reason: FailureReason): void {
    if (run.abort.signal.aborted || quiet.has(reason)) return;
    // An error of the list function is passed on as it was thrown.
    this.#callbacks.fail(reason === 'list' && error instanceof Error ? toWatchError(error.cause) : toWatchError(error));
    if (reason !== 'skipped') settle(run);
  }
}

function settle(run: { readonly waiters: Set<() => void> }): void {
  for (const resolve of run.waiters) resolve();
  run.waiters.clear();
}

import type { FieldPath } from '../../codec/raw.js';
import type { SlabArena } from '../../codec/slab.js';
import type { ListSource } from '../../codec/watch-source.js';
import type { EnqueueHint, HintedQueue } from '../../meta/enqueue-hint.js';
import { asError, KubeflectError } from '../../meta/errors/errors.js';
import { escapeControls, escapeTextControls } from '../../meta/escape-controls.js';
import type { Abortable } from '../../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireFunction, requireNumber, requireObject, requireSignal } from '../../meta/options/validate.js';
import { printResource, type Resource } from '../../meta/resource.js';
import { compareResourceVersions } from '../../meta/resource-version.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { channels, type InformerSource } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import { schedulerOf, type Task } from '../../time/scheduler.js';
import { abortable, linkSignals } from '../../time/signals.js';
import { finish, inSlices } from '../../time/steps.js';
import { type Comparison, compareWithServer } from '../check/consistency.js';
import { ConsistencyCheck, InconsistentCacheError } from '../check/consistency-check.js';
import { MutationDetector, type MutationDetectorMode } from '../check/mutation-detector.js';
import type { PartChange } from '../queue/delta.js';
import { RealFIFO } from '../queue/real-fifo.js';
import { SyncState } from '../queue/sync-state.js';
import type { FailureReason } from '../reflector/reflector.js';
import type { ListerWatcher } from '../source/list-watch.js';
import { DecodedCache } from '../store/decoded-cache.js';
import { type ByteIndex, byNamespace, type IndexFunction } from '../store/index-functions.js';
import { type IndexSpec, namespaceIndex, pathOf, toItemIndexFunction } from '../store/index-spec.js';
import { Indexer, type Retention } from '../store/indexer.js';
import type { ItemView } from '../store/item-view.js';
import { Controller } from './controller.js';
import { DeltaProcessor } from './delta-processor.js';
import { listenerOf, type ResourceEventHandler } from './event-handler.js';
import { EventStream } from './event-stream.js';
import { handlerName } from './handler-name.js';
import type { InformerEvent, SyncedMark } from './informer-event.js';
import { type Index, InformerIndex } from './informer-index.js';
import { type InformerStatus, idleStatus, informerStatus } from './informer-status.js';
import { IndexedLister, type Lister } from './lister.js';
import { SharedProcessor } from './shared-processor.js';
import {
  type EnqueueOptions,
  HandlerSubscription,
  type SubscribeOptions,
  type Subscription,
  subscribeNames,
  validateSubscribeOptions,
} from './subscription.js';

/**
 * One watch, one cache, any number of readers and handlers.
 *
 * Contract:
 * - When the collection stops changing, the cache becomes equal to it, whatever failed before. Objects that cannot be read are
 *   the exception: they are left out, counted and named in `status.skipped`, and never fail the others. An object that could be
 *   read before stays as it was last read; its DELETED event removes it, or a list without it in which all keys could be read.
 *   An event whose key cannot be read causes a relist.
 * - Each handler gets the events of an object in order: add, update, …, delete. It may miss states in between, never sees them
 *   out of order, and finds a cache at least as new as the event.
 * - A deletion that the watch missed is a delete event with `finalStateKnown: false`; if the object was recreated meanwhile, an
 *   update event whose uid differs. Only resyncs and objects that a relist found unchanged are delivered again.
 * - Handlers are independent: a slow handler delays only itself, and what a handler throws is reported.
 * - After `run` has settled no handler is called, and nothing is left running.
 */
export interface SharedIndexInformer<T> {
  readonly resource: Resource<T>;
  readonly lister: Lister<T>;
  readonly status: InformerStatus;
  /** Whether the first list is in the cache, and its events are queued for all handlers. */
  readonly hasSynced: boolean;
  whenSynced(options?: Abortable): Promise<void>;
  /** The cache contains every change up to this version; empty before the first list. */
  readonly resourceVersion: string;
  /**
   * Resolves when the cache is at least as new as this resourceVersion, so that a read sees your own write. An informer of
   * several namespaces has one watch each, and the newest version counts: there it may resolve early.
   */
  waitForResourceVersion(
    resourceVersion: string,
    options?: Abortable & { readonly timeoutMs?: number | undefined },
  ): Promise<void>;

  /** Calls the listener for each event. An object is parsed when the listener reads it. */
  subscribe(listener: (event: InformerEvent<T>) => unknown, options?: SubscribeOptions<T>): Subscription;
  /** Adds a handler in client-go's form. Parses every object. */
  addEventHandler(handler: ResourceEventHandler<T>, options?: SubscribeOptions<T>): Subscription;
  /** Adds the key of each event to a queue; never parses. */
  // Without the type of the objects, so that it can be called on a union of informers.
  enqueueInto(queue: { add(key: string): void }, options?: EnqueueOptions): Subscription;
  enqueueInto(queue: { add(key: string): void }, options?: SubscribeOptions<T>): Subscription;
  /** Adds the items that `items` returns for each event to a queue. */
  enqueueInto<I>(
    queue: { add(item: I): void },
    options: SubscribeOptions<T> & { readonly items: (event: InformerEvent<T>) => Iterable<I> },
  ): Subscription;
  /** Iterates over the events, with a mark after the first list. Ends when the signal aborts or the informer stops. */
  events(options?: SubscribeOptions<T>): AsyncIterableIterator<InformerEvent<T> | SyncedMark>;
  /** Calls the listener with each change of `status`. */
  onStatus(listener: (status: InformerStatus) => void): Undo;

  addIndex(name: string, by: IndexFunction<T> | ByteIndex): Index<T>;
  addIndex<A extends keyof T>(name: string, path: readonly [A]): Index<T>;
  addIndex<A extends keyof T, B extends keyof NonNullable<T[A]>>(name: string, path: readonly [A, B]): Index<T>;
  addIndex<A extends keyof T, B extends keyof NonNullable<T[A]>, C extends keyof NonNullable<NonNullable<T[A]>[B]>>(
    name: string,
    path: readonly [A, B, C],
  ): Index<T>;
}

/** Called with every error of an informer, which continues in spite of it. */
export type InformerErrorHandler = (
  error: Error,
  context: {
    readonly resource: string;
    readonly subscription?: string;
    readonly key?: string;
    /** The kind of failure of a list or watch. */
    readonly reason?: FailureReason;
  },
) => void;

/** Options of an informer's cache, as users of a factory pass them. They do not include the list-watch. */
export interface InformerCacheOptions {
  /** Names the informer in reports and metrics, after the name of its factory. @default the resource, namespace and selectors */
  readonly name?: string | undefined;
  /** How often handlers get an update event for every cached object; 0 for never. @default 0 */
  readonly resyncMs?: number | undefined;
  /** Whether lists and relists are read as watch-lists, where the server supports it. @default true */
  readonly useWatchList?: boolean | undefined;
  /** How many bytes of objects stay decoded for readers. @default 16777216 */
  readonly decodedBudget?: number | undefined;
  /** How often the cache is compared with a list of metadata, and a difference reported; 0 for never. @default 0 */
  readonly consistencyCheckMs?: number | undefined;
  /** Whether to detect code that changes cached objects. @default the environment variable KUBEFLECT_MUTATION_DETECTOR, or 'off' */
  readonly mutationDetector?: MutationDetectorMode | undefined;
}

export const informerCacheNames: OptionNames<InformerCacheOptions> = {
  name: true,
  resyncMs: true,
  useWatchList: true,
  decodedBudget: true,
  consistencyCheckMs: true,
  mutationDetector: true,
};

/** Options of a {@link SharedInformer}. */
export interface SharedInformerOptions<I extends object, T> extends InformerCacheOptions {
  readonly resource: Resource<T>;
  /** A function is called when the informer starts, with the paths of its indexes, so that a decoder can read these fields. */
  readonly listWatch: ListerWatcher<I> | ((paths: readonly FieldPath[]) => ListerWatcher<I>);
  readonly view: ItemView<I, T>;
  readonly clock: Clock;
  /** Objects of another kind are left out. @default any */
  readonly expected?: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** Owns the bytes of raw items; compacted when much of it is unused. @default none: items are not stored as bytes */
  readonly arena?: SlabArena | undefined;
  /** Lists the collection for the consistency check; a list of metadata is enough. @default `listWatch` */
  readonly truth?: ListSource<I> | undefined;
  /** Host and port of the server, for metrics. @default '' */
  readonly host?: string | undefined;
  /**
   * Called with every failure of a list, watch, handler or index, and with what the checks of the cache find.
   * @default process.emitWarning, except for 410 Gone and lost connections
   */
  readonly onError?: InformerErrorHandler | undefined;
}

const sharedInformerNames: OptionNames<SharedInformerOptions<object, unknown>> = {
  ...informerCacheNames,
  resource: true,
  listWatch: true,
  view: true,
  clock: true,
  expected: true,
  arena: true,
  truth: true,
  host: true,
  onError: true,
};

const enqueueNames: OptionNames<SubscribeOptions<never> & { readonly items?: unknown }> = {
  ...subscribeNames,
  items: true,
};

const versionWaitNames: OptionNames<Abortable & { readonly timeoutMs?: unknown }> = {
  ...abortableNames,
  timeoutMs: true,
};

/** The parts of an informer that the inspector reads. */
export interface InformerInternals<I extends object, T> {
  readonly source: InformerSource;
  /** Deltas that wait to be applied. */
  readonly queued: number;
  readonly handlers: Iterable<HandlerSubscription<I, T>>;
  readonly indexer: Indexer<I>;
  readonly decoded: DecodedCache<I, T>;
  /** Undefined if items are not stored as bytes. */
  readonly arena: SlabArena | undefined;
  readonly view: ItemView<I, T>;
}

interface VersionWaiter {
  readonly version: string;
  resolve(): void;
  reject(error: Error): void;
}

const never: AbortSignal = new AbortController().signal;
const defaultDecodedBudget = 16 * 1024 * 1024;
/** The number of items that compaction moves between two reads of the clock. */
const itemsPerStep = 64;
/** The time per turn of the event loop that compaction may take. */
const compactionMs = 1;
/** A decoder reads the fields of this many indexes; those of further indexes are read when an object is indexed. */
const decodedPaths = 16;

/** The {@link SharedIndexInformer} on any list-watch. `I` is the type of the stored items: handles to bytes, or objects. */
export class SharedInformer<I extends object, T> implements SharedIndexInformer<T> {
  readonly resource: Resource<T>;
  readonly name: string;
  readonly lister: Lister<T>;
  readonly #options: SharedInformerOptions<I, T>;
  readonly #clock: Clock;
  readonly #view: ItemView<I, T>;
  readonly #source: InformerSource;
  readonly #indexer: Indexer<I>;
  readonly #reader: IndexedLister<I, T>;
  readonly #decoded: DecodedCache<I, T>;
  readonly #processor: SharedProcessor<I, T>;
  readonly #detector: MutationDetector<I, T> | undefined;
  readonly #labelIndexes = new Map<string, string>();
  readonly #buildingIndexes = new Set<string>();
  readonly #paths: FieldPath[] = [];
  readonly #statusListeners = new Set<(status: InformerStatus) => void>();
  readonly #pressing = new Set<HandlerSubscription<I, T>>();
  readonly #consistency: ConsistencyCheck;
  #listWatch: ListerWatcher<I> | undefined;
  readonly #queue: RealFIFO<I>;
  readonly #versionWaiters = new Set<VersionWaiter>();
  #controller: Controller<I> | undefined;
  #started = false;
  #stopped = false;
  readonly #sync = new SyncState();
  #compaction: Task | undefined;

  constructor(options: SharedInformerOptions<I, T>) {
    const { resource, clock, onError } = checkOptions('new SharedInformer', options, sharedInformerNames);
    requireNumber('resyncMs', options.resyncMs ?? 0);
    if (onError !== undefined) requireFunction('onError', onError);
    this.#options = options;
    this.resource = resource;
    this.name = options.name ?? printResource(resource);
    this.#clock = clock;
    this.#source = {
      name: this.name,
      host: options.host ?? '',
      group: resource.group,
      version: resource.version,
      resource: resource.resource,
    };
    this.#detector = MutationDetector.create(options.view, {
      mode: options.mutationDetector,
      clock,
      onMutation: (error) => this.#report(error, {}),
    });
    this.#view = this.#detector?.view ?? options.view;
    this.#indexer = new Indexer<I>({
      accessor: options.view.accessor,
      // An arena is only given for raw items.
      retention: options.arena as Retention<object> | undefined,
      indexers: { [namespaceIndex]: this.#indexFunction(namespaceIndex, byNamespace()) },
    });
    this.#consistency = new ConsistencyCheck(clock, options.consistencyCheckMs ?? 0, async (signal) => {
      const comparison = await this.checkConsistency({ signal });
      if (comparison.outcome === 'inconsistent') this.#report(new InconsistentCacheError(this.name, comparison), {});
    });
    this.#queue = new RealFIFO<I>({ accessor: options.view.accessor });
    this.#processor = new SharedProcessor(clock, this.#view, this.#source, options.resyncMs ?? 0);
    this.#decoded = new DecodedCache(this.#view, options.decodedBudget ?? defaultDecodedBudget);
    this.#reader = new IndexedLister<I, T>({
      clock,
      view: this.#view,
      indexer: this.#indexer,
      decoded: this.#decoded,
      resource,
      labelIndex: (key) => this.#readableLabelIndex(key),
      onSlowRead: (what, durationMs) => {
        const message = `${what} blocked the event loop for ${Math.round(durationMs)} ms; lister.scan() reads in slices`;
        this.#report(new Error(message), {});
      },
    });
    this.lister = this.#reader;
  }

  // ── start and stop ─────────────────────────────────────────────────────────────────────────────────────────────────

  get isStarted(): boolean {
    return this.#started;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /**
   * Lists, watches and calls handlers until the signal aborts; settles when nothing is left running. Can be called once.
   * Rejects only if it could not start, and reports the error too.
   */
  async run(signal: AbortSignal): Promise<void> {
    requireSignal('signal', signal);
    if (this.#started) throw new Error(`the informer ${this.name} was started before; make a new one instead`);
    this.#started = true;
    try {
      this.#controller = this.#makeController();
      await this.#controller.run(signal);
    } catch (error) {
      this.#report(asError(error), {});
      throw error;
    } finally {
      this.#stopped = true;
      this.#sync.fail(new InformerStoppedError(`the informer ${this.name} was stopped before it had synced`));
      this.#consistency.stop();
      const stopped = new InformerStoppedError(`the informer ${this.name} was stopped before it had that version`);
      for (const { reject } of this.#versionWaiters) reject(stopped);
      // After the waiters were rejected: the call of a handler that waits for a version ends only then.
      await this.#processor.stop();
      this.#detector?.stop();
      this.#compaction?.remove();
      this.#publishStatus();
    }
  }

  #makeController(): Controller<I> {
    const { listWatch } = this.#options;
    this.#listWatch = typeof listWatch === 'function' ? listWatch([...this.#paths]) : listWatch;
    const { accessor } = this.#options.view;
    const process = new DeltaProcessor<I>({
      store: this.#indexer,
      handler: this.#processor,
      keyOf: (item) => accessor.key(item),
      onStoreError: (error) => this.#report(asError(error), {}),
    });
    return new Controller<I>({
      queue: this.#queue,
      process,
      accessor,
      listWatch: this.#listWatch,
      clock: this.#clock,
      name: this.name,
      typeDescription: this.name,
      expected: this.#options.expected,
      useWatchList: this.#options.useWatchList,
      resyncMs: this.#processor.checkMs,
      shouldResync: () => this.#processor.shouldResync(),
      source: this.#source,
      onError: (error, { reason, key }) => this.#report(error, key === undefined ? { reason } : { reason, key }),
      onState: () => this.#publishStatus(),
      onProcessed: () => this.#afterBatch(),
    });
  }

  get hasSynced(): boolean {
    return this.#sync.isCompleted;
  }

  whenSynced(options: Abortable = {}): Promise<void> {
    return this.#sync.whenCompleted(checkOptions('informer.whenSynced', options, abortableNames).signal);
  }

  get resourceVersion(): string {
    return this.#indexer.resourceVersion;
  }

  async waitForResourceVersion(
    resourceVersion: string,
    options: Abortable & { readonly timeoutMs?: number | undefined } = {},
  ): Promise<void> {
    checkOptions('waitForResourceVersion', options, versionWaitNames);
    if (this.#hasReached(resourceVersion)) return;
    if (this.#stopped)
      throw new InformerStoppedError(
        `the informer ${this.name} has stopped before it reached version ${resourceVersion}`,
      );
    const link = linkSignals([options.signal], {
      timeoutMs: options.timeoutMs,
      clock: this.#clock,
      what: `waiting for ${this.name} to reach version ${resourceVersion}`,
    });
    let waiter: VersionWaiter | undefined;
    try {
      const reached = new Promise<void>((resolve, reject) => {
        waiter = { version: resourceVersion, resolve, reject };
        this.#versionWaiters.add(waiter);
        this.#updatePause();
      });
      await abortable(reached, link.signal);
    } finally {
      if (waiter !== undefined) this.#versionWaiters.delete(waiter);
      this.#updatePause();
      link.release();
    }
  }

  /**
   * Lists exactly the resourceVersion of the cache, and compares keys, uids and versions. It costs a list of the collection.
   */
  async checkConsistency(options: Abortable = {}): Promise<Comparison> {
    checkOptions('checkConsistency', options, abortableNames);
    const listWatch = this.#options.truth ?? this.#listWatch;
    if (listWatch === undefined || this.#controller === undefined) {
      return { outcome: 'skipped', reason: `the informer ${this.name} has not been started` };
    }
    // While a list is applied, the cache has objects of two lists and the resourceVersion of one.
    await new Promise<void>((resolve) => this.#controller?.betweenBatches(resolve));
    const coverage = (): number | undefined => {
      const source = this.#listWatch;
      return source?.coverage === undefined ? 0 : source.coverage();
    };
    const covered = coverage();
    const moving: Comparison = { outcome: 'skipped', reason: `the shards of ${this.name} are changing` };
    if (covered === undefined) return moving;
    const comparison = await compareWithServer<I>({
      listWatch,
      accessor: this.#options.view.accessor,
      resourceVersion: this.resourceVersion,
      items: this.#indexer.list(),
      signal: options.signal ?? never,
      clock: this.#clock,
    });
    return coverage() === covered ? comparison : moving;
  }

  /** @internal The cache covers another part of the collection from now on, in order with what its list-watch has written. */
  changePart(change: PartChange<I>): void {
    this.#queue.changePart(change);
  }

  /** @internal Reports a list beside those of the reflector. */
  noteList(list: {
    readonly items: number;
    readonly resourceVersion: string;
    readonly durationMs: number;
    readonly error?: Error | undefined;
  }): void {
    if (channels.reflectorList.hasSubscribers)
      channels.reflectorList.publish({ source: this.#source, how: 'list', ...list });
    if (list.error !== undefined) this.#report(list.error, { reason: 'list' });
  }

  /** @internal Its parts, for the inspector. */
  get internals(): InformerInternals<I, T> {
    return {
      source: this.#source,
      queued: this.#queue.length,
      handlers: this.#processor.subscriptions,
      indexer: this.#indexer,
      decoded: this.#decoded,
      arena: this.#options.arena,
      view: this.#options.view,
    };
  }

  get status(): InformerStatus {
    if (this.#controller !== undefined) return informerStatus(this.#controller.reflector.status, this.#stopped);
    return this.#stopped ? { ...idleStatus, state: 'stopped' } : idleStatus;
  }

  onStatus(listener: (status: InformerStatus) => void): Undo {
    requireFunction('listener', listener);
    const own = (status: InformerStatus) => listener(status);
    this.#statusListeners.add(own);
    return undoOnce(() => void this.#statusListeners.delete(own));
  }

  // ── handlers ───────────────────────────────────────────────────────────────────────────────────────────────────────

  subscribe(listener: (event: InformerEvent<T>) => unknown, options: SubscribeOptions<T> = {}): Subscription {
    requireFunction('listener', listener);
    checkOptions('subscribe', options, subscribeNames);
    return this.#addHandler(listener, options, options.name ?? handlerName(listener));
  }

  addEventHandler(handler: ResourceEventHandler<T>, options: SubscribeOptions<T> = {}): Subscription {
    checkOptions('addEventHandler', options, subscribeNames);
    return this.#addHandler(listenerOf(handler), options, options.name ?? handlerName(handler));
  }

  enqueueInto<Q>(
    queue: { add(item: Q): void },
    options: SubscribeOptions<T> & { readonly items?: (event: InformerEvent<T>) => Iterable<Q> } = {},
  ): Subscription {
    requireObject('queue', queue, 'a queue with add(item)');
    requireFunction('queue.add', queue.add);
    const { items } = checkOptions('enqueueInto', options, enqueueNames);
    if (items !== undefined) requireFunction('items', items);
    const { resource } = this.resource;
    // One hint per kind of event, so that an event allocates none.
    const added: EnqueueHint = { cause: `${resource} add`, background: false };
    const listed: EnqueueHint = { cause: `${resource} add`, background: true };
    const updated: EnqueueHint = { cause: `${resource} update`, background: false };
    const resynced: EnqueueHint = { cause: `${resource} resync`, background: true };
    const deleted: EnqueueHint = { cause: `${resource} delete`, background: false };
    const hintFor = (event: InformerEvent<T>): EnqueueHint => {
      if (event.type === 'add') return event.isInInitialList ? listed : added;
      if (event.type === 'update') return event.isResync ? resynced : updated;
      return deleted;
    };
    const hinted = (queue as Partial<HintedQueue<Q>>).addWithHint?.bind(queue);
    const enqueue = (event: InformerEvent<T>) => {
      const hint = hintFor(event);
      if (items === undefined) put(event.key as Q, hint);
      else for (const item of items(event)) put(item, hint);
    };
    const put = (item: Q, hint: EnqueueHint) => (hinted === undefined ? queue.add(item) : hinted(item, hint));
    return this.#addHandler(enqueue, options, options.name ?? `enqueue ${this.name}`, queue);
  }

  events(options: SubscribeOptions<T> = {}): AsyncIterableIterator<InformerEvent<T> | SyncedMark> {
    checkOptions('informer.events', options, subscribeNames);
    const stream = new EventStream<T>();
    const subscription = this.#addHandler(
      (event) => stream.put(event),
      options,
      options.name ?? `events of ${this.name}`,
    );
    subscription.onSynced = (resourceVersion) => stream.mark({ type: 'synced', resourceVersion });
    subscription.onEnd = () => stream.end();
    stream.onReturn = () => void subscription.remove();
    if (subscription.isRemoved) stream.end();
    return stream;
  }

  #addHandler(
    handle: (event: InformerEvent<T>) => unknown,
    options: SubscribeOptions<T>,
    name: string,
    queue?: object,
  ): HandlerSubscription<I, T> {
    if (this.#stopped) {
      throw new InformerStoppedError(
        `the handler ${name} was not added to shared informer because it has stopped already`,
      );
    }
    validateSubscribeOptions(options);
    const resyncMs = this.#processor.resyncFor(options.resyncMs, this.#started);
    const subscription = new HandlerSubscription<I, T>(
      {
        clock: this.#clock,
        view: this.#view,
        source: this.#source,
        onHandlerError: (error, context) => this.#report(error, context),
        inspect: this.#detector && ((event, handler) => this.#detector?.inspect(event.handedOut(), handler)),
        onRemoved: (removed) => this.#processor.remove(removed),
        onPressure: (pressed, high) => this.#onPressure(pressed, high),
      },
      name,
      handle,
      options,
      resyncMs,
      queue,
    );
    const attach = () => {
      if (this.#stopped || subscription.isRemoved) return;
      this.#processor.add(subscription);
      if (this.#indexer.size > 0) subscription.replay(this.#indexer.iterate());
      if (this.#sync.isCompleted) subscription.informerSynced(this.resourceVersion);
    };
    // A handler that is added while a list is applied would get the rest of the list after the replay again.
    if (this.#controller === undefined) attach();
    else this.#controller.betweenBatches(attach);
    return subscription;
  }

  #onPressure(subscription: HandlerSubscription<I, T>, high: boolean): void {
    if (high) this.#pressing.add(subscription);
    else this.#pressing.delete(subscription);
    this.#updatePause();
  }

  /**
   * Pauses the controller while a handler has more than `maxPending` events waiting. Not before the first list is in the cache,
   * nor while a caller waits for a version: the handler itself may wait for either.
   */
  #updatePause(): void {
    if (this.#sync.isCompleted && this.#pressing.size > 0 && this.#versionWaiters.size === 0) this.#controller?.pause();
    else this.#controller?.resume();
  }

  // ── indexes ────────────────────────────────────────────────────────────────────────────────────────────────────────

  addIndex(name: string, by: IndexSpec<T> | readonly PropertyKey[]): Index<T> {
    if (this.#stopped)
      throw new InformerStoppedError(`the index ${name} cannot be added: the informer ${this.name} has stopped`);
    const spec = by as IndexSpec<T>;
    const steps = this.#indexer.beginIndexers({ [name]: this.#indexFunction(name, spec) });
    if (typeof spec === 'object' && 'kind' in spec && spec.label !== undefined)
      this.#labelIndexes.set(spec.label, name);
    const path = pathOf(spec);
    if (path !== undefined && !this.#started && this.#paths.length < decodedPaths) this.#paths.push(path);
    let ready = Promise.resolve();
    if (!this.#started || this.#indexer.size === 0) finish(steps);
    else {
      this.#buildingIndexes.add(name);
      ready = inSlices(this.#clock, `index ${name} of ${this.name}`, steps).then(
        () => void this.#buildingIndexes.delete(name),
      );
    }
    return new InformerIndex(name, this.#indexer, this.#reader, ready);
  }

  /** An object on which the function fails is not in this index, but it is in the cache. */
  #indexFunction(name: string, spec: IndexSpec<T>): (item: I) => readonly string[] {
    const valuesOf = toItemIndexFunction(spec, this.#options.view.accessor);
    return (item) => {
      try {
        return valuesOf(item);
      } catch (error) {
        const key = this.#options.view.accessor.key(item);
        this.#report(new Error(`the index ${name} failed on ${key}: ${asError(error).message}`, { cause: error }), {
          key,
        });
        return [];
      }
    };
  }

  #readableLabelIndex(key: string): string | undefined {
    const name = this.#labelIndexes.get(key);
    return name === undefined || this.#buildingIndexes.has(name) ? undefined : name;
  }

  // ── after a batch ──────────────────────────────────────────────────────────────────────────────────────────────────

  #markSynced(): void {
    this.#sync.complete();
    this.#processor.synced(this.resourceVersion);
    this.#updatePause();
    this.#consistency.start();
    this.#publishStatus();
  }

  #afterBatch(): void {
    const { resourceVersion } = this;
    if (channels.storeVersion.hasSubscribers) channels.storeVersion.publish({ source: this.#source, resourceVersion });
    // Synchronously: a promise's callback would run after later events were queued for handlers.
    if (!this.#sync.isCompleted && this.#controller?.hasSynced === true) this.#markSynced();
    for (const { version, resolve } of this.#versionWaiters) if (this.#hasReached(version)) resolve();
    if (this.#options.arena?.wantsCompaction === true) this.#compact();
  }

  #hasReached(version: string): boolean {
    const { resourceVersion } = this;
    if (resourceVersion === '') return false;
    return resourceVersion === version || (compareResourceVersions(resourceVersion, version) ?? -1) >= 0;
  }

  /** Compacts the arena, up to `compactionMs` per turn of the event loop. */
  #compact(): void {
    const { arena } = this.#options;
    if (this.#compaction !== undefined || arena === undefined) return;
    const compaction = arena.compaction(this.#indexer.live() as Iterable<never>);
    const clock = this.#clock;
    const task = schedulerOf(clock).add(`compaction of ${this.name}`, (budget) => {
      const until = clock.monotonicNow() + compactionMs;
      do {
        if (compaction.step(itemsPerStep)) continue;
        task.remove();
        this.#compaction = undefined;
        return false;
      } while (budget.takeSlow() && clock.monotonicNow() < until);
      // Returning true would run the task again in this turn if no other task has work.
      clock.defer(() => task.wake());
      return false;
    });
    this.#compaction = task;
    task.wake();
  }

  #publishStatus(): void {
    if (this.#statusListeners.size === 0) return;
    const { status } = this;
    for (const listener of this.#statusListeners) {
      try {
        listener(status);
      } catch (error) {
        this.#report(asError(error), { subscription: 'onStatus' });
      }
    }
  }

  #report(error: Error, context: { subscription?: string; key?: string; reason?: FailureReason }): void {
    const resource = printResource(this.resource);
    const { onError = warn } = this.#options;
    try {
      onError(error, { resource, ...context });
    } catch (broken) {
      warn(asError(broken), { resource, subscription: 'onError' });
    }
  }
}

/** The informer has stopped. */
export class InformerStoppedError extends KubeflectError {
  static {
    InformerStoppedError.prototype.name = 'InformerStoppedError';
  }

  constructor(message: string) {
    super('INFORMER_STOPPED', message);
  }
}

const warn: InformerErrorHandler = (error, { resource, subscription, key, reason }) => {
  // 410 Gone and lost connections are normal: the informer relists or reconnects.
  if (reason === 'expired' || reason === 'silent') return;
  const on = key === undefined ? '' : ` on ${escapeControls(key)}`;
  const what = subscription === undefined ? resource : `the handler ${subscription} of ${resource} failed${on}`;
  process.emitWarning(escapeTextControls(`${what}: ${error.message}`), 'KubeflectInformerWarning');
};

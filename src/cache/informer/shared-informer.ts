import type { FieldPath } from '../../codec/raw.js';
import type { SlabArena } from '../../codec/slab.js';
import type { ListSource } from '../../codec/watch-source.js';
import type { EnqueueHint, HintedQueue } from '../../meta/enqueue-hint.js';
import { asError, KubeflectError } from '../../meta/errors.js';
import { escapeControls, escapeTextControls } from '../../meta/escape-controls.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/known-options.js';
import type { Abortable } from '../../meta/objects.js';
import { printResource, type Resource } from '../../meta/resource.js';
import { compareResourceVersions } from '../../meta/resource-version.js';
import {
  requireFunction,
  requireInteger,
  requireNumber,
  requireObject,
  requireOneOf,
  requireSignal,
} from '../../meta/validate.js';
import { channels, type InformerSource } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import { schedulerOf, type Task } from '../../time/scheduler.js';
import { abortable, linkSignals } from '../../time/signals.js';
import { type Comparison, compareWithServer } from '../check/consistency.js';
import { ConsistencyCheck, InconsistentCacheError } from '../check/consistency-check.js';
import { MutationDetector, type MutationDetectorMode } from '../check/mutation-detector.js';
import { DeltaFIFO } from '../queue/delta-fifo.js';
import { RealFIFO } from '../queue/real-fifo.js';
import type { FailureReason } from '../reflector/reflector.js';
import type { ListerWatcher } from '../source/list-watch.js';
import { DecodedCache } from '../store/decoded-cache.js';
import {
  type ByteIndex,
  byNamespace,
  type IndexFunction,
  type IndexSpec,
  namespaceIndex,
  pathOf,
  toItemIndexFunction,
} from '../store/index-functions.js';
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
import { type EnqueueOptions, Listener, type SubscribeOptions, type Subscription, subscribeNames } from './listener.js';
import { IndexedLister, type Lister } from './lister.js';
import { SharedProcessor } from './shared-processor.js';

/**
 * One watch, one cache, any number of readers and handlers.
 *
 * What it promises:
 * - If the server stops changing, the cache becomes equal to the collection, whatever happened before. The exception are
 *   objects that cannot be read: they are left out, counted and named in `status.skipped`, and never fail the others. One that
 *   was read before stays as it was last read; only its DELETED event removes it, or a list without it that showed all keys.
 * - Each handler is told of an object's life in order: add, update, …, delete; it may miss states in between, never see them
 *   out of order, and finds a cache at least as new as what it is told.
 * - A deletion that was missed is told with `finalStateKnown: false`; if the name was used again meanwhile, as an update
 *   whose uid differs. Nothing is told twice but resyncs and what a relist found unchanged.
 * - Handlers do not disturb each other: a slow one is behind, a throwing one is reported.
 * - After `run` has settled nothing is delivered, and nothing is left running.
 */
export interface SharedIndexInformer<T> {
  readonly resource: Resource<T>;
  readonly lister: Lister<T>;
  readonly status: InformerStatus;
  /** Whether the first list has been handed over whole. */
  readonly hasSynced: boolean;
  whenSynced(options?: Abortable): Promise<void>;
  /**
   * Resolves when the cache is at least as new as this version, so that what you wrote can be read. With several namespaces
   * behind one informer each is at a version of its own, and the newest counts: there it may resolve early.
   */
  waitForResourceVersion(
    resourceVersion: string,
    options?: Abortable & { readonly timeoutMs?: number | undefined },
  ): Promise<void>;

  /** Calls the listener for each event; objects are parsed when it looks at them. */
  subscribe(listener: (event: InformerEvent<T>) => unknown, options?: SubscribeOptions<T>): Subscription;
  /** client-go's form; parses every object. */
  addEventHandler(handler: ResourceEventHandler<T>, options?: SubscribeOptions<T>): Subscription;
  /** Adds the key of each event to a queue; never parses. */
  // The same for all informers, whatever they hold: this is what can be called on one of several.
  enqueueInto(queue: { add(key: string): void }, options?: EnqueueOptions): Subscription;
  enqueueInto(queue: { add(key: string): void }, options?: SubscribeOptions<T>): Subscription;
  /** Adds what `items` makes of each event. */
  enqueueInto<I>(
    queue: { add(item: I): void },
    options: SubscribeOptions<T> & { readonly items: (event: InformerEvent<T>) => Iterable<I> },
  ): Subscription;
  /** The events as they come, with a mark behind the initial list. Ends on abort, and with the informer. */
  events(options?: SubscribeOptions<T>): AsyncIterableIterator<InformerEvent<T> | SyncedMark>;
  onStatus(listener: (status: InformerStatus) => void): Disposable;

  addIndex(name: string, by: IndexFunction<T> | ByteIndex): Index<T>;
  addIndex<A extends keyof T>(name: string, path: readonly [A]): Index<T>;
  addIndex<A extends keyof T, B extends keyof NonNullable<T[A]>>(name: string, path: readonly [A, B]): Index<T>;
  addIndex<A extends keyof T, B extends keyof NonNullable<T[A]>, C extends keyof NonNullable<NonNullable<T[A]>[B]>>(
    name: string,
    path: readonly [A, B, C],
  ): Index<T>;
}

/** Hears what went wrong in an informer and was survived. */
export type InformerErrorHandler = (
  error: Error,
  context: {
    readonly resource: string;
    readonly subscription?: string;
    readonly key?: string;
    /** For failures of list and watch: what kind. */
    readonly reason?: FailureReason;
  },
) => void;

/** Options of a {@link SharedInformer}. */
export interface SharedInformerOptions<I extends object, T> {
  readonly resource: Resource<T>;
  /**
   * A function is asked when the informer starts, with the paths of its indexes, so that a decoder can read them on the way.
   */
  readonly listWatch: ListerWatcher<I> | ((paths: readonly FieldPath[]) => ListerWatcher<I>);
  readonly view: ItemView<I, T>;
  readonly clock: Clock;
  /** For reports and metrics. @default the resource */
  readonly name?: string | undefined;
  /** How often handlers are shown everything again; 0 never. @default 0 */
  readonly resyncMs?: number | undefined;
  /** In order across objects, or grouped by object as informers used to. @default 'real' */
  readonly queue?: 'real' | 'delta' | undefined;
  /** Objects of another kind are left out. @default any */
  readonly expected?: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** Where the bytes of raw items live; compacted when much of it lies waste. @default none: items are not kept as bytes */
  readonly arena?: SlabArena | undefined;
  /** Bytes of objects that are kept decoded for readers. @default 16 MiB */
  readonly decodedBudget?: number | undefined;
  /** Whether to look for handlers that change what is everybody's. @default KUBEFLECT_MUTATION_DETECTOR */
  readonly mutationDetector?: MutationDetectorMode | undefined;
  /** Pass false to read plain lists. @default true */
  readonly useWatchList?: boolean | undefined;
  /** How often the cache is compared with the server, and a difference reported; 0 never. @default 0 */
  readonly consistencyCheckMs?: number | undefined;
  /** What it is compared with: a list of metadata is enough. @default listWatch */
  readonly truth?: ListSource<I> | undefined;
  /** @default process.emitWarning */
  readonly onError?: InformerErrorHandler | undefined;
}

const sharedInformerNames: OptionNames<SharedInformerOptions<object, unknown>> = {
  resource: true,
  listWatch: true,
  view: true,
  clock: true,
  name: true,
  resyncMs: true,
  queue: true,
  expected: true,
  arena: true,
  decodedBudget: true,
  mutationDetector: true,
  useWatchList: true,
  consistencyCheckMs: true,
  truth: true,
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

interface VersionWaiter {
  readonly version: string;
  resolve(): void;
  reject(error: Error): void;
}

const never: AbortSignal = new AbortController().signal;
const defaultDecodedBudget = 16 * 1024 * 1024;
/** Items indexed, or moved, between two looks at the clock. */
const itemsPerStep = 64;
/** How much of a turn moving bytes may take. */
const compactionMs = 1;
/** A decoder can look for so many fields on the way in; those of further indexes are looked up when they are indexed. */
const pathsTold = 16;

/** The {@link SharedIndexInformer} on any source: handles to bytes or objects. Factories make them; so can you. */
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
  readonly #processor: SharedProcessor<I, T>;
  readonly #detector: MutationDetector<I, T> | undefined;
  readonly #labelIndexes = new Map<string, string>();
  readonly #buildingIndexes = new Set<string>();
  readonly #paths: FieldPath[] = [];
  readonly #statusListeners = new Set<(status: InformerStatus) => void>();
  readonly #pressing = new Set<Listener<I, T>>();
  readonly #consistency: ConsistencyCheck;
  #listWatch: ListerWatcher<I> | undefined;
  readonly #versionWaiters = new Set<VersionWaiter>();
  #controller: Controller<I> | undefined;
  #settledVersion = '';
  #started = false;
  #stopped = false;
  #synced = false;
  #resolveSynced!: () => void;
  #rejectSynced!: (error: Error) => void;
  readonly #whenSynced: Promise<void>;
  #compaction: Task | undefined;

  constructor(options: SharedInformerOptions<I, T>) {
    const { resource, clock, onError } = checkOptions('new SharedInformer', options, sharedInformerNames);
    requireNumber('resyncMs', options.resyncMs ?? 0);
    requireOneOf('queue', options.queue ?? 'real', ['real', 'delta']);
    if (onError !== undefined) requireFunction('onError', onError);
    this.#options = options;
    this.resource = resource;
    this.name = options.name ?? printResource(resource);
    this.#clock = clock;
    this.#source = { name: this.name, group: resource.group, version: resource.version, resource: resource.resource };
    this.#detector = MutationDetector.create(options.view, {
      mode: options.mutationDetector,
      clock,
      onMutation: (error) => this.#report(error, {}),
    });
    this.#view = this.#detector?.view ?? options.view;
    this.#indexer = new Indexer<I>({
      accessor: options.view.accessor,
      // An arena is given for raw items only, and knows what to do with those.
      retention: options.arena as Retention<object> | undefined,
      indexers: { [namespaceIndex]: this.#indexFunction(namespaceIndex, byNamespace()) },
    });
    this.#consistency = new ConsistencyCheck(clock, options.consistencyCheckMs ?? 0, async (signal) => {
      const comparison = await this.checkConsistency({ signal });
      if (comparison.outcome === 'inconsistent') this.#report(new InconsistentCacheError(this.name, comparison), {});
    });
    this.#processor = new SharedProcessor(clock, this.#view, options.resyncMs ?? 0);
    this.#whenSynced = new Promise((resolve, reject) => {
      this.#resolveSynced = resolve;
      this.#rejectSynced = reject;
    });
    this.#whenSynced.catch(() => {});
    this.#reader = new IndexedLister<I, T>({
      clock,
      view: this.#view,
      indexer: this.#indexer,
      decoded: new DecodedCache(this.#view, options.decodedBudget ?? defaultDecodedBudget),
      resource,
      labelIndex: (key) => this.#readableLabelIndex(key),
      onSlowRead: (what, durationMs) => {
        const held = `${what} held the event loop for ${Math.round(durationMs)} ms; lister.scan() reads in slices`;
        this.#report(new Error(held), {});
      },
    });
    this.lister = this.#reader;
  }

  // ── life ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  get isStarted(): boolean {
    return this.#started;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /**
   * Lists, watches and tells until the signal aborts; settles when nothing of it is left. Runs once. Rejects, and reports it
   * too, only if it could not begin.
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
      if (!this.#synced)
        this.#rejectSynced(new InformerStoppedError(`the informer ${this.name} was stopped before it had synced`));
      this.#consistency.stop();
      const stopped = new InformerStoppedError(`the informer ${this.name} was stopped before it had that version`);
      for (const { reject } of this.#versionWaiters) reject(stopped);
      // After those who wait have been told: a handler may be among them, and is waited for.
      await this.#processor.stop();
      this.#detector?.stop();
      this.#compaction?.remove();
      this.#tellStatus();
    }
  }

  #makeController(): Controller<I> {
    const { listWatch } = this.#options;
    this.#listWatch = typeof listWatch === 'function' ? listWatch([...this.#paths]) : listWatch;
    const { accessor } = this.#options.view;
    const queue =
      this.#options.queue === 'delta'
        ? // It hands no bookmarks on: of a version that comes without a change only the reflector knows.
          Object.assign(new DeltaFIFO<I>({ accessor, knownObjects: this.#indexer, emitReplaced: true }), {
            updateResourceVersion: () => this.#serveVersionWaiters(),
          })
        : new RealFIFO<I>({ accessor });
    const process = new DeltaProcessor<I>({
      store: this.#indexer,
      handler: this.#processor,
      keyOf: (item) => accessor.key(item),
      onStoreError: (error) => this.#report(asError(error), {}),
    });
    // After a batch is soon enough, and in order; but of an empty list a DeltaFIFO makes no batch.
    void queue.whenSynced().then(() => this.#markSynced());
    return new Controller<I>({
      queue,
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
      onState: () => this.#tellStatus(),
      onProcessed: () => this.#afterBatch(),
    });
  }

  get hasSynced(): boolean {
    return this.#synced;
  }

  whenSynced(options: Abortable = {}): Promise<void> {
    return abortable(this.#whenSynced, checkOptions('informer.whenSynced', options, abortableNames).signal);
  }

  /** How far the cache has come: everything up to this version is in it. */
  get resourceVersion(): string {
    if (this.#options.queue !== 'delta') return this.#indexer.resourceVersion;
    // A delta queue changes the order: the cache is of one version, that of the reflector, only when nothing waits.
    if (this.#controller?.isIdle === true) this.#settledVersion = this.#controller.lastSyncResourceVersion;
    return this.#settledVersion;
  }

  async waitForResourceVersion(
    resourceVersion: string,
    options: Abortable & { readonly timeoutMs?: number | undefined } = {},
  ): Promise<void> {
    checkOptions('waitForResourceVersion', options, versionWaitNames);
    if (this.#hasReached(resourceVersion)) return;
    if (this.#stopped)
      throw new InformerStoppedError(`the informer ${this.name} has stopped short of ${resourceVersion}`);
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
        this.#steer();
      });
      await abortable(reached, link.signal);
    } finally {
      if (waiter !== undefined) this.#versionWaiters.delete(waiter);
      this.#steer();
      link.release();
    }
  }

  /**
   * Asks the server for exactly the version that the cache shows, and compares keys, uids and versions. For those who doubt:
   * it costs a list.
   */
  async checkConsistency(options: Abortable = {}): Promise<Comparison> {
    checkOptions('checkConsistency', options, abortableNames);
    const listWatch = this.#options.truth ?? this.#listWatch;
    if (listWatch === undefined || this.#controller === undefined) {
      return { outcome: 'skipped', reason: `the informer ${this.name} has not been started` };
    }
    // In the middle of a list the cache shows one version and handlers another: wait until it is whole.
    await new Promise<void>((resolve) => this.#controller?.betweenBatches(resolve));
    if (this.#options.queue === 'delta' && !this.#controller.isIdle) {
      return { outcome: 'skipped', reason: `changes of ${this.name} wait in its queue, out of order` };
    }
    return compareWithServer<I>({
      listWatch,
      accessor: this.#options.view.accessor,
      resourceVersion: this.resourceVersion,
      items: this.#indexer.list(),
      signal: options.signal ?? never,
      clock: this.#clock,
    });
  }

  get status(): InformerStatus {
    if (this.#controller !== undefined) return informerStatus(this.#controller.reflector.status, this.#stopped);
    return this.#stopped ? { ...idleStatus, state: 'stopped' } : idleStatus;
  }

  onStatus(listener: (status: InformerStatus) => void): Disposable {
    requireFunction('listener', listener);
    const own = (status: InformerStatus) => listener(status);
    this.#statusListeners.add(own);
    return { [Symbol.dispose]: () => void this.#statusListeners.delete(own) };
  }

  // ── telling ────────────────────────────────────────────────────────────────────────────────────────────────────────

  subscribe(listener: (event: InformerEvent<T>) => unknown, options: SubscribeOptions<T> = {}): Subscription {
    requireFunction('listener', listener);
    checkOptions('subscribe', options, subscribeNames);
    return this.#join(listener, options, options.name ?? handlerName(listener));
  }

  addEventHandler(handler: ResourceEventHandler<T>, options: SubscribeOptions<T> = {}): Subscription {
    checkOptions('addEventHandler', options, subscribeNames);
    return this.#join(listenerOf(handler), options, options.name ?? handlerName(handler));
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
    // One hint per kind of event, made once: there is no object per event on this path.
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
    return this.#join(enqueue, options, options.name ?? `enqueue ${this.name}`);
  }

  events(options: SubscribeOptions<T> = {}): AsyncIterableIterator<InformerEvent<T> | SyncedMark> {
    checkOptions('informer.events', options, subscribeNames);
    const stream = new EventStream<T>();
    const listener = this.#join((event) => stream.put(event), options, options.name ?? `events of ${this.name}`);
    listener.onSynced = (resourceVersion) => stream.mark({ type: 'synced', resourceVersion });
    listener.onEnd = () => stream.end();
    stream.onReturn = () => void listener.remove();
    if (listener.isRemoved) stream.end();
    return stream;
  }

  #join(handle: (event: InformerEvent<T>) => unknown, options: SubscribeOptions<T>, name: string): Listener<I, T> {
    if (this.#stopped) {
      throw new InformerStoppedError(
        `the handler ${name} was not added to shared informer because it has stopped already`,
      );
    }
    requireSignal('signal', options.signal);
    if (options.resyncMs !== undefined) requireNumber('resyncMs', options.resyncMs);
    if (options.filter !== undefined) requireFunction('filter', options.filter);
    if (options.onError !== undefined) requireOneOf('onError', options.onError, ['continue', 'stop']);
    if (options.maxPending !== undefined) requireInteger('maxPending', options.maxPending, 1);
    const resyncMs = this.#processor.resyncFor(options.resyncMs, this.#started);
    const listener = new Listener<I, T>(
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
    );
    const join = () => {
      if (this.#stopped || listener.isRemoved) return;
      this.#processor.add(listener);
      if (this.#indexer.size > 0) listener.replay(this.#indexer.iterate());
      if (this.#synced) listener.upstreamSynced(this.resourceVersion);
    };
    // A list that is being told would be told twice to whoever joins in the middle of it.
    if (this.#controller === undefined) join();
    else this.#controller.betweenBatches(join);
    return listener;
  }

  #onPressure(listener: Listener<I, T>, high: boolean): void {
    if (high) this.#pressing.add(listener);
    else this.#pressing.delete(listener);
    this.#steer();
  }

  /**
   * A full handler stops everything, but not before the first list is through, nor while somebody waits for a version:
   * whoever waits for either may be that very handler.
   */
  #steer(): void {
    if (this.#synced && this.#pressing.size > 0 && this.#versionWaiters.size === 0) this.#controller?.pause();
    else this.#controller?.resume();
  }

  // ── indexes ────────────────────────────────────────────────────────────────────────────────────────────────────────

  addIndex(name: string, by: IndexSpec<T> | readonly PropertyKey[]): Index<T> {
    if (this.#stopped)
      throw new InformerStoppedError(`the index ${name} cannot be added: the informer ${this.name} has stopped`);
    const spec = by as IndexSpec<T>;
    const build = this.#indexer.beginIndexers({ [name]: this.#indexFunction(name, spec) });
    if (typeof spec === 'object' && 'kind' in spec && spec.label !== undefined)
      this.#labelIndexes.set(spec.label, name);
    const path = pathOf(spec);
    if (path !== undefined && !this.#started && this.#paths.length < pathsTold) this.#paths.push(path);
    this.#buildingIndexes.add(name);
    const ready = new Promise<void>((resolve) => {
      const finish = () => {
        this.#buildingIndexes.delete(name);
        resolve();
      };
      if (!this.#started || this.#indexer.size === 0) {
        build.step(Number.POSITIVE_INFINITY);
        finish();
        return;
      }
      const task = schedulerOf(this.#clock).add(`index ${name} of ${this.name}`, (budget) => {
        do {
          if (!build.step(itemsPerStep)) continue;
          task.remove();
          finish();
          return false;
        } while (budget.takeSlow());
        return true;
      });
      task.wake();
    });
    return new InformerIndex(name, this.#indexer, this.#reader, ready);
  }

  /** An object that a function cannot index is in no place of that index; it must not be missing from the cache. */
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

  // ── the books ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #markSynced(): void {
    if (this.#synced || this.#stopped) return;
    this.#synced = true;
    this.#resolveSynced();
    this.#processor.synced(this.resourceVersion);
    this.#steer();
    this.#consistency.start();
    this.#tellStatus();
  }

  #afterBatch(): void {
    const { resourceVersion } = this;
    if (channels.storeVersion.hasSubscribers) channels.storeVersion.publish({ source: this.#source, resourceVersion });
    // Here and now: by the time a promise has told, handlers may have been told of what came after the list.
    if (!this.#synced && this.#controller?.hasSynced === true) this.#markSynced();
    this.#serveVersionWaiters();
    if (this.#options.arena?.wantsCompaction === true) this.#compact();
  }

  #serveVersionWaiters(): void {
    for (const { version, resolve } of this.#versionWaiters) if (this.#hasReached(version)) resolve();
  }

  #hasReached(version: string): boolean {
    const { resourceVersion } = this;
    if (resourceVersion === '') return false;
    return resourceVersion === version || (compareResourceVersions(resourceVersion, version) ?? -1) >= 0;
  }

  /** Moves bytes together while everything goes on, a little in each turn: who waits for an event shall not notice. */
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
      // Not by saying that there is more to do: it would be asked again in this same turn if nobody else has anything.
      clock.defer(() => task.wake());
      return false;
    });
    this.#compaction = task;
    task.wake();
  }

  #tellStatus(): void {
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

/** Asked something of an informer that has come to its end. */
export class InformerStoppedError extends KubeflectError {
  static {
    InformerStoppedError.prototype.name = 'InformerStoppedError';
  }

  constructor(message: string) {
    super('INFORMER_STOPPED', message);
  }
}

const warn: InformerErrorHandler = (error, { resource, subscription, key, reason }) => {
  // Both are part of an informer's life: it goes on by itself, and `status` tells.
  if (reason === 'expired' || reason === 'silent') return;
  const on = key === undefined ? '' : ` on ${escapeControls(key)}`;
  const what = subscription === undefined ? resource : `the handler ${subscription} of ${resource} failed${on}`;
  process.emitWarning(escapeTextControls(`${what}: ${error.message}`), 'KubeflectInformerWarning');
};

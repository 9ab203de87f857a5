import type {
  Abortable,
  Client,
  InformerEvent,
  KubernetesObject,
  ObjectName,
  Resource,
  SharedIndexInformer,
} from '../index.js';
import type { EnqueueHint } from '../meta/enqueue-hint.js';
import { asError } from '../meta/errors/errors.js';
import { formatKey } from '../meta/key.js';
import { checkOptions } from '../meta/options/known-options.js';
import { channels } from '../observe/channels.js';
import { findResource } from '../resources/find.js';
import { type SliceBudget, schedulerOf, type Task } from '../time/scheduler.js';
import { abortable, abortError, onAbort } from '../time/signals.js';
import { lowPriority, PriorityQueue } from '../workqueue/index.js';
import { type ControllerDefinition, definitionOf, watchDefinition } from './controller.js';
import { RetryDates } from './dates.js';
import type {
  ControllerActivity,
  ControllerEnvironment,
  ControllerKeys,
  DrainOptions,
  ManagedController,
  RunRecord,
  UnsettledKey,
} from './environment.js';
import { ObjectState } from './object-state.js';
import { FailureWarnings } from './report.js';
import { OtherClusters } from './run/other-clusters.js';
import { Run, type RunEnding, type RunHost } from './run/run.js';
import type { Controller, ControllerWatchOptions } from './types.js';
import { StaleKeys } from './wakes/stale-keys.js';
import { UsedCaches } from './wakes/used-caches.js';
import { type AddedWatch, WakeSources } from './wakes/wakes.js';

/** An event of an object while its run is in progress: whether it is an echo is known after the run. */
interface HeldEvent {
  readonly resourceVersion: string;
  readonly isFromList: boolean;
  readonly hint: EnqueueHint;
}

/** A run in progress. */
interface RunInProgress<T extends KubernetesObject> {
  readonly run: Run<T>;
  /** Undefined in a manager that does not shard. */
  readonly shard: number | undefined;
  readonly events: HeldEvent[];
  /** Whether it holds a worker. */
  hasWorker: boolean;
}

/** The caches and the sources of wakes, while they are open. */
interface Opened<T extends KubernetesObject> {
  readonly host: RunHost<T>;
  readonly caches: UsedCaches<T>;
  readonly wakes: WakeSources<T>;
  readonly stale: StaleKeys;
}

/** Events of one object that are held during its run; further ones wake without a look at echoes. */
const mostHeldEvents = 32;
/** Changes that a standby remembers: those of this time may not have been handled by the leader before. */
const recentMs = 60_000;
/** How often a run may conflict in a row before that is reported as a failure. */
const toleratedConflicts = 4;
/** Runs without a worker because they wait for another cluster; further ones keep theirs, so that not all objects run at once. */
const mostWaiting = 1000;
const everyJitter = 0.1;
/** How long a key waits whose request was not sent because another replica may lead. */
const refusedMs = 1000;
const interrupted: EnqueueHint = { cause: 'interrupted', background: false };
const missing: EnqueueHint = { cause: 'own write is missing', background: false };
const requested: EnqueueHint = { cause: 'enqueue', background: false };
const requestedAll: EnqueueHint = { cause: 'enqueue all', background: true };
const takenOver: EnqueueHint = { cause: 'takeover', background: true };

/**
 * A controller in a manager: the queue of its keys, the runs in progress, and what it remembers of each object.
 *
 * ```
 *   caches ──▶ WakeSources ──▶ PriorityQueue ──▶ begin ──▶ Run ──▶ end ──▶ RetryDates: a date in the queue
 *                 echoes are dropped ▲             │ own writes are not in the caches yet
 *                                    └─ StaleKeys ◀┘
 * ```
 */
export class ControllerInstance<T extends KubernetesObject> implements ManagedController<T> {
  readonly name: string;
  readonly #definition: ControllerDefinition<T>;
  readonly #environment: ControllerEnvironment;
  readonly #cluster: Client;
  readonly #queue: PriorityQueue;
  readonly #dates: RetryDates;
  readonly #task: Task;
  readonly #warnings: FailureWarnings;
  readonly #states = new Map<string, ObjectState>();
  readonly #runs = new Map<string, RunInProgress<T>>();
  readonly #unsettled = new Map<string, UnsettledKey>();
  /** When objects changed while this is a standby, the oldest change first. */
  readonly #recent = new Map<string, number>();
  readonly #idleWaiters = new Set<() => void>();
  readonly #laterWatches = new Set<{ add(): void }>();
  readonly #others: OtherClusters;
  #opened: Opened<T> | undefined;
  #synced: Promise<void> | undefined;
  #hasSynced = false;
  #mode: 'standby' | 'running' | 'closed' = 'standby';
  #closing: Promise<void> | undefined;
  readonly #closed = new AbortController();
  /** Aborts the wait for a key when no more runs may start. */
  #taking = new AbortController();
  #isAwaiting = false;
  #running = 0;
  #withoutWorker = 0;
  #runCount = 0;
  readonly #runPrefix: string;

  constructor(controller: Controller<T>, environment: ControllerEnvironment) {
    this.#definition = definitionOf(controller);
    this.#environment = environment;
    const { clock } = environment;
    this.name = this.#definition.name;
    this.#cluster = this.#definition.client ?? environment.client;
    this.#queue = new PriorityQueue({ name: this.name, clock });
    this.#dates = new RetryDates(clock, this.#definition.limiter);
    this.#warnings = new FailureWarnings(clock, this.name);
    this.#others = new OtherClusters({
      clock,
      isBack: (host, keys) => {
        const hint = { cause: `${host} answers again`, background: true };
        void this.#enqueueAll(hint, (key) => keys.has(key));
      },
    });
    this.#runPrefix = Math.floor(clock.random() * 2 ** 32).toString(36);
    this.#task = schedulerOf(clock).add(`controller ${this.name}`, (budget) => this.#step(budget), {
      onError: (error) => environment.onError(asError(error)),
    });
  }

  // ── what users see ─────────────────────────────────────────────────────────────────────────────────────────────────

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get status(): { readonly waiting: number; readonly running: number; readonly failing: readonly string[] } {
    const { queued, stale, running, withoutWorker } = this.activity;
    const failing = [...this.#unsettled].flatMap(([key, { outcome }]) => (outcome === 'waiting' ? [] : [key]));
    return { waiting: queued + stale, running: running + withoutWorker, failing };
  }

  enqueue(key?: string | ObjectName): void {
    if (key === undefined) void this.#enqueueAll(requestedAll);
    else this.#wake(typeof key === 'string' ? key : formatKey(key.namespace, key.name), requested);
  }

  watch<U>(resource: Resource<U>, options: ControllerWatchOptions<T, U>): { remove(): Promise<void> } {
    const definition = watchDefinition<T>(resource, options as unknown as ControllerWatchOptions<T, never>);
    if (this.#mode === 'closed') throw new Error(`the controller ${this.name} was removed: it takes no more watches`);
    let added: AddedWatch | undefined;
    const later = { add: () => void (added = this.#opened?.wakes.addWatch(definition)) };
    if (this.#opened === undefined) this.#laterWatches.add(later);
    else later.add();
    const remove = async (): Promise<void> => {
      this.#laterWatches.delete(later);
      const watch = added;
      added = undefined;
      if (watch === undefined || this.#mode === 'closed') return;
      await watch.remove();
      for (const { writes } of this.#states.values()) writes.forget(watch.cache);
      this.#opened?.stale.forget(watch.cache);
      this.#forgetCluster(watch.cache.lease.client);
    };
    return { remove };
  }

  /** Forgets a cluster of which no cache is left. */
  #forgetCluster(client: Client): void {
    const { caches } = this.#opened as Opened<T>;
    if (client === this.#cluster || caches.uses(client)) return;
    this.#others.forget(client);
    const prefix = `${caches.numberOf(client)} `;
    for (const { applied } of this.#states.values())
      for (const id of applied?.keys() ?? []) if (id.startsWith(prefix)) applied?.delete(id);
  }

  async remove(): Promise<void> {
    await this.suspend({
      drainMs: Number.POSITIVE_INFINITY,
      reason: abortError(`the controller ${this.name} was removed`),
    });
    await this.close();
  }

  // ── what its manager sees ──────────────────────────────────────────────────────────────────────────────────────────

  get activity(): ControllerActivity {
    const isRunning = this.#mode === 'running';
    return {
      queued: isRunning ? this.#queue.length : 0,
      stale: this.#opened?.stale.size ?? 0,
      running: this.#running,
      withoutWorker: this.#withoutWorker,
      nextDueInMs: isRunning ? this.#queue.nextDueInMs : Number.POSITIVE_INFINITY,
    };
  }

  get keys(): ControllerKeys {
    return {
      unsettled: this.#unsettled,
      running: Array.from(this.#runs.values(), ({ run }) => run.start),
      stale: this.#opened?.stale ?? [],
    };
  }

  get queue(): PriorityQueue {
    return this.#queue;
  }

  get informer(): SharedIndexInformer<T> | undefined {
    return this.#opened?.caches.main.lease.informer;
  }

  get livenessProblem(): string | undefined {
    const { timeoutMs } = this.#definition;
    const now = this.#environment.clock.monotonicNow();
    for (const { run } of this.#runs.values()) {
      if (run.hasReturned || run.abortedAt === undefined || now - run.abortedAt < timeoutMs) continue;
      return `the run of ${run.key} by ${this.name} has ignored its aborted signal for ${Math.round(now - run.abortedAt)} ms`;
    }
    return undefined;
  }

  openCaches(): void {
    if (this.#opened !== undefined || this.#mode === 'closed') return;
    const { name } = this;
    const environment = this.#environment;
    const definition = this.#definition;
    const caches = new UsedCaches<T>(environment.caches, this.#cluster, definition, environment.shards !== undefined);
    const onError = (error: Error) => environment.onError(error);
    const stale = new StaleKeys({
      clock: environment.clock,
      controller: name,
      release: (key, causes) => {
        for (const cause of causes) this.#wake(key, { cause, background: false });
        if (causes.length === 0) this.#wake(key, requested);
      },
      onError,
      onStale: (key) => environment.observer?.staleWait?.(name, key),
    });
    const wakes = new WakeSources<T>({
      definition,
      caches,
      wake: (key, hint) => this.#wake(key, hint),
      mainEvent: (event, hint) => this.#mainEvent(event, hint),
      cacheChanged: (cache, key) => stale.changed(cache, key),
      relisted: (cache) => {
        for (const [key, { writes }] of this.#states) if (writes.hasLost(cache)) this.#wake(key, missing);
      },
      onError,
    });
    const host: RunHost<T> = {
      definition,
      environment,
      cluster: this.#cluster,
      caches,
      fieldManager: fieldManagerOf(environment.manager, name),
      // Conditions of most built-in kinds do not have it.
      hasObservedGeneration: findResource(definition.for) === undefined,
      recorder: environment.recorder(name),
      others: this.#others,
    };
    this.#opened = { host, caches, wakes, stale };
    wakes.addOwn();
    for (const watch of definition.watches) wakes.addWatch(watch);
    this.#synced = this.#whenCachesSynced(caches);
    // Reported by whenSynced; a controller that is closed before has nothing to report.
    this.#synced.catch(() => {});
    for (const later of this.#laterWatches) later.add();
    this.#laterWatches.clear();
  }

  whenSynced(options: Abortable = {}): Promise<void> {
    const { signal } = checkOptions('controller.whenSynced', options, { signal: true });
    if (this.#synced === undefined)
      return Promise.reject(new Error(`the caches of the controller ${this.name} were not opened`));
    return abortable(this.#synced, signal);
  }

  resume(): void {
    if (this.#mode !== 'standby') return;
    this.#mode = 'running';
    this.#taking = new AbortController();
    this.#pruneRecent();
    for (const key of this.#recent.keys()) this.#wake(key, { cause: 'recent change', background: false });
    this.#recent.clear();
    void this.#enqueueAll(takenOver);
    this.#task.wake();
  }

  async suspend(options: DrainOptions): Promise<void> {
    if (this.#mode === 'running') {
      this.#mode = 'standby';
      this.#taking.abort();
    }
    await this.#endRuns(() => true, options);
  }

  openShard(shard: number): void {
    this.#pruneRecent();
    for (const key of [...this.#recent.keys()]) {
      if (this.#shardOf(key) !== shard) continue;
      this.#recent.delete(key);
      this.#wake(key, { cause: 'recent change', background: false });
    }
    void this.#enqueueAll(takenOver, (key) => this.#shardOf(key) === shard);
  }

  drainShard(shard: number, options: DrainOptions): Promise<void> {
    return this.#endRuns((progress) => progress.shard === shard, options);
  }

  closeShard(shard: number, reason: Error): void {
    this.#abortRuns((progress) => progress.shard === shard, reason);
    const { shards } = this.#environment;
    for (const [key, { uid }] of this.#states) if (shards?.shardOf(key, uid) === shard) this.#forget(key);
    for (const key of [...this.#recent.keys()]) if (this.#shardOf(key) === shard) this.#recent.delete(key);
  }

  /** The shard of an object in the cache; undefined for an object that is not there, and in a manager that does not shard. */
  #shardOf(key: string): number | undefined {
    const { shards } = this.#environment;
    const uid = shards === undefined ? undefined : this.#opened?.caches.main.entry(key)?.facts.uid;
    return uid === undefined ? undefined : shards?.shardOf(key, uid);
  }

  #isClosed(shard: number | undefined): boolean {
    return shard !== undefined && this.#environment.shards?.isOpen(shard) === false;
  }

  /** Waits for some of the runs in progress, and aborts them after `drainMs`. */
  async #endRuns(isMeant: (progress: RunInProgress<T>) => boolean, options: DrainOptions): Promise<void> {
    const { drainMs, reason, graceMs = 1000, signal } = options;
    if ((await this.#areOverWithin(drainMs, isMeant, signal)) || signal?.aborted) return;
    this.#abortRuns(isMeant, reason);
    await this.#areOverWithin(graceMs, isMeant, signal);
  }

  #abortRuns(isMeant: (progress: RunInProgress<T>) => boolean, reason: Error): void {
    for (const progress of this.#runs.values()) {
      if (!isMeant(progress)) continue;
      progress.run.abort(reason);
      this.#freeWorker(progress, 'aborted');
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#mode = 'closed';
    this.#taking.abort();
    this.#closed.abort(abortError(`the controller ${this.name} was closed`));
    this.#task.remove();
    void this.#queue.shutDown();
    this.#others.close();
    const opened = this.#opened;
    if (opened === undefined) return;
    opened.stale.clear();
    await opened.wakes.close();
    await Promise.all([...opened.caches].map((cache) => cache.lease.release()));
    this.#states.clear();
  }

  async #whenCachesSynced(caches: UsedCaches<T>): Promise<void> {
    const { signal } = this.#closed;
    // A cluster that is away must not keep the others from starting: its listers throw until they have synced.
    const own = [...caches].filter(({ isElsewhere }) => !isElsewhere);
    const all = own.flatMap((cache) => [
      cache.lease.informer.whenSynced({ signal }),
      abortable(cache.ownerIndex?.whenReady() ?? Promise.resolve(), signal),
    ]);
    await Promise.all(all);
    this.#hasSynced = true;
    this.#task.wake();
  }

  // ── wakes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #wake(key: string, hint: EnqueueHint): void {
    if (this.#mode === 'running' && !this.#isClosed(this.#shardOf(key))) this.#queue.addWithHint(key, hint);
    else if (this.#mode !== 'closed' && !hint.background) this.#noteRecent(key);
  }

  /** Whether the event of an object of the controller wakes it. */
  #mainEvent(event: InformerEvent<T>, hint: EnqueueHint): void {
    const { key, facts } = event;
    const { when } = this.#definition;
    this.#noteCount(event);
    // The object exists, and is another replica's.
    if (event.type === 'delete' && event.isReleased) return;
    // Without this a filter would keep `gone` and `finalize` from being called.
    const isEnding = event.type === 'delete' || facts.deletionTimestamp !== undefined;
    if (when !== undefined && !isEnding && !when(event)) return;
    const state = this.#states.get(key);
    const isKnown = state !== undefined && state.uid === facts.uid && event.type !== 'delete';
    // The cache is ahead of its events: the last run may have begun after the change.
    if (isKnown && state.hasRead(facts.resourceVersion)) return;
    if (!isKnown || event.type !== 'update') {
      this.#wake(key, hint);
      return;
    }
    const { isFromList } = event;
    const progress = this.#runs.get(key);
    if (progress !== undefined && progress.events.length < mostHeldEvents) {
      progress.events.push({ resourceVersion: facts.resourceVersion, isFromList, hint });
      return;
    }
    if (state.isEcho(facts.resourceVersion, isFromList)) state.writes.settle();
    else this.#wake(key, hint);
  }

  #noteRecent(key: string): void {
    this.#recent.delete(key);
    this.#recent.set(key, this.#environment.clock.monotonicNow());
    this.#pruneRecent();
  }

  #pruneRecent(): void {
    const since = this.#environment.clock.monotonicNow() - recentMs;
    for (const [key, changedAt] of this.#recent) {
      if (changedAt >= since) return;
      this.#recent.delete(key);
    }
  }

  /** Tells how many objects a replica has of a sharded controller. */
  #noteCount({ type }: InformerEvent<T>): void {
    if (type === 'update' || this.#environment.shards === undefined || !channels.shardObjects.hasSubscribers) return;
    const objects = this.#opened?.caches.main.lister.count() ?? 0;
    channels.shardObjects.publish({ controller: this.name, objects });
  }

  /** Wakes all objects, or those that are meant, in slices. */
  async #enqueueAll(hint: EnqueueHint, isMeant: (key: string) => boolean = () => true): Promise<void> {
    const main = this.#opened?.caches.main;
    if (main === undefined) return;
    try {
      for await (const { key } of main.lister.scan({ signal: this.#closed.signal }))
        if (isMeant(key)) this.#wake(key, hint);
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#environment.onError(asError(error));
    }
  }

  // ── runs ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  get #mayTake(): boolean {
    return this.#mode === 'running' && this.#hasSynced && this.#running < this.#definition.workers;
  }

  #step(budget: SliceBudget): boolean {
    while (this.#mayTake) {
      if (!budget.takeSlow()) return true;
      const key = this.#queue.tryGet();
      if (key === undefined) break;
      this.#begin(key);
    }
    if (this.#mayTake && !this.#isAwaiting) void this.#awaitKey(this.#taking.signal);
    return false;
  }

  async #awaitKey(signal: AbortSignal): Promise<void> {
    this.#isAwaiting = true;
    const isReady = await this.#queue.ready({ signal });
    this.#isAwaiting = false;
    if (isReady || this.#mode === 'running') this.#task.wake();
  }

  #begin(key: string): void {
    const { host, caches, stale } = this.#opened as Opened<T>;
    const causes = this.#queue.causesOf(key);
    const object = caches.main.lister.get(key);
    const uid = object?.metadata.uid;
    let state = this.#states.get(key);
    if (state !== undefined && state.uid !== uid) {
      this.#gone(key);
      state = undefined;
    }
    if (object === undefined || uid === undefined) {
      this.#queue.done(key);
      return;
    }
    const shard = this.#environment.shards?.shardOf(key, uid);
    if (this.#isClosed(shard)) {
      this.#queue.done(key);
      this.#noteRecent(key);
      return;
    }
    if (state !== undefined && !state.writes.isEmpty && !state.writes.settle()) {
      stale.wait(key, state.writes, causes);
      this.#queue.done(key);
      return;
    }
    if (state === undefined) this.#states.set(key, (state = new ObjectState(uid)));
    state.readVersion = object.metadata.resourceVersion;
    const id = `${this.#runPrefix}-${++this.#runCount}`;
    const run = new Run(host, { key, id, causes, attempt: this.#dates.failures(key) + 1, state }, object);
    const progress: RunInProgress<T> = { run, shard, events: [], hasWorker: true };
    this.#runs.set(key, progress);
    this.#running++;
    void run.execute((why) => this.#freeWorker(progress, why)).then((ending) => this.#end(progress, ending));
  }

  #forget(key: string): void {
    this.#states.delete(key);
    this.#opened?.stale.drop(key);
    this.#others.settled(key);
    this.#dates.forget(key);
    this.#unsettled.delete(key);
  }

  /** The object is gone, or another one has its name: nothing is remembered of it. */
  #gone(key: string): void {
    this.#forget(key);
    try {
      this.#definition.gone?.(key);
    } catch (error) {
      const message = `${this.name}: gone threw on ${key}: ${asError(error).message}`;
      this.#environment.onError(new Error(message, { cause: error }));
    }
  }

  /** The run keeps its key, but not its worker. One that ends within this turn keeps both. */
  #freeWorker(progress: RunInProgress<T>, why: 'aborted' | 'waits'): void {
    this.#environment.clock.defer(() => {
      if (!progress.hasWorker || progress.run.hasReturned || this.#runs.get(progress.run.key) !== progress) return;
      if (why === 'waits' && this.#withoutWorker >= mostWaiting) return;
      progress.hasWorker = false;
      this.#running--;
      this.#withoutWorker++;
      this.#task.wake();
    });
  }

  #end(progress: RunInProgress<T>, ending: RunEnding | undefined): void {
    const { run, shard, events, hasWorker } = progress;
    const { key } = run;
    run.close();
    this.#runs.delete(key);
    if (hasWorker) this.#running--;
    else this.#withoutWorker--;
    // What is left to do is another replica's, or is found when the shard is opened again.
    const isLost = this.#isClosed(shard);
    const againInMs = ending === undefined || isLost ? undefined : this.#schedule(run, ending);
    if (isLost) this.#noteRecent(key);
    for (const { resourceVersion, isFromList, hint } of events)
      if (!run.state.isEcho(resourceVersion, isFromList)) this.#wake(key, hint);
    this.#queue.done(key);
    if (ending !== undefined) this.#tell(run, ending, againInMs);
    for (const check of this.#idleWaiters) check();
    this.#task.wake();
  }

  /** Sets the date of the next run; returns the time until then if the result or a failure set it. */
  #schedule(run: Run<T>, ending: RunEnding): number | undefined {
    const { key } = run;
    if (ending.outcome === 'aborted') {
      // A request was refused because leadership is lost, and `suspend` follows; not at once, for that would be a busy loop.
      if (this.#mode === 'running') this.#queue.addAfter(key, refusedMs);
      else this.#wake(key, interrupted);
      return undefined;
    }
    const retryMs = this.#retryMs(run, ending);
    if (retryMs === undefined) {
      this.#dates.forget(key);
      this.#others.settled(key);
    }
    const againInMs = retryMs ?? ending.requeueAfterMs;
    this.#noteUnsettled(run, ending, againInMs);
    const { everyMs } = this.#definition;
    const jitter = 1 + everyJitter * (2 * this.#environment.clock.random() - 1);
    const laterMs = everyMs === 0 ? Number.POSITIVE_INFINITY : everyMs * jitter;
    if (againInMs !== undefined && againInMs <= laterMs) this.#queue.addAfter(key, againInMs);
    else if (everyMs > 0) this.#queue.addAfter(key, laterMs, { priority: lowPriority });
    return againInMs;
  }

  #noteUnsettled({ key, start }: Run<T>, ending: RunEnding, againInMs: number | undefined): void {
    const { outcome } = ending;
    if (outcome !== 'waiting' && !this.#isFailure(key, ending)) {
      this.#unsettled.delete(key);
      return;
    }
    const endedAt = this.#environment.clock.now();
    this.#unsettled.set(key, {
      outcome: outcome as UnsettledKey['outcome'],
      why: ending.waiting ?? ending.errors[0],
      attempt: start.attempt,
      endedAt,
      dueAt: againInMs === undefined ? undefined : endedAt + againInMs,
    });
  }

  #retryMs({ key, startedAt }: Run<T>, { outcome, isConflict, errors }: RunEnding): number | undefined {
    if (outcome === 'waiting') return this.#dates.after('waiting', key, startedAt);
    if (outcome !== 'failed') return undefined;
    return this.#dates.after(isConflict ? 'conflict' : 'failed', key, startedAt, retryAfterMs(errors[0]));
  }

  /** The first conflicts in a row are no failures: the cache was behind, and its next event brings the newer version. */
  #isFailure(key: string, { outcome, isConflict }: RunEnding): boolean {
    if (outcome === 'terminal') return true;
    return outcome === 'failed' && !(isConflict && this.#dates.conflicts(key) <= toleratedConflicts);
  }

  #tell(run: Run<T>, ending: RunEnding, againInMs: number | undefined): void {
    const { outcome, errors, threwSynchronously } = ending;
    const { clock, observer } = this.#environment;
    if (this.#isFailure(run.key, ending)) for (const error of errors) this.#report(error, run.key);
    if (observer?.runEnded === undefined) return;
    // Field by field: a spread of the start is among the costliest parts of a run.
    const { controller, key, id, what, causes, attempt, startedAt } = run.start;
    const record: RunRecord = {
      controller,
      key,
      id,
      what,
      causes,
      attempt,
      startedAt,
      endedAt: clock.now(),
      durationMs: clock.monotonicNow() - run.startedAt,
      outcome,
      error: errors[0],
      threwSynchronously,
      timedOut: run.timedOut,
      againInMs,
      writes: run.writes,
    };
    observer.runEnded(record);
  }

  #report(error: unknown, key: string): void {
    const onError = this.#definition.onError ?? this.#environment.onRunError;
    if (onError === undefined) {
      this.#warnings.report(error, key);
      return;
    }
    try {
      onError(error, key);
    } catch (broken) {
      this.#warnings.report(broken, key);
    }
  }

  // ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Waits for some of the runs in progress, but no longer than this; returns whether they have ended. */
  async #areOverWithin(
    ms: number,
    isMeant: (progress: RunInProgress<T>) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const areOver = (): boolean => ![...this.#runs.values()].some(isMeant);
    if (areOver()) return true;
    let check = (): void => {};
    const idle = new Promise<void>((resolve) => {
      check = () => {
        if (areOver()) resolve();
      };
    });
    this.#idleWaiters.add(check);
    const limit = new AbortController();
    const undo = onAbort(signal, () => limit.abort());
    const late = Number.isFinite(ms)
      ? this.#environment.clock.sleep(ms, { signal: limit.signal }).catch(() => {})
      : new Promise<never>(() => {});
    try {
      await Promise.race([idle, late]);
      return areOver();
    } finally {
      undo();
      this.#idleWaiters.delete(check);
      limit.abort();
    }
  }
}

/** The field manager of a controller's writes: manager and controller. */
function fieldManagerOf(manager: string, controller: string): string {
  return `${manager}/${controller}`;
}

/** The least time that an error asks for: a 429 of the server, or a field of the error itself. */
function retryAfterMs(error: unknown): number {
  const seen = new Set<unknown>();
  for (let one = error; typeof one === 'object' && one !== null && !seen.has(one); one = (one as Error).cause) {
    seen.add(one);
    const ms = (one as { readonly retryAfterMs?: unknown }).retryAfterMs;
    if (typeof ms === 'number' && Number.isFinite(ms) && ms > 0) return ms;
  }
  return 0;
}

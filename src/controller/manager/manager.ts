import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { LeaderElectionHealth, type LeaderElectorOptions } from '../../election/index.js';
import {
  type Abortable,
  type Client,
  type Clock,
  type KubernetesObject,
  LeaderElector,
  type Resource,
} from '../../index.js';
import { asError } from '../../meta/errors/errors.js';
import { escapeTextControls } from '../../meta/escape-controls.js';
import { abortableNames, checkOptions } from '../../meta/options/known-options.js';
import { requireObject, requireSignal } from '../../meta/options/validate.js';
import { channels } from '../../observe/channels.js';
import { Health, informersCheck } from '../../observe/index.js';
import { abortable, abortError, onAbort } from '../../time/signals.js';
import { CachePool } from '../caches.js';
import { type ControllerDefinition, definitionOf } from '../controller.js';
import type { ControllerEnvironment, ControllerObserver, ManagedController } from '../environment.js';
import { ControllerInstance } from '../instance.js';
import { ReplicaShards, type ShardWork } from '../shards/replica-shards.js';
import { checkSharding } from '../shards/sharding-options.js';
import type { Controller, RunningController } from '../types.js';
import { ControllerEvents } from './controller-events.js';
import { checkManagerOptions, type ManagerOptions, roleOf } from './manager-options.js';
import { ManagerServer } from './manager-server.js';
import { ManagerWebhooks, type WebhookInternals } from './manager-webhooks.js';
import { preflight } from './preflight.js';

/** Runs controllers and serves webhooks: caches, election or shards, events, metrics, health, and an orderly end. */
export interface Manager {
  /** The name of this replica in the election, unique. */
  readonly identity: string;
  /** Whether this replica runs the controllers of the leader. Without `election`: while `run` runs; with `sharding`: while it holds shard 0. */
  readonly isLeader: boolean;
  /** The shards that this replica holds, in ascending order; none in a manager that does not shard. */
  readonly shards: readonly number[];
  /** Adds a controller, at any time. In a manager that runs, it starts at once, or when this replica leads. */
  add<T extends KubernetesObject>(controller: Controller<T>): RunningController<T>;
  /** A controller of this manager. Throws a TypeError if it was not added, or was removed. */
  controller<T extends KubernetesObject>(controller: Controller<T>): RunningController<T>;
  /** Resolves when all caches of the manager's cluster have synced and webhooks are served. Rejects when `run` ends before that. */
  whenReady(options?: Abortable): Promise<void>;
  /**
   * Runs until the signal aborts, then stops in order and resolves. Rejects with a {@link ManagerStartError} that names all
   * permissions, definitions and kinds that are missing in the manager's cluster; what other clusters miss is reported. When
   * leadership is lost, it stands by to be elected again.
   */
  run(options?: Abortable): Promise<void>;
}

/**
 * Makes a manager for one cluster. It does nothing before `run`.
 *
 * @example
 * const manager = createManager(await Client.fromDefault(), { name: 'widget-operator', controllers: [controller] });
 * await manager.run({ signal: terminationSignal() });
 */
export function createManager(client: Client, options: ManagerOptions): Manager {
  requireObject('client', client, 'a Client');
  return new ControllerManager(client, checkManagerOptions('createManager', options));
}

/** What a world sees of a manager in it, besides its options. */
export interface ManagerInternals {
  readonly observer?: ControllerObserver | undefined;
  /** Called for failed runs of controllers without an `onError`. @default a process warning */
  readonly onRunError?: ((error: unknown, key: string) => void) | undefined;
  /** Called with errors that a controller's callbacks threw outside of a run, before `onError`. */
  readonly onControllerError?: ((error: Error) => void) | undefined;
  readonly webhooks?: WebhookInternals | undefined;
}

/** Where a controller runs. */
type Role = ReturnType<typeof roleOf>;

/** A controller of a manager, and where it runs. */
interface Member {
  readonly instance: ManagedController<KubernetesObject>;
  readonly runsOn: Role;
  readonly workers: number;
  /** The cluster of its objects. */
  readonly cluster: Client;
  /** Whether its objects are in another cluster than the manager: whether that answers says nothing of this process. */
  readonly isElsewhere: boolean;
  readonly handle: RunningController<KubernetesObject>;
}

/** The replica that holds it runs the controllers with `runsOn: 'leader'`. */
const LEADERS_SHARD = 0;

/** `stopping` begins with the abort of the signal; in `new` and `stopped` nothing runs. */
type Phase = 'new' | 'starting' | 'running' | 'stopping' | 'stopped';

/** The manager that {@link createManager} returns. */
export class ControllerManager implements Manager {
  readonly identity: string;
  readonly health: Health = new Health();
  readonly caches: CachePool;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #options: ManagerOptions;
  readonly #home: string;
  readonly #elector: LeaderElector | undefined;
  readonly #shards: ReplicaShards | undefined;
  readonly #guarded = new WeakMap<Client, Client>();
  readonly #members = new Map<Controller, Member>();
  /** Removed controllers with runs in progress: a lost leadership and the stop end those too. */
  readonly #leaving = new Set<Member>();
  readonly #onError: (error: Error) => void;
  /** Controllers on all replicas are not guarded, neither are their events. */
  readonly #events: Readonly<Record<Role, ControllerEvents>>;
  readonly #environments: Readonly<Record<Role, ControllerEnvironment>>;
  readonly #webhooks: ManagerWebhooks | undefined;
  readonly #ready = deferred();
  /** Aborts with `run`, also when it fails. */
  readonly #ending = new AbortController();
  #phase: Phase = 'new';
  #leads = false;

  constructor(client: Client, options: ManagerOptions, internals: ManagerInternals = {}) {
    this.#client = client;
    this.#clock = client.clock;
    this.#options = options;
    this.#home = options.namespace ?? client.namespace ?? 'default';
    this.#onError = options.onError ?? warn;
    const { sharding, election = sharding === undefined } = options;
    const electorOptions = election === true ? {} : election;
    this.#elector =
      electorOptions === false ? undefined : new LeaderElector(client, this.#electorOptions(electorOptions));
    this.identity = this.#elector?.identity ?? `${hostname()}_${randomUUID()}`;
    const { name, drainMs = 20_000 } = options;
    const shards =
      sharding &&
      new ReplicaShards({
        client,
        manager: name,
        namespace: this.#home,
        identity: this.identity,
        sharding: checkSharding(sharding),
        drainMs,
        work: this.#shardWork(),
        onError: this.#onError,
      });
    this.#shards = shards;
    this.caches = new CachePool({
      cache: options.cache,
      cacheOf: options.cacheOf,
      onError: options.onError,
      shards: shards?.set,
    });
    const guard = (other: Client): Client => this.#guard(other);
    const unguarded = (other: Client): Client => other;
    this.#events = {
      leader: new ControllerEvents(name, shards === undefined ? guard(client) : client, this.#onError),
      shards: new ControllerEvents(name, client, this.#onError),
      all: new ControllerEvents(name, client, this.#onError),
    };
    this.#environments = {
      leader: this.#environment('leader', guard, internals),
      shards: {
        ...this.#environment('shards', unguarded, internals),
        ...(shards && {
          shards,
          guard: (other, key, uid) => shards.guard(other, shards.shardOf(key, uid)),
        }),
      },
      all: this.#environment('all', unguarded, internals),
    };
    if ((options.webhooks ?? []).length > 0) this.#webhooks = this.#makeWebhooks(internals);
    this.#addHealthChecks();
    for (const controller of options.controllers ?? []) this.add(controller);
  }

  get isLeader(): boolean {
    if (this.#shards !== undefined) return this.#leads && this.#shards.isOpen(LEADERS_SHARD);
    return this.#elector === undefined ? this.#leads : this.#leads && this.#elector.isLeader;
  }

  get shards(): readonly number[] {
    return this.#shards?.held ?? [];
  }

  /** How many shards all replicas hold together, for a world; 0 in a manager that does not shard. */
  get shardCount(): number {
    return this.#shards?.set.space.count ?? 0;
  }

  /** What keeps the shards from being at rest, for a world; undefined if nothing does. */
  get shardRestlessness(): string | undefined {
    return this.#shards?.restlessness;
  }

  /** The controllers that run in this replica now, and the kinds of their objects: for a world. */
  get active(): readonly {
    readonly instance: ManagedController<KubernetesObject>;
    readonly resource: Resource<unknown>;
  }[] {
    return [...this.#members]
      .filter(([, { runsOn }]) => runsOn !== 'leader' || this.#leads)
      .map(([controller, { instance }]) => ({ instance, resource: controller.for }));
  }

  /** Its name, for the inspector. */
  get name(): string {
    return this.#options.name;
  }

  /** The cluster that it was made for, for the inspector. */
  get client(): Client {
    return this.#client;
  }

  /** All controllers, for the inspector. */
  get members(): readonly {
    readonly instance: ManagedController<KubernetesObject>;
    readonly resource: Resource<unknown>;
    readonly workers: number;
    readonly cluster: Client;
    /** Whether they run in this replica now. */
    readonly isActive: boolean;
  }[] {
    return [...this.#members].map(([controller, { instance, workers, cluster, runsOn }]) => {
      const isActive = this.#phase === 'running' && (runsOn !== 'leader' || this.#leads);
      return { instance, resource: controller.for, workers, cluster, isActive };
    });
  }

  /** What its readiness check says, for the inspector; undefined if it is ready. */
  get notReady(): string | undefined {
    return this.#readyProblem();
  }

  /** All controllers with runs that may be in progress. */
  get #present(): readonly Member[] {
    return [...this.#members.values(), ...this.#leaving];
  }

  add<T extends KubernetesObject>(controller: Controller<T>): RunningController<T> {
    const definition = definitionOf(controller);
    const { name, workers, client = this.#client } = definition;
    const runsOn = roleOf(definition as unknown as ControllerDefinition<KubernetesObject>, this.#options.sharding);
    if (this.#phase === 'stopping' || this.#phase === 'stopped')
      throw new Error(`the controller ${name} cannot be added: the manager ${this.#options.name} has ended`);
    for (const { instance } of this.#members.values()) {
      if (instance.name === name)
        throw new TypeError(`the manager has a controller named ${JSON.stringify(name)} already: rename this one`);
    }
    const instance: ManagedController<T> = new ControllerInstance(controller, this.#environments[runsOn]);
    const handle = handleOf(instance, () => this.#remove(controller as unknown as Controller, member));
    const isElsewhere = client !== this.#client;
    const member = { instance, runsOn, workers, cluster: client, isElsewhere, handle } as unknown as Member;
    this.#members.set(controller as unknown as Controller, member);
    if (this.#phase === 'running') {
      this.#start(member);
      void this.#checkAdded(controller as unknown as Controller);
    }
    return handle;
  }

  controller<T extends KubernetesObject>(controller: Controller<T>): RunningController<T> {
    const member = this.#members.get(controller as unknown as Controller);
    if (member === undefined)
      throw new TypeError(`the manager ${this.#options.name} has no controller ${definitionOf(controller).name}`);
    return member.handle as unknown as RunningController<T>;
  }

  async whenReady(options: Abortable = {}): Promise<void> {
    checkOptions('manager.whenReady', options, abortableNames);
    await abortable(this.#ready.promise, requireSignal('signal', options.signal));
  }

  async run(options: Abortable = {}): Promise<void> {
    checkOptions('manager.run', options, abortableNames);
    const signal = requireSignal('signal', options.signal);
    if (this.#phase !== 'new') throw new Error(`run() of the manager ${this.#options.name} was called before`);
    this.#phase = 'starting';
    const undo = onAbort(signal, () => this.#stop(signal?.reason));
    let server: ManagerServer | undefined;
    try {
      const { port = 8080 } = this.#options;
      if (port !== false) server = await ManagerServer.listen(port, this.health, this.#clock);
      await this.#runToEnd();
    } catch (error) {
      this.#ready.reject(error);
      // A request of the preflight that the stop has aborted.
      if (!this.#ending.signal.aborted) throw error;
    } finally {
      undo();
      this.#stop(abortError(`the manager ${this.#options.name} could not start`));
      await this.#webhooks?.close();
      await Promise.all(this.#present.map(({ instance }) => instance.close()));
      await this.caches.stop();
      await server?.close();
      this.#phase = 'stopped';
    }
  }

  /** Resolves when the signal has aborted and all controllers have stopped, before their caches do. */
  async #runToEnd(): Promise<void> {
    const { signal } = this.#ending;
    signal.throwIfAborted();
    await preflight({
      client: this.#client,
      options: { ...this.#options, controllers: [...this.#members.keys()] },
      home: this.#home,
      clock: this.#clock,
      signal,
      onError: this.#onError,
    });
    signal.throwIfAborted();
    // Before the caches: their objects may have to be converted.
    const served = await this.#webhooks?.start(signal);
    signal.throwIfAborted();
    this.#phase = 'running';
    const isWarm = this.#options.standby !== 'cold' || (this.#elector === undefined && this.#shards === undefined);
    const members = [...this.#members.values()];
    for (const { instance, runsOn, workers } of members) {
      channels.controllerStart.publish({ controller: instance.name, workers });
      if (isWarm || runsOn !== 'leader') instance.openCaches();
    }
    for (const { instance, runsOn } of members) if (runsOn !== 'leader') instance.resume();
    const opened = members.filter(({ runsOn, isElsewhere }) => (isWarm || runsOn !== 'leader') && !isElsewhere);
    Promise.all([served?.ready, ...opened.map(({ instance }) => instance.whenSynced({ signal }))]).then(
      () => this.#ready.resolve(),
      (error: unknown) => this.#ready.reject(error),
    );
    await Promise.all([this.#lead(), this.#untilStopped('all')]);
  }

  /** Leads whenever this replica is elected, until the stop. */
  async #lead(): Promise<void> {
    const { signal } = this.#ending;
    if (this.#shards !== undefined) return this.#share(this.#shards);
    if (this.#elector === undefined) return this.#leadOnce(signal);
    while (!signal.aborted) await this.#elector.run((leading) => this.#leadOnce(leading), { signal });
  }

  /** Works on shards until the stop; resolves when all are given away and the controllers have stopped. */
  async #share(shards: ReplicaShards): Promise<void> {
    await shards.run(this.#ending.signal);
    // The runs of all shards have ended, except those of shards that could not be given away.
    await Promise.all([
      this.#untilStopped('shards', this.#ending.signal, 0),
      this.#untilStopped('leader', this.#ending.signal, 0),
    ]);
  }

  #shardWork(): ShardWork {
    const members = (runsOn: Role): readonly Member[] => this.#present.filter((member) => member.runsOn === runsOn);
    return {
      whenSynced: async (signal) => {
        const here = members('shards').filter(({ isElsewhere }) => !isElsewhere);
        await Promise.all(here.map(({ instance }) => instance.whenSynced({ signal })));
      },
      open: (shard) => {
        for (const { instance } of members('shards')) instance.openShard(shard);
        if (shard === LEADERS_SHARD) this.#beginLeading();
      },
      drain: async (shard, options) => {
        const { drainMs = 20_000 } = this.#options;
        const drained = members('shards').map(({ instance }) => instance.drainShard(shard, { drainMs, ...options }));
        if (shard === LEADERS_SHARD) {
          this.#leads = false;
          drained.push(...members('leader').map(({ instance }) => instance.suspend({ drainMs, ...options })));
        }
        await Promise.all(drained);
      },
      close: (shard, reason) => {
        for (const { instance } of members('shards')) instance.closeShard(shard, reason);
        if (shard !== LEADERS_SHARD) return;
        this.#leads = false;
        for (const { instance } of members('leader')) void instance.suspend({ drainMs: 0, reason });
      },
    };
  }

  #beginLeading(): void {
    this.#leads = true;
    for (const { instance, runsOn } of this.#members.values()) {
      if (runsOn !== 'leader') continue;
      instance.openCaches();
      instance.resume();
    }
  }

  /** Runs the controllers of the leader until the signal aborts; resolves when they have stopped. */
  async #leadOnce(leading: AbortSignal): Promise<void> {
    if (leading.aborted) return;
    this.#beginLeading();
    await this.#untilStopped('leader', leading);
  }

  /** Suspends the controllers when the signal aborts. After a lost leadership their runs are aborted at once. */
  async #untilStopped(
    runsOn: Role,
    signal: AbortSignal = this.#ending.signal,
    mostMs = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    await new Promise<void>((resolve) => void onAbort(signal, resolve));
    if (runsOn === 'leader') this.#leads = false;
    const isStop = this.#ending.signal.aborted;
    const drainMs = isStop ? Math.min(this.#options.drainMs ?? 20_000, mostMs) : 0;
    const reason: unknown = signal.reason;
    const cause = reason instanceof Error ? reason : abortError(String(reason));
    const stopping = this.#present.filter((member) => member.runsOn === runsOn);
    await Promise.all(stopping.map(({ instance }) => instance.suspend({ drainMs, reason: cause })));
    if (isStop) await this.#events[runsOn].close();
  }

  #stop(reason: unknown): void {
    if (this.#phase === 'stopping') return;
    this.#phase = 'stopping';
    this.#webhooks?.drain();
    this.#ending.abort(reason);
    this.#ready.reject(reason);
  }

  /** Starts a controller that was added while the manager runs. */
  #start({ instance, runsOn, workers }: Member): void {
    const { standby } = this.#options;
    channels.controllerStart.publish({ controller: instance.name, workers });
    const runs = runsOn !== 'leader' || this.#leads;
    if (runs || standby !== 'cold') instance.openCaches();
    if (runs) instance.resume();
  }

  async #remove(controller: Controller, member: Member): Promise<void> {
    // The same controller may have been added again after an earlier removal.
    if (this.#members.get(controller) === member) this.#members.delete(controller);
    this.#leaving.add(member);
    try {
      await member.instance.remove();
    } finally {
      this.#leaving.delete(member);
    }
  }

  async #checkAdded(controller: Controller): Promise<void> {
    try {
      await preflight({
        client: this.#client,
        options: { ...this.#options, controllers: [controller], webhooks: [], election: false, sharding: undefined },
        home: this.#home,
        clock: this.#clock,
        signal: this.#ending.signal,
        onError: this.#onError,
      });
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#onError(asError(error));
    }
  }

  #electorOptions(own: Omit<Partial<LeaderElectorOptions>, 'namespace'>): LeaderElectorOptions {
    const { name } = this.#options;
    const onError = (error: unknown): void => this.#onError(asError(error));
    // Without `onError` the elector's own default says what a warning is about, and once.
    return { name, ...(this.#options.onError === undefined ? {} : { onError }), ...own, namespace: this.#home };
  }

  #guard(client: Client): Client {
    if (this.#shards !== undefined) return this.#shards.guard(client, LEADERS_SHARD);
    if (this.#elector === undefined) return client;
    let guarded = this.#guarded.get(client);
    if (guarded === undefined) {
      guarded = this.#elector.guard(client);
      this.#guarded.set(client, guarded);
    }
    return guarded;
  }

  #environment(runsOn: Role, guard: (client: Client) => Client, internals: ManagerInternals): ControllerEnvironment {
    return {
      manager: this.#options.name,
      client: this.#client,
      clock: this.#clock,
      caches: this.caches,
      guard,
      recorder: (controller) => this.#events[runsOn].recorder(controller),
      onError: (error) => {
        internals.onControllerError?.(error);
        this.#onError(error);
      },
      onRunError: internals.onRunError,
      observer: publishing(internals.observer),
    };
  }

  #makeWebhooks(internals: ManagerInternals): ManagerWebhooks {
    return new ManagerWebhooks({
      client: this.#client,
      clock: this.#clock,
      caches: this.caches,
      options: this.#options,
      home: this.#home,
      onError: (error) => {
        internals.onControllerError?.(error);
        this.#onError(error);
      },
      internals: internals.webhooks ?? {},
    });
  }

  #addHealthChecks(): void {
    const { health } = this;
    health.addReady({ name: 'manager', check: () => this.#readyProblem() });
    health.addReady({ name: 'clusters', isAdvisory: true, check: () => problemsByCluster(this.caches, this.#client) });
    health.addLive({
      name: 'controllers',
      check: () => {
        const problems = this.#present.flatMap(({ instance }) => instance.livenessProblem ?? []);
        return problems.length === 0 ? undefined : problems.join('; ');
      },
    });
    if (this.#elector !== undefined) health.addLive(new LeaderElectionHealth({ elector: this.#elector }));
  }

  #readyProblem(): string | undefined {
    if (this.#phase !== 'running') return `the manager is ${this.#phase}`;
    const isCold = this.#options.standby === 'cold' && !this.#leads;
    const unsynced = [...this.#members.values()]
      .filter(({ instance, isElsewhere }) => !instance.hasSynced && !isElsewhere)
      .filter(({ runsOn }) => !isCold || runsOn !== 'leader')
      .map(({ instance }) => instance.name);
    if (unsynced.length > 0) return `caches have not synced, of the controllers ${unsynced.join(', ')}`;
    return this.#webhooks?.readyProblem;
  }
}

/** What is wrong with the informers of each of these clusters. */
function problemsByCluster(caches: CachePool, own: Client): string | undefined {
  const informers = new Map<Client, CachePool['informers'][number]['informer'][]>();
  for (const { client, informer } of caches.informers)
    if (client !== own) informers.set(client, [...(informers.get(client) ?? []), informer]);
  const problems = [...informers].flatMap(([client, all]) => {
    const problem = informersCheck(all).check() as string | undefined;
    return problem === undefined ? [] : [`${client.rest.host}: ${problem}`];
  });
  return problems.length === 0 ? undefined : `${problems.length} of ${informers.size}: ${problems.join('; ')}`;
}

/** What users get of a controller: without the methods that only its manager may call. */
function handleOf<T extends KubernetesObject>(
  instance: ManagedController<T>,
  remove: () => Promise<void>,
): RunningController<T> {
  return {
    name: instance.name,
    get hasSynced() {
      return instance.hasSynced;
    },
    get status() {
      return instance.status;
    },
    enqueue: (key) => instance.enqueue(key),
    watch: (resource, options) => instance.watch(resource, options),
    remove,
  };
}

/** Publishes what controllers do on the channels, for metrics and spans. */
function publishing(observer: ControllerObserver | undefined): ControllerObserver {
  const { controllerBegin, controllerRun, controllerStale, controllerSkip } = channels;
  return {
    runStarted(start) {
      if (controllerBegin.hasSubscribers) controllerBegin.publish(start);
      observer?.runStarted?.(start);
    },
    runEnded(record) {
      if (controllerRun.hasSubscribers) controllerRun.publish(record);
      observer?.runEnded?.(record);
    },
    applySkipped(controller, key) {
      if (controllerSkip.hasSubscribers) controllerSkip.publish({ controller, key });
      observer?.applySkipped?.(controller, key);
    },
    staleWait(controller, key) {
      if (controllerStale.hasSubscribers) controllerStale.publish({ controller, key });
      observer?.staleWait?.(controller, key);
    },
  };
}

/** A promise that is settled from outside. A rejection that nothing waits for is no uncaught one: `run` rejects too. */
function deferred(): { readonly promise: Promise<void>; resolve(): void; reject(error: unknown): void } {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function warn(error: Error): void {
  process.emitWarning(escapeTextControls(error.message), 'KubeflectManagerWarning');
}

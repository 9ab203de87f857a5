import { type ApiServer, startApiServer } from '../../apiserver/index.js';
import type { RunRecord, RunStart } from '../../controller/environment.js';
import { ControllerManager, type Manager } from '../../controller/manager/manager.js';
import { checkManagerOptions, type ManagerOptions } from '../../controller/manager/manager-options.js';
import { declaredRules } from '../../controller/manifests/declared-rules.js';
import { manifests } from '../../controller/manifests/manifests.js';
import { type Right, RuleSet } from '../../controller/manifests/rule-set.js';
import type { RotationTimes } from '../../controller/webhooks/certificates/rotation.js';
import { webhookServiceOf } from '../../controller/webhooks/configurations.js';
import { type Client, KubeflectError, type KubernetesObject, type New, type Resource } from '../../index.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireInteger, requireNumber, requireOneOf } from '../../meta/options/validate.js';
import { parseApiVersion, printGroupResource } from '../../meta/resource.js';
import type { Undo } from '../../meta/undo.js';
import { channels, listen } from '../../observe/channels.js';
import { builtinResources } from '../../resources/catalogue.js';
import { matchResource } from '../../resources/find.js';
import type { Timer } from '../../time/clock.js';
import { FakeClock } from '../../time/fake-clock.js';
import { abortError } from '../../time/signals.js';
import { Invariants, requireFunctions, WorldFailure } from './invariants.js';
import { busyController, describeRuns, HotLoopDetector, SOON_MS, staleCache } from './restlessness.js';
import { Story } from './story.js';
import type { Run, World, WorldOptions } from './types.js';
import { accountOf, homeOf, inWorld, ruleToAdd, TOKEN, throughTransport } from './world-access.js';
import { WorldActors } from './world-actors.js';
import type { WorldGate, WorldTransport, WorldWrite } from './world-transport.js';
import { WorldWebhooks } from './world-webhooks.js';

/** What runs in a world: the options of its managers, or a function that is called for each manager that starts. */
export type WorldManagers = ManagerOptions | ((replica: number) => ManagerOptions);

/** What `explore` does to a world at its writes, which are numbered from 1. */
export interface Interference {
  /** Called right before a write is sent, by a manager or (replica undefined) by the scenario or an actor. */
  before(world: ControllerWorld, replica: number | undefined, write: WorldWrite, number: number): void;
  /** Called when it was answered, before its sender gets the answer. */
  after(world: ControllerWorld, replica: number | undefined, number: number): void;
}

export const worldNames: OptionNames<WorldOptions> = {
  objects: true,
  seed: true,
  replicas: true,
  permissions: true,
  workloads: true,
  shardedLists: true,
  invariants: true,
  actors: true,
};

const SETTLE_WITHIN_MS = 600_000;
/** How long managers may take to become ready, and to stop. */
const PATIENCE_MS = 300_000;
/** Seldom, to save turns, but before a watch without events is taken for dead. */
const BOOKMARK_MS = 10_000;

/**
 * Starts a world: an API server in memory, on a fake clock, with managers that have exactly the rights of their `manifests`.
 * Resolves when all of them are ready.
 *
 * A function is called for each manager that starts, so that none finds what another one held in memory. At the end
 * (`await using`) everything is stopped; it throws if a timer is left, or if a callback of a controller threw outside of a run.
 *
 * @example
 * await using world = await createWorld(operator, { seed: 1 });
 * await world.client.forResource(websites, 'default').create(shop);
 * await world.settle();
 * assert.deepEqual(await world.again(), []);
 */
export async function createWorld(
  options: ManagerOptions | ((replica: number) => ManagerOptions),
  world: WorldOptions = {},
): Promise<World> {
  checkOptions('createWorld', world, worldNames);
  return ControllerWorld.begin(options, world);
}

/** A manager of a world. */
interface Replica {
  readonly number: number;
  readonly manager: ControllerManager;
  readonly transport: WorldTransport;
  readonly client: Client;
  readonly stop: AbortController;
  /** Writes that were answered and that no run has reported yet, in order. */
  readonly answered: (WorldWrite & { readonly changed: boolean })[];
  /** The last run of each key that is not done: it failed or waits. */
  readonly unfinished: Map<string, Run>;
  ended: Promise<void>;
  state: 'starting' | 'ready' | 'crashed' | 'ended';
  failure: { readonly error: unknown } | undefined;
}

/** What a {@link ControllerWorld} is made from. */
interface WorldParts {
  readonly managersOf: (replica: number) => ManagerOptions;
  readonly clock: FakeClock;
  readonly api: ApiServer;
  readonly webhooks: WorldWebhooks;
  readonly deployed: readonly object[];
  readonly interference: Interference | undefined;
  readonly options: WorldOptions;
}

/** The {@link World}, with what `explore` needs. */
export class ControllerWorld implements World {
  readonly clock: FakeClock;
  readonly api: ApiServer;
  readonly client: Client;
  readonly runs: Run[] = [];
  /** The story of this world, which `explore` adds disturbances to. */
  readonly tale: Story;
  readonly #managersOf: (replica: number) => ManagerOptions;
  readonly #interference: Interference | undefined;
  readonly #webhooks: WorldWebhooks;
  readonly #invariants: Invariants;
  readonly #actors: WorldActors;
  readonly #unlisten: Undo;
  /** Sends what is neither the scenario's nor a manager's. */
  readonly #admin: Client;
  readonly #replicas = new Map<number, Replica>();
  readonly #ended: Promise<void>[] = [];
  readonly #used: Right[] = [];
  /** The version of the last change of each collection, and of each object. */
  readonly #changedAt = new Map<string, number>();
  readonly #unheard: Error[] = [];
  readonly #holds: Timer[] = [];
  /** The manifests that are applied, as JSON. */
  #applied: string;
  #granted: RuleSet = new RuleSet();
  #next = 0;
  /** The first invariant that did not hold, or actor that rejected; reported once. */
  #failure: { readonly error: WorldFailure; isReported: boolean } | undefined;
  #hotLoops: HotLoopDetector | undefined;

  static async begin(
    managers: WorldManagers,
    options: WorldOptions,
    interference?: Interference,
    times?: RotationTimes,
  ): Promise<ControllerWorld> {
    const seed = requireNumber('seed', options.seed ?? 1, Number.MIN_SAFE_INTEGER);
    const replicas = requireInteger('replicas', options.replicas ?? 1);
    requireOneOf('permissions', options.permissions ?? 'declared', ['declared', 'all']);
    const workloads = requireOneOf('workloads', options.workloads ?? 'ready', ['ready', 'idle']);
    requireFunctions('invariants', options.invariants);
    requireFunctions('actors', options.actors);
    const managersOf = typeof managers === 'function' ? managers : () => managers;
    const first = inWorld(checkManagerOptions('createWorld', managersOf(0)));
    const clock = new FakeClock({ seed });
    const deployed = manifests(first);
    const webhooks = new WorldWebhooks(clock, times);
    const api = await startApiServer({
      clock,
      seed,
      listen: false,
      authorization: 'rbac',
      tokens: { [TOKEN]: accountOf(first, options) },
      bookmarkIntervalMs: BOOKMARK_MS,
      objects: [...deployed, ...(options.objects ?? [])],
      workloads: workloads === 'ready' && { nodes: 1 },
      shardedLists: options.shardedLists ?? true,
      webhooks: webhooks.services,
    });
    const world = new ControllerWorld({ managersOf, clock, api, webhooks, deployed, interference, options });
    try {
      // One after the other, so that the first one leads.
      for (let i = 0; i < replicas; i++) {
        world.launch(i === 0 ? first : undefined);
        await world.#untilReady();
      }
    } catch (error) {
      await world.#close();
      throw error;
    }
    world.tale.isOpen = true;
    world.#actors.start();
    return world;
  }

  private constructor(parts: WorldParts) {
    const { clock, api, options } = parts;
    this.#managersOf = parts.managersOf;
    this.#interference = parts.interference;
    this.#webhooks = parts.webhooks;
    this.#applied = JSON.stringify(parts.deployed);
    this.clock = clock;
    this.api = api;
    this.tale = new Story(clock);
    this.#invariants = new Invariants(options.invariants);
    this.#admin = api.client({ wire: 'json' });
    this.client = throughTransport(this.#admin, this.#gate('the scenario', undefined)).client;
    this.#actors = new WorldActors({
      world: this,
      clock,
      seed: options.seed ?? 1,
      actors: options.actors ?? {},
      clientOf: (name) => throughTransport(this.#admin, this.#gate(name, undefined)).client,
      onError: (name, error) => this.#fail(new WorldFailure(`the actor ${JSON.stringify(name)} failed`, error)),
    });
    api.storage.subscribe((revision, collection) => {
      this.#changedAt.set(collection.id, revision.version);
      this.#changedAt.set(`${collection.id} ${revision.key}`, revision.version);
    });
    this.#unlisten = listen(channels.electionAcquired, ({ identity }) => {
      for (const { number, manager } of this.#replicas.values())
        if (manager.identity === identity) this.tale.tell(`manager ${number} leads`);
    });
  }

  get story(): readonly string[] {
    return this.tale.text;
  }

  stored<T>(resource: Resource<T>): readonly T[] {
    const found: T[] = [];
    this.api.storage
      .collection(printGroupResource(resource))
      .scan(Number.POSITIVE_INFINITY, '', '', (revision) => found.push(revision.decode() as T) > 0);
    return found;
  }

  get managers(): ReadonlyMap<number, Manager> {
    return new Map([...this.#replicas].map(([number, { manager }]) => [number, manager]));
  }

  async settle(options: { readonly withinMs?: number | undefined } = {}): ReturnType<World['settle']> {
    checkOptions('settle', options, { withinMs: true });
    const withinMs = requireNumber('withinMs', options.withinMs ?? SETTLE_WITHIN_MS);
    const startedAt = this.clock.monotonicNow();
    const from = this.runs.length;
    let restless: string | undefined;
    try {
      this.#throwFailure();
      const isAtRest = (): boolean => {
        this.#throwFailure();
        return (restless = this.#restlessness()) === undefined;
      };
      await this.#until(isAtRest, withinMs);
    } catch (error) {
      const runs = this.runs.slice(from);
      if (restless === undefined || error instanceof HotLoopError || error instanceof WorldFailure) throw error;
      const seconds = Math.round((this.clock.monotonicNow() - startedAt) / 1000);
      throw new Error(`the world is not at rest after ${seconds} s: ${restless}${describeRuns(this.#pressing(runs))}`);
    }
    return { elapsedMs: this.clock.monotonicNow() - startedAt, runs: this.runs.slice(from) };
  }

  async again(): Promise<readonly Run[]> {
    for (const { manager } of this.#alive()) for (const { instance } of manager.active) instance.enqueue();
    const { runs } = await this.settle();
    return runs.filter(({ writes }) => writes.some(({ changed }) => changed));
  }

  async start(): Promise<number> {
    const number = this.launch();
    this.tale.tell(`manager ${number} starts`);
    await this.#untilReady();
    return number;
  }

  async stop(replica?: number): Promise<void> {
    const stopping = replica === undefined ? [...this.#replicas.values()] : [this.#replica(replica)];
    for (const { number } of stopping) this.tale.tell(`manager ${number} is stopped`);
    for (const { stop } of stopping) stop.abort(abortError('the world stops this manager'));
    await this.#until(() => stopping.every(({ state }) => state === 'ended'));
    for (const { failure } of stopping) if (failure !== undefined) throw failure.error;
  }

  crash(replica?: number): void {
    const { number } = this.#replica(replica ?? Math.min(...this.#replicas.keys()));
    this.kill(number);
    this.tale.disturb(`manager ${number} crashes`);
  }

  /** {@link crash} that tells nothing. */
  kill(replica: number): void {
    const target = this.#replica(replica);
    target.state = 'crashed';
    this.#replicas.delete(target.number);
    target.transport.kill();
    this.#webhooks.remove(target.number);
    target.stop.abort(abortError('the process of this manager has crashed'));
  }

  permissions(): ReturnType<World['permissions']> {
    const used = new RuleSet();
    for (const { name: _, ...right } of this.#used) used.add(right);
    return { used: used.toRules(), unused: this.#granted.unusedBy(this.#used).toRules() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endActors();
    await this.stop();
    await this.#close();
    if (this.#failure?.isReported === false) this.#throwFailure();
    const [left] = this.clock.pendingTimers;
    if (left !== undefined) throw new Error(`a timer is left after the end of the world, set ${left.setBy}`);
    const [unheard] = this.#unheard;
    if (unheard !== undefined) throw unheard;
  }

  /** The numbers of the managers that run, the leader first. */
  get alive(): readonly number[] {
    const alive = this.#alive().sort((a, b) => Number(b.manager.isLeader) - Number(a.manager.isLeader));
    return alive.map(({ number }) => number);
  }

  /** Keeps back what the watches of a manager receive, for some time. */
  holdWatches(replica: number, ms: number): void {
    const { transport } = this.#replica(replica);
    transport.hold();
    const release = (): void => {
      transport.release();
      if (this.#replicas.has(replica)) this.tale.tell(`the caches of manager ${replica} catch up`);
    };
    this.#holds.push(this.clock.setTimer(ms, release, { keepAlive: false }));
  }

  /** Starts a manager without waiting for it; returns its number. */
  launch(given?: ManagerOptions): number {
    const number = this.#next++;
    const options = given ?? inWorld(this.#managersOf(number));
    const { client, transport } = throughTransport(
      this.api.client({ token: TOKEN, wire: 'json', namespace: homeOf(options) }),
      this.#gate(nameOf(number), number),
    );
    const observer = {
      runStarted: (start: RunStart) => {
        if (replica.state !== 'crashed') this.tale.runBegins(nameOf(number), start);
      },
      runEnded: (record: RunRecord) => this.#note(replica, record),
    };
    const onControllerError = (error: Error): void => {
      // What a callback threw is a bug; a cache that stays behind, or a request that fails, is part of a world's life.
      const isThrown = error.cause !== undefined && !(error.cause instanceof KubeflectError);
      if (options.onError === undefined && isThrown && replica.state !== 'crashed') this.#unheard.push(error);
    };
    const quiet = options.onError ?? (() => {});
    const manager = new ControllerManager(
      client,
      { ...options, onError: quiet },
      {
        observer,
        onControllerError,
        // `world.runs` has them.
        onRunError: () => {},
        webhooks: {
          asksTwice: true,
          times: this.#webhooks.times,
          listen: (endpoints) => this.#webhooks.listen(number, webhookServiceOf(options, homeOf(options)), endpoints),
        },
      },
    );
    const stop = new AbortController();
    const replica: Replica = {
      number,
      manager,
      transport,
      client,
      stop,
      answered: [],
      unfinished: new Map(),
      ended: Promise.resolve(),
      state: 'starting',
      failure: undefined,
    };
    this.#replicas.set(number, replica);
    replica.ended = this.#deploy(options)
      .then(() => manager.run({ signal: stop.signal }))
      .catch((error: unknown) => {
        if (replica.state !== 'crashed') replica.failure = { error };
      })
      .then(() => {
        if (replica.state !== 'crashed') replica.state = 'ended';
        this.#replicas.delete(number);
        return client.close();
      });
    this.#ended.push(replica.ended);
    manager.whenReady().then(
      () => {
        if (replica.state === 'starting') replica.state = 'ready';
      },
      () => {},
    );
    return number;
  }

  /** Lets time pass until the condition holds. Rejects if a key runs in a hot loop meanwhile: then no time would pass. */
  async #until(condition: () => boolean, withinMs = PATIENCE_MS): Promise<void> {
    this.#hotLoops = new HotLoopDetector();
    try {
      await this.clock.until(condition, { withinMs });
    } finally {
      this.#hotLoops = undefined;
    }
  }

  async #untilReady(): Promise<void> {
    const waiting = [...this.#replicas.values()];
    await this.#until(() => waiting.every(({ state }) => state !== 'starting'));
    for (const { failure } of waiting) if (failure !== undefined) throw failure.error;
    await this.#until(() => this.#alive().some(({ manager }) => manager.isLeader));
  }

  async #endActors(): Promise<void> {
    let isOver = false;
    void this.#actors.stop().then(() => (isOver = true));
    await this.#until(() => isOver);
  }

  /** Only the first failure counts. */
  #fail(error: WorldFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error, isReported: false };
    this.tale.fail(error.message);
  }

  #throwFailure(): void {
    if (this.#failure === undefined) return;
    this.#failure.isReported = true;
    throw this.#failure.error;
  }

  #checkInvariants(): void {
    if (this.#failure !== undefined || !this.tale.isOpen) return;
    const violated = this.#invariants.violated(this);
    if (violated !== undefined) this.#fail(violated);
  }

  async #close(): Promise<void> {
    this.#unlisten();
    for (const { stop } of this.#replicas.values()) stop.abort();
    let isOver = false;
    void Promise.all(this.#ended).then(() => (isOver = true));
    await this.#until(() => isOver);
    for (const hold of this.#holds) hold.cancel();
    await this.client.close();
    await this.#admin.close();
    await this.api.stop();
    await this.clock.runUntilIdle();
  }

  /** Applies the manifests of a manager if they differ from those of the managers before it, as a new release does. */
  async #deploy(options: ManagerOptions): Promise<void> {
    for (const { rules } of declaredRules(options, homeOf(options)))
      for (const right of rules) this.#granted.add(right);
    const objects = manifests(options);
    const text = JSON.stringify(objects);
    if (text === this.#applied) return;
    this.#applied = text;
    for (const object of objects) {
      const { group, version } = parseApiVersion(object.apiVersion);
      const resource = matchResource(`${object.kind}.${version}${group === '' ? '' : `.${group}`}`, builtinResources);
      if (resource === undefined)
        throw new TypeError(`manifests returned a ${object.kind}, which the world does not know`);
      const clients = this.#admin.forResource(resource as Resource<KubernetesObject>, object.metadata?.namespace);
      await clients.apply(object as New<KubernetesObject>, { fieldManager: 'deployment', force: true });
    }
  }

  #gate(sender: string, replica: number | undefined): WorldGate {
    const sent = new Map<WorldWrite, { readonly version: number; readonly number: number | undefined }>();
    return {
      before: (write) => {
        const number = this.tale.sends(sender, write);
        if (number !== undefined) this.#interference?.before(this, replica, write, number);
        sent.set(write, { version: this.api.storage.version, number });
        return replica === undefined || this.#replicas.has(replica);
      },
      after: (write, status) => {
        const { version = 0, number } = sent.get(write) ?? {};
        const changed = status < 300 && this.#hasChanged(write, status, version);
        sent.delete(write);
        this.tale.answers(number, status);
        if (replica !== undefined) this.#replicas.get(replica)?.answered.push({ ...write, changed });
        if (number !== undefined) this.#interference?.after(this, replica, number);
        this.#checkInvariants();
        return replica === undefined || this.#replicas.has(replica);
      },
      note: (right) => {
        if (replica !== undefined) this.#used.push(right);
      },
      explain: (message, request) => (replica === undefined ? message : `${message}; ${ruleToAdd(request)}`),
    };
  }

  /** Whether a write that was answered with success has stored something. */
  #hasChanged({ resource, key, verb }: WorldWrite, status: number, versionBefore: number): boolean {
    const [collection = ''] = resource.split('/');
    const at = verb === 'deletecollection' ? collection : `${collection} ${key}`;
    return status === 201 || (this.#changedAt.get(at) ?? 0) > versionBefore;
  }

  #note(replica: Replica, record: RunRecord): void {
    if (replica.state === 'crashed') return;
    const { controller, key, what, causes, startedAt, endedAt, outcome, error } = record;
    const writes = record.writes.map((write) => {
      const verb = write.verb === 'apply' ? 'patch' : write.verb;
      const isSame = (one: WorldWrite): boolean =>
        one.verb === verb && one.resource === write.resource && (one.key === write.key || one.key.endsWith('*'));
      const at = replica.answered.findIndex(isSame);
      const [found] = at < 0 ? [] : replica.answered.splice(at, 1);
      return { ...write, changed: found?.changed ?? write.changed };
    });
    const run: Run = {
      replica: replica.number,
      controller,
      key,
      what,
      causes,
      startedAt,
      endedAt,
      outcome,
      error,
      writes,
    };
    this.runs.push(run);
    this.tale.runEnds(nameOf(replica.number), run);
    this.#checkInvariants();
    const name = `${controller} ${key}`;
    if (outcome === 'failed' || outcome === 'waiting') replica.unfinished.set(name, run);
    else replica.unfinished.delete(name);
    if (this.#hotLoops?.note(run) !== true) return;
    this.#hotLoops = undefined;
    const loop = new HotLoopError(this.runs.filter((one) => one.controller === controller && one.key === key));
    // In a turn of the clock, so that the call that lets time pass rejects with it.
    this.clock.defer(() => {
      throw loop;
    });
  }

  #alive(): Replica[] {
    return [...this.#replicas.values()].filter(({ state }) => state === 'starting' || state === 'ready');
  }

  #replica(number: number): Replica {
    const replica = this.#replicas.get(number);
    if (replica === undefined) throw new TypeError(`no manager of this world has the number ${number} and runs`);
    return replica;
  }

  /** What is in progress or due soon; undefined if nothing is. */
  #restlessness(): string | undefined {
    const alive = this.#alive();
    const { nextDueInMs = Number.POSITIVE_INFINITY } = this.api.workloads ?? {};
    if (nextDueInMs <= SOON_MS) return `workloads change in ${Math.round(nextDueInMs)} ms`;
    const { next } = this.#actors;
    if (next !== undefined && next.inMs <= SOON_MS)
      return `the actor ${JSON.stringify(next.name)} goes on in ${Math.round(next.inMs)} ms`;
    if (alive.length > 0 && !alive.some(({ manager }) => manager.isLeader)) return 'no manager leads';
    const shardCount = Math.max(0, ...alive.map(({ manager }) => manager.shardCount));
    const held = alive.flatMap(({ manager }) => manager.shards);
    if (held.length < shardCount) return `${shardCount - held.length} shards are held by no manager that runs`;
    for (const replica of alive) {
      const problem = this.#restlessnessOf(replica);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #restlessnessOf(replica: Replica): string | undefined {
    const { number, manager, client, state } = replica;
    if (state === 'starting') return `the manager ${number} is starting`;
    const { shardRestlessness } = manager;
    if (shardRestlessness !== undefined) return `the manager ${number}: ${shardRestlessness}`;
    const isBusy = busyController(manager) ?? staleCache(manager, client, this.api.storage, this.#changedAt);
    if (isBusy !== undefined || (!manager.isLeader && manager.shards.length === 0)) return isBusy;
    const [unfinished] = this.#unfinished(replica);
    return unfinished && `${unfinished.key} of ${unfinished.controller} is ${unfinished.outcome}`;
  }

  /** The last runs of keys that failed or wait, of objects that still exist. */
  #unfinished({ manager, unfinished }: Replica): Run[] {
    return [...unfinished.values()].filter(({ controller, key }) => {
      const active = manager.active.find(({ instance }) => instance.name === controller);
      if (active === undefined) return false;
      return this.api.storage.collection(printGroupResource(active.resource)).get(key) !== undefined;
    });
  }

  /** The runs of keys that are not done, if there are any; otherwise all. */
  #pressing(runs: readonly Run[]): readonly Run[] {
    const names = new Set(
      this.#alive().flatMap((replica) =>
        this.#unfinished(replica).map(({ controller, key }) => `${controller} ${key}`),
      ),
    );
    const pressing = runs.filter(({ controller, key }) => names.has(`${controller} ${key}`));
    return pressing.length === 0 ? runs : pressing;
  }
}

/** A manager as the story names it. */
function nameOf(replica: number): string {
  return `manager ${replica}`;
}

/** A key runs without end. */
class HotLoopError extends Error {
  constructor(runs: readonly Run[]) {
    super(`the world is in a hot loop:${describeRuns(runs)}`);
  }
}

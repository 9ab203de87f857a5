import { type ApiServer, type Fault, startApiServer } from '../../src/apiserver/index.js';
import type { Collection } from '../../src/apiserver/storage/storage.js';
import type { InformerEvent } from '../../src/cache/informer/informer-event.js';
import type { SharedIndexInformer } from '../../src/cache/informer/shared-informer.js';
import type { SubscribeOptions } from '../../src/cache/informer/subscription.js';
import type { Client } from '../../src/client/client.js';
import type { InformerOptions } from '../../src/informers/make-informer.js';
import { ShardSet } from '../../src/informers/shards/shard-set.js';
import { shardOf } from '../../src/informers/shards/sharded-source.js';
import { SharedInformerFactory } from '../../src/informers/shared-informer-factory.js';
import { channels, listen } from '../../src/observe/channels.js';
import type { ConfigMap } from '../../src/resources/types/core-v1.js';
import { FakeClock } from '../../src/time/fake-clock.js';
import { randomUid } from '../../src/time/random-uid.js';
import { schedulerOf } from '../../src/time/scheduler.js';
import { timestamp } from '../../src/time/timestamps.js';
import { sometimesSharding } from '../support/shard-servers.js';
import { withWire } from '../support/wire.js';
import { Figures } from './figures.js';
import { type Observed, Observer } from './observer.js';
import { type HandlerKind, type InformerKind, nameCount, type Plan, type Step, shardCount, type Tier } from './plan.js';
import { type Sees, Truth } from './truth.js';

const namespaces = ['blue', 'green'];
/** Longer than dead watches, dead lists, the longest backoff and slow handlers take together. */
const convergesWithinMs = 5 * 60_000;
/** The name of handlers with `coalesce`. */
const mergingName = 'merging';
/** So few that the stages of an informer take many turns and interleave. */
const itemsPerTurn = 16;
const mostTurnsPerWrite = 6;

/**
 * Runs a plan and returns the violations of the contract.
 *
 * @param figures counts what happens
 */
export async function simulate(plan: Plan, figures: Figures = new Figures()): Promise<string[]> {
  const simulation = await Simulation.begin(plan, figures);
  try {
    for (const step of plan.steps) {
      await simulation.take(step);
      if (simulation.check().length > 0) break;
    }
    if (plan.ends === 'at rest' && simulation.check().length === 0) await simulation.converge();
  } catch (error) {
    simulation.problems.push(`the simulation failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
  await simulation.end();
  return simulation.check();
}

interface SimulatedInformer extends Observed {
  readonly name: string;
  readonly kind: InformerKind;
  /** The resourceVersion of the first list. */
  firstVersion: number | undefined;
}

interface ObservedHandler {
  readonly observer: Observer;
  readonly informer: SimulatedInformer;
  /** Whether it was added before the start. */
  readonly early: boolean;
}

class Simulation {
  readonly problems: string[] = [];
  readonly #clock: FakeClock;
  readonly #api: ApiServer;
  /** Writes go to the storage, as those of another API server of the cluster do. */
  readonly #maps: Collection;
  readonly #client: Client;
  readonly #factory: SharedInformerFactory;
  readonly #informers: SimulatedInformer[] = [];
  readonly #handlers: ObservedHandler[] = [];
  readonly #streams: AbortController[] = [];
  /** The loops over `events()`, and the promises of `remove()`. */
  readonly #endings: Promise<void>[] = [];
  readonly #truth = new Truth();
  readonly #shards = new ShardSet({ count: shardCount, by: 'uid' });
  /** Shards that should be in the caches of `moving` informers when everything has settled. */
  readonly #wanted = new Set<number>();
  /** Calls of `gain` and `release` that have not ended. */
  #moves = 0;
  readonly #unlisten: () => void;
  readonly #figures: Figures;
  #started = false;
  #values = 0;

  static async begin(plan: Plan, figures: Figures): Promise<Simulation> {
    const clock = new FakeClock({ seed: plan.seed, patience: 5_000 });
    schedulerOf(clock, { sliceItems: itemsPerTurn });
    const api = await startApiServer({
      clock,
      listen: false,
      seed: plan.seed,
      controllers: 'none',
      shardedLists: plan.sharding !== 'off',
    });
    return new Simulation(plan, clock, api, figures);
  }

  private constructor(plan: Plan, clock: FakeClock, api: ApiServer, figures: Figures) {
    this.#figures = figures;
    this.#clock = clock;
    this.#api = api;
    this.#maps = api.storage.collection('configmaps');
    let sent = 0;
    this.#client = sometimesSharding(api, () => plan.sharding === 'mixed' && sent++ % 3 > 0, withWire).client;
    this.#factory = new SharedInformerFactory(this.#client, {
      onError: (error) => {
        // Errors of the server are expected; programming errors are not.
        if (error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError) {
          this.problems.push(`a programming error: ${error.stack}`);
        }
      },
    });
    plan.informers.forEach((kind, index) => void this.#informers.push(this.#makeInformer(kind, `${index}-${kind}`)));
    const undoLists = listen(channels.reflectorList, ({ source, error, resourceVersion }) => {
      const informer = this.#informers.find(({ name }) => name === source.name);
      if (informer === undefined || error !== undefined) return;
      informer.lists++;
      informer.firstVersion ??= Number(resourceVersion);
    });
    // The events that wait for a handler with `coalesce` are bounded by the number of objects.
    const undoPending = listen(channels.handlerPending, ({ handler, pending }) => {
      if (handler === mergingName && pending > nameCount) this.problems.push(`${pending} events wait for ${handler}`);
    });
    this.#unlisten = () => {
      undoLists();
      undoPending();
    };
  }

  /** The violations of the contract so far. */
  check(): string[] {
    for (const { observer } of this.#handlers) observer.look();
    return [...this.problems, ...this.#handlers.flatMap(({ observer }) => observer.violations)];
  }

  async take(step: Step): Promise<void> {
    this.#figures.add(nameOf(step));
    switch (step.do) {
      case 'start':
        this.#start();
        break;
      case 'write':
        await this.#write(step.name, step.tier);
        break;
      case 'delete':
        await this.#delete(step.name);
        break;
      case 'recreate':
        await this.#delete(step.name);
        await this.#write(step.name, step.tier);
        break;
      case 'burst':
        for (const name of step.names) await this.#write(name, name % 3 === 0 ? 'back' : 'front');
        break;
      case 'handle':
        this.#handle(step.informer, step.kind);
        break;
      case 'remove':
        this.#remove(step.handler);
        break;
      case 'fault':
        this.#api.faults.inject({ resource: 'configmaps', ...step.fault } as unknown as Fault);
        break;
      case 'refuse':
        this.#api.faults.refuseConnections({ forMs: step.forMs });
        break;
      case 'drop':
        this.#api.faults.dropConnections();
        break;
      case 'compact':
        this.#api.compact();
        break;
      case 'restart':
        await this.#api.restart({ keepHistory: step.keepHistory });
        break;
      case 'gain':
      case 'release':
        this.#move(step.do, step.shards);
        break;
      case 'pass':
        await this.#clock.advance(step.ms);
        break;
    }
  }

  /** Removes all faults: every cache and handler must get the state of the server in time. */
  async converge(): Promise<void> {
    this.#start();
    this.#api.faults.clear();
    const isSettled = () => this.#unfinished().length === 0 && this.#differences().length === 0;
    try {
      await this.#clock.until(isSettled, { withinMs: convergesWithinMs });
    } catch (error) {
      this.problems.push(
        ...this.#unfinished(),
        ...this.#differences(),
        `after ${convergesWithinMs} ms: ${(error as Error).message}`,
      );
    }
  }

  /** Stops everything: no handler may be called and no timer be left after that. */
  async end(): Promise<void> {
    this.#api.faults.clear();
    for (const stream of this.#streams) stream.abort();
    let stopped = false;
    const stopping = Promise.all([this.#factory.stop(), ...this.#endings]).then(() => {
      stopped = true;
      for (const { observer } of this.#handlers) observer.isOver = true;
    });
    try {
      await this.#clock.until(() => stopped, { withinMs: 60_000 });
      await stopping;
      await this.#write(0, 'front');
      await this.#clock.runUntilIdle();
      for (const { setBy } of this.#clock.pendingTimers) this.problems.push(`a timer is left, set ${setBy}`);
      await this.#clock.advance(60_000);
    } catch (error) {
      this.problems.push(`stopping failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#unlisten();
    await this.#client.close();
    await this.#api.stop();
    for (const { setBy } of this.#clock.pendingTimers)
      this.problems.push(`a timer is left after the stop of the server, set ${setBy}`);
  }

  // ── informers and handlers ─────────────────────────────────────────────────────────────────────────────────────────

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#factory.start();
  }

  #makeInformer(kind: InformerKind, name: string): SimulatedInformer {
    const options: Record<InformerKind, InformerOptions<ConfigMap, unknown>> = {
      plain: {},
      selecting: { labelSelector: 'tier=front', namespace: 'blue' },
      objects: { storage: 'objects', resyncMs: 5_000 },
      listing: { useWatchList: false, resyncMs: 20_000 },
      namespaces: { namespace: namespaces, labelSelector: 'tier=front' },
      transforming: { transform: ({ data }) => ({ kept: data?.['value'] }) },
      halves: { shard: { index: 1, of: 2 } },
      moving: { shard: this.#shards.of('uid'), useWatchList: name.startsWith('0') },
      'moving objects': { shard: this.#shards.of('uid'), storage: 'objects' },
      'moving namespaces': { shard: this.#shards.of('uid'), namespace: namespaces },
    };
    const inBlue: Sees = ({ key, tier }) => key.startsWith('blue/') && tier === 'front';
    const inMoving: Sees = ({ uid }) => this.#wanted.has(shardOf({ count: shardCount }, uid));
    const sees: Partial<Record<InformerKind, Sees>> = {
      selecting: inBlue,
      namespaces: ({ tier }) => tier === 'front',
      halves: ({ uid }) => shardOf({ count: 2 }, uid) === 1,
      moving: inMoving,
      'moving objects': inMoving,
      'moving namespaces': inMoving,
    };
    return {
      name,
      kind,
      informer: this.#factory.core.v1.configMaps({ ...options[kind], name }) as SharedIndexInformer<unknown>,
      sees: sees[kind] ?? (() => true),
      isOrdered: kind !== 'namespaces' && !kind.startsWith('moving'),
      isMoving: kind.startsWith('moving'),
      lists: 0,
      firstVersion: undefined,
      valueOf: (object) =>
        kind === 'transforming' ? (object as { kept?: string }).kept : (object as ConfigMap).data?.['value'],
    };
  }

  #handle(index: number, kind: HandlerKind): void {
    const informer = this.#informers[index % this.#informers.length] as SimulatedInformer;
    const observer = new Observer(`${informer.name} ${kind} ${this.#handlers.length}`, kind, informer, this.#truth);
    this.#handlers.push({ observer, informer, early: !this.#started });
    if (kind === 'stream') {
      this.#stream(observer, informer);
      return;
    }
    const options: Partial<Record<HandlerKind, SubscribeOptions<unknown>>> = {
      coalescing: { coalesce: true, name: mergingName },
      stopping: { onError: 'stop' },
      bounded: { maxPending: 4 },
    };
    let calls = 0;
    observer.subscription = informer.informer.subscribe((event) => {
      this.#figures.add('events');
      observer.begins(event);
      return this.#behave(observer, ++calls);
    }, options[kind]);
  }

  #behave(observer: Observer, calls: number): unknown {
    const waits: Partial<Record<HandlerKind, number>> = { async: 0, slow: 300, coalescing: 700, bounded: 100 };
    const ms = waits[observer.kind];
    if (ms !== undefined) {
      return (ms === 0 ? this.#clock.yield() : this.#clock.sleep(ms)).then(() => observer.ends());
    }
    observer.ends();
    switch (observer.kind) {
      case 'throwing':
        if (calls % 3 === 0) throw new Error('thrown by a handler');
        return undefined;
      case 'rejecting':
        return this.#clock.yield().then(() => {
          if (calls % 2 === 0) throw new Error('rejected by a handler');
        });
      case 'stopping':
        if (calls < 5) return undefined;
        observer.isOver = true;
        throw new Error('thrown by a handler with onError: stop');
      case 'leaving':
        if (calls < 6) return undefined;
        observer.isOver = true;
        return void observer.subscription?.remove();
      default:
        return undefined;
    }
  }

  #stream(observer: Observer, { informer, isMoving }: SimulatedInformer): void {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      let isSynced = false;
      for await (const event of informer.events({ signal: stop.signal })) {
        if (event.type === 'synced') {
          if (isSynced) this.problems.push(`${observer.name}: has a second synced event`);
          isSynced = true;
          continue;
        }
        if (isSynced && event.type === 'add' && event.isInInitialList && !isMoving) {
          this.problems.push(`${observer.name}: ${event.key} is initial and comes after the synced event`);
        }
        this.#figures.add('events');
        observer.begins(event as InformerEvent<unknown>);
        await this.#clock.yield();
        observer.ends();
      }
    };
    this.#streams.push(stop);
    this.#endings.push(read());
  }

  #move(what: 'gain' | 'release', shards: readonly number[]): void {
    for (const shard of shards) {
      if (what === 'gain') this.#wanted.add(shard);
      else this.#wanted.delete(shard);
    }
    this.#moves++;
    const ended = () => void this.#moves--;
    // A gain rejects if the shards are released before it is done.
    this.#shards[what](shards).then(ended, ended);
  }

  #remove(index: number): void {
    const { observer } = this.#handlers[index % this.#handlers.length] ?? {};
    if (observer?.subscription === undefined || observer.isOver) return;
    this.#endings.push(observer.subscription.remove());
    observer.isOver = true;
  }

  // ── the collection ─────────────────────────────────────────────────────────────────────────────────────────────────

  async #write(index: number, tier: Tier): Promise<void> {
    const { namespace, name, key } = place(index);
    const value = `value ${this.#values++} ${'·'.repeat(this.#values % 40)}`;
    const { uid, createdAt } = this.#truth.current(key) ?? {
      uid: randomUid(this.#clock),
      createdAt: this.#clock.now(),
    };
    const labels = { tier };
    const metadata = { name, namespace, uid, creationTimestamp: timestamp(createdAt), labels };
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { value } };
    const { version } = this.#maps.put({ namespace, name, object, fields: {} });
    this.#truth.wrote({ key, uid, createdAt, version, tier, value });
    this.#figures.add('writes');
    await this.#turns();
  }

  async #delete(index: number): Promise<void> {
    const { key } = place(index);
    if (this.#truth.current(key) === undefined) return;
    this.#maps.remove(key);
    this.#truth.deleted(key);
    this.#figures.add('writes');
    await this.#turns();
  }

  /** Turns of the event loop between two writes: some follow each other at once, others let the informers work. */
  async #turns(): Promise<void> {
    for (let turns = this.#values % (mostTurnsPerWrite + 1); turns > 0; turns--) await this.#clock.yield();
  }

  // ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #differences(): string[] {
    const found: string[] = [];
    for (const { name, informer, sees } of this.#informers) {
      const cached = new Map<string, number>();
      for (const { key, facts } of informer.lister.entries()) cached.set(key, Number(facts.resourceVersion));
      found.push(...differences(`the cache of ${name}`, cached, this.#truth.collection(sees)));
    }
    for (const { observer, informer } of this.#handlers) {
      if (observer.isOver) continue;
      const known = new Map([...observer.known].map(([key, { version }]) => [key, version]));
      found.push(...differences(observer.name, known, this.#truth.collection(informer.sees)));
    }
    return found;
  }

  /** Informers that do not watch, and handlers that have not synced or missed a change. */
  #unfinished(): string[] {
    const found: string[] = [];
    for (const { name, informer } of this.#informers) {
      const { state, consecutiveFailures, lastError } = informer.status;
      if (state === 'watching' && consecutiveFailures === 0 && informer.hasSynced) continue;
      found.push(`${name} is ${state} after ${consecutiveFailures} failures: ${lastError?.message}`);
    }
    if (this.#moves > 0) found.push(`${this.#moves} moves of shards have not ended`);
    for (const { observer } of this.#handlers) {
      if (!observer.isOver && observer.subscription?.hasSynced === false) found.push(`${observer.name} has not synced`);
    }
    for (const handler of this.#handlers) found.push(...this.#missed(handler));
    return found;
  }

  /** A handler from before the start, of an informer that has listed once, must have got every single change. */
  #missed({ observer, informer, early }: ObservedHandler): string[] {
    const isWhole = ['plain', 'objects', 'listing', 'transforming'].includes(informer.kind);
    const { firstVersion, lists } = informer;
    if (!early || !isWhole || lists !== 1 || firstVersion === undefined) return [];
    if (observer.isOver || observer.kind === 'coalescing') return [];
    const expected = this.#truth.states.map(({ version }) => version).filter((version) => version > firstVersion);
    if (observer.told.join() === expected.join()) return [];
    return [`${observer.name} got ${observer.told.join()} and not ${expected.join()}`];
  }
}

/** The name of a step in the figures: faults by what they do, other steps by their kind. */
function nameOf(step: Step): string {
  if (step.do !== 'fault') return `step ${step.do}`;
  const { verb, times, after, ...effect } = step.fault;
  const [[what, how] = ['']] = Object.entries(effect);
  const detail = typeof how === 'object' ? (how as { readonly status?: number }).status : how;
  return `fault ${what} ${detail}`;
}

function place(index: number): { readonly namespace: string; readonly name: string; readonly key: string } {
  const namespace = namespaces[index % namespaces.length] as string;
  const name = `n${String(index % nameCount).padStart(2, '0')}`;
  return { namespace, name, key: `${namespace}/${name}` };
}

function differences(name: string, found: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): string[] {
  const problems: string[] = [];
  for (const [key, version] of wanted) {
    if (found.get(key) !== version) problems.push(`${name} has ${key} at ${found.get(key)} and not at ${version}`);
  }
  for (const key of found.keys()) if (!wanted.has(key)) problems.push(`${name} has ${key}, which is deleted`);
  return problems;
}

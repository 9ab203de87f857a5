import { KubeflectError } from '../../../src/index.js';
import { FakeClock } from '../../../src/time/fake-clock.js';
import { seededRandom } from '../../../src/time/seeded-random.js';
import type { Explanation, SeedResult } from '../subject.js';
import { type Actor, isBug, type Stage } from './actors/actor.js';
import { ElectorsActor } from './actors/electors.js';
import { InformerActor } from './actors/informer.js';
import { ManagersActor } from './actors/managers.js';
import { QueueActor } from './actors/queue.js';
import { RecorderActor } from './actors/recorder.js';
import { WebhooksActor } from './actors/webhooks.js';
import { SimCluster } from './cluster.js';
import { accessBinding, labelsOf, placeOf, widgetDefinition, widgets } from './objects.js';
import {
  type ActorPlan,
  nameCount,
  shrinkWorld,
  stepKinds,
  type WorldPlan,
  type WorldStep,
  worldPlanOf,
} from './plan.js';
import type { Slot } from './slot.js';

/** Longer than dead watches, Leases, takeovers, backoff and the waits of controllers take together. */
const CONVERGES_WITHIN_MS = 15 * 60_000;
const ENDS_WITHIN_MS = 5 * 60_000;
const MOST_PROBLEMS = 10;

/** Every actor in one world, as a {@link Subject} of the runner. Figures count steps by kind, events, runs, writes and crashes. */
export function runSeed(seed: number): Promise<SeedResult> {
  return simulateWorld(worldPlanOf(seed));
}

/** Runs a plan and returns what went wrong. */
export async function simulateWorld(plan: WorldPlan): Promise<SeedResult> {
  const world = new SimWorld(plan);
  try {
    await world.begin();
    for (const step of plan.steps) {
      await world.take(step);
      if (world.check().length > 0) break;
    }
    if (world.check().length === 0) await world.converge();
  } catch (error) {
    world.problem(`the simulation failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
  await world.end();
  return { problems: world.check(), figures: world.figures };
}

/** Runs a failing seed again, shrinks its plan, and describes it, as a subject of the runner. */
export async function explain(seed: number): Promise<Explanation> {
  const plan = worldPlanOf(seed);
  const { problems } = await simulateWorld(plan);
  return { text: await explainWorld(plan, problems) };
}

/** Figures that must not be zero after many seeds: otherwise a kind of actor, step or fault has shown nothing. */
export const required: readonly string[] = [
  ...stepKinds,
  'events',
  'queue runs',
  'leader writes',
  'terms',
  'recorded events',
  'controller runs',
  'controller writes',
  'admitted probes',
  'refused probes',
  'server crashes',
  'writes',
  'failed writes',
];

/** The problems of a plan, and a smaller plan that has problems too. */
async function explainWorld(plan: WorldPlan, problems: readonly string[]): Promise<string> {
  const smallest = await shrinkWorld(plan, async (smaller) => (await simulateWorld(smaller)).problems.length > 0);
  const found = await simulateWorld(smallest);
  return [
    `the world ${plan.seed} failed; replay it with: npm run test:sim -- --world --seed ${plan.seed}`,
    ...problems,
    'the shrunk plan, and how it fails:',
    ...[...smallest.clusters, ...smallest.actors, ...smallest.steps].map((part) => `  ${show(part)}`),
    ...found.problems,
  ].join('\n');
}

function show(part: object): string {
  return JSON.stringify(part, (_, value) => (value === Number.POSITIVE_INFINITY ? 'Infinity' : value));
}

class SimWorld implements Stage {
  readonly seed: number;
  readonly clock: FakeClock;
  readonly clusters: readonly SimCluster[];
  readonly figures: Record<string, number> = {};
  readonly #problems: string[] = [];
  readonly #actors: readonly Actor[];
  readonly #slots: readonly Slot[];
  /** Requests of the steps that have not been answered. */
  readonly #pending = new Set<Promise<void>>();
  #values = 0;

  constructor(plan: WorldPlan) {
    this.seed = plan.seed;
    this.clock = new FakeClock({ seed: plan.seed, patience: 20_000 });
    const random = seededRandom(plan.seed + 1);
    this.clusters = plan.clusters.map(
      (cluster, i) => new SimCluster(`cluster ${i}`, cluster, plan.seed + 1000 * i, this.clock, random),
    );
    this.#actors = plan.actors.map((actor, i) => actorOf(actor, `${actor.kind}-${i}`, this));
    this.#slots = this.#actors.flatMap(({ slots }) => slots);
    for (const cluster of this.clusters) {
      cluster.onCommit = (revision, collection) => {
        for (const actor of this.#actors) actor.onCommit(cluster, revision, collection);
      };
    }
  }

  problem(text: string): void {
    if (this.#problems.length >= MOST_PROBLEMS) return;
    this.#problems.push(`${(this.clock.monotonicNow() / 1000).toFixed(3)} s: ${text}`);
  }

  /** All violations so far. */
  check(): readonly string[] {
    for (const actor of this.#actors) actor.check();
    for (const cluster of this.clusters) for (const text of cluster.problems.splice(0)) this.problem(text);
    return this.#problems;
  }

  async begin(): Promise<void> {
    for (const cluster of this.clusters) await cluster.begin();
    for (const actor of this.#actors) actor.start();
    await this.clock.runUntilIdle();
  }

  async take(step: WorldStep): Promise<void> {
    this.#count(step.do);
    if (step.do === 'pass') {
      await this.clock.advance(step.ms);
      return;
    }
    if ('slot' in step) this.#disturbProcess(step);
    else if (step.do === 'record') this.#record(step);
    else this.#disturbCluster(step);
    await this.clock.runUntilIdle();
  }

  /** Ends all disturbances: every actor must come to rest, in the state of the server. */
  async converge(): Promise<void> {
    for (const cluster of this.clusters) cluster.heal();
    for (const actor of this.#actors) actor.heal();
    const { clock } = this;
    const limit = clock.monotonicNow() + CONVERGES_WITHIN_MS;
    let unsettled: string | undefined = 'nothing was tried';
    while (unsettled !== undefined && clock.monotonicNow() < limit && this.check().length === 0) {
      for (const cluster of this.clusters) this.#complete(cluster);
      await clock.advance(1000);
      unsettled = this.#unsettled();
    }
    if (unsettled === undefined) await this.#stayCalm();
    else if (this.check().length === 0) this.problem(`it does not come to rest: ${unsettled}`);
  }

  /** Lets time pass at rest, for actors in which something happens then. */
  async #stayCalm(): Promise<void> {
    const ms = Math.max(...this.#actors.map(({ calmMs }) => calmMs));
    if (ms === 0) return;
    for (const actor of this.#actors) actor.beginCalm();
    await this.clock.advance(ms);
    this.check();
  }

  /** Stops everything: nothing may be left. */
  async end(): Promise<void> {
    const { clock } = this;
    for (const cluster of this.clusters) cluster.heal();
    for (const actor of this.#actors) actor.heal();
    const isClean = this.check().length === 0;
    let isOver = false;
    const ending = Promise.all(this.#actors.map((actor) => actor.end())).then(async () => {
      if (isClean) for (const actor of this.#actors) actor.checkEnd();
      await Promise.all(this.#pending);
      for (const cluster of this.clusters) await cluster.end();
      isOver = true;
    });
    try {
      await clock.until(() => isOver, { withinMs: ENDS_WITHIN_MS });
      await ending;
      // Disturbances that a step has set to end later.
      await clock.advance(60_000);
      for (const { setBy } of clock.pendingTimers) this.problem(`a timer is left, set ${setBy}`);
    } catch (error) {
      this.problem(`the end failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    for (const { crashes } of this.clusters) this.#count('server crashes', crashes);
  }

  #unsettled(): string | undefined {
    if (this.#pending.size > 0) return 'requests are not answered';
    for (const cluster of this.clusters) {
      if (!cluster.isUp) return `${cluster.name} is down`;
      if (this.#missing(cluster).length > 0) return `${cluster.name} lacks the rights or the definition`;
    }
    for (const actor of this.#actors) {
      const problem = actor.unsettled();
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  // ── steps ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #disturbProcess(step: WorldStep & { readonly slot: number }): void {
    const slot = this.#slots[step.slot % this.#slots.length];
    if (step.do === 'block') slot?.block(step.ms);
    else if (step.do === 'cut') slot?.cut(step.how, step.ms);
    else if (step.do === 'kill') slot?.kill(step.backInMs);
    else if (step.do === 'stop') slot?.stop(step.backInMs);
  }

  #record({ actor, reason, times }: WorldStep & { readonly do: 'record' }): void {
    const recorders = this.#actors.filter((one) => one instanceof RecorderActor);
    recorders[actor % recorders.length]?.record(reason, times);
  }

  #disturbCluster(step: Exclude<WorldStep, { readonly slot: number } | { readonly do: 'pass' | 'record' }>): void {
    const cluster = this.clusters[step.cluster % this.clusters.length] as SimCluster;
    switch (step.do) {
      case 'write':
        for (const name of step.names) this.#write(cluster, name);
        break;
      case 'delete':
        this.#send(cluster, () =>
          cluster.admin.core.v1.configMaps(placeOf(step.name).namespace).delete(`n${step.name}`),
        );
        break;
      case 'resize':
        this.#resize(cluster, step.name, step.size);
        break;
      case 'discard':
        this.#send(cluster, () =>
          cluster.admin.forResource(widgets, placeOf(step.name).namespace).delete(`n${step.name}`),
        );
        break;
      case 'fault':
        cluster.inject(step.fault);
        break;
      case 'refuse':
        cluster.refuse(step.forMs);
        break;
      case 'drop':
        cluster.drop();
        break;
      case 'compact':
        cluster.compact();
        break;
      case 'restart':
        this.#send(cluster, () => cluster.restart(step.keepHistory));
        break;
      case 'crash':
        cluster.crash(step.afterOperations, step.how, step.backInMs);
        break;
      case 'disk':
        cluster.disturbDisk(step.fault, step.forMs);
        break;
      case 'skew':
        cluster.skew(step.ms);
        this.clock.setTimer(step.forMs, () => cluster.skew(0));
        break;
      case 'withdraw':
        this.#send(cluster, () => cluster.admin.rbac.v1.clusterRoleBindings().delete(accessBinding.metadata.name));
        this.clock.setTimer(step.forMs, () => this.#complete(cluster));
        break;
      case 'undefine':
        this.#send(cluster, () =>
          cluster.admin.apiextensions.v1.customResourceDefinitions().delete(widgetDefinition.metadata.name),
        );
        this.clock.setTimer(step.forMs, () => this.#complete(cluster));
        break;
    }
  }

  #write(cluster: SimCluster, index: number): void {
    const { namespace, name, key } = placeOf(index % nameCount);
    const maps = cluster.admin.core.v1.configMaps(namespace);
    const data = { value: `value ${this.#values++}` };
    const exists = cluster.isUp && cluster.server.storage.collection('configmaps').get(key) !== undefined;
    this.#send(cluster, () =>
      exists ? maps.patch(name, { data }) : maps.create({ metadata: { name, labels: labelsOf(index) }, data }),
    );
  }

  #resize(cluster: SimCluster, index: number, size: number): void {
    const { namespace, name, key } = placeOf(index % nameCount);
    const clients = cluster.admin.forResource(widgets, namespace);
    const exists = cluster.isUp && cluster.server.storage.collection('widgets.example.com').get(key) !== undefined;
    const spec = { size };
    this.#send(cluster, () => (exists ? clients.patch(name, { spec }) : clients.create({ metadata: { name }, spec })));
  }

  /** Gives back the rights and the definition that were taken away. */
  #complete(cluster: SimCluster): void {
    if (!cluster.isUp) return;
    for (const create of this.#missing(cluster)) this.#send(cluster, create);
  }

  /** Requests that create what was taken away from a cluster that is up. */
  #missing({ admin, server }: SimCluster): readonly (() => Promise<unknown>)[] {
    const has = (id: string, name: string): boolean => server.storage.collection(id).get(name) !== undefined;
    const requests: (() => Promise<unknown>)[] = [];
    if (!has('clusterrolebindings.rbac.authorization.k8s.io', accessBinding.metadata.name))
      requests.push(() => admin.rbac.v1.clusterRoleBindings().create(accessBinding as never));
    if (!has('customresourcedefinitions.apiextensions.k8s.io', widgetDefinition.metadata.name))
      requests.push(() => admin.apiextensions.v1.customResourceDefinitions().create(widgetDefinition as never));
    return requests;
  }

  /** Sends a request without waiting for it. It may fail; if it is answered, what it stored is visible. */
  #send(cluster: SimCluster, request: () => Promise<unknown>): void {
    const done = request()
      .then(
        (answer) => {
          this.#count('writes');
          const version = (answer as { metadata?: { resourceVersion?: string } } | undefined)?.metadata
            ?.resourceVersion;
          if (Number(version ?? 0) > cluster.visibleVersion)
            this.problem(`version ${version} is answered, but not visible`);
        },
        (error: unknown) => {
          this.#count('failed writes');
          if (isBug(error) || !(error instanceof KubeflectError)) this.problem(`a request failed: ${String(error)}`);
        },
      )
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  #count(figure: string, by = 1): void {
    this.figures[figure] = (this.figures[figure] ?? 0) + by;
  }
}

function actorOf(plan: ActorPlan, name: string, stage: Stage): Actor {
  switch (plan.kind) {
    case 'informer':
      return new InformerActor(name, stage, plan);
    case 'queue':
      return new QueueActor(name, stage, plan);
    case 'electors':
      return new ElectorsActor(name, stage, plan);
    case 'recorder':
      return new RecorderActor(name, stage, plan);
    case 'managers':
      return new ManagersActor(name, stage, plan);
    case 'webhooks':
      return new WebhooksActor(name, stage, plan);
  }
}

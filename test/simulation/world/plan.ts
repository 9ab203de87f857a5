import type { Fault } from '../../../src/apiserver/faults/fault.js';
import { seededRandom } from '../../../src/time/seeded-random.js';
import type { ActorBase } from './actors/actor.js';
import type { ElectorsPlan } from './actors/electors.js';
import type { InformerPlan } from './actors/informer.js';
import type { ManagersPlan } from './actors/managers.js';
import type { QueuePlan } from './actors/queue.js';
import type { RecorderPlan } from './actors/recorder.js';
import type { WebhooksPlan } from './actors/webhooks.js';
import type { ClusterPlan, DiskFault } from './cluster.js';
import type { Cut } from './process.js';

/** Everything that happens in one world, as data: a plan can be printed, replayed, and shrunk. */
export interface WorldPlan {
  readonly seed: number;
  readonly clusters: readonly ClusterPlan[];
  readonly actors: readonly ActorPlan[];
  readonly steps: readonly WorldStep[];
}

export type ActorPlan = InformerPlan | QueuePlan | ElectorsPlan | RecorderPlan | ManagersPlan | WebhooksPlan;

/** One step. Numbers that choose something are taken modulo the number of choices, so that no step depends on another. */
export type WorldStep =
  | { readonly do: 'write'; readonly cluster: number; readonly names: readonly number[] }
  | { readonly do: 'delete'; readonly cluster: number; readonly name: number }
  | { readonly do: 'resize'; readonly cluster: number; readonly name: number; readonly size: number }
  | { readonly do: 'discard'; readonly cluster: number; readonly name: number }
  | { readonly do: 'record'; readonly actor: number; readonly reason: string; readonly times: number }
  | { readonly do: 'fault'; readonly cluster: number; readonly fault: Fault }
  | { readonly do: 'refuse'; readonly cluster: number; readonly forMs: number }
  | { readonly do: 'drop' | 'compact'; readonly cluster: number }
  | { readonly do: 'restart'; readonly cluster: number; readonly keepHistory: boolean }
  | {
      readonly do: 'crash';
      readonly cluster: number;
      readonly how: 'power' | 'kill';
      readonly afterOperations: number;
      readonly backInMs: number;
    }
  | { readonly do: 'disk'; readonly cluster: number; readonly fault: DiskFault; readonly forMs: number }
  /** The clock of the server is wrong for some time: tokens expire. */
  | { readonly do: 'skew'; readonly cluster: number; readonly ms: number; readonly forMs: number }
  /** The processes lose all rights for some time. */
  | { readonly do: 'withdraw'; readonly cluster: number; readonly forMs: number }
  /** The custom resource is deleted, and defined again after some time. */
  | { readonly do: 'undefine'; readonly cluster: number; readonly forMs: number }
  | { readonly do: 'block'; readonly slot: number; readonly ms: number }
  | { readonly do: 'cut'; readonly slot: number; readonly how: Cut; readonly ms: number }
  | { readonly do: 'kill' | 'stop'; readonly slot: number; readonly backInMs: number }
  | { readonly do: 'pass'; readonly ms: number };

/** All kinds of steps. */
export const stepKinds: readonly WorldStep['do'][] = [
  'write',
  'delete',
  'resize',
  'discard',
  'record',
  'fault',
  'refuse',
  'drop',
  'compact',
  'restart',
  'crash',
  'disk',
  'skew',
  'withdraw',
  'undefine',
  'block',
  'cut',
  'kill',
  'stop',
  'pass',
];

export const nameCount = 8;
const STEPS = 24;

/** Random choices, the same for the same seed. */
class Choices {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  weighted<T>(choices: readonly (readonly [weight: number, make: () => T])[]): T {
    let at = this.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of choices) {
      at -= weight;
      if (at < 0) return make();
    }
    return (choices.at(-1) as (typeof choices)[number])[1]();
  }
}

/** The plan of a seed: the same plan for the same seed. */
export function worldPlanOf(seed: number): WorldPlan {
  const choices = new Choices(seed);
  const { random } = choices;
  const clusters = Array.from({ length: random() < 0.3 ? 2 : 1 }, () => ({
    hasDisk: random() < 0.5,
    shardedLists: random() < 0.7,
  }));
  const actors = Array.from({ length: 2 + choices.below(3) }, () => actorOf(choices));
  const steps: WorldStep[] = [{ do: 'write', cluster: 0, names: [0, 1, 2] }];
  for (let i = 0; i < STEPS; i++) {
    const step = stepOf(choices, clusters, actors);
    // Often in the middle of some work: then runs go on that should have ended.
    if ((step.do === 'block' || step.do === 'cut') && random() < 0.6) {
      const names = Array.from({ length: 4 }, () => choices.below(nameCount));
      steps.push(
        { do: 'write', cluster: choices.below(clusters.length), names },
        { do: 'pass', ms: choices.below(300) },
      );
    }
    steps.push(step);
  }
  return { seed, clusters, actors, steps };
}

function actorOf(choices: Choices): ActorPlan {
  const { random } = choices;
  const base: ActorBase = {
    cluster: choices.below(2),
    wire: choices.pick(['json', 'protobuf']),
    rotates: random() < 0.3,
    isSkewed: random() < 0.4,
  };
  return choices.weighted<ActorPlan>([
    [
      3,
      () => ({
        ...base,
        kind: 'informer',
        resource: choices.pick(['configmaps', 'secrets', 'widgets']),
        variant: choices.pick(['plain', 'selecting', 'objects', 'listing']),
        handler: choices.pick(['quick', 'slow', 'coalescing', 'throwing']),
      }),
    ],
    [
      2,
      () => ({
        ...base,
        kind: 'queue',
        queue: choices.pick(['rate-limiting', 'priority']),
        workers: 1 + choices.below(3),
      }),
    ],
    [1, () => ({ ...base, kind: 'electors', candidates: 2 + choices.below(2) })],
    // Certificates have dates: clocks that drift apart make them invalid.
    [0.4, () => ({ ...base, isSkewed: false, kind: 'webhooks', replicas: 1 + choices.below(2) })],
    [1, () => ({ ...base, kind: 'recorder', api: choices.pick(['v1', 'events.k8s.io/v1']) })],
    [
      3,
      () => {
        const shards = random() < 0.5 ? 0 : choices.pick([2, 4]);
        const replicas = 1 + choices.below(shards === 0 ? 2 : 3);
        return {
          ...base,
          kind: 'managers',
          replicas,
          shards,
          by: choices.pick(['uid', 'namespace']),
          hasOther: random() < 0.5,
        };
      },
    ],
  ]);
}

/** Steps; those that only concern a kind of actor are drawn only if there is one. */
function stepOf(choices: Choices, clusters: readonly ClusterPlan[], actors: readonly ActorPlan[]): WorldStep {
  const { random } = choices;
  const cluster = choices.below(clusters.length);
  const slot = choices.below(100);
  const name = choices.below(nameCount);
  const hasDisk = clusters[cluster]?.hasDisk === true;
  const has = (...kinds: ActorPlan['kind'][]): boolean => actors.some(({ kind }) => kinds.includes(kind));
  const usesWidgets = actors.some(
    (actor) => actor.kind === 'managers' || (actor.kind === 'informer' && actor.resource === 'widgets'),
  );
  const shortMs = (): number => choices.pick([500, 4000, 14_000, 40_000]);
  return choices.weighted<WorldStep>([
    [
      6,
      () => ({
        do: 'write',
        cluster,
        names: Array.from({ length: 1 + choices.below(4) }, () => choices.below(nameCount)),
      }),
    ],
    [2, () => ({ do: 'delete', cluster, name })],
    [usesWidgets ? 3 : 0, () => ({ do: 'resize', cluster, name, size: choices.below(100) })],
    [usesWidgets ? 1 : 0, () => ({ do: 'discard', cluster, name })],
    [
      has('recorder') ? 3 : 0,
      () => ({
        do: 'record',
        actor: choices.below(10),
        reason: choices.pick(['Begun', 'Ended']),
        times: 1 + choices.below(4),
      }),
    ],
    [3, () => ({ do: 'fault', cluster, fault: faultOf(choices) })],
    [1, () => ({ do: 'refuse', cluster, forMs: choices.pick([100, 3000, 20_000]) })],
    [0.5, () => ({ do: 'drop', cluster })],
    [0.5, () => ({ do: 'compact', cluster })],
    [hasDisk ? 0 : 1, () => ({ do: 'restart', cluster, keepHistory: random() < 0.3 })],
    [
      hasDisk ? 3 : 0,
      () => ({
        do: 'crash',
        cluster,
        how: choices.pick(['power', 'power', 'kill']),
        afterOperations: choices.below(12),
        backInMs: choices.pick([0, 1000, 12_000]),
      }),
    ],
    [
      hasDisk ? 1.5 : 0,
      () => ({ do: 'disk', cluster, fault: choices.pick(['full', 'slow', 'failing']), forMs: shortMs() }),
    ],
    [
      actors.some(({ rotates }) => rotates) ? 1 : 0,
      () => ({ do: 'skew', cluster, ms: choices.pick([-700_000, 700_000]), forMs: shortMs() }),
    ],
    [0.7, () => ({ do: 'withdraw', cluster, forMs: shortMs() })],
    [usesWidgets ? 0.7 : 0, () => ({ do: 'undefine', cluster, forMs: shortMs() })],
    [1.5, () => ({ do: 'block', slot, ms: choices.pick([500, 14_000, 40_000, 40_000]) })],
    [1, () => ({ do: 'cut', slot, how: choices.pick(['requests', 'answers']), ms: shortMs() })],
    [1, () => ({ do: 'kill', slot, backInMs: shortMs() })],
    [0.7, () => ({ do: 'stop', slot, backInMs: shortMs() })],
    [8, () => ({ do: 'pass', ms: choices.pick([0, 50, 900, 2500, 8000, 25_000]) })],
  ]);
}

/** Writes are delayed for less time than is left between the deadline of a leader and a takeover, with skewed clocks. */
const MOST_WRITE_MS = 2000;

function faultOf(choices: Choices): Fault {
  const resource = choices.pick(['configmaps', 'secrets', 'widgets', 'leases', 'leases', 'events', undefined]);
  const times = 1 + choices.below(4);
  const after = choices.below(3);
  if (choices.random() < 0.5) {
    const effect = choices.pick<Partial<Fault>>([
      { respond: { status: choices.pick([410, 429, 500, 503, 504]) } },
      { reset: choices.pick(['beforeHeaders', 'afterHeaders', 'midEvent']) },
      { stallMs: choices.pick([500, 30_000, Number.POSITIVE_INFINITY]) },
      { corrupt: choices.pick(['truncate', 'garble', 'duplicate']) },
      { errorEvent: { status: choices.pick([410, 500]) } },
      { delayMs: choices.pick([10, 1000, 20_000]) },
    ]);
    return { resource, times, after, verb: choices.pick(['list', 'watch', 'watch']), ...effect } as Fault;
  }
  const effect = choices.pick<Partial<Fault>>([
    { respond: { status: choices.pick([409, 429, 500, 503]) } },
    { reset: choices.pick(['beforeHeaders', 'afterHeaders']) },
    { delayMs: choices.below(MOST_WRITE_MS) },
  ]);
  return {
    resource,
    times,
    after,
    verb: choices.pick(['create', 'update', 'patch', 'delete', 'get']),
    ...effect,
  } as Fault;
}

/**
 * Returns a small plan that still fails: removes steps, in ever smaller pieces, then actors, as long as the rest fails.
 *
 * @param fails runs a plan and resolves with whether it fails
 * @param most the maximum number of plans to run
 */
export async function shrinkWorld(
  plan: WorldPlan,
  fails: (plan: WorldPlan) => Promise<boolean>,
  most = 300,
): Promise<WorldPlan> {
  let smallest = plan;
  let tried = 0;
  const shrinkList = async (list: 'steps' | 'actors', least: number): Promise<void> => {
    for (let size = Math.ceil(smallest[list].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < smallest[list].length && tried < most; ) {
        const rest = [...smallest[list].slice(0, at), ...smallest[list].slice(at + size)];
        const smaller = { ...smallest, [list]: rest };
        tried++;
        if (rest.length >= least && (await fails(smaller))) smallest = smaller;
        else at += size;
      }
    }
  };
  await shrinkList('steps', 0);
  await shrinkList('actors', 1);
  await shrinkList('steps', 0);
  return smallest;
}

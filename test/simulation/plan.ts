import type { Fault } from '../../src/apiserver/index.js';
import { seededRandom } from '../../src/time/seeded-random.js';

/** Everything that happens in one simulation, as data: a plan can be printed, replayed, and shrunk. */
export interface Plan {
  readonly seed: number;
  /** Whether servers support shard selectors: all, none, or some of those behind one address. */
  readonly sharding: 'on' | 'off' | 'mixed';
  readonly informers: readonly InformerKind[];
  readonly steps: readonly Step[];
  /** Whether everything is stopped when caches and handlers have the state of the server, or right after the last step. */
  readonly ends: 'at rest' | 'at once';
}

/** The kinds of informers, by what is special about them. */
export type InformerKind =
  | 'plain'
  | 'selecting'
  | 'objects'
  | 'listing'
  | 'namespaces'
  | 'transforming'
  | 'halves'
  | 'moving'
  | 'moving objects'
  | 'moving namespaces';

/** The kinds of handlers, by what is special about them. */
export type HandlerKind =
  | 'quick'
  | 'async'
  | 'slow'
  | 'coalescing'
  | 'throwing'
  | 'rejecting'
  | 'stopping'
  | 'bounded'
  | 'leaving'
  | 'stream';

/** A fault of the server; the simulation adds `resource`. */
export type PlannedFault = Pick<Fault, 'times' | 'after'> & { readonly verb: 'list' | 'watch' } & Record<
    string,
    unknown
  >;

/** One step. Numbers that choose something are taken modulo the number of choices, so that no step depends on another. */
export type Step =
  | { readonly do: 'start' }
  | { readonly do: 'write'; readonly name: number; readonly tier: Tier }
  | { readonly do: 'delete'; readonly name: number }
  | { readonly do: 'recreate'; readonly name: number; readonly tier: Tier }
  | { readonly do: 'burst'; readonly names: readonly number[] }
  | { readonly do: 'handle'; readonly informer: number; readonly kind: HandlerKind }
  | { readonly do: 'remove'; readonly handler: number }
  | { readonly do: 'fault'; readonly fault: PlannedFault }
  | { readonly do: 'refuse'; readonly forMs: number }
  | { readonly do: 'drop' }
  | { readonly do: 'compact' }
  | { readonly do: 'restart'; readonly keepHistory: boolean }
  | { readonly do: 'gain' | 'release'; readonly shards: readonly number[] }
  | { readonly do: 'pass'; readonly ms: number };

/** The label that selectors use. */
export type Tier = 'front' | 'back';

export const nameCount = 12;
/** The shards of `moving` informers. */
export const shardCount = 4;
const stepCount = 30;
const informerKinds: readonly InformerKind[] = [
  'plain',
  'selecting',
  'objects',
  'listing',
  'namespaces',
  'transforming',
  'halves',
  'moving',
  'moving',
  'moving objects',
  'moving namespaces',
];
const handlerKinds: readonly HandlerKind[] = [
  'quick',
  'quick',
  'async',
  'slow',
  'coalescing',
  'coalescing',
  'throwing',
  'rejecting',
  'stopping',
  'bounded',
  'leaving',
  'stream',
];

/** The plan of a seed: the same plan for the same seed. */
export function planOf(seed: number): Plan {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const tier = (): Tier => pick(['front', 'front', 'back']);
  const informers = Array.from({ length: 1 + below(3) }, () => pick(informerKinds));
  const sharding = pick(['on', 'off', 'mixed'] as const);
  const moves = informers.some((kind) => kind.startsWith('moving'));
  const someShards = () => Array.from({ length: 1 + below(3) }, () => below(shardCount));

  const fault = (): PlannedFault => {
    const status = () => ({ status: pick([410, 410, 429, 500, 503, 504]) });
    const effect: Record<string, unknown> = pick([
      () => ({ respond: { ...status(), ...(random() < 0.2 && { retryAfterMs: 1_000 }) } }),
      () => ({ delayMs: pick([10, 1_000, 20_000]) }),
      () => ({ reset: pick(['beforeHeaders', 'afterHeaders', 'midEvent']) }),
      () => ({ reset: 'midEvent' }),
      () => ({ stallMs: pick([500, 30_000, Number.POSITIVE_INFINITY]) }),
      () => ({ corrupt: pick(['truncate', 'garble', 'duplicate']) }),
      () => ({ corrupt: 'duplicate' }),
      () => ({ errorEvent: status() }),
      () => ({ errorEvent: { status: 410 } }),
      () => ({ bytesPerSecond: pick([200, 5_000]) }),
    ])();
    return { verb: pick(['list', 'watch', 'watch', 'watch']), times: 1 + below(3), after: below(3), ...effect };
  };

  const steps: Step[] = [];
  for (let i = below(4); i > 0; i--) steps.push({ do: 'write', name: below(nameCount), tier: tier() });
  for (let i = 1 + below(4); i > 0; i--) {
    steps.push({ do: 'handle', informer: below(informers.length), kind: pick(handlerKinds) });
  }
  if (random() < 0.3) steps.push({ do: 'fault', fault: fault() });
  steps.push({ do: 'start' });
  const choices: readonly (readonly [weight: number, make: () => Step])[] = [
    [7, () => ({ do: 'write', name: below(nameCount), tier: tier() })],
    [3, () => ({ do: 'delete', name: below(nameCount) })],
    [1, () => ({ do: 'recreate', name: below(nameCount), tier: tier() })],
    [2, () => ({ do: 'burst', names: Array.from({ length: 3 + below(40) }, () => below(nameCount)) })],
    [2, () => ({ do: 'handle', informer: below(informers.length), kind: pick(handlerKinds) })],
    [1, () => ({ do: 'remove', handler: below(1000) })],
    [4, () => ({ do: 'fault', fault: fault() })],
    [1, () => ({ do: 'refuse', forMs: pick([100, 3_000, 30_000]) })],
    [1, () => ({ do: 'drop' })],
    [1, () => ({ do: 'compact' })],
    [1, () => ({ do: 'restart', keepHistory: random() < 0.3 })],
    [moves ? 6 : 0, () => ({ do: pick(['gain', 'gain', 'release']), shards: someShards() })],
    [5, () => ({ do: 'pass', ms: pick([0, 1, 50, 900, 2_000, 7_000, 40_000]) })],
  ];
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  for (let i = 0; i < stepCount; i++) {
    let at = random() * total;
    const chosen = choices.find(([weight]) => {
      at -= weight;
      return at < 0;
    });
    if (chosen !== undefined) steps.push(chosen[1]());
  }
  const ends = random() < 0.05 ? 'at once' : 'at rest';
  return { seed, sharding, informers, steps, ends };
}

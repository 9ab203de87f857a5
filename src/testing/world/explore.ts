import type { ManagerOptions } from '../../controller/index.js';
import { checkOptions } from '../../meta/options/known-options.js';
import { requireFunction, requireInteger, requireOneOf } from '../../meta/options/validate.js';
import { messageOf } from '../../rest/http/request-errors.js';
import { seededRandom } from '../../time/seeded-random.js';
import { type Disturbance, Disturber, describeDisturbance } from './disturbances.js';
import { differencesOf, type EndState, endStateOf } from './end-state.js';
import { WorldFailure } from './invariants.js';
import type { World, WorldOptions } from './types.js';
import { ControllerWorld, type WorldManagers, worldNames } from './world.js';

/** What `explore` tries. */
interface ExploreOptions extends WorldOptions {
  /** How many worlds get several disturbances at random. @default 20 */
  readonly seeds?: number | undefined;
  /** Whether managers crash right before and right after each write. @default true */
  readonly crashes?: boolean | undefined;
  /** Whether caches stay behind each write: of the manager that writes, and of one that takes over. @default true */
  readonly staleness?: boolean | undefined;
  /**
   * Whether all worlds must come to the same end; or whether any end will do in which the scenario and the invariants have not
   * failed, for controllers whose result depends on the order of things.
   * @default 'same'
   */
  readonly ends?: 'same' | 'any' | undefined;
}

/** The end of a world, or why it has none. */
type Outcome = { readonly story: readonly string[]; readonly writes: number } & (
  | { readonly end: EndState }
  | { readonly error: unknown }
);

/** Disturbances of a world of chaos. */
const CHAOS: readonly Disturbance['what'][] = [
  'crashBefore',
  'crashAfter',
  'stale',
  'refuse',
  'loseAnswer',
  'reset',
  'restart',
];
const MAX_CHAOS = 5;

/**
 * Plays a scenario again and again: undisturbed; with a crash right before and right after each single write; with caches that
 * stay behind each of them; with several disturbances at random. Each time the invariants must hold, the scenario must not
 * fail, and the world must come to the same end: the same objects, apart from uids, versions and times. Rejects with the
 * shortest story in which that is not so: what happened, in plain sentences with virtual times.
 *
 * @param setup called for each world, so that none finds what another one has left in memory
 *
 * @example
 * await explore(() => operator(fakeDns()), async (world) => {
 *   await world.client.forResource(websites, 'default').create(shop);
 *   await world.settle();
 * });
 */
export async function explore(
  setup: () => ManagerOptions | ((replica: number) => ManagerOptions),
  scenario: (world: World) => Promise<void>,
  how: ExploreOptions = {},
): Promise<void> {
  requireFunction('setup', setup);
  requireFunction('scenario', scenario);
  checkOptions('explore', how, { ...worldNames, seeds: true, crashes: true, staleness: true, ends: true });
  const { seeds = 20, crashes = true, staleness = true, ends = 'same', ...options } = how;
  requireInteger('seeds', seeds);
  requireOneOf('ends', ends, ['same', 'any']);
  const play = (disturbances: readonly Disturbance[]) => playOnce(setup, scenario, options, disturbances);

  const undisturbed = await play([]);
  if ('error' in undisturbed) throw undisturbedError(undisturbed);
  const { end, writes } = undisturbed;
  const fails = async (disturbances: readonly Disturbance[]): Promise<Outcome | undefined> => {
    const outcome = await play(disturbances);
    if ('error' in outcome) return outcome;
    return ends === 'same' && differencesOf(end, outcome.end).length > 0 ? outcome : undefined;
  };

  const single: Disturbance['what'][] = [
    ...(crashes ? (['crashBefore', 'crashAfter'] as const) : []),
    ...(staleness ? (['stale', 'handover'] as const) : []),
  ];
  for (const what of single) {
    for (let write = 1; write <= writes; write++) {
      const outcome = await fails([{ what, write }]);
      if (outcome !== undefined) throw storyError(end, outcome, [{ what, write }]);
    }
  }
  for (let seed = 1; seed <= seeds; seed++) {
    const disturbances = chaosOf(seed, writes);
    const outcome = await fails(disturbances);
    if (outcome === undefined) continue;
    const shortest = await shorten(disturbances, outcome, fails);
    throw storyError(end, shortest.outcome, shortest.disturbances, seed);
  }
}

async function playOnce(
  setup: () => WorldManagers,
  scenario: (world: World) => Promise<void>,
  options: WorldOptions,
  disturbances: readonly Disturbance[],
): Promise<Outcome> {
  const hasHandover = disturbances.some(({ what }) => what === 'handover');
  const replicas = (options.replicas ?? 1) + (hasHandover ? 1 : 0);
  let world: ControllerWorld | undefined;
  const told = (): Pick<Outcome, 'story' | 'writes'> => {
    return { story: world?.tale.excerpt ?? [], writes: world?.tale.writes ?? 0 };
  };
  try {
    world = await ControllerWorld.begin(setup(), { ...options, replicas }, new Disturber(disturbances));
    try {
      await scenario(world);
      await world.settle();
      return { ...told(), end: endStateOf(world.api) };
    } finally {
      await world[Symbol.asyncDispose]();
    }
  } catch (error) {
    return { ...told(), error };
  }
}

/** Some disturbances at random writes; the same for the same seed. */
function chaosOf(seed: number, writes: number): Disturbance[] {
  const random = seededRandom(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const disturbances = Array.from({ length: 2 + pick(MAX_CHAOS - 1) }, () => ({
    what: CHAOS[pick(CHAOS.length)] as Disturbance['what'],
    write: 1 + pick(writes),
  }));
  return disturbances.sort((a, b) => a.write - b.write);
}

/** Leaves out disturbances as long as the story still fails. */
async function shorten(
  disturbances: readonly Disturbance[],
  outcome: Outcome,
  fails: (disturbances: readonly Disturbance[]) => Promise<Outcome | undefined>,
): Promise<{ readonly disturbances: readonly Disturbance[]; readonly outcome: Outcome }> {
  for (const left of disturbances) {
    const fewer = disturbances.filter((one) => one !== left);
    const shorter = fewer.length === 0 ? undefined : await fails(fewer);
    if (shorter !== undefined) return shorten(fewer, shorter, fails);
  }
  return { disturbances, outcome };
}

function storyError(end: EndState, outcome: Outcome, disturbances: readonly Disturbance[], seed?: number): Error {
  const found =
    'error' in outcome
      ? `it fails: ${messageOf(outcome.error)}`
      : `it comes to another end:\n${indented(differencesOf(end, outcome.end))}`;
  const by = seed === undefined ? '' : ` (seed ${seed})`;
  const what = disturbances.map(describeDisturbance).join(', and ');
  return tell(`explore found a story${by}: with ${what}, ${found}`, outcome);
}

/** A scenario that fails by itself rejects with its own error; an invariant or an actor that fails comes with the story. */
function undisturbedError(outcome: Outcome & { readonly error: unknown }): unknown {
  if (!(outcome.error instanceof WorldFailure)) return outcome.error;
  return tell(`explore found a story: undisturbed, it fails: ${messageOf(outcome.error)}`, outcome);
}

function tell(first: string, outcome: Outcome): Error {
  const message = `${first}\n\nWhat happened, in virtual time:\n${outcome.story.join('\n')}`;
  return new Error(message, 'error' in outcome ? { cause: outcome.error } : undefined);
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

import type { ManagerOptions } from '../../controller/index.js';
import { checkOptions } from '../../meta/options/known-options.js';
import { requireFunction, requireInteger } from '../../meta/options/validate.js';
import { seededRandom } from '../../time/seeded-random.js';
import { type Disturbance, Disturber } from './disturbances.js';
import { differencesOf, type EndState, endStateOf } from './end-state.js';
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
/** The most writes of a story that an error shows. */
const MAX_STORY = 40;

/**
 * Plays a scenario again and again: undisturbed; with a crash right before and right after each single write; with caches that
 * stay behind each of them; with several disturbances at random. The world must come to the same end each time: the same
 * objects, apart from uids, versions and times. Rejects with the shortest story that does not.
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
  checkOptions('explore', how, { ...worldNames, seeds: true, crashes: true, staleness: true });
  const { seeds = 20, crashes = true, staleness = true, ...options } = how;
  requireInteger('seeds', seeds);
  const play = (disturbances: readonly Disturbance[]) => playOnce(setup, scenario, options, disturbances);

  const undisturbed = await play([]);
  if ('error' in undisturbed) throw undisturbed.error;
  const { end, writes } = undisturbed;
  const fails = async (disturbances: readonly Disturbance[]): Promise<Outcome | undefined> => {
    const outcome = await play(disturbances);
    return 'error' in outcome || differencesOf(end, outcome.end).length > 0 ? outcome : undefined;
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
  const disturber = new Disturber(disturbances);
  const hasHandover = disturbances.some(({ what }) => what === 'handover');
  const replicas = (options.replicas ?? 1) + (hasHandover ? 1 : 0);
  const outcome = { story: disturber.story, writes: 0 };
  try {
    const world = await ControllerWorld.begin(setup(), { ...options, replicas }, disturber);
    disturber.isActive = true;
    try {
      await scenario(world);
      await world.settle();
      return { ...outcome, writes: disturber.writes, end: endStateOf(world.api) };
    } finally {
      await world[Symbol.asyncDispose]();
    }
  } catch (error) {
    return { ...outcome, writes: disturber.writes, error };
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
      ? `it fails: ${outcome.error instanceof Error ? outcome.error.message : String(outcome.error)}`
      : `it comes to another end:\n${differencesOf(end, outcome.end)
          .map((line) => `  ${line}`)
          .join('\n')}`;
  const last = Math.max(...disturbances.map(({ write }) => write));
  const at = outcome.story.findIndex((line) => line.startsWith(`${last + 3}. `));
  const shown = outcome.story.slice(0, at < 0 ? undefined : at).slice(-MAX_STORY);
  const by = seed === undefined ? '' : ` (seed ${seed})`;
  const what = disturbances.map(({ what: name, write }) => `${name} at write ${write}`).join(', ');
  const message = `explore found a story${by}: with ${what} ${found}\n\nThe writes up to there:\n${shown.map((line) => `  ${line}`).join('\n')}`;
  return new Error(message, 'error' in outcome ? { cause: outcome.error } : undefined);
}

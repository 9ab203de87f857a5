import { seededRandom } from '../../src/time/seeded-random.js';
import { type Plan, planOf, type Step } from './plan.js';

/** A tenth of the plans is new; the others are variations, so that the search does not stay near the corpus. */
const newShare = 0.1;
/** Plans do not grow without limit. */
const mostSteps = 60;

/** A variation of a plan of the corpus; the same one for the same seed and corpus. */
export function varied(corpus: readonly Plan[], seed: number): Plan {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  // Far from the seeds of the usual runs.
  const fresh = planOf(2 ** 31 + below(2 ** 31));
  if (corpus.length === 0 || random() < newShare) return fresh;

  const plan = pick(corpus);
  let steps: readonly Step[] = plan.steps;
  /** Steps of another plan, from one place on. */
  const borrowed = (count: number): readonly Step[] => {
    const { steps: others } = pick([fresh, pick(corpus)]);
    const at = below(others.length);
    return others.slice(at, at + count);
  };
  const changes: readonly (() => readonly Step[])[] = [
    () => inserted(steps, below(steps.length + 1), borrowed(1)),
    () => inserted(steps, below(steps.length + 1), borrowed(1 + below(8))),
    () => without(steps, below(steps.length), 1),
    () => without(steps, below(steps.length), 1 + below(8)),
    // The same step again, at another time.
    () => inserted(steps, below(steps.length + 1), [pick(steps)]),
    () => moved(steps, below(steps.length), below(steps.length)),
    // The beginning of this plan, and the end of another one.
    () => [...steps.slice(0, below(steps.length + 1)), ...borrowed(mostSteps)],
    () =>
      steps.map((step) =>
        step.do === 'pass' && random() < 0.5 ? { do: 'pass', ms: passing(step.ms, random()) } : step,
      ),
  ];
  for (let count = 1 + below(4); count > 0; count--) if (steps.length > 0) steps = pick(changes)();
  return {
    seed: random() < 0.5 ? plan.seed : fresh.seed,
    sharding: random() < 0.9 ? plan.sharding : fresh.sharding,
    informers: random() < 0.8 ? plan.informers : fresh.informers,
    steps: steps.slice(0, mostSteps),
    ends: random() < 0.9 ? plan.ends : fresh.ends,
  };
}

/** Between nothing and ten times as long, in whole ms. */
function passing(ms: number, random: number): number {
  return random < 0.2 ? 0 : Math.min(Math.round((ms + 1) * 10 ** (2 * random - 1)), 120_000);
}

function inserted(steps: readonly Step[], at: number, more: readonly Step[]): readonly Step[] {
  return [...steps.slice(0, at), ...more, ...steps.slice(at)];
}

function without(steps: readonly Step[], at: number, count: number): readonly Step[] {
  return [...steps.slice(0, at), ...steps.slice(at + count)];
}

function moved(steps: readonly Step[], from: number, to: number): readonly Step[] {
  const step = steps[from];
  return step === undefined ? steps : inserted(without(steps, from, 1), to, [step]);
}

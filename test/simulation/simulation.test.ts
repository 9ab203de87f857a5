import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runs } from '../support/runs.js';
import { type Plan, planOf, type Step, shrink } from './plan.js';
import { simulate } from './simulation.js';

/** `npm run test:sim -- --seed N` or `-- --seeds N --from M` set these. */
const { SIMULATION_SEED, SIMULATION_SEEDS = String(runs(100)), SIMULATION_FROM = '1' } = process.env;
const from = Number(SIMULATION_SEED ?? SIMULATION_FROM);
const count = SIMULATION_SEED === undefined ? Number(SIMULATION_SEEDS) : 1;
const seedsPerTest = 50;
/** A simulation takes about thirty milliseconds; a failing one is run a few hundred times to shrink it. */
const timeoutMs = 240_000;

// Faults of the server cause warnings all the time.
beforeAll(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));
afterAll(() => void vi.restoreAllMocks());

describe('informers keep their contract, whatever the server does', () => {
  for (let first = from; first < from + count; first += seedsPerTest) {
    const last = Math.min(first + seedsPerTest, from + count) - 1;
    it(`in the simulations ${first} to ${last}`, { timeout: timeoutMs }, async () => {
      for (let seed = first; seed <= last; seed++) {
        const plan = planOf(seed);
        const problems = await simulate(plan);
        if (problems.length > 0) expect.fail(await explained(plan, problems));
      }
    });
  }

  it('the same seed gives the same simulation', async () => {
    expect(planOf(7)).toEqual(planOf(7));
    expect(planOf(7)).not.toEqual(planOf(8));
  });

  it('a failing plan is shrunk', async () => {
    const plan: Plan = {
      seed: 1,
      sharding: 'off',
      informers: ['plain', 'objects'],
      steps: [1, 2, 3, 4, 5, 6, 7].map(passing),
    };
    const fails = async ({ steps, informers }: Plan) =>
      informers.includes('objects') && [3, 6].every((ms) => steps.some((step) => step.do === 'pass' && step.ms === ms));
    expect(await shrink(plan, fails)).toEqual({
      seed: 1,
      sharding: 'off',
      informers: ['objects'],
      steps: [3, 6].map(passing),
    });
  });
});

async function explained(plan: Plan, problems: readonly string[]): Promise<string> {
  const smallest = await shrink(plan, async (smaller) => (await simulate(smaller)).length > 0);
  const found = await simulate(smallest);
  return [
    `simulation ${plan.seed} failed; replay it with: npm run test:sim -- --seed ${plan.seed}`,
    ...problems.slice(0, 10),
    `the shrunk plan (${smallest.informers.join(', ')}), and how it fails:`,
    ...smallest.steps.map((step) => `  ${show(step)}`),
    ...found.slice(0, 10),
  ].join('\n');
}

function show(step: Step): string {
  return JSON.stringify(step, (_, value) => (value === Number.POSITIVE_INFINITY ? 'Infinity' : value));
}

function passing(ms: number): Step {
  return { do: 'pass', ms };
}

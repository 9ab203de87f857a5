import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runs } from '../../support/runs.js';
import { shrinkWorld, type WorldPlan, worldPlanOf } from './plan.js';
import { simulateWorld } from './simulation.js';

const { SIMULATION_SEED, SIMULATION_SEEDS = String(runs(20)), SIMULATION_FROM = '1' } = process.env;
const from = Number(SIMULATION_SEED ?? SIMULATION_FROM);
const count = SIMULATION_SEED === undefined ? Number(SIMULATION_SEEDS) : 1;

// Faults of the server cause warnings all the time.
beforeAll(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));
afterAll(() => void vi.restoreAllMocks());

describe('a world of informers, queues, electors, recorders and managers', () => {
  it(`comes to rest, in the worlds ${from} to ${from + count - 1}`, { timeout: 240_000 }, async () => {
    for (let seed = from; seed < from + count; seed++) {
      const plan = worldPlanOf(seed);
      const t = performance.now();
      const { problems, figures } = await simulateWorld(plan);
      if (process.env['SIM_LOG']) console.log(seed, Math.round(performance.now() - t), JSON.stringify(figures));
      if (problems.length > 0) {
        console.log(JSON.stringify(plan.clusters), JSON.stringify(plan.actors));
        expect.fail(`${seed}\n${problems.join('\n')}`);
      }
    }
  });
});

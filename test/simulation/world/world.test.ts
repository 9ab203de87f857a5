import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runs } from '../../support/runs.js';
import { shrinkWorld, type WorldPlan, type WorldStep, worldPlanOf } from './plan.js';
import { explain, runSeed, simulateWorld } from './simulation.js';

const SEEDS = runs(10);
/** A world takes a fifth of a second; a failing one is run a few hundred times to shrink it. */
const timeoutMs = 240_000;

// Faults of the server cause warnings all the time.
beforeAll(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));
afterAll(() => void vi.restoreAllMocks());

describe('a world of informers, queues, electors, recorders and managers', () => {
  it(`keeps its rules and comes to rest, in the worlds 1 to ${SEEDS}`, { timeout: timeoutMs }, async () => {
    const total: Record<string, number> = {};
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { problems, figures } = await runSeed(seed);
      if (problems.length > 0) expect.fail((await explain(seed)).text);
      for (const [name, count] of Object.entries(figures)) total[name] = (total[name] ?? 0) + count;
    }
    // Otherwise a kind of actor did nothing, and the worlds showed nothing about it.
    for (const name of ['events', 'queue runs', 'leader writes', 'controller runs', 'controller writes'])
      expect(total[name], name).toBeGreaterThan(0);
    expect(total['server crashes']).toBeGreaterThan(0);
  });

  it('the same seed gives the same world', async () => {
    expect(worldPlanOf(7)).toEqual(worldPlanOf(7));
    expect(worldPlanOf(7)).not.toEqual(worldPlanOf(8));
    expect(await runSeed(20)).toEqual(await runSeed(20));
  });

  it('an end that a rule does not allow is reported, and the plan is shrunk', { timeout: timeoutMs }, async () => {
    const base = worldPlanOf(3);
    const passing = (ms: number): WorldStep => ({ do: 'pass', ms });
    const plan: WorldPlan = { ...base, steps: [1, 2, 3, 4, 5].map(passing) };
    const fails = async ({ steps, actors }: WorldPlan) =>
      actors.length > 0 && [2, 5].every((ms) => steps.some((step) => step.do === 'pass' && step.ms === ms));
    const smallest = await shrinkWorld(plan, fails);
    expect(smallest.steps).toEqual([2, 5].map(passing));
    expect(smallest.actors.length).toBe(1);
    expect((await simulateWorld(smallest)).problems).toEqual([]);
  });
});

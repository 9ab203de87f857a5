import { describe, expect, it } from 'vitest';
import { plantedFaults } from './planted-faults.js';
import { type ShardOutcome, type ShardPlan, ShardSimulation } from './shard-simulation.js';

const seeds = Number(process.env['SIMULATION_SEEDS'] ?? 150);
const from = Number(process.env['SIMULATION_SEED'] ?? process.env['SIMULATION_FROM'] ?? 1);
const last = process.env['SIMULATION_SEED'] === undefined ? from + seeds - 1 : from;
/** How many seeds a planted bug may hide from, counted from the first one that is tried. */
const bugSeeds = 100;

function planOf(seed: number): ShardPlan {
  return {
    seed,
    replicas: 2 + (seed % 4),
    layout: { shards: 4 + (seed % 3) * 4, by: 'uid' },
    times: { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000, rebalanceAfterMs: 10_000 },
    disturbedMs: 180_000,
    disturbanceMs: 6000,
    clockSkew: 0.1,
    hasRuns: true,
  };
}

describe('replicas that share the work', () => {
  it(`[C54] never work on one shard at the same time, and come to equal shares (seeds ${from}–${last})`, () => {
    const total = { writesStored: 0, writesRefused: 0, moves: 0, disturbances: 0 };
    for (let seed = from; seed <= last; seed++) {
      const outcome: ShardOutcome = new ShardSimulation(planOf(seed)).run();
      expect(outcome.problems, `seed ${seed}`).toEqual([]);
      total.writesStored += outcome.writesStored;
      total.writesRefused += outcome.writesRefused;
      total.moves += outcome.moves;
      total.disturbances += Object.values(outcome.disturbances).reduce((sum, count) => sum + count, 0);
    }
    if (process.env['SIMULATION_SEEDS'] !== undefined)
      console.log(`${last - from + 1} seeds: ${JSON.stringify(total)}`);
    expect(total.writesRefused).toBeGreaterThan(0);
    expect(total.moves).toBeGreaterThan(0);
  }, 3_600_000);

  it.each(Object.entries(plantedFaults))('finds the planted bug: %s', (name, faults) => {
    const { from: first = 1, disturbanceMs } = faults;
    for (let seed = first; seed < first + bugSeeds; seed++) {
      const plan = planOf(seed);
      const bug = { ...plan, disturbanceMs: disturbanceMs ?? plan.disturbanceMs, faults };
      const { problems } = new ShardSimulation(bug).run();
      if (problems.length === 0) continue;
      // The bug is what was found, and not the plan.
      expect(new ShardSimulation({ ...bug, faults: undefined }).run().problems).toEqual([]);
      if (process.env['SIMULATION_SEEDS'] !== undefined) console.log(`${name}: seed ${seed}, ${problems[0]}`);
      return;
    }
    expect.unreachable(`no seed from ${first} to ${first + bugSeeds - 1} finds it`);
  });
});

import { describe, expect, it } from 'vitest';
import { runs } from '../../support/runs.js';
import { plantedFaults } from './planted-faults.js';
import { planOf, runSeed } from './replicas.js';
import { ShardSimulation } from './shard-simulation.js';

const seeds = runs(150);
/** How many seeds a planted bug may hide from, counted from the first one that is tried. */
const bugSeeds = 100;

describe('replicas that share the work', () => {
  it(`[C54] never work on one shard at the same time, and come to equal shares (seeds 1–${seeds})`, async () => {
    const total = { writesRefused: 0, moves: 0 };
    for (let seed = 1; seed <= seeds; seed++) {
      const { problems, figures } = await runSeed(seed);
      expect(problems, `seed ${seed}: npm run test:sim -- --shards --seed ${seed}`).toEqual([]);
      total.writesRefused += figures['writesRefused'] ?? 0;
      total.moves += figures['moves'] ?? 0;
    }
    expect(total.writesRefused).toBeGreaterThan(0);
    expect(total.moves).toBeGreaterThan(0);
  }, 600_000);

  it.each(Object.entries(plantedFaults))('finds the planted bug: %s', (_name, faults) => {
    const { from: first = 1, disturbanceMs } = faults;
    for (let seed = first; seed < first + bugSeeds; seed++) {
      const plan = planOf(seed);
      const bug = { ...plan, disturbanceMs: disturbanceMs ?? plan.disturbanceMs, faults };
      const { problems } = new ShardSimulation(bug).run();
      if (problems.length === 0) continue;
      // The bug is what was found, and not the plan.
      expect(new ShardSimulation({ ...bug, faults: undefined }).run().problems).toEqual([]);
      return;
    }
    expect.unreachable(`no seed from ${first} to ${first + bugSeeds - 1} finds it`);
  });
});

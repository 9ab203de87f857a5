import { expect, it } from 'vitest';
import { shardOf } from '../../../src/informers/shards/index.js';
import { seededRandom } from '../../../src/time/seeded-random.js';
import { type ShardPlan, ShardSimulation } from './shard-simulation.js';

/** `npm run test:sim -- --scale` has the whole size; a part of it is enough to see that it works. */
const isWhole = process.env['SIMULATION_SCALE'] !== undefined;
const size = isWhole ? { replicas: 100, shards: 256, keys: 1_000_000 } : { replicas: 12, shards: 64, keys: 20_000 };
const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000, rebalanceAfterMs: 10_000 };
const plan: ShardPlan = {
  seed: 1,
  replicas: size.replicas,
  layout: { shards: size.shards, by: 'uid' },
  times,
  disturbedMs: 0,
  disturbanceMs: 1e9,
  clockSkew: 0.1,
  hasRuns: false,
};

/** How many keys each shard has. */
function keysOfShards(random: () => number): number[] {
  const counts = Array.from({ length: size.shards }, () => 0);
  for (let i = 0; i < size.keys; i++) {
    const shard = shardOf({ count: size.shards }, `uid-${Math.floor(random() * 2 ** 52)}`);
    counts[shard] = (counts[shard] as number) + 1;
  }
  return counts;
}

function quantile(sorted: readonly number[], part: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0);
}

it('a large manager comes to rest after joins, crashes, partitions and leaves; its costs are counted', () => {
  const random = seededRandom(7);
  const keys = keysOfShards(random);
  const sim = new ShardSimulation(plan);
  const figures: Record<string, unknown>[] = [];
  const phase = (name: string, ms: number, disturb: () => void): void => {
    const before = { lease: sim.leaseWrites, assignment: sim.assignmentWrites, moves: sim.moves };
    sim.pauses.length = 0;
    disturb();
    sim.advance(ms);
    const pauses = [...sim.pauses].sort((a, b) => a - b);
    figures.push({
      phase: name,
      seconds: ms / 1000,
      moves: sim.moves - before.moves,
      leaseWritesPerSecond: Math.round((10_000 * (sim.leaseWrites - before.lease)) / ms) / 10,
      assignmentWrites: sim.assignmentWrites - before.assignment,
      pausesMs: { p50: quantile(pauses, 0.5), p99: quantile(pauses, 0.99), max: quantile(pauses, 1) },
    });
  };
  const some = (count: number) => [...sim.alive].sort(() => random() - 0.5).slice(0, count);
  const tenth = Math.max(1, Math.round(size.replicas / 10));
  phase('all start within 3 s', 60_000, () => sim.begin());
  phase('one more joins', 60_000, () => sim.join());
  phase('a tenth crashes', 60_000, () => {
    for (const replica of some(tenth)) replica.crash();
  });
  phase('a tenth joins', 60_000, () => {
    for (let i = 0; i < tenth; i++) sim.join();
  });
  phase('a tenth is cut off for 30 s', 90_000, () => {
    for (const replica of some(tenth)) replica.cutOff(30_000, 'requests');
  });
  phase('a tenth leaves', 60_000, () => {
    for (const replica of some(tenth)) replica.leave();
  });
  const perReplica = sim.alive.map(({ lease }) =>
    sim.holders.reduce((sum, holder, shard) => sum + (holder === lease ? (keys[shard] as number) : 0), 0),
  );
  const shares = sim.alive.map(({ lease }) => sim.holders.filter((holder) => holder === lease).length);
  if (isWhole)
    console.log(JSON.stringify({ size, figures, keysPerReplica: [Math.min(...perReplica), Math.max(...perReplica)] }));
  expect(sim.problems).toEqual([]);
  expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
  expect(perReplica.reduce((sum, count) => sum + count, 0)).toBe(size.keys);
}, 1_200_000);

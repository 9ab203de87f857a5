import { describe, expect, it } from 'vitest';
import type { ShardLayout } from '../../../src/controller/shards/shard-records.js';
import { type ShardPlan, ShardSimulation } from './shard-simulation.js';

const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000, rebalanceAfterMs: 10_000 };

/** Replicas that have come to rest. */
function replicas(count: number, layout: ShardLayout = { shards: 32, by: 'uid' }, seed = 1): ShardSimulation {
  const plan: ShardPlan = {
    seed,
    replicas: count,
    layout,
    times,
    disturbedMs: 0,
    disturbanceMs: 1e9,
    clockSkew: 0,
    hasRuns: true,
  };
  const sim = new ShardSimulation(plan);
  sim.begin();
  sim.advance(60_000);
  return sim;
}

function sharesOf(sim: ShardSimulation): number[] {
  return sim.alive.map(({ lease }) => sim.holders.filter((holder) => holder === lease).length).sort((a, b) => b - a);
}

describe('replicas that share the work', () => {
  it('[C53] have equal shares; a fourth one gets 8, and nothing moves between the old ones', () => {
    const sim = replicas(3);
    expect(sharesOf(sim)).toEqual([11, 11, 10]);
    const before = sim.holders;
    sim.join();
    sim.advance(60_000);
    expect(sharesOf(sim)).toEqual([8, 8, 8, 8]);
    const moved = sim.holders.filter((holder, shard) => holder !== before[shard]);
    expect(moved).toEqual(Array.from({ length: 8 }, () => 'r3'));
  });

  it('[C55] hand shards over with a pause of at most the draining and 2 s', () => {
    const sim = replicas(3);
    sim.pauses.length = 0;
    sim.join();
    sim.advance(60_000);
    expect(sim.pauses).toHaveLength(8);
    // Draining takes 3 s, then runs are aborted; a write without an answer is waited for, for 5 s.
    expect(Math.max(...sim.pauses)).toBeLessThanOrEqual(3000 + 5000 + 2000);
    expect(sim.problems).toEqual([]);
  });

  it('[C55] hand all shards over before they leave', () => {
    const sim = replicas(3);
    sim.pauses.length = 0;
    sim.alive[0]?.leave();
    sim.advance(30_000);
    expect(sharesOf(sim)).toEqual([16, 16]);
    expect(Math.max(...sim.pauses)).toBeLessThanOrEqual(3000 + 5000 + 2000);
    expect(sim.leases.has('r0')).toBe(false);
  });

  it('[C56] have all shards of a crashed one after leaseDurationMs, 2.2 retryPeriodMs and the list', () => {
    const sim = replicas(3);
    sim.pauses.length = 0;
    sim.alive[0]?.crash();
    sim.advance(15_000 + 4400 + 2050);
    expect(sharesOf(sim)).toEqual([16, 16]);
    expect(sim.alive.flatMap((replica) => sim.holders.filter((_, shard) => replica.opens(shard)))).toHaveLength(32);
  });

  it('[C57] are silent at renewDeadlineMs when they are cut off, before another one takes over', () => {
    const sim = replicas(2);
    const [cut, other] = sim.alive;
    const shards = sim.holders.flatMap((holder, shard) => (holder === cut?.lease ? [shard] : []));
    cut?.cutOff(60_000, 'requests');
    sim.advance(10_000);
    expect(shards.filter((shard) => cut?.opens(shard))).toEqual([]);
    expect(shards.filter((shard) => other?.opens(shard))).toEqual([]);
    sim.advance(10_000);
    expect(shards.filter((shard) => other?.opens(shard))).toEqual(shards);
    sim.advance(80_000);
    expect(sharesOf(sim)).toEqual([16, 16]);
    expect(sim.problems).toEqual([]);
  });

  it('[C58] keep their shards while another one restarts every 5 s', () => {
    const sim = replicas(3);
    const crashing = sim.alive[0];
    const before = sim.holders;
    let victim = crashing;
    for (let restarts = 0; restarts < 24; restarts++) {
      victim?.crash();
      sim.join();
      victim = sim.alive.at(-1);
      sim.advance(5000);
      const moved = sim.holders.filter(
        (holder, shard) => before[shard] !== crashing?.lease && holder !== before[shard],
      );
      expect(moved).toEqual([]);
    }
    expect(sim.holders.filter((holder) => holder === crashing?.lease)).toEqual([]);
    sim.advance(60_000);
    expect(sharesOf(sim)).toEqual([11, 11, 10]);
  });

  it('[C59] with another number of shards wait until none with the old one lives', () => {
    const sim = replicas(2);
    for (let i = 0; i < 2; i++) sim.join({ shards: 8, by: 'uid' });
    sim.advance(60_000);
    expect(sim.holders).toHaveLength(32);
    expect(new Set(sim.holders)).toEqual(new Set(['r0', 'r1']));
    sim.alive[0]?.leave();
    sim.advance(60_000);
    expect(new Set(sim.holders)).toEqual(new Set(['r1']));
    sim.alive.find(({ lease }) => lease === 'r1')?.crash();
    sim.advance(10_000);
    expect(sim.holders).toHaveLength(32);
    sim.advance(60_000);
    expect(sim.holders).toHaveLength(8);
    expect(sharesOf(sim)).toEqual([4, 4]);
    expect(sim.problems).toEqual([]);
  });

  it('go on after the shared Lease was deleted, when writes to their shards have arrived', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const sim = replicas(2, undefined, seed);
      sim.assignment = undefined;
      for (const replica of sim.replicas) replica.notify('');
      sim.advance(60_000);
      expect(sharesOf(sim)).toEqual([16, 16]);
      expect(sim.problems).toEqual([]);
    }
  });

  it('remove the Leases of replicas that crashed long ago', () => {
    const sim = replicas(2);
    sim.alive[0]?.crash();
    sim.advance(100_000);
    expect(sim.leases.has('r0')).toBe(true);
    sim.advance(100_000);
    expect([...sim.leases.keys()]).toEqual(['r1']);
  });
});

import type { SeedResult } from '../subject.js';
import { type ShardPlan, ShardSimulation } from './shard-simulation.js';

/** The plan of a seed. */
export function planOf(seed: number): ShardPlan {
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

/** Replicas that share the work, as a {@link Subject} of the runner. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const { problems, writesStored, writesRefused, moves, disturbances, events } = new ShardSimulation(
    planOf(seed),
  ).run();
  const disturbed = Object.entries(disturbances).map(([kind, count]) => [`disturbance ${kind}`, count] as const);
  return { problems, figures: { writesStored, writesRefused, moves, events, ...Object.fromEntries(disturbed) } };
}

import type { LeaderElectorOptions } from '../../election/index.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import {
  optionError,
  requireInteger,
  requireNumber,
  requireObject,
  requireOneOf,
} from '../../meta/options/validate.js';
import type { ShardLayout } from './shard-records.js';
import type { ShardTimes } from './shard-replica.js';

/**
 * How replicas share the work: each runs the controllers for its part of the objects. The times are those of the Leases, as in
 * leader election.
 */
export interface ShardingOptions
  extends Partial<Pick<LeaderElectorOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>> {
  /**
   * The number of parts, from 2 to 256. Replicas with another number wait until none with the old one is left.
   * @default 32
   */
  readonly shards?: number | undefined;
  /**
   * What decides about the part of an object. `'uid'`: parts are of equal size, but every replica receives all objects of owned
   * kinds. `'namespace'`: what an object owns is in its part, too; parts are as unequal as namespaces are.
   * @default 'uid'
   */
  readonly by?: 'uid' | 'namespace' | undefined;
  /** How long the replicas must have been the same before parts move between them; parts without a replica move at once. @default 10_000 */
  readonly rebalanceAfterMs?: number | undefined;
}

const shardingNames: OptionNames<ShardingOptions> = {
  leaseDurationMs: true,
  renewDeadlineMs: true,
  retryPeriodMs: true,
  shards: true,
  by: true,
  rebalanceAfterMs: true,
};

/** Checked options, with their defaults. */
export interface Sharding {
  readonly layout: ShardLayout;
  readonly times: ShardTimes & { readonly retryPeriodMs: number };
}

/** A renewal may fail once or twice before the deadline. */
const LEAST_TRIES = 1.2;

export function checkSharding(options: ShardingOptions): Sharding {
  requireObject('sharding', options, 'an object, which may be empty');
  checkOptions('sharding', options, shardingNames);
  const shards = requireInteger('sharding.shards', options.shards ?? 32, 2, 256);
  const by = requireOneOf('sharding.by', options.by ?? 'uid', ['uid', 'namespace']);
  const leaseDurationMs = requireNumber('sharding.leaseDurationMs', options.leaseDurationMs ?? 15_000, 1000);
  const renewDeadlineMs = requireNumber('sharding.renewDeadlineMs', options.renewDeadlineMs ?? 10_000, 1);
  const retryPeriodMs = requireNumber('sharding.retryPeriodMs', options.retryPeriodMs ?? 2000, 1);
  const rebalanceAfterMs = requireNumber('sharding.rebalanceAfterMs', options.rebalanceAfterMs ?? 10_000);
  if (leaseDurationMs <= renewDeadlineMs)
    throw optionError('sharding.leaseDurationMs', `more than renewDeadlineMs (${renewDeadlineMs})`, leaseDurationMs);
  if (renewDeadlineMs <= LEAST_TRIES * retryPeriodMs)
    throw optionError(
      'sharding.renewDeadlineMs',
      `more than ${LEAST_TRIES} times retryPeriodMs (${retryPeriodMs})`,
      renewDeadlineMs,
    );
  return { layout: { shards, by }, times: { leaseDurationMs, renewDeadlineMs, retryPeriodMs, rebalanceAfterMs } };
}

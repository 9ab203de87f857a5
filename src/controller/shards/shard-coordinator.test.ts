import { expect, it } from 'vitest';
import { undoOnce } from '../../meta/undo.js';
import { FakeClock } from '../../time/fake-clock.js';
import { type FoundAssignment, ShardCoordinator, type ShardHost, type ShardLeases } from './shard-coordinator.js';
import { ShardReplica } from './shard-replica.js';

const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000, rebalanceAfterMs: 10_000 };
const host: ShardHost = {
  fill: () => {},
  open: () => {},
  drain: () => undoOnce(() => {}),
  close: () => {},
};

it.each([
  ['there is none', 'missing'],
  ['it has the same version as before', { version: '5', assignment: undefined }],
] as const)('a write that is refused is repeated after a pause, if %s', async (_name, found) => {
  const clock = new FakeClock();
  const counted = { reads: 0, writes: 0 };
  /** Every request takes a millisecond. */
  const answered = (answer: () => void): void => void clock.setTimer(1, answer);
  const leases: ShardLeases = {
    now: () => clock.monotonicNow(),
    setTimer: (ms, callback) => {
      const timer = clock.setTimer(ms, callback);
      return undoOnce(() => timer.cancel());
    },
    renew: (_record, done) => answered(() => done('stored')),
    readMember: (_lease, done) => answered(() => done('missing')),
    readAssignment: (done) => {
      counted.reads++;
      answered(() => done(found as FoundAssignment | 'missing'));
    },
    writeAssignment: (_version, _assignment, done) => {
      counted.writes++;
      answered(() => done('refused'));
    },
    discardMember: () => {},
  };
  const replica = new ShardReplica('r0', { shards: 4, by: 'uid' }, times, clock.monotonicNow());
  const coordinator = new ShardCoordinator(replica, leases, host, times);
  coordinator.start();
  await clock.advance(60_000);
  expect(counted.writes).toBeGreaterThan(2);
  expect(counted.reads + counted.writes).toBeLessThan(300);
  coordinator.stop();
});

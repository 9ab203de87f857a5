import { describe, expect, it } from 'vitest';
import type { Assignment } from './shard-records.js';
import { ShardReplica } from './shard-replica.js';

const layout = { shards: 4, by: 'uid' } as const;
const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, rebalanceAfterMs: 5000 };

/** A replica whose first renewal was sent and answered at 0. */
function begun(): ShardReplica {
  const replica = new ShardReplica('a', layout, times, 0);
  replica.renewalSent(replica.session, 0);
  replica.renewed(replica.session, 0, 0);
  return replica;
}

const held = (...sessions: (string | undefined)[]): Assignment => ({ layout, holders: sessions });

describe('the session of a replica', () => {
  it('ends at the deadline of the last renewal that was sent and answered', () => {
    const replica = begun();
    replica.renewed('a#1', 6000, 7000);
    expect([replica.isValid(15_999), replica.isValid(16_000)]).toEqual([true, false]);
  });

  it('is over when an answer comes after the deadline', () => {
    const replica = begun();
    replica.renewed('a#1', 9000, 10_000);
    expect([replica.isValid(10_000), replica.session]).toEqual([false, 'a#2']);
  });

  it('is not affected by an answer to an earlier renewal that comes after its own deadline', () => {
    const replica = begun();
    replica.renewed('a#1', 6000, 7000);
    replica.renewed('a#1', 1000, 12_000);
    expect([replica.isValid(12_000), replica.isValid(15_999), replica.session]).toEqual([true, true, 'a#1']);
  });
});

describe('the assignment that a replica knows', () => {
  it('is the one with the highest version, in whichever order they are seen', () => {
    const replica = begun();
    replica.assignmentSeen('8', held('a#1', 'a#1', 'b#1', 'b#1'), 100);
    expect(replica.held(100)).toEqual([0, 1]);
    replica.assignmentSeen('7', held('a#1', 'a#1', 'a#1', 'a#1'), 200);
    replica.assignmentRead({ version: '8', assignment: held() }, 200, 200);
    expect([replica.held(200), replica.mayWrite(1, 200), replica.mayWrite(2, 200)]).toEqual([[0, 1], true, false]);
    replica.assignmentSeen('9', held('b#1', 'a#1', 'b#1', 'b#1'), 300);
    expect(replica.held(300)).toEqual([1]);
  });

  it('is none when a read finds none, unless it was seen after the read was sent', () => {
    const replica = begun();
    replica.assignmentSeen('8', held('a#1', undefined, undefined, undefined), 100);
    replica.assignmentRead(undefined, 99, 200);
    expect(replica.held(200)).toEqual([0]);
    replica.assignmentRead(undefined, 100, 200);
    expect(replica.held(200)).toEqual([]);
  });
});

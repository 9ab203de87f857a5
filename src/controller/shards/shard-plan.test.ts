import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planShards } from './shard-plan.js';

/** The shares of a plan, the largest first. */
function sharesOf(targets: readonly (string | undefined)[]): number[] {
  const counts = new Map<string | undefined, number>();
  for (const target of targets) counts.set(target, (counts.get(target) ?? 0) + 1);
  return [...counts.values()].sort((a, b) => b - a);
}

const none = (shards: number): undefined[] => Array.from({ length: shards }, () => undefined);
const all = (members: readonly string[]) => ({ members, receivers: members, rebalances: true });

describe('planShards', () => {
  it('[C53] gives three replicas 11, 11 and 10 of 32 shards', () => {
    expect(sharesOf(planShards({ holders: none(32), ...all(['a', 'b', 'c']) }))).toEqual([11, 11, 10]);
  });

  it('[C53] gives a fourth replica 8, and moves none between the old ones', () => {
    const before = planShards({ holders: none(32), ...all(['a', 'b', 'c']) });
    const after = planShards({ holders: before, ...all(['a', 'b', 'c', 'd']) });
    expect(sharesOf(after)).toEqual([8, 8, 8, 8]);
    for (const [shard, target] of after.entries()) expect([before[shard], 'd']).toContain(target);
  });

  it('[C53] moves only the shards of a replica that goes', () => {
    const before = planShards({ holders: none(32), ...all(['a', 'b', 'c', 'd']) });
    const orphaned = before.map((holder) => (holder === 'd' ? undefined : holder));
    const after = planShards({ holders: orphaned, ...all(['a', 'b', 'c']) });
    expect(sharesOf(after)).toEqual([11, 11, 10]);
    after.forEach((target, shard) => {
      if (before[shard] !== 'd') expect(target).toBe(before[shard]);
    });
  });

  it('leaves the shards of a holder that takes no part, and shards without members, as they are', () => {
    expect(planShards({ holders: ['x', undefined, 'x'], ...all(['a']) })).toEqual(['x', 'a', 'x']);
    expect(planShards({ holders: ['x', undefined], ...all([]) })).toEqual(['x', undefined]);
  });

  it('gives shards without a holder to receivers only, and moves nothing else unless it rebalances', () => {
    const plan = { holders: ['a', 'a', 'a', undefined], members: ['a', 'b'], receivers: ['a'], rebalances: false };
    expect(planShards(plan)).toEqual(['a', 'a', 'a', 'a']);
    expect(planShards({ ...plan, receivers: ['a', 'b'] })).toEqual(['a', 'a', 'a', 'b']);
  });

  const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 });
  const situations = names.chain((members) =>
    fc.record({
      members: fc.constant(members),
      holders: fc.array(fc.option(fc.constantFrom(...members), { nil: undefined }), { minLength: 2, maxLength: 64 }),
    }),
  );

  it('always gives equal shares, in whichever order members are named, and moves no more than it must', () => {
    fc.assert(
      fc.property(situations, ({ members, holders }) => {
        const targets = planShards({ holders, ...all(members) });
        expect(planShards({ holders, ...all([...members].reverse()) })).toEqual(targets);
        const counts = members.map((member) => targets.filter((target) => target === member).length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        expect(targets).not.toContain(undefined);
        const share = Math.floor(holders.length / members.length);
        const kept = (member: string, of: readonly (string | undefined)[]) => of.filter((one) => one === member).length;
        for (const [shard, holder] of holders.entries()) {
          if (holder === undefined || targets[shard] === holder) continue;
          // A shard moves only from a member with more than its share to one with less.
          expect(kept(holder, holders)).toBeGreaterThan(share);
          expect(kept(targets[shard] as string, holders)).toBeLessThanOrEqual(share);
        }
      }),
    );
  });

  it('stays the same plan while its moves are made one by one, in any order', () => {
    fc.assert(
      fc.property(situations, fc.infiniteStream(fc.nat()), ({ members, holders }, numbers) => {
        const settled = planShards({ holders, members, receivers: members, rebalances: false });
        const targets = planShards({ holders: settled, ...all(members) });
        const current = [...settled];
        for (;;) {
          const open = current.flatMap((holder, shard) => (holder === targets[shard] ? [] : [shard]));
          if (open.length === 0) break;
          const shard = open[(numbers.next().value ?? 0) % open.length] as number;
          current[shard] = targets[shard];
          expect(planShards({ holders: current, ...all(members) })).toEqual(targets);
        }
      }),
    );
  });
});

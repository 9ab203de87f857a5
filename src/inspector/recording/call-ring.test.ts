import { expect, it } from 'vitest';
import { CallRing } from './call-ring.js';

const handler = { name: 'print' };

it('has the calls of each change, oldest first', () => {
  const calls = new CallRing(1000);
  calls.add(1, handler, 1003, 1.5, 0.25, undefined);
  calls.add(2, handler, 1004, 0, 0, undefined);
  calls.add(1, { name: 'other' }, 1005, undefined, 5_000_000, 'broken');
  const found = calls.of(new Set([1, 3]));
  expect([...found.keys()]).toEqual([1]);
  expect(found.get(1)).toEqual([
    { subscription: handler, at: 1003, lagMs: 1.5, durationMs: 0.25, error: undefined },
    { subscription: { name: 'other' }, at: 1005, lagMs: undefined, durationMs: 2_000_000, error: 'broken' },
  ]);
});

it('keeps the last 65,536 calls, and no error of an earlier one', () => {
  const calls = new CallRing(0);
  for (let i = 0; i < 100; i++) calls.add(i + 1, handler, i, 0, 0, 'broken');
  for (let i = 100; i < 65_600; i++) calls.add(i + 1, handler, i, 0, 0, undefined);
  const found = calls.of(new Set([1, 64, 65, 100, 65_600]));
  expect([...found.keys()]).toEqual([65, 100, 65_600]);
  expect(found.get(100)?.[0]?.error).toBe('broken');
  expect(found.get(65_600)?.[0]?.error).toBeUndefined();
});

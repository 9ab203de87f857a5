import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changesBetween } from './changes.js';

it('says what changed, from what to what', () => {
  const before = { spec: { replicas: 2, paused: true }, status: { phase: 'Pending' }, list: [1, { a: 1 }] };
  const after = { spec: { replicas: 3 }, status: { phase: 'Running' }, list: [1, { a: 2 }] };
  expect(changesBetween(before, after, 9)).toEqual([
    'spec.replicas 2 → 3',
    'spec.paused true → –',
    'status.phase Pending → Running',
    'list[1].a 1 → 2',
  ]);
});

it('leaves out what changes with everything, cuts long texts, and stops at a limit', () => {
  const before = { metadata: { resourceVersion: '1', generation: 1, labels: { a: 'x' } }, conditions: [1] };
  const after = {
    metadata: { resourceVersion: '2', generation: 2, labels: { a: 'y'.repeat(99) } },
    conditions: [1, 2],
  };
  expect(changesBetween(before, after)).toEqual([`metadata.labels.a x → ${'y'.repeat(23)}…`, 'conditions [1] → [2]']);
  const many = (value: number) => Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, value]));
  expect(changesBetween(many(1), many(2), 2)).toEqual(['a 1 → 2', 'b 1 → 2', '…']);
});

it('finds something exactly where two values differ', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
      const wrapped = [{ value: before }, { value: after }] as const;
      const isEqual = JSON.stringify(sorted(before)) === JSON.stringify(sorted(after));
      expect(changesBetween(...wrapped).length > 0).toBe(!isEqual);
    }),
  );
});

/** A value whose text depends on nothing but what it says. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 'minus zero' : value;
  return Object.entries(value)
    .map(([name, field]) => [name, sorted(field)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

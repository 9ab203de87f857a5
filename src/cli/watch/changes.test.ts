import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changesBetween } from './changes.js';

it('shows each changed field with its old and new value', () => {
  const before = { spec: { replicas: 2, paused: true }, status: { phase: 'Pending' }, list: [1, { a: 1 }] };
  const after = { spec: { replicas: 3 }, status: { phase: 'Running' }, list: [1, { a: 2 }] };
  expect(changesBetween(before, after, 9)).toEqual([
    'spec.replicas 2 → 3',
    'spec.paused true → –',
    'status.phase Pending → Running',
    'list[1].a 1 → 2',
  ]);
});

it('leaves out fields that change with every write, cuts long values, and stops at a limit', () => {
  const before = { metadata: { resourceVersion: '1', generation: 1, labels: { a: 'x' } }, conditions: [1] };
  const after = {
    metadata: { resourceVersion: '2', generation: 2, labels: { a: 'y'.repeat(99) } },
    conditions: [1, 2],
  };
  expect(changesBetween(before, after)).toEqual([`metadata.labels.a x → ${'y'.repeat(23)}…`, 'conditions [1] → [2]']);
  const many = (value: number) => Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, value]));
  expect(changesBetween(many(1), many(2), 2)).toEqual(['a 1 → 2', 'b 1 → 2', '…']);
});

it('finds a change exactly if two values differ', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
      expect(changesBetween({ value: before }, { value: after }).length > 0).toBe(textOf(before) !== textOf(after));
    }),
  );
});

it.each<[before: unknown, after: unknown, what: string]>([
  [{}, [], 'an empty object from an empty array'],
  [{}, { ['__proto__']: {} }, 'a field with the name of the prototype from none'],
  [{ a: null }, {}, 'null from nothing'],
])('tells %j from %j: %s', (before, after) => {
  expect(changesBetween({ value: before }, { value: after })).toHaveLength(1);
  expect(changesBetween({ value: after }, { value: before })).toHaveLength(1);
});

/** JSON with sorted members, and with minus zero distinct from zero. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  const members = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${textOf(field)}`);
  return `{${members.sort().join()}}`;
}

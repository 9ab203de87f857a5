import { describe, expect, it } from 'vitest';
import type { Condition } from '../meta/objects.js';
import { conditionOf, withCondition } from './conditions.js';

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const nowText = '2026-01-02T03:04:05Z';
const before = '2025-12-31T00:00:00Z';

const ready: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'AsExpected',
  message: 'all pods run',
  lastTransitionTime: before,
};

describe('conditionOf', () => {
  it('finds the condition of a type', () => {
    const object = { status: { conditions: [{ ...ready, type: 'Other' }, ready] } };
    expect(conditionOf(object, 'Ready')).toBe(ready);
    expect(conditionOf(object, 'Missing')).toBeUndefined();
  });

  it('finds nothing in an object without conditions, without a status, and in no object', () => {
    for (const object of [{ status: {} }, {}, undefined]) expect(conditionOf(object, 'Ready')).toBeUndefined();
  });
});

describe('withCondition', () => {
  it('adds a condition, completed', () => {
    const added = withCondition(undefined, { type: 'Ready', status: 'True' }, { now });
    expect(added).toEqual([
      { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: nowText },
    ]);
    expect(withCondition([ready], { type: 'Synced', status: 'False' }, { now })).toEqual([
      ready,
      { type: 'Synced', status: 'False', reason: 'NotSynced', message: '', lastTransitionTime: nowText },
    ]);
    const [unknown] = withCondition([], { type: 'Ready', status: 'Unknown', reason: '' }, { now });
    expect(unknown?.reason).toBe('ReadyUnknown');
  });

  it('replaces the condition of its type in its place, and changes neither the list nor its conditions', () => {
    const first = { ...ready, type: 'First' };
    const last = { ...ready, type: 'Last' };
    const list = [first, ready, last];
    const after = withCondition(list, { type: 'Ready', status: 'False', reason: 'Broken' }, { now });
    expect(after.map(({ type }) => type)).toEqual(['First', 'Ready', 'Last']);
    expect(after[0]).toBe(first);
    expect(after[2]).toBe(last);
    expect(list).toEqual([first, ready, last]);
    expect(ready.status).toBe('True');
  });

  it('moves lastTransitionTime with the status, not with reason and message', () => {
    const change = { type: 'Ready', reason: 'Other', message: 'other' } as const;
    const [same] = withCondition([ready], { ...change, status: 'True' }, { now });
    expect(same).toEqual({ ...change, status: 'True', lastTransitionTime: before });
    const [other] = withCondition([ready], { ...change, status: 'False' }, { now });
    expect(other?.lastTransitionTime).toBe(nowText);
  });

  it('keeps a transition time that is given', () => {
    const given = '2020-01-01T00:00:00Z';
    const [condition] = withCondition([ready], { ...ready, status: 'False', lastTransitionTime: given }, { now });
    expect(condition?.lastTransitionTime).toBe(given);
  });

  it('sets observedGeneration if a generation is given and the condition has none', () => {
    const of = (condition: Condition, generation?: number) =>
      withCondition([], condition, { now, generation })[0]?.observedGeneration;
    expect(of(ready)).toBeUndefined();
    expect(of(ready, 7)).toBe(7);
    expect(of({ ...ready, observedGeneration: 3 }, 7)).toBe(3);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from './heap.js';

describe('Heap', () => {
  it('pops the lowest rank first, and equal ranks in the order they were set', () => {
    const heap = new Heap<string, string>();
    for (const [key, rank] of [
      ['e', 5],
      ['a', 1],
      ['d', 4],
      ['b', 2],
      ['c', 2],
    ] as const) {
      heap.set(key, key.toUpperCase(), rank);
    }
    expect([heap.size, heap.firstRank, heap.rankOf('d'), heap.rankOf('none')]).toEqual([5, 1, 4, undefined]);
    expect(heap.sorted()).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(Array.from({ length: 6 }, () => heap.pop())).toEqual(['A', 'B', 'C', 'D', 'E', undefined]);
    expect([heap.size, heap.firstRank]).toEqual([0, undefined]);
  });

  it('moves a value whose key is set again, up or down', () => {
    const heap = new Heap<string, string>();
    for (const rank of [1, 2, 3, 4]) heap.set(`k${rank}`, `v${rank}`, rank);
    heap.set('k4', 'up', 0);
    heap.set('k1', 'down', 9);
    expect([heap.size, heap.sorted()]).toEqual([4, ['up', 'v2', 'v3', 'down']]);
    expect(heap.delete('k2')).toBe('v2');
    expect(heap.delete('k2')).toBeUndefined();
    expect(heap.sorted()).toEqual(['up', 'v3', 'down']);
  });

  it('agrees with a sorted list under any sequence of operations', () => {
    const operation = fc.oneof(
      fc.record({ do: fc.constant('set' as const), key: fc.nat(12), rank: fc.nat(10) }),
      fc.record({ do: fc.constant('delete' as const), key: fc.nat(12) }),
      fc.record({ do: fc.constant('pop' as const) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 120 }), (operations) => {
        const heap = new Heap<string, object>();
        // A Map iterates in insertion order, and sorting is stable.
        const model = new Map<string, { readonly rank: number }>();
        const sorted = () => [...model].sort(([, a], [, b]) => a.rank - b.rank);
        for (const step of operations) {
          if (step.do === 'set') {
            const key = `k${step.key}`;
            const value = { rank: step.rank };
            heap.set(key, value, step.rank);
            model.delete(key);
            model.set(key, value);
          } else if (step.do === 'delete') {
            const key = `k${step.key}`;
            expect(heap.delete(key)).toBe(model.get(key));
            model.delete(key);
          } else {
            const [first] = sorted();
            expect(heap.pop()).toBe(first?.[1]);
            if (first !== undefined) model.delete(first[0]);
          }
          expect(heap.size).toBe(model.size);
          expect(heap.firstRank).toBe(sorted()[0]?.[1].rank);
        }
        expect(heap.sorted()).toEqual(sorted().map(([, value]) => value));
        for (const [key, { rank }] of model) expect(heap.rankOf(key)).toBe(rank);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberHeap } from './number-heap.js';

describe('NumberHeap', () => {
  it('pops the lowest rank first, and equal ranks in the order they were set', () => {
    const heap = new NumberHeap();
    for (const [number, rank] of [
      [7, 3],
      [1, 2],
      [900, 2],
      [4, 1],
      [5, 2],
    ] as const)
      heap.set(number, rank);
    heap.set(1, 2);
    expect([heap.size, heap.firstRank, heap.rankOf(7), heap.has(7), heap.has(8), heap.has(5000)]).toEqual([
      5,
      1,
      3,
      true,
      false,
      false,
    ]);
    expect(Array.from({ length: 5 }, () => heap.pop())).toEqual([4, 900, 5, 1, 7]);
    expect([heap.size, heap.has(7)]).toEqual([0, false]);
  });

  it('agrees with a sorted list under any sequence of operations', () => {
    const operation = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('set' as const),
          number: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(2000)),
          rank: fc.nat(12),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('delete' as const),
          number: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(2000)),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('pop' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const) }) },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const heap = new NumberHeap();
        // A Map iterates in insertion order, and sorting is stable.
        const model = new Map<number, number>();
        const sorted = () => [...model].sort(([, a], [, b]) => a - b).map(([number]) => number);
        for (const step of operations) {
          if (step.do === 'set') {
            heap.set(step.number, step.rank);
            model.delete(step.number);
            model.set(step.number, step.rank);
          } else if (step.do === 'delete') {
            expect(heap.has(step.number)).toBe(model.has(step.number));
            if (model.delete(step.number)) heap.delete(step.number);
          } else if (step.do === 'clear') {
            heap.clear();
            model.clear();
          } else if (model.size > 0) {
            const first = sorted()[0] as number;
            expect(heap.firstRank).toBe(model.get(first));
            expect(heap.pop()).toBe(first);
            model.delete(first);
          }
          expect(heap.size).toBe(model.size);
        }
        for (const [number, rank] of model) expect(heap.rankOf(number)).toBe(rank);
        const rest = sorted();
        expect(heap.sorted()).toEqual(rest);
        expect(rest.map(() => heap.pop())).toEqual(rest);
      }),
    );
  });
});

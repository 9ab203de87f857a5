import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from './heap.js';

interface Item {
  readonly key: string;
  readonly rank: number;
}

const make = (): Heap<string, Item> => new Heap({ keyOf: (item) => item.key, compare: (a, b) => a.rank - b.rank });

describe('Heap', () => {
  it('hands out the smallest first and knows its items by key', () => {
    const heap = make();
    for (const rank of [5, 1, 4, 2, 3]) heap.set({ key: `k${rank}`, rank });
    expect(heap.has('k4')).toBe(true);
    expect(heap.get('k4')).toEqual({ key: 'k4', rank: 4 });
    expect(heap.get('none')).toBeUndefined();
    expect(heap.peek()?.rank).toBe(1);
    expect([...heap].map((item) => item.rank).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(Array.from({ length: 6 }, () => heap.pop()?.rank)).toEqual([1, 2, 3, 4, 5, undefined]);
    expect(heap.size).toBe(0);
  });

  it('moves an item that is set again, both ways, and forgets all when cleared', () => {
    const heap = make();
    for (const rank of [1, 2, 3, 4]) heap.set({ key: `k${rank}`, rank });
    heap.set({ key: 'k4', rank: 0 });
    heap.set({ key: 'k1', rank: 9 });
    expect(heap.peek()?.key).toBe('k4');
    expect(heap.size).toBe(4);
    expect(heap.delete('k2')?.rank).toBe(2);
    expect(heap.delete('k2')).toBeUndefined();
    heap.clear();
    expect([heap.size, heap.has('k4'), heap.peek()]).toEqual([0, false, undefined]);
  });

  it('behaves as a sorted list does, whatever is done to it', () => {
    const operation = fc.oneof(
      fc.record({ do: fc.constant('set' as const), key: fc.nat(12), rank: fc.nat(50) }),
      fc.record({ do: fc.constant('delete' as const), key: fc.nat(12) }),
      fc.record({ do: fc.constant('pop' as const) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 120 }), (operations) => {
        const heap = make();
        const model = new Map<string, Item>();
        const smallest = (): number | undefined =>
          model.size === 0 ? undefined : Math.min(...[...model.values()].map((item) => item.rank));
        for (const step of operations) {
          if (step.do === 'set') {
            const item = { key: `k${step.key}`, rank: step.rank };
            heap.set(item);
            model.set(item.key, item);
          } else if (step.do === 'delete') {
            const key = `k${step.key}`;
            expect(heap.delete(key)).toBe(model.get(key));
            model.delete(key);
          } else {
            const expected = smallest();
            const popped = heap.pop();
            expect(popped?.rank).toBe(expected);
            if (popped !== undefined) expect(model.delete(popped.key)).toBe(true);
          }
          expect(heap.size).toBe(model.size);
          expect(heap.peek()?.rank).toBe(smallest());
        }
        expect(new Set(heap)).toEqual(new Set(model.values()));
      }),
    );
  });
});

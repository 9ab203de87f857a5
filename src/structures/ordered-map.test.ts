import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { OrderedMap } from './ordered-map.js';

describe('OrderedMap', () => {
  it('agrees with a sorted plain Map', () => {
    const key = fc.integer({ min: 0, max: 2000 }).map((n) => `k${n}`);
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ op: fc.constant('set' as const), key, value: fc.integer() }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constant('delete' as const), key, value: fc.integer() }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 3000, size: 'max' }), key, (steps, from) => {
        const map = new OrderedMap<number>();
        const model = new Map<string, number>();
        for (const { op, key, value } of steps) {
          if (op === 'set') {
            map.set(key, value);
            model.set(key, value);
          } else expect(map.delete(key)).toBe(model.delete(key));
        }
        const seen: [string, number][] = [];
        map.scan(from, (k, value) => seen.push([k, value]) > 0);
        expect(seen).toEqual([...model].filter(([k]) => k >= from).sort(([a], [b]) => (a < b ? -1 : 1)));
        expect(map.size).toBe(model.size);
        expect(map.get(from)).toBe(model.get(from));
      }),
      { numRuns: runs(15) },
    );
  });

  it('stops a scan when visit returns false', () => {
    const map = new OrderedMap<number>();
    for (let n = 0; n < 1000; n++) map.set(String(n).padStart(4, '0'), n);
    const seen: number[] = [];
    map.scan('0500', (_, value) => seen.push(value) < 3);
    expect(seen).toEqual([500, 501, 502]);
  });
});

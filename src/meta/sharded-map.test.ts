import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShardedMap } from './sharded-map.js';

describe('ShardedMap', () => {
  it('agrees with a Map, whatever its size', () => {
    const key = fc.oneof(
      fc.nat(200).map((n) => `key-${n}`),
      fc.integer({ min: -50, max: 50 }),
      fc.constantFrom(Number.NaN, -0, 0, 1.5, null, true, ''),
    );
    const step = fc.oneof(
      fc.record({ op: fc.constant('set' as const), key, value: fc.nat() }),
      fc.record({ op: fc.constant('delete' as const), key }),
      fc.record({ op: fc.constant('clear' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, large) => {
        const map = new ShardedMap<unknown, number>();
        const model = new Map<unknown, number>();
        // Enough to make it go over to many Maps, so that the steps meet those.
        const filler = large ? 33_000 : 0;
        for (let i = 0; i < filler; i++) map.set(`filler/${i}`, i);
        let extra = filler;
        for (const each of steps) {
          if (each.op === 'set') {
            map.set(each.key, each.value);
            model.set(each.key, each.value);
          } else if (each.op === 'delete') {
            expect(map.delete(each.key)).toBe(model.delete(each.key));
          } else {
            map.clear();
            model.clear();
            extra = 0;
          }
          expect(map.size).toBe(model.size + extra);
        }
        for (const [k, v] of model) {
          expect(map.has(k)).toBe(true);
          expect(map.get(k)).toBe(v);
        }
        expect(map.has('never')).toBe(false);
        expect(map.get('never')).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  it('spreads keys that differ at their ends, and comes back to one Map when it is empty', () => {
    const map = new ShardedMap<string, number>();
    for (let i = 0; i < 50_000; i++) map.set(`team-${i % 20}/app-${i % 100}-6d4b75cb6d-${i}`, i);
    expect(map.size).toBe(50_000);
    for (let i = 0; i < 50_000; i++) expect(map.get(`team-${i % 20}/app-${i % 100}-6d4b75cb6d-${i}`)).toBe(i);
    for (let i = 0; i < 50_000; i++) map.delete(`team-${i % 20}/app-${i % 100}-6d4b75cb6d-${i}`);
    expect(map.size).toBe(0);
    map.set('again', 1);
    expect(map.get('again')).toBe(1);
  });
});

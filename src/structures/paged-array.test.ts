import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PagedArray } from './paged-array.js';

describe('PagedArray', () => {
  it('holds the values that were set, and undefined everywhere else, in any order', () => {
    const index = fc.oneof(fc.nat(20), fc.nat(100_000), fc.constantFrom(32_766, 32_767, 32_768, 65_535, 65_536));
    const step = fc.oneof(
      fc.record({ op: fc.constant('set' as const), index, value: fc.nat() }),
      fc.record({ op: fc.constant('unset' as const), index }),
      fc.record({ op: fc.constant('clear' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const array = new PagedArray<number>();
        const model = new Map<number, number>();
        for (const each of steps) {
          if (each.op === 'set') {
            array.set(each.index, each.value);
            model.set(each.index, each.value);
          } else if (each.op === 'unset') {
            array.unset(each.index);
            model.delete(each.index);
          } else {
            array.clear();
            model.clear();
          }
          for (const { index } of steps.filter((other) => other.op !== 'clear'))
            expect(array.get(index)).toBe(model.get(index));
        }
      }),
    );
  });

  it('frees its memory only if it was long', () => {
    const array = new PagedArray<number>();
    for (const length of [1000, 5000, 40_000]) {
      for (let i = 0; i < length; i++) array.set(i, i);
      array.shrink();
      expect(array.get(500)).toBe(length === 1000 ? 500 : undefined);
    }
  });
});

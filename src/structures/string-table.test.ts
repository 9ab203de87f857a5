import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PagedArray } from './paged-array.js';
import { StringTable } from './string-table.js';

describe('StringTable', () => {
  const step = fc.record({
    op: fc.constantFrom('add', 'add', 'delete', 'find'),
    text: fc.oneof(
      fc.nat(60).map((n) => `key-${n}`),
      fc.constant(''),
    ),
  });

  it.each<[string, ((text: string) => number) | undefined]>([
    ['its own', undefined],
    ['always the same', () => 0],
    ['around the end of the last part', (text) => (Number(text.slice(4)) % 7) - 4],
    ['at both ends of the first part', (text) => (510 + (Number(text.slice(4)) % 5)) % 512],
    ['equal slots in all parts', (text) => Number(text.slice(4)) << 26],
  ])('agrees with a Map under collisions; hash: %s', (_, hash) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const strings = new PagedArray<string>();
        const table = new StringTable(strings, hash);
        const model = new Map<string, number>();
        steps.forEach(({ op, text }, index) => {
          const number = model.get(text);
          if (op === 'add' && number === undefined) {
            strings.set(index + 1, text);
            table.add(text, index + 1);
            model.set(text, index + 1);
          } else if (op === 'delete' && number !== undefined) {
            table.delete(text);
            model.delete(text);
          } else {
            expect(table.find(text)).toBe(number ?? 0);
          }
        });
        for (let n = 0; n <= 60; n++) expect(table.find(`key-${n}`)).toBe(model.get(`key-${n}`) ?? 0);
        expect(table.find('')).toBe(model.get('') ?? 0);
      }),
    );
  });

  it.each<[string, number, (text: string) => number]>([
    ['all the same', 2000, () => -1],
    ['all in one part', 20_000, (text) => Math.imul(Number(text), 40_503) & 0xffff],
  ])('grows with bad hashes: %s', (_, count, hash) => {
    const strings = new PagedArray<string>();
    const table = new StringTable(strings, hash);
    for (let i = 1; i <= count; i++) {
      strings.set(i, String(i));
      table.add(String(i), i);
      expect(table.find(String(i))).toBe(i);
    }
    const all = Array.from({ length: count }, (_, i) => i + 1);
    expect(all.map((i) => table.find(String(i)))).toEqual(all);
    for (let i = 1; i <= count; i += 3) table.delete(String(i));
    expect(all.map((i) => table.find(String(i)))).toEqual(all.map((i) => (i % 3 === 1 ? 0 : i)));
  });
});

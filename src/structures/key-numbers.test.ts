import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { KeyNumbers } from './key-numbers.js';

const collected = async (reference: WeakRef<object>) => {
  for (let i = 0; i < 20 && reference.deref() !== undefined; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    (globalThis as { gc?: () => void }).gc?.();
  }
  return reference.deref() === undefined;
};

describe('KeyNumbers', () => {
  const objects = [{}, {}, Symbol('a'), () => 1];
  const key = fc.oneof(
    { weight: 4, arbitrary: fc.nat(40).map((n) => `key-${n}`) },
    { weight: 1, arbitrary: fc.integer({ min: -5, max: 5 }) },
    { weight: 1, arbitrary: fc.constantFrom(Number.NaN, -0, 0, 1.5, null, undefined, true, '', 10n, ...objects) },
  );
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ op: fc.constant('add' as const), key }) },
    { weight: 4, arbitrary: fc.record({ op: fc.constant('remove' as const), key }) },
    { weight: 4, arbitrary: fc.record({ op: fc.constant('find' as const), key }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('clear' as const) }) },
  );
  it('distinguishes keys as a Map does, with few and with many of them', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.constantFrom(0, 5, 100, 16_380), (steps, others) => {
        const numbers = new KeyNumbers();
        const model = new Map<unknown, number>();
        for (let i = 0; i < others; i++) model.set(`other/${i}`, numbers.add(`other/${i}`));
        for (const each of steps) {
          if (each.op === 'add') {
            const number = numbers.add(each.key);
            expect(number).toBe(model.get(each.key) ?? number);
            model.set(each.key, number);
          } else if (each.op === 'find') {
            expect(numbers.find(each.key)).toBe(model.get(each.key) ?? 0);
          } else if (each.op === 'remove') {
            const number = model.get(each.key);
            if (number !== undefined) numbers.remove(number);
            model.delete(each.key);
          } else {
            numbers.clear();
            model.clear();
          }
          expect(numbers.size).toBe(model.size);
        }
        expect([...model.keys()].map((each) => numbers.find(each))).toEqual([...model.values()]);
        expect(new Set(model.values()).size).toBe(model.size);
        expect(numbers.find('never')).toBe(0);
      }),
      { numRuns: runs(15) },
    );
  });

  it.each([
    ['strings', (i: number) => `team-${i % 20}/app-${i % 100}-6d4b75cb6d-${i}`],
    ['strings and other keys', (i: number) => (i % 3 === 0 ? i : `team/${i}`)],
  ])('finds each of a hundred thousand %s, before and after half of them are removed', (_, keyOf) => {
    const numbers = new KeyNumbers();
    const given = Array.from({ length: 100_000 }, (_, i) => numbers.add(keyOf(i)));
    expect(given[99_999]).toBe(100_000);
    const found = () => Array.from(given, (_, i) => numbers.find(keyOf(i)));
    expect(found()).toEqual(given);
    for (let i = 0; i < 100_000; i += 2) numbers.remove(given[i] as number);
    expect(numbers.size).toBe(50_000);
    expect(found()).toEqual(given.map((number, i) => (i % 2 === 0 ? 0 : number)));
    for (let i = 1; i < 100_000; i += 2) numbers.remove(given[i] as number);
    expect([numbers.size, numbers.find(keyOf(1))]).toEqual([0, 0]);
  });

  it('reuses free numbers, and starts at 1 when all are free', () => {
    const numbers = new KeyNumbers();
    expect(['a', 'b', 'c'].map((each) => numbers.add(each))).toEqual([1, 2, 3]);
    numbers.remove(1);
    numbers.remove(3);
    expect(['d', 'e', 'f'].map((each) => numbers.add(each))).toEqual([3, 1, 4]);
    for (const number of [1, 2, 3, 4]) numbers.remove(number);
    expect(numbers.add('g')).toBe(1);
    numbers.clear();
    expect([numbers.size, numbers.find('g'), numbers.add('h')]).toEqual([0, 0, 1]);
  });

  it('keeps no reference to a removed key', async () => {
    const numbers = new KeyNumbers();
    numbers.add('stays');
    const reference = (() => {
      const taken = {};
      numbers.remove(numbers.add(taken));
      return new WeakRef(taken);
    })();
    expect(await collected(reference)).toBe(true);
  });
});

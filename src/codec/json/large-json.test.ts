import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { finish, type Steps } from '../../time/steps.js';
import { copyLarge, equalLarge, parseLarge, stringifyLarge } from './large-json.js';

/** JSON that is large in one place or another. */
const large = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 3 }), fc.string())
  .chain(([value, other, name]) =>
    fc.constantFrom<unknown>(
      Array.from({ length: 600 }, (_, i) => (i % 7 === 0 ? other : value)),
      Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`${name}${i}`, i % 5 === 0 ? other : value])),
      { [name]: [value, { inner: Array.from({ length: 5000 }, (_, i) => ({ i, other })) }, 'x'.repeat(20_000)], other },
      [[[Array.from({ length: 9000 }, (_, i) => ({ [name]: i }))]], value],
      { ['__proto__']: Array.from({ length: 9000 }, () => name), other },
    ),
  );

function count<T>(steps: Steps<T>): { value: T; steps: number } {
  for (let steps_ = 0; ; steps_++) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, steps: steps_ };
  }
}

describe('large JSON', () => {
  it('is parsed and printed as by JSON itself, with whitespace wherever it may be', () => {
    fc.assert(
      fc.property(large, fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(finish(parseLarge(text))).toEqual(JSON.parse(text));
        expect(finish(stringifyLarge(value))).toBe(JSON.stringify(value));
        expect(JSON.stringify(finish(copyLarge(value)))).toBe(JSON.stringify(value));
      }),
      { numRuns: runs(15) },
    );
  });

  it('is compared as by Node itself', () => {
    fc.assert(
      fc.property(large, large, (a, b) => {
        expect(finish(equalLarge(a, b))).toBe(isDeepStrictEqual(a, b));
        expect(finish(equalLarge(a, structuredClone(a)))).toBe(true);
      }),
      { numRuns: runs(10) },
    );
    const items = Array.from({ length: 3000 }, (_, i) => ({ i }));
    expect(finish(equalLarge({ items, a: 1, b: 2 }, { b: 2, a: 1, items: structuredClone(items) }))).toBe(true);
    expect(finish(equalLarge({ items }, { items: [...items.slice(1), { i: 0 }] }))).toBe(false);
  });

  it('is refused where JSON refuses it, with the place in the whole text', () => {
    const items = Array.from({ length: 5000 }, (_, i) => `{"name":"n${i}"}`);
    const text = `{"a":[${items.join(',')}],"b":{}}`;
    for (const [from, to] of [
      ['"n2500"', 'n2500'],
      ['"n2500"}', '"n2500"]'],
      ['"n2500"},', '"n2500"},,'],
      ['"n4999"}]', '"n4999"},]'],
      ['"b":{}}', '"b":{}},'],
      ['"b":{}}', '"b":{}'],
      ['"b":{}}', '"b":{},}'],
      ['"b":{}', 'b:{}'],
      ['{"a":', '{"a"'],
      ['{"a":', '{a:'],
      ['],"b"', ']"b"'],
      ['],"b"', '},"b"'],
      ['"b":{}}', '"b":"'],
    ] as const) {
      const broken = text.replace(from, to);
      expect(broken, from).not.toBe(text);
      expect(() => JSON.parse(broken), to).toThrow(SyntaxError);
      expect(() => finish(parseLarge(broken)), to).toThrow(SyntaxError);
    }
    const broken = text.replace('"n2500"', '"n2500";');
    expect(() => JSON.parse(broken)).toThrow(/at position 41411/);
    expect(() => finish(parseLarge(broken))).toThrow(/at position 41411$/);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom('', ',', '}', ']', '"', '\\', ' ', '{'), (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        const outcome = (parse: () => unknown): unknown => {
          try {
            return parse();
          } catch (error) {
            return (error as Error).name;
          }
        };
        expect(outcome(() => finish(parseLarge(changed)))).toEqual(outcome(() => JSON.parse(changed)));
      }),
      { numRuns: runs(100) },
    );
  });

  it('is worked on in pieces', () => {
    const flat = Array.from({ length: 100_000 }, (_, i) => i);
    const fields = Object.fromEntries(flat.slice(0, 50_000).map((i) => [`k${i}`, 'v']));
    const nested = { a: { b: [{ c: flat }, fields] } };
    const text = JSON.stringify(nested);
    expect(count(parseLarge(text)).steps).toBeGreaterThan(text.length / 40_000);
    expect(count(stringifyLarge(nested)).steps).toBeGreaterThan(text.length / 40_000);
    expect(count(equalLarge(nested, structuredClone(nested))).steps).toBeGreaterThan(400);
  });
});

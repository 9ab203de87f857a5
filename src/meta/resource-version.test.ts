import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareResourceVersions, isOrderedResourceVersion } from './resource-version.js';

describe('compareResourceVersions', () => {
  it('orders integers of any length as BigInt would', () => {
    const integer = fc.bigInt({ min: 0n, max: 2n ** 200n });
    fc.assert(
      fc.property(integer, integer, (a, b) => {
        const expected = a < b ? -1 : a > b ? 1 : 0;
        expect(compareResourceVersions(String(a), String(b))).toBe(expected);
      }),
    );
    expect(compareResourceVersions('9007199254740993', '9007199254740992')).toBe(1);
  });

  it('orders neighbours of the same length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 100n }), (a) => {
        expect(compareResourceVersions(String(a), String(a + 1n))).toBe(-1);
        expect(compareResourceVersions(String(a + 1n), String(a))).toBe(1);
      }),
    );
  });

  it.each(['', 'abc', '1a', '-1', '+1', '01', '1.0', ' 1', '１'])(
    'treats %j as opaque: equal or unordered',
    (version) => {
      expect(isOrderedResourceVersion(version)).toBe(false);
      expect(compareResourceVersions(version, version)).toBe(0);
      expect(compareResourceVersions(version, '1')).toBeUndefined();
      expect(compareResourceVersions('1', version)).toBeUndefined();
    },
  );

  it.each(['0', '1', '10'])('accepts %j as an ordered version', (version) => {
    expect(isOrderedResourceVersion(version)).toBe(true);
  });
});

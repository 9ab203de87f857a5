import { describe, expect, it } from 'vitest';
import { hashOf } from './string-hash.js';

/** All strings of twelve parts, each of which is one of the two. */
const made = (one: string, other: string) =>
  Array.from({ length: 4096 }, (_, i) =>
    Array.from({ length: 12 }, (_, bit) => ((i >> bit) & 1 ? one : other)).join(''),
  );

/** The Thue-Morse sequence, which makes every hash collide that only adds or xors a character and multiplies. */
function thueMorse(length: number, zero: string, one: string): string {
  let text = zero;
  let opposite = one;
  while (text.length < length) [text, opposite] = [text + opposite, opposite + text];
  return text;
}

describe('hashOf', () => {
  it.each([
    ['one letter more, the next one less', made('Aa', 'BB')],
    ['one bit of one letter', made('.', 'n')],
    ...[4, 16, 64].flatMap((length) =>
      ['.n', 'aq', 'ab'].map(([a, b]): [string, string[]] => [
        `Thue-Morse, ${length} of ${a} and ${b}`,
        made(thueMorse(length, a as string, b as string), thueMorse(length, b as string, a as string)),
      ]),
    ),
    ['a common end', Array.from({ length: 4096 }, (_, i) => `team-${i}/kube-root-ca.crt`)],
    ['a common beginning', Array.from({ length: 4096 }, (_, i) => `team-1/app-6d4b75cb6d-${i}`)],
    ['letters beyond one byte', made('\u8000a', '\u0000a')],
  ])('distinguishes strings that were made to collide: %s', (_, texts) => {
    // 4096 of 2^32 values: a perfect hash collides once in 500 runs.
    expect(new Set(texts.map(hashOf)).size).toBeGreaterThanOrEqual(4094);
    // The lowest bits choose the slot, the highest bits the part; a perfect hash gives 3223 and 64.
    expect(new Set(texts.map((text) => hashOf(text) & 8191)).size).toBeGreaterThan(3000);
    expect(new Set(texts.map((text) => hashOf(text) >>> 26)).size).toBe(64);
  });

  it('returns 32 bits, the same for equal strings', () => {
    for (const text of ['', 'a', 'a/b', 'ä/ö', '\u{1f600}']) {
      expect(hashOf(text)).toBe(hashOf(`${text}x`.slice(0, -1)));
      expect(hashOf(text) | 0).toBe(hashOf(text));
    }
  });
});

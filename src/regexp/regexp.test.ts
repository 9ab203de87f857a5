import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { finish } from '../time/steps.js';
import { compileRegexp, RegexpError } from './regexp.js';

function findAll(pattern: string, text: string, limit = -1): readonly (string | undefined)[][] {
  return finish(compileRegexp(pattern).findAllSteps(text, limit)).map((match) => [...match]);
}

describe('regexp', () => {
  it('matches any part of the text, unless it is anchored', () => {
    expect(compileRegexp('b+').test('abbc')).toBe(true);
    expect(compileRegexp('^b+').test('abbc')).toBe(false);
    expect(compileRegexp('^a.*c$').test('abbc')).toBe(true);
    expect(compileRegexp('').test('')).toBe(true);
  });

  it.each([
    ['(?i)straße', 'STRAßE', true],
    ['(?i)k', 'K', true],
    ['(?s)a.b', 'a\nb', true],
    ['a.b', 'a\nb', false],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^b$', 'a\nb\nc', false],
    ['^\\p{Lu}\\P{Lu}$', 'Äa', true],
    ['^\\p{Greek}+$', 'αβγ', true],
    ['^[[:alpha:]][^[:space:]]$', 'a-', true],
    ['^\\pL{2}$', 'aé', true],
    ['^.$', '😀', true],
    ['\\bfoo\\b', 'a foo b', true],
    ['\\bfoo\\b', 'afoo', false],
    ['^\\Qa.b\\E$', 'a.b', true],
    ['^\\x41\\x{e9}\\101$', 'AéA', true],
  ])('pattern %s on %s: %s', (pattern, text, matches) => {
    expect(compileRegexp(pattern).test(text)).toBe(matches);
    expect(compileRegexp(pattern).find(text) !== undefined).toBe(matches);
  });

  it('prefers the leftmost match and the first alternative, and greedy or lazy repetitions', () => {
    expect(compileRegexp('a|ab').find('xab')?.[0]).toBe('a');
    expect(compileRegexp('a+?').find('aaa')?.[0]).toBe('a');
    expect(compileRegexp('(?U)a+').find('aaa')?.[0]).toBe('a');
    expect(compileRegexp('(a*)(b)?').find('aac')).toEqual(['aa', 'aa', undefined]);
    expect(compileRegexp('(?P<x>\\d+)-(?<y>\\d+)').find('on 12-34')).toEqual(['12-34', '12', '34']);
  });

  it('pauses after bounded work: in a large pattern, and between many short matches', () => {
    const stepsOf = (steps: Generator): number => {
      let count = 1;
      while (steps.next().done !== true) count++;
      return count;
    };
    // 50 optional letters 1000 times: each character that was not seen before visits 100,000 instructions.
    const large = compileRegexp(`(?:${'a?'.repeat(50)}){1000}b`);
    const text = String.fromCodePoint(...Array.from({ length: 20 }, (_, at) => 0x4e00 + at));
    expect(stepsOf(compileRegexp('[0-9]').findAllSteps('1'.repeat(100_000), -1))).toBeGreaterThan(5);
    expect(stepsOf(large.testSteps(text))).toBeGreaterThan(15);
  });

  it('finds matches that do not overlap, and no empty one right after another', () => {
    expect(findAll('a*', 'baac')).toEqual([[''], ['aa'], ['']]);
    expect(findAll('[0-9]', 'a1b2c3', 2)).toEqual([['1'], ['2']]);
    expect(findAll('', '😀')).toEqual([[''], ['']]);
  });

  it.each([
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?<!a)', 'invalid named capture: `(?<!a)`'],
    ['(?<n', 'invalid named capture: `(?<n`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['(a{100}){11}', 'invalid repeat count: `{11}`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['[a', 'missing closing ]: `[a`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
    ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`'],
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
  ])('refuses %s with the message of Go', (pattern, message) => {
    const refusal = (): unknown => compileRegexp(pattern);
    expect(refusal).toThrow(RegexpError);
    expect(refusal).toThrow(`error parsing regexp: ${message}`);
  });

  it('refuses deep and large patterns', () => {
    expect(() => compileRegexp('('.repeat(2000))).toThrow('expression nests too deeply');
    expect(() => compileRegexp('(abcdefghij){1000}'.repeat(50))).toThrow('expression too large');
  });

  it('agrees with RegExp where the two languages do', () => {
    const atom = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\d', '\\w', '\\b', '^', '$');
    const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
      part: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        atom,
        tie('pattern').map((body) => `(${body})`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(
            fc.constantFrom('a', 'b', '[bc]', '(?:ab)', '(a|b)'),
            fc.constantFrom('*', '+', '?', '*?', '+?', '{2}', '{1,3}?'),
          )
          .map(([body, repetition]) => body + repetition),
      ),
      pattern: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
    }));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '\n'), maxLength: 12 });
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        const expected = new RegExp(source, 'u').exec(input);
        const regexp = compileRegexp(source);
        expect(regexp.test(input)).toBe(expected !== null);
        expect(regexp.find(input)?.[0]).toBe(expected?.[0]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('takes linear steps for patterns that make others backtrack', () => {
    const count = (pattern: string, length: number): number => {
      const steps = compileRegexp(pattern).testSteps('a'.repeat(length));
      let yields = 0;
      while (steps.next().done !== true) yields++;
      return yields;
    };
    for (const pattern of ['^(a+)+$b', '(a|a)*b', '(a?){50}a{50}b', '(.*)*(.*)*x', '[ab]*a[ab]{200}c']) {
      const short = count(pattern, 50_000);
      expect(count(pattern, 200_000)).toBeLessThanOrEqual(5 * short + 10);
    }
  });
});

import assert from 'node:assert/strict';
import { compileRegexp, RegexpError } from '../../../src/regexp/regexp.js';
import { mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { accepted, target } from '../target.js';

interface Part {
  readonly pattern: string;
  /** Whether it matches the empty text: JavaScript and RE2 differ about repetitions of these. */
  readonly isNullable: boolean;
}

const atoms = [
  'a',
  'b',
  'c',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\W',
  '[ab]',
  '[^a]',
  '[a-c1]',
  '1',
  '_',
  ' ',
  '\\.',
  '[\\d_]',
  'ä',
  '😀',
  '[^\\w]',
  '\\x61',
];

/** A pattern that means the same in RE2 and in JavaScript. */
function part(random: Random, depth: number): Part {
  switch (depth <= 0 ? 0 : random.below(9)) {
    case 1:
    case 2: {
      const parts = random.list(2, 3, () => part(random, depth - 1));
      return {
        pattern: parts.map(({ pattern }) => pattern).join(''),
        isNullable: parts.every((one) => one.isNullable),
      };
    }
    case 3: {
      const parts = random.list(2, 3, () => part(random, depth - 1));
      const open = random.pick(['(', '(?:', '(']);
      return {
        pattern: `${open}${parts.map(({ pattern }) => pattern).join('|')})`,
        isNullable: parts.some((one) => one.isNullable),
      };
    }
    case 4:
    case 5: {
      const body = part(random, depth - 1);
      if (body.isNullable) return body;
      const times = random.pick(['*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?', '??', '{1,2}?']);
      return { pattern: `(?:${body.pattern})${times}`, isNullable: /^(?:\*|\?|\{0)/.test(times) };
    }
    case 6:
      return { pattern: random.pick(['^', '$', '\\b', '()']), isNullable: true };
    default:
      return { pattern: random.pick(atoms), isNullable: false };
  }
}

const characters = ['a', 'b', 'c', '1', '2', '_', ' ', '.', 'ä', '😀', '-'];
const syntax = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '*',
  '+',
  '?',
  '|',
  '\\',
  '^',
  '$',
  '-',
  ':',
  '?i',
  '?P<a>',
  '\\pL',
  '[[:alpha:]]',
  '\\Q',
  '\\E',
  '{2,5}',
  '{1000}',
  '{1001}',
  '\\x{10ffff}',
  '\\z',
  '\\A',
  '\\C',
  '(?s)',
  '(?U)',
  '\\8',
  '\\07',
];

export const regexpTargets = [
  target(
    'regexps-as-javascript',
    'finds the match that JavaScript finds, for patterns that mean the same in both',
    (random) => ({ pattern: part(random, 4).pattern, text: random.text(0, 10, characters) }),
    ({ pattern, text }: { pattern: string; text: string }) => {
      const found = compileRegexp(pattern).find(text);
      assert.deepEqual(found?.[0], new RegExp(pattern, 'u').exec(text)?.[0]);
      assert.equal(compileRegexp(pattern).test(text), found !== undefined);
      return true;
    },
  ),

  target(
    'regexps',
    'refuses with RegexpError; test and find agree',
    (random) => {
      const pattern = random.oneIn(4)
        ? random.text(0, 10, [...syntax, ...atoms])
        : mutateText(random, part(random, 4).pattern, syntax);
      return { pattern, text: random.text(0, 12, [...characters, '\n', 'A', '\ud800']) };
    },
    ({ pattern, text }: { pattern: string; text: string }) => {
      const regexp = accepted(() => compileRegexp(pattern), [RegexpError]);
      if (regexp === undefined) return false;
      const found = regexp.find(text);
      assert.equal(regexp.test(text), found !== undefined);
      if (found !== undefined) assert.ok(text.includes(found[0]));
      return true;
    },
  ),
];

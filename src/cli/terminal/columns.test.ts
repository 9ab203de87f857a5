import { expect, it } from 'vitest';
import { age, Columns, cut, printable } from './columns.js';

it('columns only grow', () => {
  const columns = new Columns([3, 1]);
  expect(columns.line(['a', 'b', 'c'])).toBe('a    b  c');
  expect(columns.line(['abcd', 'b', ''])).toBe('abcd  b');
  expect(columns.line(['a', 'b', 'c'], (cell) => `<${cell}>`)).toBe('<a>     <b>  <c>');
});

it('cuts no surrogate pair in two', () => {
  expect([cut('ab😀cd', 4), cut('ab😀cd', 5), cut('😀', 1)]).toEqual(['ab…', 'ab😀…', '']);
});

it('replaces control characters and line breaks by spaces', () => {
  expect(printable('one\r\ntwo\t\u001b[31mred\u001b]0;title\u0007 \u202eback')).toBe('one two [31mred ]0;title   back');
  expect(printable('größer, 日本語 😀')).toBe('größer, 日本語 😀');
});

it('cuts texts, and prints ages as kubectl does', () => {
  expect([cut('abcdef', 6), cut('abcdef', 4), cut('abc', 1), cut('abc', 0)]).toEqual(['abcdef', 'abc…', 'a', '']);
  const second = 1_000;
  expect([0, 119, 120, 7_199, 7_200, 172_799, 172_800].map((s) => age(s * second))).toEqual([
    '0s',
    '119s',
    '2m',
    '119m',
    '2h',
    '47h',
    '2d',
  ]);
});

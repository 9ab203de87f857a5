import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { age, Columns, cut, printable } from './columns.js';
import { LineOutput } from './line-output.js';
import { styleFor } from './style.js';

class Pipe extends EventEmitter {
  readonly written: string[] = [];
  isFull = false;

  write(text: string): boolean {
    this.written.push(text);
    return !this.isFull;
  }
}

it('writes the lines of a turn together, and much of it before the turn ends', async () => {
  const clock = new FakeClock();
  const pipe = new Pipe();
  const output = new LineOutput(pipe, clock);
  expect(output.write('a')).toBeUndefined();
  void output.write('b');
  expect(pipe.written).toEqual([]);
  await clock.advance(0);
  expect(pipe.written).toEqual(['a\nb\n']);
  void output.write('c'.repeat(70_000));
  expect(pipe.written).toHaveLength(2);
  output.flush();
  expect(pipe.written).toHaveLength(2);
});

it.each(['drain', 'error', 'close'])('asks to wait while the reader is behind, until %s', async (way) => {
  const pipe = new Pipe();
  const output = new LineOutput(pipe, new FakeClock());
  pipe.isFull = true;
  void output.write('a');
  output.flush();
  const behind = output.write('b');
  expect(behind).toBeInstanceOf(Promise);
  pipe.isFull = false;
  pipe.once('error', () => {});
  pipe.emit(way);
  await behind;
  expect(output.write('c')).toBeUndefined();
  output.flush();
  expect(pipe.eventNames()).toEqual(way === 'error' ? [] : ['error']);
});

it('colours on a terminal, and nowhere else', () => {
  const stream = (isTTY: boolean) => ({ write: () => true, isTTY });
  expect(styleFor(stream(true), { env: {} }).red('x')).toBe('\u001b[31mx\u001b[39m');
  expect(styleFor(stream(true), { env: {} }).red('')).toBe('');
  expect(styleFor(stream(true), { env: { NO_COLOR: '1' } }).red('x')).toBe('x');
  expect(styleFor(stream(true), { env: { NO_COLOR: '' } }).red('x')).not.toBe('x');
  expect(styleFor(stream(true), { env: { TERM: 'dumb' } }).red('x')).toBe('x');
  expect(styleFor(stream(false), { env: {} }).red('x')).toBe('x');
});

it('columns only grow', () => {
  const columns = new Columns([3, 1]);
  expect(columns.line(['a', 'b', 'c'])).toBe('a    b  c');
  expect(columns.line(['abcd', 'b', ''])).toBe('abcd  b');
  expect(columns.line(['a', 'b', 'c'], (cell) => `<${cell}>`)).toBe('<a>     <b>  <c>');
});

it('cuts no character in two', () => {
  expect([cut('ab😀cd', 4), cut('ab😀cd', 5), cut('😀', 1)]).toEqual(['ab…', 'ab😀…', '']);
});

it('prints what is in objects on one line, and lets no terminal obey it', () => {
  expect(printable('one\r\ntwo\t\u001b[31mred\u001b]0;title\u0007 \u202eback')).toBe('one two [31mred ]0;title   back');
  expect(printable('größer, 日本語 😀')).toBe('größer, 日本語 😀');
});

it('cuts texts and tells ages as people do', () => {
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

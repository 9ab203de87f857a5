import { expect, it } from 'vitest';
import { parseArguments } from './arguments.js';

const options = { for: { type: 'string' }, output: { type: 'string', short: 'o' }, all: { type: 'boolean' } } as const;
const parse = (...args: string[]) => parseArguments({ args, options });

it('reads a negative number as the value of the option before it', () => {
  expect(parse('--for', '-1').values).toEqual({ for: '-1' });
  expect(parse('--for=2', '-o', 'json').values).toEqual({ for: '2', output: 'json' });
});

it.each([
  [['--for'], '--for needs a value'],
  [['--for', '--all'], '--for needs a value'],
  [['-o'], '--output needs a value'],
  [['--all=yes'], "option '--all' does not take an argument"],
  [['--bogus'], "unknown option '--bogus'"],
  [['-1'], "unknown option '-1'"],
  [['more'], "unexpected argument 'more'"],
])('refuses %j with a short message', (args, message) => {
  expect(() => parse(...args)).toThrow(new RegExp(`^${message}$`));
});

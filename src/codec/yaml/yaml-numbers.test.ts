import { expect, it } from 'vitest';
import { yamlNumberOf } from './yaml-numbers.js';

// As sigs.k8s.io/yaml 1.6.0 reads them.
it.each([
  ['0', 0],
  ['+7', 7],
  ['-_1', -1],
  ['0_', 0],
  ['1_000', 1000],
  ['017', 15],
  ['0o17', 15],
  ['0o_7', 7],
  ['08', 8],
  ['0x1F', 31],
  ['-0b11', -3],
  ['1.', 1],
  ['.5', 0.5],
  ['+.5', 0.5],
  ['.1_0', 0.1],
  ['1e_1', 10],
  ['12e03', 12_000],
  ['18446744073709551616', 2 ** 64],
  ['-.inf', Number.NEGATIVE_INFINITY],
  ['.NaN', Number.NaN],
])('%s is the number %d', (text, number) => {
  expect(yamlNumberOf(text)).toBe(number);
});

it.each([
  ...[
    '',
    '.',
    '-',
    '+.',
    '._',
    '+._',
    '.1_',
    '._1',
    '.__',
    '._e1',
    '.e1',
    'e1',
    'E+1',
    '_1',
    '0b_',
    '0x',
    '0x_',
    '0o8',
  ],
  ...['0b12', '1e', '1e999', '0x1ffffffffffffffff', '1:30', '2026-01-01', '.iNF', 'inf', 'nan', '--1', '1 '],
])('%j is a text', (text) => {
  expect(yamlNumberOf(text)).toBeUndefined();
});

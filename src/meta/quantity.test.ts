import { describe, expect, it } from 'vitest';
import {
  canonicalQuantity,
  isWholeQuantity,
  milliQuantity,
  parseQuantity,
  quantityNanos,
  quantityNumber,
} from './quantity.js';

describe('parseQuantity', () => {
  it('shows less than 1 of a binary format as a decimal, and 1 not', () => {
    expect(parseQuantity('0.00048828125Ki').format).toBe('DecimalSI');
    expect(parseQuantity('0.0009765625Ki').format).toBe('BinarySI');
    expect(parseQuantity('0Ki').format).toBe('BinarySI');
  });
});

describe('canonicalQuantity', () => {
  it.each([
    ['0', '0'],
    ['0.5', '500m'],
    ['1024Mi', '1Gi'],
    ['1000000000', '1G'],
    ['1000Mi', '1000Mi'],
    ['1000k', '1M'],
    ['1e3', '1e3'],
    ['1e4', '10e3'],
    ['+1', '+1'],
    ['1024', '1024'],
    ['8Ki', '8Ki'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['0.25', '250m'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['0001', '0001'],
    ['-0.5', '-500m'],
    ['0.0000000001', '1n'],
    ['1.', '1.'],
    ['16Ei', '9223372036854775807'],
    ['0.0', '0'],
    [' 1 ', '1'],
  ])('prints %j as %j', (text, printed) => {
    expect(canonicalQuantity(text)).toBe(printed);
  });

  it.each([
    ['lots', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1Kii', "unable to parse quantity's suffix"],
  ])('refuses %j', (text, message) => {
    expect(() => canonicalQuantity(text)).toThrow(message);
  });

  it('is quick with millions of digits and with huge exponents', () => {
    expect(() => parseQuantity('9'.repeat(3_000_000))).toThrow('unable to parse numeric part of quantity');
    expect(parseQuantity(`0.${'9'.repeat(3_000_000)}`).nanos).toBe(1_000_000_000n);
    expect(parseQuantity('1e999999999').nanos).toBe(10n ** 69n);
  });
});

it('milliQuantity rounds up to thousandths', () => {
  expect(['0.1234567', '0.0001', '1Gi', '100u', '-0.0001'].map(milliQuantity)).toEqual([
    '124m',
    '1m',
    '1Gi',
    '1m',
    '-1m',
  ]);
});

it('quantities are compared by their amount', () => {
  expect(quantityNanos('1Ki')).toBe(quantityNanos('1.024k'));
  expect(isWholeQuantity('1500m')).toBe(false);
  expect(isWholeQuantity('2000m')).toBe(true);
});

it.each([
  ['250m', 0.25],
  ['1234567n', 0.001234567],
  ['64Mi', 67_108_864],
  ['4Ti', 2 ** 42],
  ['-1.5', -1.5],
  ['2e3', 2000],
])('the number of %j is %d', (text, number) => {
  expect(quantityNumber(text)).toBe(number);
});

import { describe, expect, it } from 'vitest';
import { ago, bytes, count, duration, percent, plural, rate, timeOfDay } from './format.js';

describe('numbers', () => {
  it.each([
    [0, '0'],
    [9_999, '9999'],
    [12_440, '12.4k'],
    [250_000, '250k'],
    [3_100_000, '3.1M'],
  ])('shows the count %d as %s', (value, text) => expect(count(value)).toBe(text));

  it.each([
    [0, '0'],
    [0.25, '0.3'],
    [2, '2'],
    [9.96, '10'],
    [2013.4, '2013'],
  ])('shows the rate %d as %s', (value, text) => expect(rate(value)).toBe(text));

  it.each([
    [0, 100, '0 %'],
    [1, 300, '0.3 %'],
    [1, 3, '33 %'],
    [5, 0, '0 %'],
  ])('shows %d of %d as %s', (part, whole, text) => expect(percent(part, whole)).toBe(text));

  it.each([
    [512, '512 B'],
    [4_300, '4.2 kB'],
    [32 * 2 ** 20, '32 MB'],
    [150 * 2 ** 20, '150 MB'],
    [3 * 2 ** 40, '3072 GB'],
  ])('shows %d bytes as %s', (value, text) => expect(bytes(value)).toBe(text));

  it('uses the singular for one', () => {
    expect(plural(1, 'key')).toBe('1 key');
    expect(plural(0, 'key')).toBe('0 keys');
    expect(plural(2, 'cache', 'caches')).toBe('2 caches');
  });
});

describe('times', () => {
  it.each([
    [0, '0 ms'],
    [0.42, '0.4 ms'],
    [12.4, '12 ms'],
    [1_240, '1.2 s'],
    [59_600, '1 min'],
    [190_000, '3 min 10 s'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
  ])('shows %d ms as %s', (value, text) => expect(duration(value)).toBe(text));

  it('shows a time of the day to the millisecond', () => {
    expect(timeOfDay(new Date(2026, 1, 3, 4, 5, 6, 7).getTime())).toBe('04:05:06.007');
  });

  it('shows how long ago something was', () => {
    expect(ago(1_000, 191_000)).toBe('3 min 10 s ago');
    expect(ago(1_000, 1_500)).toBe('now');
    expect(ago(2_000, 1_000)).toBe('now');
  });
});

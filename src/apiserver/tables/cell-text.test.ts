import { describe, expect, it } from 'vitest';
import { age, containerCells, duration, firstOf, labelsText, selectorOrNone, selectorText } from './cell-text.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('duration', () => {
  it.each([
    [0, '0s'],
    [-1500, '0s'],
    [-2 * SECOND, '<invalid>'],
    [95 * SECOND, '95s'],
    [2 * MINUTE, '2m'],
    [5 * MINUTE + 10 * SECOND, '5m10s'],
    [42 * MINUTE + 59 * SECOND, '42m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR + 5 * MINUTE, '3h5m'],
    [20 * HOUR, '20h'],
    [2 * DAY, '2d'],
    [3 * DAY + 4 * HOUR, '3d4h'],
    [90 * DAY, '90d'],
    [2 * 365 * DAY + 30 * DAY, '2y30d'],
    [9 * 365 * DAY + DAY, '9y'],
  ])('%d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('cells', () => {
  it('have the age of a timestamp, or say that there is none', () => {
    expect(age('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:01:00Z'))).toBe('60s');
    for (const none of [undefined, null, '']) expect(age(none, 0)).toBe('<unknown>');
  });

  it('have labels and selectors as text', () => {
    expect(labelsText({ c: 'd', a: 'b' })).toBe('a=b,c=d');
    expect(labelsText(undefined)).toBe('<none>');
    const selector = {
      matchLabels: { a: 'b' },
      matchExpressions: [{ key: 'x', operator: 'In', values: ['2', '1'] }],
    };
    expect(selectorText(selector, '')).toBe('a=b,x in (1,2)');
    expect(selectorText({ matchExpressions: [{ key: 'x', operator: 'Like' }] }, '<invalid>')).toBe('<invalid>');
    expect([selectorOrNone({}), selectorOrNone(undefined)]).toEqual(['<none>', '<none>']);
  });

  it('count what they have no room for', () => {
    expect(firstOf(['a', 'b', 'c'], 3)).toBe('a,b,c');
    expect(firstOf(['a', 'b', 'c', 'd', 'e'], 3)).toBe('a,b,c + 2 more...');
  });

  it('name the containers of a template and their images', () => {
    expect(containerCells({ spec: { containers: [{ name: 'a', image: 'i:1' }, { name: 'b' }] } })).toEqual([
      'a,b',
      'i:1,',
    ]);
    expect(containerCells(undefined)).toEqual(['', '']);
  });
});

import { describe, expect, it } from 'vitest';
import { compareSortKeys, sortKeyOf, valueElement } from './path-element.js';

describe('compareSortKeys', () => {
  it('orders values by their kind: numbers, texts, booleans, lists, maps, null', () => {
    const values = [1, 2, 'a', 'b', false, true, [1], [1, 2], [2], { a: 1 }, { a: 2 }, { b: 1 }, null];
    const keys = values.map((value) => sortKeyOf(valueElement(value)));
    for (const [i, a] of keys.entries()) {
      for (const [j, b] of keys.entries()) {
        const what = `${JSON.stringify(values[i])} beside ${JSON.stringify(values[j])}`;
        expect(Math.sign(compareSortKeys(a, b)), what).toBe(Math.sign(i - j));
      }
    }
  });
});

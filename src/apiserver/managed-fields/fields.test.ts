import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../time/steps.js';
import {
  difference,
  differenceBelow,
  type FieldSet,
  hasPath,
  intersection,
  isSameSet,
  matching,
  pathsOf,
  readFieldsV1,
  setOfPaths,
  union,
} from './fields.js';

/** A set as the texts of its paths: the model of the operations. */
function texts(set: FieldSet): string[] {
  return [...pathsOf(set)].map((path) => path.map((element) => element.slice(2)).join('.')).sort();
}

const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
const paths = fc.uniqueArray(path, { maxLength: 8, selector: (names) => names.join('.') });
const all = (list: readonly (readonly string[])[]): string[] => list.map((names) => names.join('.')).sort();

describe('sets of fields', () => {
  it('have the paths that they were made of', () => {
    fc.assert(
      fc.property(paths, (list) => {
        expect(texts(setOfPaths(...list))).toEqual(all(list));
      }),
    );
  });

  it('are united, intersected and subtracted path by path', () => {
    fc.assert(
      fc.property(paths, paths, (one, other) => {
        const [a, b] = [setOfPaths(...one), setOfPaths(...other)];
        const [left, right] = [all(one), all(other)];
        expect(texts(finish(union(a, b)))).toEqual([...new Set([...left, ...right])].sort());
        expect(texts(finish(intersection(a, b)))).toEqual(left.filter((text) => right.includes(text)));
        expect(texts(finish(difference(a, b)))).toEqual(left.filter((text) => !right.includes(text)));
        const isBelow = (text: string): boolean => right.some((above) => `${text}.`.startsWith(`${above}.`));
        expect(texts(finish(differenceBelow(a, b)))).toEqual(left.filter((text) => !isBelow(text)));
      }),
    );
  });

  it('are the same in any order, and after they were sent and read', () => {
    fc.assert(
      fc.property(paths, (list) => {
        const [set, reversed] = [setOfPaths(...list), setOfPaths(...[...list].reverse())];
        expect(finish(isSameSet(set, reversed))).toBe(true);
        expect(finish(readFieldsV1(JSON.parse(JSON.stringify(set ?? {}))))).toEqual(set);
      }),
    );
  });

  it('are not changed by what does not concern them', () => {
    const set = setOfPaths(['a', 'b'], ['c']);
    expect(finish(difference(set, setOfPaths(['x'], ['a', 'y'])))).toBe(set);
    expect(finish(union(set, setOfPaths(['c'])))).toBe(set);
  });

  it('keep what a pattern names, with any element for a star', () => {
    const set = setOfPaths(['a', 'x', 'b'], ['a', 'y', 'c'], ['d']);
    expect(texts(finish(matching(set, { 'f:a': { '*': { 'f:b': 'all' } } })))).toEqual(['a.x.b']);
  });

  it('sort fields before keys, values and indexes, and ignore elements that they do not know', () => {
    const sent = {
      'i:1': {},
      'v:"b"': {},
      'v:10': {},
      'v:9': {},
      'k:{"b":1,"a":2}': {},
      'f:z': {},
      'x:y': {},
      '.': {},
    };
    expect(Object.keys(finish(readFieldsV1(sent)) ?? {})).toEqual([
      'f:z',
      'k:{"a":2,"b":1}',
      'v:9',
      'v:10',
      'v:"b"',
      'i:1',
    ]);
  });

  it.each([['k:{'], ['v:x'], ['i:x'], ['f']])('refuse the element %s', (element) => {
    expect(() => finish(readFieldsV1({ [element]: {} }))).toThrow();
  });

  it('have a path only if it ends at one of their fields', () => {
    const set = setOfPaths(['a', 'b']);
    expect([hasPath(set, ['f:a']), hasPath(set, ['f:a', 'f:b']), hasPath(set, [])]).toEqual([false, true, false]);
  });
});

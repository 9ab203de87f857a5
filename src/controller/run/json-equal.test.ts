import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsJson, equalJson, isExplained } from './json-equal.js';

/** The same value with the fields of all objects in the opposite order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, reordered(field)]),
  );
}

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>;

describe('equalJson', () => {
  it('holds for values that are equal as JSON, whatever the order of fields', () => {
    fc.assert(fc.property(json, (value) => equalJson(value, reordered(structuredClone(value)))));
  });

  it('holds for no two values with different JSON', () => {
    const sorted = (value: unknown): string =>
      JSON.stringify(value, (_, field: unknown) =>
        typeof field === 'object' && field !== null && !Array.isArray(field)
          ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
          : field,
      );
    fc.assert(fc.property(json, json, (a, b) => equalJson(a, b) === (sorted(a) === sorted(b))));
  });

  it('takes a field that is undefined for a missing one, and null for a value', () => {
    expect(equalJson({ a: undefined, b: 1 }, { b: 1 })).toBe(true);
    expect(equalJson({ b: 1 }, { a: undefined, b: 1 })).toBe(true);
    expect(equalJson({ a: null }, {})).toBe(false);
    expect(equalJson({}, { a: null })).toBe(false);
    expect(equalJson([], {})).toBe(false);
  });
});

describe('containsJson', () => {
  it('ignores fields that the part does not have', () => {
    expect(containsJson({ a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } })).toBe(true);
    expect(containsJson({ a: 1 }, { a: undefined })).toBe(true);
    expect(containsJson({ a: 1 }, { b: 1 })).toBe(false);
    expect(containsJson({ b: { c: 1 } }, { b: { c: 2 } })).toBe(false);
  });

  it('finds items of lists by type, and compares other lists as a whole', () => {
    const ready = { type: 'Ready', status: 'True', message: 'fine' };
    expect(containsJson([{ type: 'Other' }, ready], [{ type: 'Ready', status: 'True' }])).toBe(true);
    expect(containsJson([ready], [{ type: 'Ready', status: 'False' }])).toBe(false);
    expect(containsJson([], [{ type: 'Ready' }])).toBe(false);
    expect(containsJson([1, 2], [1])).toBe(false);
    expect(containsJson([1, 2], [1, 2])).toBe(true);
  });
});

describe('isExplained', () => {
  it('holds if each field is as before or as sent', () => {
    fc.assert(
      fc.property(json, json, (before, sent) => isExplained(before, before, sent) && isExplained(sent, before, sent)),
    );
    expect(isExplained({ a: 1, b: 2 }, { a: 1, b: 1 }, { b: 2 })).toBe(true);
    expect(isExplained({ a: { b: 2, c: 1 } }, { a: { b: 1, c: 1 } }, { a: { b: 2 } })).toBe(true);
  });

  it('does not hold for a field that is neither', () => {
    expect(isExplained({ a: 3, b: 2 }, { a: 1, b: 1 }, { b: 2 })).toBe(false);
    expect(isExplained({ a: 1, new: 1 }, { a: 1 }, { a: 1 })).toBe(false);
    expect(isExplained({ a: 1 }, { a: 0 }, undefined)).toBe(false);
  });

  it('finds items of lists again by type or name', () => {
    const condition = (type: string, status: string) => ({ type, status });
    const before = [condition('Ready', 'False'), condition('Other', 'True')];
    const sent = [condition('Ready', 'True')];
    expect(isExplained([condition('Other', 'True'), condition('Ready', 'True')], before, sent)).toBe(true);
    expect(isExplained([condition('Other', 'False'), condition('Ready', 'True')], before, sent)).toBe(false);
    expect(isExplained([{ name: 'a', n: 2 }], [{ name: 'a', n: 1 }], [{ name: 'a', n: 2 }])).toBe(true);
    expect(isExplained([{ name: 'a', n: 3 }], [{ name: 'a', n: 1 }], [{ name: 'a', n: 2 }])).toBe(false);
  });
});

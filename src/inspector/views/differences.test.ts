import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differencesOf, printPath } from './differences.js';

const paths = (before: unknown, after: unknown) =>
  differencesOf(before, after, false).fields.map(({ path, change, before: old, after: now }) => [
    path,
    change,
    old,
    now,
  ]);

describe('differencesOf', () => {
  it('names fields that were added, removed and changed', () => {
    expect(paths({ spec: { a: 1, b: 'x', c: [1] } }, { spec: { a: 2, c: [1, 2], d: { e: true } } })).toEqual([
      ['spec.a', 'changed', '1', '2'],
      ['spec.b', 'removed', '"x"', null],
      ['spec.c[1]', 'added', null, '2'],
      ['spec.d', 'added', null, '{"e":true}'],
    ]);
  });

  it('compares items of lists by their names, wherever they are', () => {
    const before = {
      containers: [
        { name: 'app', image: 'a:1' },
        { name: 'log', image: 'l:1' },
      ],
    };
    const after = {
      containers: [
        { name: 'log', image: 'l:1' },
        { name: 'app', image: 'a:2' },
      ],
    };
    expect(paths(before, after)).toEqual([['containers[name=app].image', 'changed', '"a:1"', '"a:2"']]);
    const conditions = (status: string) => [{ type: 'Ready', status }];
    expect(paths({ conditions: [] }, { conditions: conditions('True') })).toEqual([
      ['conditions[type=Ready]', 'added', null, '{"type":"Ready","status":"True"}'],
    ]);
    // Two items of one name are compared by their places.
    const twice = (image: string) => [{ name: 'a' }, { name: 'a', image }];
    expect(paths(twice('1'), twice('2'))).toEqual([['[1].image', 'changed', '"1"', '"2"']]);
  });

  it('leaves out versions and managed fields, quotes names, and cuts values', () => {
    const before = { metadata: { resourceVersion: '1', managedFields: [1], labels: { 'a.b/c': 'x' } } };
    const after = { metadata: { resourceVersion: '2', managedFields: [2], labels: { 'a.b/c': 'y'.repeat(500) } } };
    const [field, ...others] = differencesOf(before, after, false).fields;
    expect(others).toEqual([]);
    expect(field?.path).toBe('metadata.labels["a.b/c"]');
    expect(field?.after).toHaveLength(200);
  });

  it('returns at most 200', () => {
    const before = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, i]));
    const { fields, isCut } = differencesOf(before, {}, false);
    expect([fields.length, isCut]).toEqual([200, true]);
  });

  it('has a value of a Secret in no text, wherever it is', () => {
    const json = fc.dictionary(
      fc.constantFrom('data', 'stringData', 'metadata', 'type', 'annotations', 'name', 'other', '__proto__'),
      fc.letrec((tie) => ({
        value: fc.oneof(
          { maxDepth: 3 },
          fc.constant('harmless'),
          fc.array(tie('value'), { maxLength: 3 }),
          fc.dictionary(fc.constantFrom('annotations', 'name', 'password'), tie('value'), { maxKeys: 3 }),
        ),
      })).value,
    );
    const secret = 'correct-horse';
    const lastApplied = { 'kubectl.kubernetes.io/last-applied-configuration': secret };
    fc.assert(
      fc.property(json, json, (before, after) => {
        const withSecret = {
          ...after,
          data: { a: secret, b: [secret] },
          metadata: { annotations: lastApplied },
          extra: secret,
        };
        for (const [a, b] of [
          [before, withSecret],
          [withSecret, before],
          [undefined, withSecret],
          [withSecret, secret],
        ])
          expect(JSON.stringify(differencesOf(a, b, true))).not.toContain(secret);
      }),
    );
  });

  it('takes 0 and -0 as equal, which are the same text', () => {
    expect(differencesOf({ a: -0 }, { a: 0 }, false).fields).toEqual([]);
  });

  it('finds nothing exactly if nothing differs', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(value, (json) => {
        expect(differencesOf(json, JSON.parse(JSON.stringify(json)), false).fields).toEqual([]);
        expect(differencesOf({ a: json }, { a: [json] }, false).fields).not.toEqual([]);
      }),
    );
  });
});

it('printPath quotes what is no plain name', () => {
  expect(printPath(['spec', 'args', 0])).toBe('spec.args[0]');
  expect(printPath(['data', 'a b', { field: 'name', value: 'x' }])).toBe('data["a b"][name=x]');
});

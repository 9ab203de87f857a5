import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../meta/errors/errors.js';
import type { JsonObject } from '../../meta/json-values.js';
import { mutableCopy } from '../../meta/objects.js';
import { finish } from '../../time/steps.js';
import { applyMergePatch } from './merge-patch.js';
import { applyStrategicMergePatch, type PatchField, type PatchSchema } from './strategic-merge-patch.js';

function schema(fields: Readonly<Record<string, PatchField>>): PatchSchema {
  return { name: 'Test', field: (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined) };
}

const CONTAINER = schema({
  env: { strategy: 'merge', mergeKey: 'name', schema: schema({}) },
  ports: { strategy: 'merge', mergeKey: 'containerPort', schema: schema({}) },
});
const POD = schema({
  metadata: { schema: schema({ finalizers: { strategy: 'merge' }, lists: { strategy: 'merge' }, labels: {} }) },
  spec: {
    schema: schema({
      containers: { strategy: 'merge', mergeKey: 'name', schema: CONTAINER },
      tolerations: {},
      nodeSelector: {},
      strategy: { schema: schema({}) },
      affinity: { strategy: 'replace' },
      broken: { strategy: 'merge' },
    }),
  },
});

function apply(document: object, patch: unknown): unknown {
  return finish(applyStrategicMergePatch(mutableCopy<JsonObject>(document as JsonObject), patch, POD));
}

function spec(value: object): object {
  return { spec: value };
}

describe('applyStrategicMergePatch', () => {
  const two = {
    containers: [
      { name: 'a', image: '1' },
      { name: 'b', image: '1', env: [{ name: 'X', value: '1' }] },
    ],
  };

  it.each([
    [
      'merges objects',
      spec({ nodeSelector: { a: '1' } }),
      spec({ nodeSelector: { b: '2' } }),
      spec({ nodeSelector: { a: '1', b: '2' } }),
    ],
    [
      'removes what is null',
      spec({ nodeSelector: { a: '1', b: '2' } }),
      spec({ nodeSelector: { a: null } }),
      spec({ nodeSelector: { b: '2' } }),
    ],
    [
      'leaves out nulls that match nothing',
      {},
      spec({ nodeSelector: { a: null, b: '1' } }),
      spec({ nodeSelector: { b: '1' } }),
    ],
    [
      'replaces lists that are no sets',
      spec({ tolerations: [{ key: 'a' }] }),
      spec({ tolerations: [{ key: 'b' }] }),
      spec({ tolerations: [{ key: 'b' }] }),
    ],
    [
      'replaces objects that are to be replaced',
      spec({ affinity: { a: 1 } }),
      spec({ affinity: { b: 1 } }),
      spec({ affinity: { b: 1 } }),
    ],
    [
      'merges list items by their key',
      spec(two),
      spec({ containers: [{ name: 'b', image: '2', env: [{ name: 'Y', value: '2' }] }] }),
      spec({
        containers: [
          { name: 'a', image: '1' },
          {
            name: 'b',
            image: '2',
            env: [
              { name: 'Y', value: '2' },
              { name: 'X', value: '1' },
            ],
          },
        ],
      }),
    ],
    [
      'adds list items in front, where the patch says nothing of the others',
      spec(two),
      spec({ containers: [{ name: 'c' }] }),
      spec({ containers: [{ name: 'c' }, ...two.containers] }),
    ],
    [
      'deletes a list item',
      spec(two),
      spec({ containers: [{ name: 'a', $patch: 'delete' }] }),
      spec({ containers: [two.containers[1]] }),
    ],
    [
      'replaces a whole list',
      spec(two),
      spec({ containers: [{ name: 'c' }, { $patch: 'replace' }] }),
      spec({ containers: [{ name: 'c' }] }),
    ],
    [
      'replaces an object',
      spec({ nodeSelector: { a: '1' } }),
      spec({ nodeSelector: { $patch: 'replace', b: '2' } }),
      spec({ nodeSelector: { b: '2' } }),
    ],
    [
      'empties an object',
      spec({ nodeSelector: { a: '1' } }),
      spec({ nodeSelector: { $patch: 'delete' } }),
      spec({ nodeSelector: {} }),
    ],
    ['does nothing to delete what is not there', spec({}), spec({ nodeSelector: { $patch: 'delete' } }), spec({})],
    [
      'merges lists of scalars',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { finalizers: ['c', 'a'] } },
      { metadata: { finalizers: ['c', 'a', 'b'] } },
    ],
    [
      'deletes from lists of scalars',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'z'] } },
      { metadata: { finalizers: ['b'] } },
    ],
    [
      'retains only some keys',
      spec({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } }),
      spec({ strategy: { $retainKeys: ['type'], type: 'Recreate' } }),
      spec({ strategy: { type: 'Recreate' } }),
    ],
    [
      'sets the order of a list',
      spec(two),
      spec({
        '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }, { name: 'a' }],
        containers: [{ name: 'c', image: '3' }],
      }),
      spec({ containers: [two.containers[1], { name: 'c', image: '3' }, two.containers[0]] }),
    ],
    [
      'sets the order of a list and nothing else',
      spec(two),
      spec({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }),
      spec({ containers: [two.containers[1], two.containers[0]] }),
    ],
    [
      'keeps items the order does not know where they were',
      { metadata: { finalizers: ['a', 'x', 'b', 'y'] } },
      { metadata: { '$setElementOrder/finalizers': ['c', 'a', 'b'], finalizers: ['c'] } },
      { metadata: { finalizers: ['c', 'a', 'x', 'b', 'y'] } },
    ],
    [
      'creates an ordered list',
      spec({}),
      spec({ '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'a' }] }),
      spec({ containers: [{ name: 'a' }] }),
    ],
    [
      'takes new fields that it knows nothing of as they are',
      { a: 1 },
      { a: { x: [2], y: 1 } },
      { a: { x: [2], y: 1 } },
    ],
    ['takes null for no patch', { a: 1 }, null, { a: 1 }],
    [
      'does not store deletions that meet nothing',
      {},
      spec({ containers: [{ name: 'a' }, { name: 'b', $patch: 'delete' }] }),
      spec({ containers: [{ name: 'a' }] }),
    ],
    [
      'keeps what is below a replacement as it is, also directives',
      spec({ nodeSelector: { a: '1' } }),
      { $patch: 'replace', spec: { containers: [{ name: 'b', $patch: 'delete' }], hostNetwork: null } },
      spec({ containers: [{ name: 'b', $patch: 'delete' }], hostNetwork: null }),
    ],
    [
      'removes a list of scalars with null as its deletions',
      { metadata: { finalizers: ['a'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': null } },
      { metadata: {} },
    ],
  ])('%s', (_title, document, patch, expected) => {
    const before = structuredClone([document, patch]);
    expect(apply(document, patch)).toEqual(expected);
    expect([document, patch]).toEqual(before);
  });

  it.each([
    [400, [1], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [400, spec({ strategy: { $retainKeys: 'type' } }), 'invalid patch format of retainKeys'],
    [400, spec({ strategy: { $retainKeys: ['type'], other: 1 } }), 'invalid patch format of retainKeys'],
    [400, spec({ $setElementOrder: [] }), 'invalid patch format of setElementOrder list'],
    [500, spec({ '$setElementOrder/containers': 'a' }), 'expected a []interface {}, but received a string'],
    [
      500,
      { metadata: { '$setElementOrder/unknown': [] } },
      'unable to find api field in struct Test for the json field "unknown"',
    ],
    [
      500,
      { metadata: { '$setElementOrder/finalizers': ['a'], finalizers: null } },
      'expected a []interface {}, but received a %!s(<nil>)',
    ],
    [400, { metadata: { $deleteFromPrimitiveList: ['a'] } }, 'invalid patch format of primitive list'],
    [422, { metadata: { lists: [['a']] } }, 'the server rejected our request due to an error in our request'],
    [500, { metadata: { finalizers: [['a']] } }, 'list element types are not identical: [[a] [[a]]]'],
    [500, spec({ $patch: 'explode' }), 'unknown patch type: explode'],
    [500, spec({ $patch: { toString: 1 } }), 'unknown patch type: map[toString:1]'],
    [500, spec({ containers: [{ name: 'a', $patch: 'explode' }] }), 'unknown patch type: explode'],
    [500, spec({ containers: [{ name: 'a', $patch: 'merge' }] }), 'merging lists cannot yet be specified in the patch'],
    [500, spec({ containers: [{ image: 'a' }] }), 'does not contain declared merge key: name'],
    [500, spec({ containers: ['a'] }), 'list element types are not identical'],
    [500, spec({ broken: [{ a: 1 }] }), 'cannot merge lists without merge key for '],
    [
      500,
      spec({ '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'c' }] }),
      "doesn't match $setElementOrder list",
    ],
  ])('answers %i to %j', (status, patch, message) => {
    const document = {
      metadata: { finalizers: ['a'], lists: [['b']] },
      spec: { ...two, strategy: { type: 'x' }, broken: [{ b: 1 }] },
    };
    expect(() => apply(document, patch)).toThrow(StatusError);
    expect(() => apply(document, patch)).toThrow(message);
    expect(() => apply(document, patch)).toThrow(expect.objectContaining({ status }));
  });

  it('treats __proto__ as a name', () => {
    const [document, patch] = ['{"__proto__":{"a":1}}', '{"__proto__":{"b":2}}'].map((text) => JSON.parse(text));
    const patched = finish(applyStrategicMergePatch(document, patch, undefined));
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"a":1,"b":2}}');
    expect(({} as { b?: unknown }).b).toBeUndefined();
  });

  it('is a merge patch of objects where there is no schema', () => {
    const key = fc.constantFrom('a', 'b', '__proto__');
    const { object } = fc.letrec<{ object: JsonObject; value: unknown }>((tie) => ({
      object: fc.dictionary(key, tie('value'), { depthIdentifier: 'deep' }),
      value: fc.oneof({ maxDepth: 3, depthIdentifier: 'deep' }, fc.integer(), fc.constant(null), tie('object')),
    }));
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const merged = finish(applyMergePatch(mutableCopy<JsonObject>(document), patch));
        const steps = applyStrategicMergePatch(mutableCopy<JsonObject>(document), patch, undefined);
        expect(JSON.stringify(finish(steps))).toBe(JSON.stringify(merged));
      }),
    );
  });

  it('applied twice is the same as once', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const containers = fc.uniqueArray(fc.record({ name, image: name }), { selector: (item) => item.name });
    fc.assert(
      fc.property(containers, containers, (before, change) => {
        const patch = spec({ containers: change });
        const once = apply(spec({ containers: before }), patch) as object;
        expect(apply(once, patch)).toEqual(once);
      }),
    );
  });

  it('looks at each item of long lists a few times, not at all pairs of them', () => {
    let reads = 0;
    const items = (prefix: string, more: object = {}) =>
      Array.from({ length: 2000 }, (_, i) => ({
        get name() {
          reads++;
          return `${prefix}${i}`;
        },
        set name(_) {},
        ...more,
      }));
    const merged = (before: object[], change: object[]): unknown[] => {
      const steps = applyStrategicMergePatch(
        spec({ containers: before }) as JsonObject,
        spec({ containers: change }),
        POD,
      );
      return (finish(steps) as { spec: { containers: unknown[] } }).spec.containers;
    };
    expect(merged(items('a'), items('b'))).toHaveLength(4000);
    expect(merged(items('a'), items('a', { image: 'x' }))).toHaveLength(2000);
    expect(merged(items('a'), items('a', { $patch: 'delete' }))).toEqual([]);
    expect(reads).toBeLessThan(12_000 * 20);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../meta/json-values.js';
import { finish } from '../../../time/steps.js';
import { TypeMismatch } from '../typed-object.js';
import { parseStructural } from './definition/structural.js';
import { Correlation } from './object/correlation.js';
import { setDefaults } from './object/defaulting.js';
import { schemaCauses } from './object/schema-validation.js';
import { pruneCustom, readCustom, restoreCustom } from './reading.js';

const string = { type: 'string' };
const object = (properties: object, rest: object = {}): JsonObject => ({ type: 'object', properties, ...rest });
const ofSpec = (properties: object): ReturnType<typeof parseStructural> =>
  parseStructural(object({ spec: object(properties) }));

/** What is left of a spec, and the paths of unknown fields. */
function read(properties: object, spec: unknown): { spec: unknown; unknown: string[] } {
  const custom = { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'x' }, spec };
  const unknown = finish(readCustom(custom, ofSpec(properties)));
  return { spec: custom.spec, unknown };
}

describe('readCustom', () => {
  it('removes unknown fields and reports their paths, sorted', () => {
    const properties = { a: string, list: { type: 'array', items: object({ a: string }) } };
    const { spec, unknown } = read(properties, { z: 1, a: 'x', b: { c: 1 }, list: [{ a: 'x' }, { q: [{ r: 1 }] }] });
    expect(spec).toEqual({ a: 'x', list: [{ a: 'x' }, {}] });
    expect(unknown).toEqual(['spec.b', 'spec.list[1].q', 'spec.z']);
  });

  it('keeps unknown fields where the schema preserves them, but not inside of declared fields', () => {
    const free = object({ known: object({ a: string }) }, { 'x-kubernetes-preserve-unknown-fields': true });
    const { spec, unknown } = read({ free }, { free: { other: { x: [null] }, known: { a: 'x', b: 1 } } });
    expect(spec).toEqual({ free: { other: { x: [null] }, known: { a: 'x' } } });
    expect(unknown).toEqual(['spec.free.known.b']);
  });

  it('drops nulls of objects and maps that are neither nullable nor have a default, and keeps those of lists', () => {
    const properties = {
      plain: string,
      nullable: { ...string, nullable: true },
      defaulted: { ...string, default: 'd' },
      map: { type: 'object', additionalProperties: string },
      list: { type: 'array', items: string },
    };
    const given = { plain: null, nullable: null, defaulted: null, map: { a: null }, list: [null] };
    expect(read(properties, given).spec).toEqual({ nullable: null, defaulted: null, map: {}, list: [null] });
  });

  it('reads the metadata of embedded resources by its types', () => {
    const embedded = { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
    const properties = { emb: { type: 'object', ...embedded } };
    const metadata = { name: 'n', labels: { a: 'b' }, odd: 1 };
    expect(read(properties, { emb: { kind: 'Pod', metadata, x: 1 } })).toEqual({
      spec: { emb: { kind: 'Pod', metadata: { name: 'n', labels: { a: 'b' } }, x: 1 } },
      unknown: ['spec.emb.metadata.odd'],
    });
    const wrong = (): unknown => read(properties, { emb: { kind: 5 } });
    expect(wrong).toThrow(TypeMismatch);
    expect(wrong).toThrow('spec.emb.kind: Invalid value: 5: must be a string');
  });

  it('treats __proto__ as a field like any other', () => {
    const { spec } = read({ a: string }, JSON.parse('{"__proto__":{"a":1},"a":"x"}'));
    expect(JSON.stringify(spec)).toBe('{"a":"x"}');
  });
});

describe('setDefaults', () => {
  const fill = (properties: object, spec: unknown): unknown => {
    const custom = { spec };
    finish(setDefaults(custom, ofSpec(properties)));
    return custom.spec;
  };

  it('fills objects, items and values of maps, and replaces nulls that are not nullable', () => {
    const properties = {
      a: { type: 'integer', default: 1 },
      o: object({ z: { type: 'integer', default: 2 } }, { default: {} }),
      l: { type: 'array', items: object({ x: { ...string, default: 'y' } }) },
      m: { type: 'object', additionalProperties: object({ x: { type: 'integer', default: 5 } }) },
      n: { ...string, nullable: true, default: 'd' },
    };
    expect(fill(properties, { a: null, l: [{}, { x: 'z' }], m: { k: {} }, n: null })).toEqual({
      a: 1,
      o: { z: 2 },
      l: [{ x: 'y' }, { x: 'z' }],
      m: { k: { x: 5 } },
      n: null,
    });
  });

  it('gives each object its own copy, and refuses to grow an object without end', () => {
    const wide = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      default: { text: 'x'.repeat(100_000) },
    };
    const properties = { l: { type: 'array', items: object({ wide }) } };
    const { l } = fill(properties, { l: [{}, {}] }) as { l: { wide: object }[] };
    expect(l[0]!.wide).not.toBe(l[1]!.wide);
    expect(() => fill(properties, { l: Array.from({ length: 1000 }, () => ({})) })).toThrow(/too large/);
  });
});

/** Schemas with a few keywords, three levels deep. */
const schemas: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constantFrom('string', 'integer', 'boolean'), nullable: fc.boolean() }),
    fc.record({ type: fc.constant('integer'), default: fc.integer({ min: 0, max: 9 }) }),
    fc
      .dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema'), { noNullPrototype: true })
      .map((properties) => object(properties)),
    tie('schema').map((items) => ({ type: 'array', items })),
    tie('schema').map((additionalProperties) => ({ type: 'object', additionalProperties })),
    fc.constant({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
  ),
})).schema;

describe('any object and any schema', () => {
  it('reading twice changes nothing more, and converts to nothing else', () => {
    fc.assert(
      fc.property(
        schemas,
        fc.object({ key: fc.constantFrom('a', 'b', 'c', 'spec', '__proto__'), withNullPrototype: false }),
        (schema, given) => {
          const parsed = parseStructural(object({ spec: schema }));
          const once = { ...structuredClone(given) };
          finish(restoreCustom(once, parsed));
          const twice = structuredClone(once);
          finish(restoreCustom(twice, parsed));
          expect(twice).toEqual(once);
          finish(pruneCustom(twice, parsed));
          expect(twice).toEqual(once);
          expect(finish(readCustom(twice, parsed))).toEqual([]);
        },
      ),
    );
  });

  it('declared fields that do not change have no faults, whatever the schema says', () => {
    const isDeclared = (schema: JsonObject): boolean => !JSON.stringify(schema).includes('preserve-unknown');
    fc.assert(
      fc.property(schemas.filter(isDeclared), fc.jsonValue(), (schema, spec) => {
        const parsed = parseStructural(object({ spec: schema }));
        const given: JsonObject = { spec: structuredClone(spec) };
        finish(pruneCustom(given, parsed));
        const same = new Correlation(given, structuredClone(given), parsed);
        expect(finish(schemaCauses(given, parsed, undefined, same))).toEqual([]);
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition, JSONSchemaProps } from '../resources/types/apiextensions-v1.js';
import { type CustomResource, defineResource } from './define-resource.js';
import { type Field, field } from './field.js';
import { upgradeProblems } from './upgrade-problems.js';

const { optional, string, integer, list, object } = field;
const base = { group: 'example.com', version: 'v1', kind: 'Website' } as const;
const define = (spec: Record<string, Field>, more: object = {}): CustomResource<unknown> =>
  defineResource({ ...base, spec, ...more });

/** A definition as a cluster has it. */
function stored({ definition }: CustomResource<unknown>, storedVersions?: readonly string[]): CustomResourceDefinition {
  const versions = storedVersions ?? [definition.spec.versions[0]!.name];
  return { ...definition, status: { storedVersions: versions } } as unknown as CustomResourceDefinition;
}

const problems = (before: Record<string, Field>, after: Record<string, Field>): readonly string[] =>
  upgradeProblems(stored(define(before)), define(after).definition);

const any = field.any();
const items = (keys: readonly string[] | undefined) =>
  list(object({ a: string(), b: string() }), keys === undefined ? {} : { keys: keys as never });

const harmful: readonly [string, Record<string, Field>, Record<string, Field>, string][] = [
  ['a field that goes', { a: string() }, {}, 'v1 spec.a: the field goes, and servers drop stored values of it'],
  ['a new field that is required', {}, { a: string() }, 'v1 spec.a: the field is new and required, and has no default'],
  [
    'a field that becomes required',
    { a: optional(string()) },
    { a: string() },
    'v1 spec.a: the field becomes required, and has no default',
  ],
  ['another type', { a: string() }, { a: integer() }, 'v1 spec.a: the type changes from string to integer'],
  [
    'a narrower type',
    { a: field.intOrString() },
    { a: string() },
    'v1 spec.a: the type changes from int-or-string to string',
  ],
  [
    'a narrower type than any',
    { a: optional(any) },
    { a: optional(string()) },
    'v1 spec.a: the type changes from any to string',
  ],
  [
    'a value that goes',
    { a: string({ values: ['x', 'y', 'z'] }) },
    { a: string({ values: ['x'] }) },
    'v1 spec.a: "y", "z" are no longer allowed',
  ],
  [
    'a new enumeration',
    { a: string() },
    { a: string({ values: ['x'] }) },
    'v1 spec.a: only "x" are allowed from now on',
  ],
  ['a new bound', { a: integer() }, { a: integer({ minimum: 0 }) }, 'v1 spec.a: minimum is new: 0'],
  [
    'a narrower bound',
    { a: integer({ maximum: 9 }) },
    { a: integer({ maximum: 8 }) },
    'v1 spec.a: maximum changes from 9: 8',
  ],
  [
    'a shorter text',
    { a: string({ maxLength: 9 }) },
    { a: string({ maxLength: 8 }) },
    'v1 spec.a: maxLength changes from 9: 8',
  ],
  ['a longer list', { a: list(string()) }, { a: list(string(), { minItems: 1 }) }, 'v1 spec.a: minItems is new: 1'],
  [
    'another pattern',
    { a: string({ pattern: 'a' }) },
    { a: string({ pattern: 'b' }) },
    'v1 spec.a: the pattern changes from a: b',
  ],
  ['a new format', { a: string() }, { a: string({ format: 'ipv4' }) }, 'v1 spec.a: the format is new: ipv4'],
  ['a new rule', { a: string() }, { a: string({ immutable: true }) }, 'v1 spec.a: the rule "self == oldSelf" is new'],
  [
    'a list that becomes a set',
    { a: list(string()) },
    { a: list(string(), { set: true }) },
    'v1 spec.a: the list type changes from atomic to set',
  ],
  ['other keys', { a: items(['a']) }, { a: items(['b']) }, 'v1 spec.a: the keys of the list change from a to b'],
  [
    'a map that becomes an object',
    { a: field.map(string()) },
    { a: object({}) },
    'v1 spec.a: a map becomes an object with certain fields',
  ],
  [
    'a default that goes',
    { a: integer({ default: 1 }) },
    { a: optional(integer()) },
    'v1 spec.a: the default goes, so that objects may be without the field',
  ],
  [
    'a field deep inside',
    { a: field.map(list(object({ b: string() }))) },
    { a: field.map(list(object({}))) },
    'v1 spec.a.*[].b: the field goes',
  ],
];

describe('upgradeProblems', () => {
  it.each(harmful)('[C67] finds %s', (_what, before, after, message) => {
    expect(problems(before, after)).toHaveLength(1);
    expect(problems(before, after)[0]).toContain(message);
  });

  it.each(harmful)('finds nothing in the same definition (%s)', (_what, before, after) => {
    expect(problems(before, before)).toEqual([]);
    expect(problems(after, after)).toEqual([]);
  });

  it('[C67] finds nothing in what is wider', () => {
    const before = {
      a: string({ values: ['x'] }),
      b: integer({ minimum: 1, maximum: 5 }),
      c: string(),
      d: list(string(), { set: true, maxItems: 5 }),
      e: object({ f: string({ pattern: 'x' }) }),
    };
    const after = {
      a: string({ values: ['x', 'y'] }),
      b: field.number({ minimum: 0 }),
      c: optional(field.intOrString({ description: 'More.' })),
      d: list(string(), { maxItems: 6 }),
      e: object({ f: optional(string()), g: optional(string()), h: integer({ default: 1 }) }),
      i: optional(any),
    };
    expect(problems(before, after)).toEqual([]);
  });

  it('[C68] a version may go only when no object is stored in it any more', () => {
    const v1 = define({ a: string() });
    const v2 = define({ a: string() }, { version: 'v2' });
    expect(upgradeProblems(stored(v1), v2.definition)).toEqual([
      'version v1 goes, but objects are stored in it (status.storedVersions)',
    ]);
    const both = define({ a: string() }, { version: 'v2', previous: [v1] });
    expect(upgradeProblems(stored(v1), both.definition)).toEqual([]);
    expect(upgradeProblems(stored(both, ['v1', 'v2']), v2.definition)).toHaveLength(1);
    expect(upgradeProblems(stored(both, ['v2']), v2.definition)).toEqual([]);
  });

  it('compares a new version with the stored one, because nothing converts objects', () => {
    const v1 = define({ a: string() });
    const v2 = define({ b: string() }, { version: 'v2', previous: [v1] });
    expect(upgradeProblems(stored(v1), v2.definition)).toEqual([
      'v2 spec.a: the field goes, and servers drop stored values of it',
      'v2 spec.b: the field is new and required, and has no default',
    ]);
    const conversion = { strategy: 'Webhook' };
    expect(upgradeProblems(stored(v1), { ...v2.definition, spec: { ...v2.definition.spec, conversion } })).toEqual([]);
  });

  it('finds another scope, other names and subresources that go', () => {
    const before = define(
      { n: integer() },
      { status: { n: integer() }, scale: { replicas: '.spec.n', statusReplicas: '.status.n' } },
    );
    const after = define({ n: integer() }, { namespaced: false, kind: 'Site', resource: 'websites' });
    expect(upgradeProblems(stored(before), after.definition)).toEqual([
      'the kind changes from Website to Site: objects would have to be created anew',
      'the scope changes from Namespaced to Cluster: objects would have to be created anew',
      'v1: the subresource status goes',
      'v1: the subresource scale goes',
      'v1 status: the field goes, and servers drop stored values of it',
    ]);
  });

  it('compares schemas of any depth', () => {
    const deep = (end: string): JSONSchemaProps => {
      let schema: JSONSchemaProps = { type: end };
      for (let i = 0; i < 20_000; i++) schema = { type: 'object', properties: { a: schema } };
      return schema;
    };
    const before = stored(define({}));
    const definitionWith = (openAPIV3Schema: JSONSchemaProps) => ({
      ...before,
      spec: { ...before.spec, versions: [{ ...before.spec.versions[0]!, schema: { openAPIV3Schema } }] },
    });
    expect(upgradeProblems(definitionWith(deep('string')), definitionWith(deep('integer')))).toHaveLength(1);
  });
});

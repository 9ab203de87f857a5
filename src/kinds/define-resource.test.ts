import { describe, expect, it } from 'vitest';
import { type CustomResource, defineResource } from './define-resource.js';
import { type Field, field } from './field.js';

const { optional, string, integer, list, object } = field;
const base = { group: 'example.com', version: 'v1', kind: 'Website' } as const;
const schemaOf = (resource: CustomResource<unknown>) => resource.definition.spec.versions[0]?.schema?.openAPIV3Schema;

describe('defineResource', () => {
  it('[C64] makes the resource and the whole definition from one source', () => {
    const websites = defineResource({
      ...base,
      description: 'A site.',
      spec: {
        host: string({ pattern: '^[a-z.]+$', immutable: true, description: 'Where it is.' }),
        replicas: integer({ minimum: 0, maximum: 50, default: 2 }),
        ports: optional(list(object({ name: string(), number: integer() }), { keys: ['name'], maxItems: 9 })),
      },
      status: { readyReplicas: optional(integer()), selector: optional(string()), since: optional(field.time()) },
      rules: { 'self.metadata.name != "forbidden"': 'not this name' },
      columns: {
        Host: '.spec.host',
        Ready: '.status.readyReplicas',
        Since: '.status.since',
        First: '.spec.ports[0].name',
      },
      shortNames: ['web'],
      categories: ['all'],
      scale: { replicas: '.spec.replicas', statusReplicas: '.status.readyReplicas', selector: '.status.selector' },
    });
    const { definition, ...resource } = websites;
    expect(resource).toEqual({ ...base, resource: 'websites', namespaced: true });
    expect(definition).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'websites.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: {
          kind: 'Website',
          listKind: 'WebsiteList',
          plural: 'websites',
          singular: 'website',
          shortNames: ['web'],
          categories: ['all'],
        },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                description: 'A site.',
                required: ['spec'],
                'x-kubernetes-validations': [{ rule: 'self.metadata.name != "forbidden"', message: 'not this name' }],
                properties: {
                  spec: {
                    type: 'object',
                    required: ['host'],
                    properties: {
                      host: {
                        description: 'Where it is.',
                        type: 'string',
                        pattern: '^[a-z.]+$',
                        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'the field is immutable' }],
                      },
                      replicas: { type: 'integer', format: 'int64', minimum: 0, maximum: 50, default: 2 },
                      ports: {
                        type: 'array',
                        maxItems: 9,
                        'x-kubernetes-list-type': 'map',
                        'x-kubernetes-list-map-keys': ['name'],
                        items: {
                          type: 'object',
                          required: ['name', 'number'],
                          properties: { name: { type: 'string' }, number: { type: 'integer', format: 'int64' } },
                        },
                      },
                    },
                  },
                  status: {
                    type: 'object',
                    properties: {
                      readyReplicas: { type: 'integer', format: 'int64' },
                      selector: { type: 'string' },
                      since: { type: 'string', format: 'date-time' },
                    },
                  },
                },
              },
            },
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.replicas',
                statusReplicasPath: '.status.readyReplicas',
                labelSelectorPath: '.status.selector',
              },
            },
            additionalPrinterColumns: [
              { name: 'Host', jsonPath: '.spec.host', type: 'string' },
              { name: 'Ready', jsonPath: '.status.readyReplicas', type: 'integer' },
              { name: 'Since', jsonPath: '.status.since', type: 'date' },
              { name: 'First', jsonPath: '.spec.ports[0].name', type: 'string' },
              { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
            ],
          },
        ],
      },
    });
  });

  it('has a form for names alone', () => {
    const plain = { ...base, resource: 'websites', namespaced: false };
    expect(defineResource(plain)).toEqual(plain);
    expect(() => defineResource({ ...base } as never)).toThrow('resource must be a string that is not empty');
  });

  it('serves previous versions beside the one that is stored', () => {
    const alpha = defineResource({ ...base, version: 'v1alpha1', spec: { domain: string() } });
    const beta = defineResource({ ...base, version: 'v1beta1', spec: { host: string() }, previous: [alpha] });
    const newest = defineResource({ ...base, spec: { host: string() }, previous: [beta] });
    expect(newest.definition.spec.versions.map(({ name, served, storage }) => ({ name, served, storage }))).toEqual([
      { name: 'v1', served: true, storage: true },
      { name: 'v1beta1', served: true, storage: false },
      { name: 'v1alpha1', served: true, storage: false },
    ]);
    expect(newest.version).toBe('v1');
    expect(beta.definition.spec.versions.map(({ storage }) => storage)).toEqual([true, false]);
  });

  it('keeps an optional immutable field once it is set', () => {
    const resource = defineResource({ ...base, spec: { 'zone-id': optional(string({ immutable: true })) } });
    expect(schemaOf(resource)?.properties?.['spec']?.['x-kubernetes-validations']).toEqual([
      {
        rule: '!has(oldSelf.zone__dash__id) || has(self.zone__dash__id)',
        message: 'zone-id is immutable and cannot be removed',
      },
    ]);
  });

  it('shares no part of a definition between kinds', () => {
    const shared = object({ a: string() });
    const [one, other] = ['One', 'Other'].map((kind) => defineResource({ ...base, kind, spec: { shared } }));
    (schemaOf(one!) as { properties: Record<string, unknown> }).properties['spec'] = {};
    expect(schemaOf(other!)?.properties?.['spec']?.properties).toHaveProperty('shared');
  });
});

const long = { maxItems: 5 };
const port = object({ name: string(), tags: optional(list(string())) });
const refused: readonly [string, Record<string, Field>, string][] = [
  [
    'a default below the minimum',
    { a: integer({ minimum: 1, default: 0 }) },
    'spec.a: the default is 0, below the minimum of 1',
  ],
  [
    'a default above the maximum',
    { a: field.number({ maximum: 1, default: 1.5 }) },
    'spec.a: the default is 1.5, above the maximum of 1',
  ],
  [
    'a default with a fraction',
    { a: integer({ default: 0.5 }) },
    'spec.a: the default must be a whole number, got 0.5',
  ],
  ['a default of another type', { a: string({ default: 5 as never }) }, 'spec.a: the default must be a string, got 5'],
  [
    'a default that is no value',
    { a: string({ values: ['x'], default: 'y' as never }) },
    'spec.a: the default must be one of "x", got "y"',
  ],
  [
    'a default against the pattern',
    { a: string({ pattern: '^b', default: 'a' }) },
    'spec.a: the default "a" does not match the pattern ^b',
  ],
  [
    'a default against the format',
    { a: string({ format: 'ipv4', default: 'a' }) },
    'spec.a: the default "a" is not of the format ipv4',
  ],
  [
    'a default that is too long',
    { a: string({ maxLength: 1, default: 'ab' }) },
    'spec.a: the default has 2 characters, more than maxLength 1',
  ],
  [
    'a default deep inside',
    { a: list(object({ b: integer({ minimum: 1, default: 0 }) })) },
    'spec.a[].b: the default is 0',
  ],
  [
    'a default of a schema',
    { a: field.of({ type: 'object', properties: { b: { type: 'string' } }, default: { c: 1 } }) },
    'spec.a: the default.c is not a field of the schema',
  ],
  ['a pattern that is none of RE2', { a: string({ pattern: '(?=a)' }) }, 'spec.a: the pattern (?=a) is invalid'],
  [
    'a rule in a list without a limit',
    { a: list(string({ rules: { 'self != ""': 'no' } })) },
    'spec.a[]: the rule "self != \\"\\"" is checked for every item of spec.a, which needs maxItems',
  ],
  [
    'a rule in a map without a limit',
    { a: field.map(integer({ rules: { 'self > 0': 'no' } })) },
    'is checked for every item of spec.a',
  ],
  [
    'a rule over a list without a limit',
    { a: object({ b: list(integer()) }, { rules: { 'self.b.all(x, x > 0)': 'no' } }) },
    'spec.a: the rule "self.b.all(x, x > 0)" reads all of self.b, which needs maxItems',
  ],
  [
    'a rule of a field that does not exist',
    { a: object({ min: integer() }, { rules: { 'self.mim > 0': 'no' } }) },
    'there is no field mim; did you mean min?',
  ],
  [
    'oldSelf in a list without keys',
    { a: list(string({ immutable: true }), long) },
    'spec.a[]: the rule "self == oldSelf" needs the former value, but the items of spec.a have no identity',
  ],
  [
    'a key that is no field',
    { a: list(port, { keys: ['nom' as 'name'] }) },
    'spec.a: the key nom is not a field of the items',
  ],
  [
    'a key that is optional',
    { a: list(object({ n: optional(string()) }), { keys: ['n'] }) },
    'spec.a: the key n must be required or have a default',
  ],
  ['a key that is a list', { a: list(port, { keys: ['tags'] }) }, 'spec.a: the key tags must be a string'],
  [
    'keys of strings',
    { a: list(string(), { keys: ['length'] as never }) },
    'spec.a: a list with keys must have objects as items',
  ],
  ['a set of anything', { a: list(field.any(), { set: true }) }, 'spec.a: the items of a set cannot be null'],
  ['a schema without a type', { a: field.of({}) }, 'spec.a: the type of a schema must be one of array'],
  [
    'a schema with a reference',
    { a: field.of({ type: 'object', $ref: '#/x' }) },
    'spec.a: Kubernetes does not support $ref',
  ],
  ['a list without items', { a: field.of({ type: 'array' }) }, 'spec.a: a list needs a schema for its items'],
];

describe('[C66] defineResource refuses at once, with the path', () => {
  it.each(refused)('%s', (_what, spec, message) => {
    expect(() => defineResource({ ...base, spec })).toThrow(TypeError);
    expect(() => defineResource({ ...base, spec })).toThrow(message);
  });

  it.each([
    ['.spec.hots', 'column X: .spec.hots leads nowhere: .spec has no field hots; did you mean host?'],
    ['.status.url', 'column X: .status.url leads nowhere: the object has no field status'],
    ['.spec.host.name', '.spec.host has no field name'],
    ['.spec.host[0]', '.spec.host is no list'],
    ['spec.host', 'spec.host is no JSONPath: it must begin with a dot'],
    ['.spec[', 'is no JSONPath that is understood after ".spec"'],
  ])('the column %s', (path, message) => {
    expect(() => defineResource({ ...base, spec: { host: string() }, columns: { X: path } })).toThrow(message);
  });

  it.each([
    ['.metadata.labels.app\\.kubernetes\\.io/name', 'string'],
    ['.metadata.creationTimestamp', 'date'],
    ['.spec.any.thing', 'string'],
    ['.spec.map.key', 'integer'],
    ['.status.conditions[?(@.type=="Ready")].status', 'string'],
    ['.spec.list[*].n', 'number'],
    ["['spec']", undefined],
  ])('but not the column %s', (jsonPath, type) => {
    const make = () =>
      defineResource({
        ...base,
        spec: { any: field.any(), map: field.map(integer()), list: list(object({ n: field.number() })) },
        status: { conditions: field.conditions() },
        columns: { X: jsonPath },
      }).definition.spec.versions[0]?.additionalPrinterColumns?.[0]?.type;
    if (type === undefined) expect(make).toThrow('must begin with a dot');
    else expect(make()).toBe(type);
  });

  it.each([
    [{ group: 'example' }, 'group "example" must have a dot'],
    [{ group: 'x.k8s.io' }, 'belongs to the Kubernetes project'],
    [{ group: 5 }, 'group must be a DNS name'],
    [{ kind: 'Web Site' }, 'resource must be the plural'],
    [{ kind: 'Web Site', resource: 'websites' }, 'kind "Web Site" must be a word'],
    [{ shortNames: ['WEB'] }, 'the short name or category "WEB"'],
    [{ shortNames: 'web' }, 'shortNames must be a list'],
    [
      { scale: { replicas: '.spec.host', statusReplicas: '.status.n' } },
      'scale.replicas: .spec.host must be of type integer',
    ],
    [
      { scale: { replicas: '.spec.n', statusReplicas: '.spec.n' } },
      'scale.statusReplicas: .spec.n must be below .status',
    ],
    [{ rules: { ' ': 'x' } }, 'a rule must be a CEL expression'],
    [{ rules: { 'self.spec.x > 0': 'x' } }, 'there is no field x'],
    [{ rules: { true: 'a\nb' } }, 'must be a line of text'],
    [{ previous: [defineResource({ ...base, spec: {} })] }, 'the previous version v1 has the name of this one'],
    [{ previous: [defineResource({ ...base, kind: 'Site', version: 'v0', spec: {} })] }, 'is of another kind: Site'],
    [{ previous: [{}] }, 'previous must be resources that defineResource made from fields'],
    [{ colums: {} }, 'defineResource has no option "colums"; did you mean \'columns\'?'],
    [{ spec: { a: 5 } }, 'a must be a field, such as field.string(), got 5'],
  ])('the definition with %j', (wrong, message) => {
    const spec = { host: string(), n: integer() };
    expect(() => defineResource({ ...base, spec, status: { n: integer() }, ...wrong } as never)).toThrow(message);
  });

  it('names everything that is wrong in one error', () => {
    const wrong = () =>
      defineResource({ ...base, spec: { a: integer({ minimum: 1, default: 0 }) }, columns: { X: '.x' }, group: 'x' });
    expect(wrong).toThrow(/Website \(x\/v1\): group .*; spec\.a: .*; column X: /);
  });
});

describe('field', () => {
  it.each([
    ['field.string', () => string({ maxLenght: 1 } as never)],
    ['field.integer', () => integer({ max: 1 } as never)],
    ['field.boolean', () => field.boolean({ defaults: true } as never)],
    ['field.list', () => list(string(), { unique: true } as never)],
    ['field.map', () => field.map(string(), { maxItems: 1 } as never)],
    ['field.object', () => object({}, { required: [] } as never)],
  ])('%s refuses options that it does not have', (call, make) => {
    expect(make).toThrow(`${call} has no option`);
  });

  it.each([
    [() => string({ values: [] }), 'values of field.string must be a list of strings that is not empty'],
    [() => string({ maxLength: -1 }), 'maxLength of field.string must be a whole number of at least 0'],
    [() => list(string(), { maxItems: 1.5 }), 'maxItems of field.list must be a whole number'],
    [() => list(string(), { set: true, keys: ['length'] as never }), 'a list has either keys or set, not both'],
    [() => list(optional(string())), 'the items of field.list cannot be optional: make the list optional'],
    [() => list('string' as never), 'the items of field.list must be a field, such as field.string(), got "string"'],
    [() => object({ '1': optional(string({ immutable: true })) }), '1 cannot be immutable: CEL cannot read'],
    [() => integer({ minimum: Number.NaN }), 'minimum of field.integer must be a number'],
  ])('refuses wrong rules (%#)', (make, message) => {
    expect(make).toThrow(message);
  });
});

import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { DEFINITIONS, type DefinedVersion, define, widgetDefinition } from '../definitions.js';
import { at, type Doc } from '../doc.js';
import type { Answer, RequestOptions } from '../http.js';
import { names } from '../objects.js';
import { type ExpectedStatus, expectStatus } from '../status.js';

/** The schema of an object whose spec has these properties. */
function specOf(properties: object, rest = {}): object {
  return {
    type: 'object',
    properties: { spec: { type: 'object', properties, ...rest }, status: { type: 'object', properties: {} } },
  };
}

interface Widgets {
  readonly path: string;
  /** POSTs a widget of this name and content, and accepts any answer. */
  readonly post: (name: string, content: object, options?: RequestOptions) => Promise<Answer>;
  /** POSTs a widget and expects success. */
  readonly create: (name: string, content: object) => Promise<Doc>;
}

async function widgetsWith(api: Api, schema: object, version: Omit<DefinedVersion, 'name'> = {}): Promise<Widgets> {
  const { collection, widget } = await define(api, [{ name: 'v1', schema, ...version }]);
  const path = collection(await api.namespace());
  return {
    path,
    post: (name, content, options = {}) => api.request('POST', path, { ...options, body: widget(name, content) }),
    create: (name, content) => api.create(path, widget(name, content)),
  };
}

function invalid(...causes: NonNullable<ExpectedStatus['causes']>): ExpectedStatus {
  return { code: 422, reason: 'Invalid', causes };
}

/** Warning headers, each reduced to its text. */
function warnings({ headers }: Answer): string[] {
  const all = String(headers['warning'] ?? '');
  return [...all.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replaceAll('\\"', '"'));
}

export const area: Area = defineArea('custom resource schemas', (rule) => {
  const refused: readonly (readonly [what: string, schema: object, value: unknown, cause: object])[] = [
    [
      'a value of the wrong type',
      { type: 'integer' },
      'text',
      {
        reason: 'FieldValueTypeInvalid',
        message: 'Invalid value: "string": spec.v in body must be of type integer: "string"',
      },
    ],
    [
      'a number below the minimum',
      { type: 'integer', minimum: 1 },
      0,
      { reason: 'FieldValueInvalid', message: 'Invalid value: 0: spec.v in body should be greater than or equal to 1' },
    ],
    [
      'a number above the maximum',
      { type: 'integer', maximum: 10 },
      11,
      { reason: 'FieldValueInvalid', message: 'Invalid value: 11: spec.v in body should be less than or equal to 10' },
    ],
    [
      'a number that is not a multiple',
      { type: 'number', multipleOf: 2 },
      3,
      { reason: 'FieldValueInvalid', message: 'Invalid value: 3: spec.v in body should be a multiple of 2' },
    ],
    [
      'a value outside of the enum',
      { type: 'string', enum: ['red', 'blue'] },
      'green',
      { reason: 'FieldValueNotSupported', message: 'Unsupported value: "green": supported values: "red", "blue"' },
    ],
    [
      'a text that is too short',
      { type: 'string', minLength: 2 },
      'a',
      { reason: 'FieldValueInvalid', message: 'Invalid value: "a": spec.v in body should be at least 2 chars long' },
    ],
    [
      'a text that is too long',
      { type: 'string', maxLength: 5 },
      'toolong',
      { reason: 'FieldValueTooLong', message: 'Too long: may not be more than 5 bytes' },
    ],
    [
      'a text that does not match the pattern',
      { type: 'string', pattern: '^[a-z]+$' },
      'ABC',
      { reason: 'FieldValueInvalid', message: 'Invalid value: "ABC": spec.v in body should match \'^[a-z]+$\'' },
    ],
    [
      'a text that is no date-time',
      { type: 'string', format: 'date-time' },
      'soon',
      {
        reason: 'FieldValueTypeInvalid',
        message: 'Invalid value: "soon": spec.v in body must be of type date-time: "soon"',
      },
    ],
    [
      'a list with too many items',
      { type: 'array', maxItems: 2, items: { type: 'string' } },
      ['a', 'b', 'c'],
      { reason: 'FieldValueTooMany', message: 'Too many: 3: must have at most 2 items' },
    ],
    [
      'a null where it is not nullable, inside a list',
      { type: 'array', items: { type: 'string' } },
      [null],
      { field: 'spec.v[0]', message: 'Invalid value: "null": spec.v[0] in body must be of type string: "null"' },
    ],
    [
      'a set with a value twice',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['a', 'a'],
      { reason: 'FieldValueDuplicate', field: 'spec.v[1]', message: 'Duplicate value: "a"' },
    ],
    [
      'a keyed list with a key twice',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
      },
      [{ k: 'a' }, { k: 'a' }],
      { reason: 'FieldValueDuplicate', field: 'spec.v[1]', message: 'Duplicate value: {"k":"a"}' },
    ],
    [
      'a map with a value of the wrong type',
      { type: 'object', additionalProperties: { type: 'string' } },
      { a: 1 },
      { field: 'spec.v.a', message: 'Invalid value: "integer": spec.v.a in body must be of type string: "integer"' },
    ],
    [
      'neither an integer nor a string where one of both is wanted',
      { 'x-kubernetes-int-or-string': true },
      true,
      { message: 'Invalid value: "boolean": spec.v in body must be of type integer,string: "boolean"' },
    ],
    [
      'an object without what is required inside',
      { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
      {},
      { reason: 'FieldValueRequired', field: 'spec.v.k', message: 'Required value' },
    ],
    [
      'an embedded object without kind and apiVersion',
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      { a: 1 },
      { reason: 'FieldValueRequired', field: 'spec.v.kind' },
    ],
  ];
  for (const [what, schema, value, cause] of refused) {
    rule(`${what} is Invalid`, async (api) => {
      const { post } = await widgetsWith(api, specOf({ v: schema }));
      expectStatus(await post('a', { spec: { v: value } }), invalid({ field: 'spec.v', ...cause }));
    });
  }

  rule('the answer names the object and gives every fault as a cause', async (api) => {
    const { path, post } = await widgetsWith(
      api,
      specOf({ size: { type: 'integer', minimum: 1 }, color: { type: 'string', enum: ['red'] } }),
    );
    const status = expectStatus(await post('a', { spec: { size: 0, color: 'blue' } }), {
      ...invalid({ field: 'spec.size' }, { field: 'spec.color' }),
      message: /^Widget\.g-[0-9a-f]+\.example\.com "a" is invalid: \[.*spec\.size.*\]$/,
      details: { name: 'a', kind: 'Widget', group: String(path.split('/')[2]) },
    });
    expect(status.details.causes).toHaveLength(2);
  });

  rule('a patch is validated like a creation', async (api) => {
    const { path, create } = await widgetsWith(api, specOf({ size: { type: 'integer', minimum: 1 } }));
    await create('a', { spec: { size: 1 } });
    expectStatus(await api.tryPatch(`${path}/a`, 'merge', { spec: { size: 0 } }), invalid({ field: 'spec.size' }));
    expect((await api.get(`${path}/a`)).spec).toEqual({ size: 1 });
  });

  rule('unknown fields are pruned', async (api) => {
    const { create } = await widgetsWith(api, specOf({ size: { type: 'integer' } }));
    const made = await create('a', { spec: { size: 1, junk: { deep: true } }, other: 1 });
    expect(made.spec).toEqual({ size: 1 });
    expect(made).not.toHaveProperty('other');
  });

  rule('unknown fields are kept where the schema says so', async (api) => {
    const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const { create } = await widgetsWith(api, specOf({ free }));
    const made = await create('a', { spec: { free: { any: [1, { deep: null }] }, junk: 1 } });
    expect(made.spec).toEqual({ free: { any: [1, { deep: null }] } });
  });

  rule('unknown fields are pruned from patches, too', async (api) => {
    const { path, create } = await widgetsWith(api, specOf({ size: { type: 'integer' } }));
    await create('a', { spec: { size: 1 } });
    const changed = await api.patch(`${path}/a`, 'merge', { spec: { size: 2, junk: 1 } });
    expect(changed.spec).toEqual({ size: 2 });
  });

  rule('an unknown field is a warning by default', async (api) => {
    const { post } = await widgetsWith(api, specOf({ size: { type: 'integer' } }));
    const answer = await post('a', { spec: { junk: 1 } });
    expect(answer.status).toBe(201);
    expect(warnings(answer)).toEqual(['unknown field "spec.junk"']);
  });

  rule('an unknown field is dropped without a warning with fieldValidation=Ignore', async (api) => {
    const { post } = await widgetsWith(api, specOf({ size: { type: 'integer' } }));
    const answer = await post('a', { spec: { junk: 1 } }, { query: { fieldValidation: 'Ignore' } });
    expect(answer.status).toBe(201);
    expect(warnings(answer)).toEqual([]);
  });

  rule('an unknown field is a BadRequest with fieldValidation=Strict', async (api) => {
    const { post } = await widgetsWith(api, specOf({ size: { type: 'integer' } }));
    expectStatus(await post('a', { spec: { junk: 1 } }, { query: { fieldValidation: 'Strict' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.junk"',
    });
  });

  rule('defaults fill in what is missing', async (api) => {
    const { create } = await widgetsWith(
      api,
      specOf({
        size: { type: 'integer', default: 3 },
        color: { type: 'string', default: 'red' },
        list: { type: 'array', items: { type: 'object', properties: { v: { type: 'string', default: 'x' } } } },
      }),
    );
    const made = await create('a', { spec: { color: 'blue', list: [{}, { v: 'y' }] } });
    expect(made.spec).toEqual({ size: 3, color: 'blue', list: [{ v: 'x' }, { v: 'y' }] });
  });

  rule('a default applies inside an object only where that is there, or has a default itself', async (api) => {
    const inner = { type: 'object', properties: { x: { type: 'integer', default: 1 } } };
    const { create } = await widgetsWith(api, specOf({ bare: inner, filled: { ...inner, default: {} } }));
    expect((await create('a', { spec: {} })).spec).toEqual({ filled: { x: 1 } });
    expect(await create('b', {})).not.toHaveProperty('spec');
  });

  rule('a null gives way to the default, and is dropped where there is none', async (api) => {
    const { create } = await widgetsWith(
      api,
      specOf({ size: { type: 'integer', default: 3 }, other: { type: 'integer' } }),
    );
    expect((await create('a', { spec: { size: null, other: null } })).spec).toEqual({ size: 3 });
  });

  rule('a null stays where it is allowed', async (api) => {
    const { create } = await widgetsWith(api, specOf({ v: { type: 'string', nullable: true, default: 'x' } }));
    expect((await create('a', { spec: { v: null } })).spec).toEqual({ v: null });
  });

  rule('defaults added later show on objects that were stored before', async (api) => {
    const { collection, widget, path } = await define(api, [{ name: 'v1', schema: specOf({}) }]);
    const target = collection(await api.namespace());
    await api.create(target, widget('a', { spec: {} }));
    await api.patch(path, 'json', [
      {
        op: 'add',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties',
        value: { size: { type: 'integer', default: 7 } },
      },
    ]);
    for (let tries = 0; tries < 2_000; tries++) {
      const answer = await api.request('GET', `${target}/a`);
      if (answer.status === 200 && at(answer.json, 'spec.size') === 7) return;
    }
    throw new Error('the default never showed');
  });

  rule('an integer or a string is kept as it is', async (api) => {
    const { create } = await widgetsWith(api, specOf({ v: { 'x-kubernetes-int-or-string': true } }));
    expect((await create('a', { spec: { v: 5 } })).spec).toEqual({ v: 5 });
    expect((await create('b', { spec: { v: '5%' } })).spec).toEqual({ v: '5%' });
  });

  rule('a rule that compares fields is checked', async (api) => {
    const fields = { min: { type: 'integer' }, max: { type: 'integer' } };
    const { post } = await widgetsWith(
      api,
      specOf(fields, {
        'x-kubernetes-validations': [{ rule: 'self.min <= self.max', message: 'min must not exceed max' }],
      }),
    );
    expectStatus(
      await post('a', { spec: { min: 3, max: 2 } }),
      invalid({ reason: 'FieldValueInvalid', field: 'spec', message: 'Invalid value: min must not exceed max' }),
    );
    expect((await post('a', { spec: { min: 2, max: 3 } })).status).toBe(201);
  });

  rule('a rule that compares with the old value makes a field immutable', async (api) => {
    const rules = [{ rule: 'self == oldSelf', message: 'is immutable' }];
    const { path, create } = await widgetsWith(
      api,
      specOf({ v: { type: 'string', 'x-kubernetes-validations': rules } }),
    );
    await create('a', { spec: { v: 'x' } });
    expectStatus(
      await api.tryPatch(`${path}/a`, 'merge', { spec: { v: 'y' } }),
      invalid({ field: 'spec.v', message: 'Invalid value: "y": is immutable' }),
    );
  });

  rule('faults of fields that an update does not change are no obstacle; broken rules become warnings', async (api) => {
    const { collection, widget, path } = await define(api, [
      { name: 'v1', schema: specOf({ v: { type: 'string' }, w: { type: 'string' }, n: { type: 'integer' } }) },
    ]);
    const target = `${collection(await api.namespace())}`;
    await api.create(target, widget('a', { spec: { v: 'LOUD', w: 'LOUD' } }));
    const rules = [{ rule: "self != 'LOUD'", message: 'is loud' }];
    const stricter = { v: { type: 'string', maxLength: 2 }, w: { type: 'string', 'x-kubernetes-validations': rules } };
    await api.patch(path, 'json', [
      {
        op: 'replace',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties',
        value: { ...stricter, n: { type: 'integer', default: 7 } },
      },
    ]);
    for (let tries = 0; tries < 2_000; tries++) {
      const answer = await api.request('GET', `${target}/a`);
      if (answer.status === 200 && at(answer.json, 'spec.n') === 7) break;
    }
    const answer = await api.tryPatch(`${target}/a`, 'merge', { spec: { n: 1 } });
    expect(answer.status).toBe(200);
    expect(warnings(answer)).toEqual(['spec.w: Invalid value: "LOUD": is loud']);
    expectStatus(
      await api.tryPatch(`${target}/a`, 'merge', { spec: { v: 'LOUDER' } }),
      invalid({ field: 'spec.v', reason: 'FieldValueTooLong' }, { field: '<nil>' }),
    );
  });

  rule('items of a set and of a list with keys are unique', async (api) => {
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    const item = { type: 'object', required: ['k'], properties: { k: { type: 'string' } } };
    const { post } = await widgetsWith(
      api,
      specOf({
        set: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
        map: { type: 'array', items: item, ...keyed },
      }),
    );
    expectStatus(
      await post('a', { spec: { set: [1, 2, 1], map: [{ k: 'a' }, { k: 'a' }] } }),
      invalid(
        { field: 'spec.set[2]', reason: 'FieldValueDuplicate', message: 'Duplicate value: 1' },
        { field: 'spec.map[1]', reason: 'FieldValueDuplicate', message: 'Duplicate value: {"k":"a"}' },
      ),
    );
  });

  rule('an embedded object needs kind and apiVersion, and metadata of the right types', async (api) => {
    const embedded = { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
    const { post } = await widgetsWith(api, specOf({ v: { type: 'object', ...embedded } }));
    expectStatus(
      await post('a', { spec: { v: {} } }),
      invalid({ field: 'spec.v.apiVersion' }, { field: 'spec.v.kind' }),
    );
    expectStatus(await post('a', { spec: { v: { apiVersion: 'v1', kind: 5 } } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'Widget in version "v1" cannot be handled as a Widget: spec.v.kind: Invalid value: 5: must be a string',
    });
    const made = await post('a', { spec: { v: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', odd: 1 } } } });
    expect(at(made.json, 'spec.v.metadata')).toEqual({ name: 'x' });
    expect(warnings(made)).toEqual(['unknown field "spec.v.metadata.odd"']);
  });

  rule('a scale keeps what the schema of its object does not have', async (api) => {
    const schema = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { count: { type: 'integer' } } },
        status: { type: 'object', properties: { count: { type: 'integer' }, labels: { type: 'string' } } },
      },
    };
    const scale = {
      specReplicasPath: '.spec.count',
      statusReplicasPath: '.status.count',
      labelSelectorPath: '.status.labels',
    };
    const { path, create } = await widgetsWith(api, schema, { subresources: { status: {}, scale } });
    await create('a', { spec: { count: 1 } });
    await api.patch(`${path}/a/status`, 'merge', { status: { count: 1, labels: 'a=b' } });
    const answer = await api.tryPatch(`${path}/a/scale`, 'merge', { spec: { replicas: 4 } });
    expect(answer.json).toMatchObject({ spec: { replicas: 4 }, status: { replicas: 1, selector: 'a=b' } });
    expect(warnings(answer)).toEqual([]);
    expectStatus(
      await api.tryPatch(`${path}/a`, 'merge', { spec: { count: -1 } }),
      invalid({ field: '.spec.count', message: 'Invalid value: -1: should be a non-negative integer' }),
    );
  });

  rule('a finalizer without a domain or path is warned of', async (api) => {
    const { path, post } = await widgetsWith(api, specOf({}));
    const made = await post('a', { metadata: { name: 'a', finalizers: ['mine'] } });
    expect(warnings(made)).toEqual([
      'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
    await api.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
  });

  rule('the status subresource validates the status', async (api) => {
    const schema = {
      type: 'object',
      properties: { status: { type: 'object', properties: { ready: { type: 'integer', minimum: 0 } } } },
    };
    const { path, create } = await widgetsWith(api, schema, { subresources: { status: {} } });
    await create('a', {});
    expectStatus(
      await api.tryPatch(`${path}/a/status`, 'merge', { status: { ready: -1 } }),
      invalid({ field: 'status.ready' }),
    );
    expect((await api.patch(`${path}/a/status`, 'merge', { status: { ready: 1 } })).status).toEqual({ ready: 1 });
  });

  rule('metadata is validated as everywhere: a label that is no text is a BadRequest', async (api) => {
    const { post } = await widgetsWith(api, specOf({}));
    expectStatus(await post('a', { metadata: { labels: { tier: 1 } } }), { code: 400, reason: 'BadRequest' });
  });

  rule('selectable fields select', async (api) => {
    const { path, create } = await widgetsWith(api, specOf({ color: { type: 'string' } }), {
      selectableFields: [{ jsonPath: '.spec.color' }],
    });
    await create('a', { spec: { color: 'red' } });
    await create('b', { spec: { color: 'blue' } });
    expect(names(await api.get(path, { fieldSelector: 'spec.color=blue' }))).toEqual(['b']);
  });

  rule('other fields do not select', async (api) => {
    const { path } = await widgetsWith(api, specOf({ color: { type: 'string' } }));
    expectStatus(await api.request('GET', path, { query: { fieldSelector: 'spec.color=blue' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'field label not supported: spec.color',
    });
  });

  rule('a deprecated version warns', async (api) => {
    const { path, post } = await widgetsWith(api, specOf({}), { deprecated: true });
    const group = path.split('/')[2];
    expect(warnings(await post('a', {}))).toEqual([`${group}/v1 Widget is deprecated`]);
    expect(warnings(await api.request('GET', path))).toEqual([`${group}/v1 Widget is deprecated`]);
  });

  const asTable = { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } };

  rule('printer columns make the Table', async (api) => {
    const { path, create } = await widgetsWith(
      api,
      specOf({ size: { type: 'integer' }, list: { type: 'array', items: { type: 'string' } } }),
      {
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how big', priority: 1 },
          { name: 'First', type: 'string', jsonPath: '.spec.list[0]' },
        ],
      },
    );
    await create('a', { spec: { size: 3, list: ['x', 'y'] } });
    await create('b', { spec: {} });
    const table = (await api.request('GET', path, asTable)).json;
    expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(table['columnDefinitions']).toMatchObject([
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'Size', type: 'integer', description: 'how big', priority: 1 },
      { name: 'First', type: 'string', priority: 0 },
    ]);
    expect((table['rows'] as Doc[]).map(({ cells }) => cells)).toEqual([
      ['a', 3, 'x'],
      ['b', null, null],
    ]);
  });

  rule('without printer columns the Table has name and age', async (api) => {
    const { path, create } = await widgetsWith(api, specOf({}));
    await create('a', {});
    const table = (await api.request('GET', path, asTable)).json;
    expect(table['columnDefinitions']).toMatchObject([{ name: 'Name' }, { name: 'Age', type: 'date' }]);
    expect((table['rows'] as Doc[]).map(({ cells }) => cells)).toEqual([['a', expect.any(String)]]);
  });

  rule('a date column shows how long ago', async (api) => {
    const { path, create } = await widgetsWith(api, specOf({}), {
      additionalPrinterColumns: [{ name: 'Born', type: 'date', jsonPath: '.metadata.creationTimestamp' }],
    });
    await create('a', {});
    const table = (await api.request('GET', path, asTable)).json;
    expect(at(table, 'rows.0.cells.1')).toMatch(/^[0-9]+s$/);
  });

  rule('conversion None changes nothing but the apiVersion, and prunes by the version asked for', async (api) => {
    const { group, collection, widget } = await define(api, [
      { name: 'v1', schema: specOf({ one: { type: 'string' }, both: { type: 'string' } }) },
      { name: 'v2', schema: specOf({ two: { type: 'string' }, both: { type: 'string' } }) },
    ]);
    const namespace = await api.namespace();
    await api.create(collection(namespace, 'v1'), widget('a', { spec: { one: '1', both: 'b' } }));
    const other = await api.get(`${collection(namespace, 'v2')}/a`);
    expect(other.apiVersion).toBe(`${group}/v2`);
    expect(other.spec).toEqual({ both: 'b' });
    expect((await api.get(`${collection(namespace, 'v1')}/a`)).spec).toEqual({ one: '1', both: 'b' });
  });

  const unstructural: readonly (readonly [what: string, schema: object, field: string])[] = [
    ['without a type at its root', {}, 'spec.validation.openAPIV3Schema.type'],
    [
      'with a property without a type',
      { type: 'object', properties: { v: {} } },
      'spec.validation.openAPIV3Schema.properties[v].type',
    ],
    [
      'with a default of the wrong type',
      { type: 'object', properties: { v: { type: 'integer', default: 'x' } } },
      'spec.validation.openAPIV3Schema.properties[v].default',
    ],
  ];
  for (const [what, schema, field] of unstructural) {
    rule(`a schema ${what} is refused`, async (api) => {
      const body = widgetDefinition(`${api.unique('g')}.example.com`, [{ name: 'v1', schema }]);
      expectStatus(await api.request('POST', DEFINITIONS, { body }), invalid({ field }));
    });
  }

  rule('keyed lists of custom objects are merged by key in server-side apply', async (api) => {
    const items = {
      type: 'object',
      required: ['k'],
      properties: { k: { type: 'string' }, v: { type: 'string' } },
    };
    const keyed = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items };
    const { widget, collection } = await define(api, [{ name: 'v1', schema: specOf({ list: keyed }) }]);
    const target = `${collection(await api.namespace())}/a`;
    const apply = async (fieldManager: string, list: object[]): Promise<Doc> =>
      (await api.tryPatch(target, 'apply', widget('a', { spec: { list } }), { query: { fieldManager } })).json;
    await apply('one', [{ k: 'a', v: '1' }]);
    const both = await apply('two', [{ k: 'b', v: '2' }]);
    expect(both.spec).toEqual({
      list: [
        { k: 'a', v: '1' },
        { k: 'b', v: '2' },
      ],
    });
    expect((await apply('one', [])).spec).toEqual({ list: [{ k: 'b', v: '2' }] });
  });
});

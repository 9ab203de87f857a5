import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { DEFINITIONS, define, widgetDefinition } from '../definitions.js';
import type { Doc } from '../doc.js';
import type { Answer } from '../http.js';
import { type ExpectedStatus, expectStatus } from '../status.js';

type Rules = readonly Record<string, unknown>[];

/** A schema whose `spec.v` has these rules. */
function schemaOf(v: object, rules: Rules): object {
  const spec = { type: 'object', properties: { v: { ...v, 'x-kubernetes-validations': rules } } };
  return { type: 'object', properties: { spec } };
}

interface Widgets {
  readonly post: (name: string, v: unknown) => Promise<Answer>;
  readonly create: (name: string, v: unknown) => Promise<Doc>;
  readonly patch: (name: string, v: unknown) => Promise<Answer>;
}

async function widgetsWith(api: Api, v: object, rules: Rules): Promise<Widgets> {
  const { collection, widget } = await define(api, [{ name: 'v1', schema: schemaOf(v, rules) }]);
  const path = collection(await api.namespace());
  return {
    post: (name, value) => api.request('POST', path, { body: widget(name, { spec: { v: value } }) }),
    create: (name, value) => api.create(path, widget(name, { spec: { v: value } })),
    patch: (name, value) => api.tryPatch(`${path}/${name}`, 'merge', { spec: { v: value } }),
  };
}

function invalid(...causes: NonNullable<ExpectedStatus['causes']>): ExpectedStatus {
  return { code: 422, reason: 'Invalid', causes };
}

export const area: Area = defineArea('custom resource rules', (rule) => {
  rule('a messageExpression makes the message, unless it fails', async (api) => {
    const { post } = await widgetsWith(api, { type: 'integer' }, [
      { rule: 'self < 10', message: 'too large', messageExpression: '"must be below 10, is %d".format([self])' },
      { rule: 'self != 12', message: 'no dozens', messageExpression: '"%d".format([1 / (self - 12)])' },
    ]);
    expectStatus(
      await post('a', 12),
      invalid(
        { field: 'spec.v', message: 'Invalid value: 12: must be below 10, is 12' },
        { field: 'spec.v', message: 'Invalid value: 12: no dozens' },
      ),
    );
  });

  rule('reason and fieldPath of a rule show in the cause', async (api) => {
    const fields = { a: { type: 'string' }, b: { type: 'string' } };
    const { post } = await widgetsWith(api, { type: 'object', properties: fields }, [
      { rule: 'has(self.a)', message: 'a is missing', reason: 'FieldValueRequired', fieldPath: '.a' },
      { rule: '!has(self.b)', message: 'b is not allowed', reason: 'FieldValueForbidden', fieldPath: '.b' },
    ]);
    expectStatus(
      await post('a', { b: 'x' }),
      invalid(
        { reason: 'FieldValueRequired', field: 'spec.v.a', message: 'Required value: a is missing' },
        { reason: 'FieldValueForbidden', field: 'spec.v.b', message: 'Forbidden: b is not allowed' },
      ),
    );
  });

  rule('a rule with optionalOldSelf is evaluated without an old value too', async (api) => {
    const { post, create, patch } = await widgetsWith(api, { type: 'integer' }, [
      { rule: 'oldSelf.hasValue() || self == 0', message: 'begins with 0', optionalOldSelf: true },
      { rule: 'self >= oldSelf', message: 'only grows' },
    ]);
    expectStatus(await post('a', 1), invalid({ field: 'spec.v', message: 'Invalid value: 1: begins with 0' }));
    await create('a', 0);
    expect((await patch('a', 5)).status).toBe(200);
    expectStatus(await patch('a', 4), invalid({ field: 'spec.v', message: 'Invalid value: 4: only grows' }));
  });

  rule('items of a list with keys have the old value of the item with their key', async (api) => {
    const item = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, size: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.size >= oldSelf.size', message: 'must not shrink' }],
    };
    const list = {
      type: 'array',
      maxItems: 10,
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    };
    const { create, patch } = await widgetsWith(api, list, []);
    const [a, b] = [
      { name: 'a', size: 1 },
      { name: 'b', size: 2 },
    ];
    await create('a', [a, b]);
    expectStatus(
      await patch('a', [{ ...b, size: 1 }, a]),
      invalid({ field: 'spec.v[0]', message: 'Invalid value: must not shrink' }),
    );
    expect((await patch('a', [{ ...b, size: 3 }, a])).status).toBe(200);
  });

  rule('what a rule fails with is the cause', async (api) => {
    const v = { type: 'object', properties: { n: { type: 'integer' }, port: { 'x-kubernetes-int-or-string': true } } };
    const { post } = await widgetsWith(api, v, [{ rule: '10 / self.n > 1' }, { rule: 'self.port > 1' }]);
    expectStatus(
      await post('a', { n: 0, port: 'x' }),
      invalid(
        { field: 'spec.v', message: 'Invalid value: "object": division by zero evaluating rule: 10 / self.n > 1' },
        {
          field: 'spec.v',
          message:
            'Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.port > 1',
        },
      ),
    );
  });

  rule('a value that is null is not checked', async (api) => {
    const { post, create } = await widgetsWith(api, { type: 'string', nullable: true }, [
      { rule: "self.startsWith('x')" },
    ]);
    expectStatus(
      await post('a', 'y'),
      invalid({ field: 'spec.v', message: `Invalid value: "y": failed rule: self.startsWith('x')` }),
    );
    await create('b', null);
  });

  rule('an evaluation that becomes too expensive ends all', async (api) => {
    const v = { type: 'array', maxItems: 60, items: { type: 'integer' } };
    const nested = 'self.all(a, self.all(b, self.all(c, a + b + c < 1000000)))';
    const { post } = await widgetsWith(api, v, [{ rule: nested }, { rule: 'self.size() == 0' }]);
    const path = 'spec.v';
    expectStatus(
      await post(
        'a',
        Array.from({ length: 60 }, (_, i) => i),
      ),
      invalid({
        field: path,
        message: `Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${nested}`,
      }),
    );
  });

  const refused: readonly (readonly [what: string, v: object, rule: object, field: string, message: string])[] = [
    [
      'a rule that is not boolean',
      { type: 'integer' },
      { rule: 'self + 1' },
      'rule',
      'Invalid value: {"Rule":"self + 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ],
    [
      'a pattern that is wrong',
      { type: 'string', maxLength: 10 },
      { rule: "self.matches('(?=a)')" },
      'rule',
      `Invalid value: {"Rule":"self.matches('(?=a)')","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:14: invalid matches argument\n | self.matches('(?=a)')\n | .............^`,
    ],
    [
      'optionalOldSelf of a rule without oldSelf',
      { type: 'integer' },
      { rule: 'self > 1', optionalOldSelf: true },
      'optionalOldSelf',
      'Invalid value: true: may not be set if oldSelf is not used in rule',
    ],
  ];
  for (const [what, v, one, field, message] of refused) {
    rule(`a definition with ${what} is refused`, async (api) => {
      const schema = schemaOf(v, [one as Record<string, unknown>]);
      const body = widgetDefinition(`${api.unique('g')}.example.com`, [{ name: 'v1', schema }]);
      const path = 'spec.validation.openAPIV3Schema.properties[spec].properties[v].x-kubernetes-validations[0]';
      expectStatus(await api.request('POST', DEFINITIONS, { body }), invalid({ field: `${path}.${field}`, message }));
    });
  }
});

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../meta/json-values.js';
import { finish } from '../../../../time/steps.js';
import { parseStructural } from '../definition/structural.js';
import { Correlation } from './correlation.js';
import { schemaCauses } from './schema-validation.js';

/** The causes of a value as `field: message`. */
function check(schema: JsonObject, value: unknown, old?: unknown): string[] {
  const properties = { v: schema };
  const parsed = parseStructural({ type: 'object', properties });
  const correlation = old === undefined ? undefined : new Correlation({ v: value }, { v: old }, parsed);
  const causes = finish(schemaCauses({ v: value }, parsed, undefined, correlation));
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

const cases: readonly (readonly [string, JsonObject, unknown, readonly string[]])[] = [
  [
    'a number for a text',
    { type: 'string' },
    5,
    ['v: Invalid value: "integer": v in body must be of type string: "integer"'],
  ],
  [
    'a fraction for an integer',
    { type: 'integer' },
    1.5,
    [
      'v: Invalid value: "number": v in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in v',
    ],
  ],
  [
    'an integer beyond int32',
    { type: 'integer', format: 'int32' },
    2 ** 31,
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v'],
  ],
  [
    'a boolean for an int-or-string',
    { 'x-kubernetes-int-or-string': true },
    true,
    ['v: Invalid value: "boolean": v in body must be of type integer,string: "boolean"'],
  ],
  ['a null', { type: 'string' }, null, ['v: Invalid value: "null": v in body must be of type string: "null"']],
  [
    'a number for a date',
    { type: 'string', format: 'date' },
    5,
    ['v: Invalid value: "int64": v in body must be of type date: "int64"'],
  ],
  ['a missing field', { type: 'object', required: ['a'] }, {}, ['v.a: Required value']],
  [
    'a value that is not in the enum',
    { type: 'integer', enum: [1, 2] },
    3,
    ['v: Unsupported value: 3: supported values: "1", "2"'],
  ],
  [
    'a text that does not match',
    { type: 'string', pattern: '^[a-z]+$' },
    'A',
    ['v: Invalid value: "A": v in body should match \'^[a-z]+$\''],
  ],
  [
    'a number below the minimum',
    { type: 'integer', minimum: 1 },
    0,
    ['v: Invalid value: 0: v in body should be greater than or equal to 1'],
  ],
  [
    'a number at an exclusive maximum',
    { type: 'number', maximum: 0.00001, exclusiveMaximum: true },
    0.00001,
    ['v: Invalid value: 1e-05: v in body should be less than 1e-05'],
  ],
  [
    'an integer with a fractional minimum',
    { type: 'integer', minimum: 1.5 },
    1,
    [
      '<nil>: Invalid value: "": Minimum boundary value must be of type integer (default format) in v',
      'v: Invalid value: 1: v in body should be greater than or equal to 1.5',
    ],
  ],
  ['no multiple', { type: 'integer', multipleOf: 2 }, 3, ['v: Invalid value: 3: v in body should be a multiple of 2']],
  [
    'a text that is too short',
    { type: 'string', minLength: 2 },
    '😀',
    ['v: Invalid value: "😀": v in body should be at least 2 chars long'],
  ],
  ['a text that is too long', { type: 'string', maxLength: 1 }, 'ab', ['v: Too long: may not be more than 1 byte']],
  [
    'too few items',
    { type: 'array', items: { type: 'string' }, minItems: 2 },
    ['a'],
    ['v: Invalid value: 1: v in body should have at least 2 items'],
  ],
  [
    'too many properties',
    { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 1 },
    { a: 'x', b: 'y' },
    ['v: Too many: 2: must have at most 1 item'],
  ],
  [
    'a wrong value of a map',
    { type: 'object', additionalProperties: { type: 'string' } },
    { 'b.c/d': 1 },
    ['v.b.c/d: Invalid value: "integer": v.b.c/d in body must be of type string: "integer"'],
  ],
  [
    'no alternative of oneOf',
    { type: 'integer', oneOf: [{ maximum: 3 }, { minimum: 10 }] },
    5,
    [
      '<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found none valid',
      'v: Invalid value: 5: v in body should be less than or equal to 3',
    ],
  ],
  [
    'two alternatives of oneOf',
    { type: 'integer', oneOf: [{ maximum: 9 }, { minimum: 1 }] },
    5,
    ['<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  [
    'not all of allOf',
    { type: 'integer', allOf: [{ maximum: 3 }, { minimum: 1 }] },
    5,
    [
      'v: Invalid value: 5: v in body should be less than or equal to 3',
      '<nil>: Invalid value: "": "v" must validate all the schemas (allOf)',
    ],
  ],
  [
    'what is forbidden by not',
    { type: 'integer', not: { minimum: 1 } },
    5,
    ['<nil>: Invalid value: "": "v" must not validate the schema (not)'],
  ],
];

describe('schemaCauses', () => {
  it.each(cases)('refuses %s', (_what, schema, value, causes) => {
    expect(check(schema, value)).toEqual(causes);
  });

  it('accepts what the schema allows: whole numbers as integers, nulls if nullable, unknown formats', () => {
    expect(check({ type: 'integer' }, 3)).toEqual([]);
    expect(check({ type: 'string', nullable: true }, null)).toEqual([]);
    expect(check({ type: 'string', format: 'odd' }, 'x')).toEqual([]);
    expect(check({ type: 'number', multipleOf: 0.1 }, 0.3)).toEqual([]);
  });

  it('reports the alternative of anyOf that matches best', () => {
    const anyOf = [{ required: ['a'] }, { properties: { b: { minimum: 3 } } }];
    const schema = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, anyOf };
    expect(check(schema, { b: 1 })).toEqual([
      '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
      'v.b: Invalid value: 1: v.b in body should be greater than or equal to 3',
    ]);
  });

  it('drops the faults of values that an update does not change', () => {
    const item = { type: 'object', properties: { k: { type: 'string' }, n: { type: 'integer', maximum: 3 } } };
    const byKey = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    const keyed = { type: 'array', items: item, ...byKey };
    const old = [
      { k: 'a', n: 9 },
      { k: 'b', n: 1 },
    ];
    expect(
      check(
        keyed,
        [
          { k: 'b', n: 2 },
          { k: 'a', n: 9 },
        ],
        old,
      ),
    ).toEqual([]);
    expect(check(keyed, [{ k: 'a', n: 8 }], old)).toHaveLength(1);
    const atomic = { type: 'array', items: item };
    expect(check(atomic, old, old)).toEqual([]);
    expect(check(atomic, [...old, { k: 'c', n: 1 }], old)).toHaveLength(1);
  });

  it('ends the search when it has found more faults than an answer lists', () => {
    const value = Array.from({ length: 100_000 }, () => 1);
    expect(check({ type: 'array', items: { type: 'string' } }, value)).toHaveLength(101);
  });
});

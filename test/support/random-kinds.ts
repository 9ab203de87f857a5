import fc, { type Arbitrary } from 'fast-check';
import { type CustomResource, defineResource } from '../../src/kinds/define-resource.js';
import { type Field, field } from '../../src/kinds/field.js';
import { escapeName } from '../../src/meta/cel-names.js';
import type { KubernetesObject } from '../../src/meta/objects.js';
import { anyCharacter } from './any-character.js';

/** A field, the values that its written type allows, and what a server makes of each. */
interface RandomField {
  readonly field: Field<unknown, unknown>;
  /** undefined: the field is left out. */
  readonly written: Arbitrary<unknown>;
  stored(written: unknown): unknown;
}

/** A kind with objects of it: what is written as `spec`, and what a server must store. */
export interface RandomKind {
  readonly resource: CustomResource<KubernetesObject>;
  readonly specs: readonly { readonly written: unknown; readonly stored: unknown }[];
}

/** What a field may have at its place. */
interface Place {
  /** Rules need a limit of every list around them, and `oldSelf` lists with keys. */
  readonly rules: boolean;
  readonly oldSelf: boolean;
  readonly depth: number;
}

const same = (value: unknown): unknown => value;
const word = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(...'abcxyz') });
const text = fc.string({ maxLength: 20, unit: anyCharacter });
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'p')));
const names = fc.constantFrom(
  ...[
    'a',
    'size',
    'podName',
    'b-c',
    'in',
    'namespace',
    '__x',
    'x__y',
    'metadata',
    'kind',
    '$ref',
    'a.b/c',
    'spec',
    'ü',
    '0',
    '',
  ],
);

/** The rules that every field may have; each is true for all values. */
function commonRules(place: Place): Arbitrary<Record<string, unknown>> {
  return fc.record(
    {
      description: fc.constant('Some words.'),
      ...(place.rules && { rules: fc.constantFrom({ 'self == self': 'equal' }, { true: 'true' }) }),
      ...(place.rules && place.oldSelf && { immutable: fc.boolean() }),
    },
    { requiredKeys: [] },
  );
}

function scalar(
  rules: Record<string, unknown>,
  make: (rules: never) => Field<unknown, unknown>,
  values: Arbitrary<unknown>,
  fallback?: unknown,
): RandomField {
  if (fallback === undefined) return { field: make(rules as never), written: values, stored: same };
  return {
    field: make({ ...rules, default: fallback } as never),
    written: fc.option(values, { nil: undefined }),
    stored: (written) => written ?? fallback,
  };
}

const maybe = <T>(value: Arbitrary<T>): Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

function scalarField(place: Place): Arbitrary<RandomField> {
  const common = commonRules(place);
  const strings = fc
    .tuple(common, maybe(text))
    .map(([rules, fallback]) => scalar({ maxLength: 50, ...rules }, field.string, text, fallback));
  const words = fc
    .tuple(common, maybe(word))
    .map(([rules, fallback]) =>
      scalar({ pattern: '^[a-z]+$', minLength: 1, maxLength: 6, ...rules }, field.string, word, fallback),
    );
  const modes = fc
    .tuple(common, fc.uniqueArray(word, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([rules, values, isDefaulted]) =>
      scalar({ values, ...rules }, field.string, fc.constantFrom(...values), isDefaulted ? values[0] : undefined),
    );
  const integers = fc
    .tuple(common, fc.integer({ min: -9, max: 0 }), fc.integer({ min: 0, max: 9 }), fc.boolean())
    .map(([rules, minimum, maximum, isDefaulted]) => {
      const values = fc.integer({ min: minimum, max: maximum });
      return scalar({ minimum, maximum, ...rules }, field.integer, values, isDefaulted ? maximum : undefined);
    });
  const large = common.map((rules) => scalar(rules, field.integer, fc.maxSafeInteger()));
  const numbers = fc
    .tuple(common, maybe(double))
    .map(([rules, fallback]) => scalar(rules, field.number, double, fallback));
  const booleans = fc
    .tuple(common, maybe(fc.boolean()))
    .map(([rules, fallback]) => scalar(rules, field.boolean, fc.boolean(), fallback));
  const quantities = common.map((rules) =>
    scalar(rules, field.quantity, fc.constantFrom('500m', '2Gi', '1', '1e3', '-0.5', '.5', '+7k')),
  );
  const either = common.map((rules) =>
    scalar(rules, field.intOrString, fc.oneof(fc.integer(), fc.constantFrom('80%', 'http', ''))),
  );
  const times = common.map((rules) =>
    scalar(rules, field.time, fc.constantFrom('2030-01-31T12:00:00Z', '1999-12-31T23:59:59.123456+02:00')),
  );
  return fc.oneof(strings, words, modes, integers, large, numbers, booleans, quantities, either, times);
}

function objectField(place: Place): Arbitrary<RandomField> {
  const member = fc.tuple(names, anyField({ ...place, depth: place.depth - 1 }), fc.boolean());
  const members = fc.uniqueArray(member, { maxLength: 4, selector: ([name]) => name });
  return fc.tuple(members, commonRules(place)).map(([all, rules]) => objectOf(all, rules));
}

type Member = readonly [name: string, member: RandomField, isOptional: boolean];

function objectOf(members: readonly Member[], rules: Record<string, unknown>): RandomField {
  // CEL can guard the removal only of fields that it can read.
  const readable = members.filter(
    ([name, one, isOptional]) => !isOptional || escapeName(name) !== undefined || !isImmutable(one),
  );
  const fields = readable.map(([name, { field: one }, isOptional]) => [name, isOptional ? field.optional(one) : one]);
  const written = Object.fromEntries(
    readable.map(([name, one, isOptional]) => [name, isOptional ? maybe(one.written) : one.written]),
  );
  return {
    field: field.object(Object.fromEntries(fields) as never, rules),
    written: fc.record(written).map(withoutUndefined),
    stored: (value) => {
      const given = value as Record<string, unknown>;
      return withoutUndefined(
        Object.fromEntries(
          readable.map(([name, one]) => [
            name,
            Object.hasOwn(given, name) ? one.stored(given[name]) : one.field.schema.default,
          ]),
        ),
      );
    },
  };
}

const isImmutable = ({ field: { schema } }: RandomField): boolean =>
  schema['x-kubernetes-validations']?.some(({ rule }) => rule.includes('oldSelf')) === true;

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function listField(place: Place): Arbitrary<RandomField> {
  const [depth, limit] = [place.depth - 1, 4];
  const replaced = fc
    .tuple(
      fc.boolean(),
      anyField({ rules: false, oldSelf: false, depth }),
      anyField({ ...place, oldSelf: false, depth }),
    )
    .map(([isLimited, free, limited]): RandomField => {
      const item = isLimited ? limited : free;
      return {
        field: field.list(item.field, isLimited ? { maxItems: limit, minItems: 0 } : {}),
        written: fc.array(
          item.written.filter((value) => value !== undefined),
          { maxLength: limit },
        ),
        stored: (value) => (value as unknown[]).map((one) => item.stored(one)),
      };
    });
  const sets = scalarField({ rules: false, oldSelf: false, depth }).map(
    (item): RandomField => ({
      field: field.list(item.field, { set: true }),
      written: fc.uniqueArray(
        item.written.filter((value) => value !== undefined),
        {
          maxLength: limit,
          selector: (value) => JSON.stringify(value),
        },
      ),
      stored: same,
    }),
  );
  const keyed = fc
    .tuple(anyField({ ...place, depth }), commonRules({ ...place, depth }))
    .map(([value, rules]): RandomField => {
      const key: Member = ['name', { field: field.string({ maxLength: 10 }), written: word, stored: same }, false];
      const item = objectOf([key, ['value', value, true]], rules);
      return {
        field: field.list(item.field as Field<{ name: string }>, { keys: ['name'], maxItems: limit }),
        written: fc.uniqueArray(item.written, { maxLength: limit, selector: (one) => (one as { name: string }).name }),
        stored: (list) => (list as unknown[]).map((one) => item.stored(one)),
      };
    });
  return fc.oneof(replaced, sets, keyed);
}

function mapField(place: Place): Arbitrary<RandomField> {
  return anyField({ ...place, depth: place.depth - 1 }).map((item) => ({
    field: field.map(item.field, { maxProperties: 4 }),
    written: fc.dictionary(
      word,
      item.written.filter((value) => value !== undefined),
      { maxKeys: 4, noNullPrototype: true },
    ),
    stored: (value) =>
      Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, item.stored(one)])),
  }));
}

function anyField(place: Place): Arbitrary<RandomField> {
  const anything = fc.constant<RandomField>({ field: field.any(), written: json, stored: same });
  if (place.depth <= 0) return fc.oneof({ weight: 8, arbitrary: scalarField(place) }, anything);
  return fc.oneof(
    { weight: 5, arbitrary: scalarField(place) },
    { weight: 1, arbitrary: anything },
    { weight: 2, arbitrary: objectField(place) },
    { weight: 2, arbitrary: listField(place) },
    { weight: 1, arbitrary: mapField(place) },
  );
}

/** Kinds with random fields, each with some objects. */
export function randomKind(group: string): Arbitrary<RandomKind> {
  const member = fc.tuple(names, anyField({ rules: true, oldSelf: true, depth: 2 }), fc.boolean());
  return fc
    .tuple(fc.uniqueArray(member, { minLength: 1, maxLength: 5, selector: ([name]) => name }), fc.nat(1e9))
    .chain(([members, id]) => {
      const spec = objectOf(members, {});
      const shown = members.map(([name]) => name).filter((name) => /^[a-zA-Z]+$/.test(name));
      const named = Object.fromEntries(
        members
          .filter(
            ([name]) => spec.field.schema.properties !== undefined && Object.hasOwn(spec.field.schema.properties, name),
          )
          .map(([name, one, isOptional]) => [name, isOptional ? field.optional(one.field) : one.field]),
      );
      const resource = defineResource({
        group,
        version: 'v1',
        kind: `Random${id}`,
        spec: named,
        status: { conditions: field.conditions(), rest: field.optional(field.any()) },
        columns: Object.fromEntries(shown.map((name) => [name, `.spec.${name}`])),
      }) as CustomResource<KubernetesObject>;
      return fc
        .array(spec.written, { minLength: 1, maxLength: 4 })
        .map((all) => ({ resource, specs: all.map((written) => ({ written, stored: spec.stored(written) })) }));
    });
}

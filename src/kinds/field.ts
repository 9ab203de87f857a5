import { escapeName } from '../meta/cel-names.js';
import { setField } from '../meta/json-values.js';
import type { Condition } from '../meta/objects.js';
import { checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { optionError, requireInteger, requireNumber, requireObject, requireString } from '../meta/options/validate.js';
import type { JSONSchemaProps, ValidationRule } from '../resources/types/apiextensions-v1.js';

/** Never set: it only holds the types of a field's values. */
declare const shape: unique symbol;

/** A field of a kind: the schema by which a server checks it, and the types of its values when read and when written. */
export interface Field<Read = unknown, Write = Read> {
  readonly schema: JSONSchemaProps;
  /** Whether the object around it must have the field: unless it is `optional` or has a default. */
  readonly required: boolean;
  readonly [shape]?: { readonly read: Read; readonly write: Write };
}

/** The rules that every field may have. */
interface Rules {
  /** The text that `kubectl explain` shows. @default none */
  readonly description?: string | undefined;
  /** CEL expressions that must be true, each with the message if one is not: `{ 'self.min <= self.max': 'min must not exceed max' }`. @default none */
  readonly rules?: Readonly<Record<string, string>> | undefined;
  /** Whether the value can be set only once: the rule `self == oldSelf`. @default false */
  readonly immutable?: boolean | undefined;
}
interface DefaultRule<D> {
  /** The value that the server sets if the field is left out. @default none: the field is required */
  readonly default?: D;
}
interface NumberRules<D> extends Rules, DefaultRule<D> {
  /** @default none */
  readonly minimum?: number | undefined;
  /** @default none */
  readonly maximum?: number | undefined;
}
interface StringRules<V, D> extends Rules, DefaultRule<D> {
  /** The allowed values, which are also a union type for TypeScript. @default any text */
  readonly values?: readonly V[] | undefined;
  /** A regular expression (RE2) that must match somewhere in the text: anchor it with `^` and `$`. @default none */
  readonly pattern?: string | undefined;
  /** A format of OpenAPI that servers check, such as `ipv4` or `date`; they ignore unknown ones. @default none */
  readonly format?: string | undefined;
  /** @default none */
  readonly minLength?: number | undefined;
  /** @default none */
  readonly maxLength?: number | undefined;
}
interface ListRules<R> extends Rules {
  /** The fields of an item that identify it: server-side apply then merges the lists item by item. @default none: a list is replaced as a whole */
  readonly keys?: readonly (keyof R & string)[] | undefined;
  /** Whether the list is a set: no value twice, and server-side apply merges by value. @default false */
  readonly set?: boolean | undefined;
  /** @default none */
  readonly minItems?: number | undefined;
  /** Needed if CEL rules read the items: servers limit the cost of rules, and estimate it from this. @default none */
  readonly maxItems?: number | undefined;
}
interface MapRules extends Rules {
  /** Needed if CEL rules read the values: servers limit the cost of rules, and estimate it from this. @default none */
  readonly maxProperties?: number | undefined;
}

type Defaulted<V, D> = [D] extends [undefined] ? V : V | undefined;
type FieldMap = Readonly<Record<string, Field<unknown, unknown>>>;
type ReadOf<F> = F extends Field<infer R, unknown> ? R : never;
type WriteOf<F> = F extends Field<unknown, infer W> ? W : never;
/** `unknown` includes undefined, and is the type of a required field all the same. */
type IsLeftOut<V> = unknown extends V ? false : undefined extends V ? true : false;
type Flat<T> = { [K in keyof T]: T[K] } & {};
type ReadShape<F> = Flat<
  { [K in keyof F as IsLeftOut<ReadOf<F[K]>> extends true ? never : K]: ReadOf<F[K]> } & {
    [K in keyof F as IsLeftOut<ReadOf<F[K]>> extends true ? K : never]?: Exclude<ReadOf<F[K]>, undefined> | undefined;
  }
>;
type WriteShape<F> = Flat<
  { [K in keyof F as IsLeftOut<WriteOf<F[K]>> extends true ? never : K]: WriteOf<F[K]> } & {
    [K in keyof F as IsLeftOut<WriteOf<F[K]>> extends true ? K : never]?: Exclude<WriteOf<F[K]>, undefined> | undefined;
  }
>;

// Not public: an object's type shows its fields instead.
export type { FieldMap, ReadShape, WriteShape };

const ruleNames: OptionNames<Rules> = { description: true, rules: true, immutable: true };
const numberNames: OptionNames<NumberRules<never>> = { ...ruleNames, default: true, minimum: true, maximum: true };
const stringNames: OptionNames<StringRules<never, never>> = {
  ...ruleNames,
  default: true,
  values: true,
  pattern: true,
  format: true,
  minLength: true,
  maxLength: true,
};
const listNames: OptionNames<ListRules<never>> = {
  ...ruleNames,
  keys: true,
  set: true,
  minItems: true,
  maxItems: true,
};

/**
 * Makes the fields of a kind, for `defineResource`. A field is required unless it is `optional` or has a `default`.
 *
 * Servers accept structural schemas only, so there is no union other than `values` and `intOrString`, and no recursion.
 *
 * @example
 * const spec = { host: field.string({ immutable: true }), replicas: field.integer({ minimum: 0, default: 2 }) };
 */
export const field: {
  /** Text, or one of `values`. */
  string<const V extends string = string, const D extends V | undefined = undefined>(
    rules?: StringRules<V, D>,
  ): Field<V, Defaulted<V, D>>;
  /** A whole number. */
  integer<const D extends number | undefined = undefined>(rules?: NumberRules<D>): Field<number, Defaulted<number, D>>;
  /** A number with a fraction. */
  number<const D extends number | undefined = undefined>(rules?: NumberRules<D>): Field<number, Defaulted<number, D>>;
  boolean<const D extends boolean | undefined = undefined>(
    rules?: Rules & DefaultRule<D>,
  ): Field<boolean, Defaulted<boolean, D>>;
  /** An amount as a string, such as `500m` or `2Gi`. */
  quantity(rules?: Rules): Field<string>;
  /** A whole number or text, as the ports of a Service. */
  intOrString(rules?: Rules): Field<number | string>;
  /** A date and time as RFC 3339 text, such as `2030-01-31T12:00:00Z`. */
  time(rules?: Rules): Field<string>;
  /** An object with these fields. */
  object<F extends FieldMap>(fields: F, rules?: Rules): Field<ReadShape<F>, WriteShape<F>>;
  list<R, W>(of: Field<R, W>, rules?: ListRules<R>): Field<R[], W[]>;
  /** An object with any field names, whose values are of one type. */
  map<R, W>(of: Field<R, W>, rules?: MapRules): Field<Record<string, R>, Record<string, W>>;
  /** `status.conditions`: an optional list of conditions, by their `type`. */
  conditions(): Field<Condition[] | undefined>;
  /** The same field, which objects need not have. */
  optional<R, W>(of: Field<R, W>): Field<R | undefined, W | undefined>;
  /** Any JSON value, which servers store as it is. TypeScript takes your word for its type. */
  any<T = unknown>(rules?: Rules): Field<T>;
  /** A field with a schema of your own. TypeScript takes your word for its type. */
  of<T>(schema: JSONSchemaProps): Field<T>;
} = {
  string: (rules = {}) => {
    const { values, pattern, format } = checkOptions('field.string', rules, stringNames);
    if (values !== undefined && (!Array.isArray(values) || values.length === 0)) {
      throw optionError('values of field.string', 'a list of strings that is not empty', values);
    }
    for (const value of values ?? []) {
      if (typeof value !== 'string') throw optionError('values of field.string', 'a list of strings', value);
    }
    if (pattern !== undefined) requireString('pattern of field.string', pattern);
    if (format !== undefined) requireString('format of field.string', format);
    return defaulted(rules, {
      type: 'string',
      ...(values && { enum: [...values] }),
      ...(pattern !== undefined && { pattern }),
      ...(format !== undefined && { format }),
      ...counts('field.string', rules, 'minLength', 'maxLength'),
    });
  },
  integer: (rules = {}) => numeric('integer', rules),
  number: (rules = {}) => numeric('number', rules),
  boolean: (rules = {}) =>
    defaulted(checkOptions('field.boolean', rules, { ...ruleNames, default: true }), { type: 'boolean' }),
  quantity: (rules = {}) => plain('field.quantity', rules, { type: 'string', pattern: QUANTITY }),
  intOrString: (rules = {}) => plain('field.intOrString', rules, { 'x-kubernetes-int-or-string': true }),
  time: (rules = {}) => plain('field.time', rules, { type: 'string', format: 'date-time' }),
  object: (fields, rules = {}) => plain('field.object', rules, objectSchema(fields)),
  list: (of, rules = {}) => {
    const { keys, set } = checkOptions('field.list', rules, listNames);
    if (keys !== undefined && !(Array.isArray(keys) && keys.length > 0)) {
      throw optionError('keys of field.list', 'a list of field names that is not empty', keys);
    }
    if (keys !== undefined && set === true) throw new TypeError('a list has either keys or set, not both');
    const items = itemSchema('field.list', of);
    return made(rules, {
      type: 'array',
      // The items of a set must be atomic, because they are compared as a whole.
      items: set === true && items.type === 'object' ? { ...items, 'x-kubernetes-map-type': 'atomic' } : items,
      'x-kubernetes-list-type': keys !== undefined ? 'map' : set === true ? 'set' : 'atomic',
      ...(keys && { 'x-kubernetes-list-map-keys': [...keys] }),
      ...counts('field.list', rules, 'minItems', 'maxItems'),
    });
  },
  map: (of, rules = {}) => {
    checkOptions('field.map', rules, { ...ruleNames, maxProperties: true });
    const limits = counts('field.map', rules, 'maxProperties');
    return made(rules, { type: 'object', additionalProperties: itemSchema('field.map', of), ...limits });
  },
  conditions: () => conditions,
  optional: (of) => {
    requireField('the argument of field.optional', of);
    return Object.freeze({ schema: of.schema, required: false });
  },
  // Without `nullable` servers would remove a null.
  any: (rules = {}) => plain('field.any', rules, { 'x-kubernetes-preserve-unknown-fields': true, nullable: true }),
  of: (schema) => {
    requireObject('the schema of field.of', schema, 'a schema, such as { type: "string" }');
    return Object.freeze({ schema: structuredClone(schema), required: schema.default === undefined });
  },
};

/** A decimal number with an optional suffix, as resource.Quantity parses it. */
const QUANTITY = '^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$';

/** The rule of an immutable field. */
export const IMMUTABLE = 'self == oldSelf';

const conditions: Field<Condition[] | undefined> = Object.freeze({
  required: false,
  schema: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      type: 'object',
      required: ['type', 'status'],
      properties: {
        type: { type: 'string' },
        status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
        reason: { type: 'string' },
        message: { type: 'string' },
        lastTransitionTime: { type: 'string', format: 'date-time' },
        observedGeneration: { type: 'integer', format: 'int64' },
      },
    },
  },
});

/** The schema of an object: fields in their order, and a rule for each optional field that may not be removed once it is set. */
export function objectSchema(fields: FieldMap): JSONSchemaProps {
  requireObject('fields', fields, 'an object with a field per name');
  const properties: Record<string, JSONSchemaProps> = {};
  const required: string[] = [];
  const stays: ValidationRule[] = [];
  for (const [name, one] of Object.entries(fields)) {
    requireField(name, one);
    setField(properties, name, one.schema);
    if (one.required) required.push(name);
    else if (one.schema.default === undefined && isImmutable(one.schema)) {
      const escaped = escapeName(name);
      if (escaped === undefined)
        throw new TypeError(`${name} cannot be immutable: CEL cannot read a field of that name`);
      const rule = `!has(oldSelf.${escaped}) || has(self.${escaped})`;
      stays.push({ rule, message: `${name} is immutable and cannot be removed` });
    }
  }
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(stays.length > 0 && { 'x-kubernetes-validations': stays }),
  };
}

function isImmutable({ 'x-kubernetes-validations': rules = [] }: JSONSchemaProps): boolean {
  return rules.some(({ rule }) => rule === IMMUTABLE);
}

function numeric<D>(type: 'integer' | 'number', rules: NumberRules<D>): Field<never, never> {
  const { minimum, maximum } = checkOptions(`field.${type}`, rules, numberNames);
  if (minimum !== undefined) requireNumber(`minimum of field.${type}`, minimum, -Number.MAX_VALUE);
  if (maximum !== undefined) requireNumber(`maximum of field.${type}`, maximum, -Number.MAX_VALUE);
  return defaulted(rules, {
    type,
    ...(type === 'integer' && { format: 'int64' }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  });
}

function defaulted(rules: Rules & DefaultRule<unknown>, schema: JSONSchemaProps): Field<never, never> {
  if (rules.default === undefined) return made(rules, schema);
  return made(rules, { ...schema, default: rules.default }, false);
}

function plain(call: string, rules: Rules, schema: JSONSchemaProps): Field<never, never> {
  return made(checkOptions(call, rules, ruleNames), schema);
}

/** The field of a schema with the rules that every field may have. Its type is the caller's. */
function made(rules: Rules, schema: JSONSchemaProps, required = true): Field<never, never> {
  const { description, immutable } = rules;
  const validations = [...validationsOf(rules.rules), ...(schema['x-kubernetes-validations'] ?? [])];
  if (immutable === true) validations.push({ rule: IMMUTABLE, message: 'the field is immutable' });
  return Object.freeze({
    schema: {
      ...(description !== undefined && { description: requireString('description', description) }),
      ...schema,
      ...(validations.length > 0 && { 'x-kubernetes-validations': validations }),
    },
    required,
  });
}

/** CEL rules as a schema has them. */
export function validationsOf(rules: Readonly<Record<string, string>> | undefined): ValidationRule[] {
  if (rules === undefined) return [];
  requireObject('rules', rules, 'an object with a message per CEL expression');
  return Object.entries(rules).map(([rule, message]) => {
    if (rule.trim() === '') throw new TypeError('a rule must be a CEL expression that is not empty');
    if (typeof message !== 'string' || message.trim() === '' || /[\r\n]/.test(message.trim())) {
      throw optionError(`the message of the rule ${JSON.stringify(rule)}`, 'a line of text', message);
    }
    return { rule, message };
  });
}

/** The limits of a length or count that the rules have. */
function counts<N extends 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'maxProperties'>(
  call: string,
  rules: { readonly [K in N]?: number | undefined },
  ...names: readonly N[]
): JSONSchemaProps {
  const limits: JSONSchemaProps = {};
  for (const name of names) {
    if (rules[name] !== undefined) limits[name] = requireInteger(`${name} of ${call}`, rules[name]);
  }
  return limits;
}

/** The schema of the items of a list or map. */
function itemSchema(call: string, of: Field): JSONSchemaProps {
  requireField(`the items of ${call}`, of);
  if (!of.required && of.schema.default === undefined) {
    throw new TypeError(`the items of ${call} cannot be optional: make the ${call.slice('field.'.length)} optional`);
  }
  return of.schema;
}

function requireField(name: string, value: unknown): void {
  const { schema } = (value ?? {}) as { readonly schema?: unknown };
  if (typeof schema !== 'object' || schema === null) throw optionError(name, 'a field, such as field.string()', value);
}

import { isDeepStrictEqual } from 'node:util';
import { getField, isJsonObject } from '../meta/json-values.js';
import { formatCheck } from '../meta/text-formats.js';
import { compileRegexp } from '../regexp/regexp.js';
import type { JSONSchemaProps } from '../resources/types/apiextensions-v1.js';

/**
 * What a server would refuse in a value of the schema: the reasons for which a default is wrong. CEL rules and alternatives
 * (`anyOf` and its relatives) are left to the server. A pattern of the schema must be valid.
 */
export function* valueProblems(schema: JSONSchemaProps, value: unknown, path: string): Iterable<string> {
  if (value === null && schema.nullable === true) return;
  if (!hasType(schema, value)) {
    yield `${path} must be ${typeName(schema)}, got ${JSON.stringify(value)}`;
    return;
  }
  if (schema.enum !== undefined && !schema.enum.some((one) => isDeepStrictEqual(one, value))) {
    yield `${path} must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}, got ${JSON.stringify(value)}`;
  }
  if (typeof value === 'number') yield* numberProblems(schema, value, path);
  else if (typeof value === 'string') yield* stringProblems(schema, value, path);
  else if (Array.isArray(value)) yield* listProblems(schema, value, path);
  else if (isJsonObject(value)) yield* objectProblems(schema, value, path);
}

function hasType({ type, 'x-kubernetes-int-or-string': isEither }: JSONSchemaProps, value: unknown): boolean {
  if (isEither === true) return typeof value === 'string' || Number.isInteger(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  return type === undefined || typeof value === type;
}

function typeName({ type, 'x-kubernetes-int-or-string': isEither }: JSONSchemaProps): string {
  if (isEither === true) return 'a whole number or a string';
  return type === 'integer' ? 'a whole number' : type === 'array' || type === 'object' ? `an ${type}` : `a ${type}`;
}

function* numberProblems(schema: JSONSchemaProps, value: number, path: string): Iterable<string> {
  const { minimum, maximum, multipleOf } = schema;
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    yield `${path} is ${value}, below the minimum of ${minimum}`;
  }
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    yield `${path} is ${value}, above the maximum of ${maximum}`;
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    yield `${path} is ${value}, which is no multiple of ${multipleOf}`;
  }
}

function* stringProblems(schema: JSONSchemaProps, value: string, path: string): Iterable<string> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  const length = [...value].length;
  if (length < minLength) yield `${path} has ${length} characters, fewer than minLength ${minLength}`;
  if (length > maxLength) yield `${path} has ${length} characters, more than maxLength ${maxLength}`;
  if (pattern !== undefined && !compileRegexp(pattern).test(value)) {
    yield `${path} ${JSON.stringify(value)} does not match the pattern ${pattern}`;
  }
  if (format !== undefined && formatCheck(format)?.(value) === false) {
    yield `${path} ${JSON.stringify(value)} is not of the format ${format}`;
  }
}

function* listProblems(schema: JSONSchemaProps, value: readonly unknown[], path: string): Iterable<string> {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
  if (value.length < minItems) yield `${path} has ${value.length} items, fewer than minItems ${minItems}`;
  if (value.length > maxItems) yield `${path} has ${value.length} items, more than maxItems ${maxItems}`;
  if (items === undefined || Array.isArray(items)) return;
  for (const [at, item] of value.entries()) yield* valueProblems(items, item, `${path}[${at}]`);
}

function* objectProblems(schema: JSONSchemaProps, value: Record<string, unknown>, path: string): Iterable<string> {
  const { properties = {}, additionalProperties, required = [] } = schema;
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const names = Object.keys(value);
  if (names.length < minProperties)
    yield `${path} has ${names.length} fields, fewer than minProperties ${minProperties}`;
  if (names.length > maxProperties)
    yield `${path} has ${names.length} fields, more than maxProperties ${maxProperties}`;
  for (const name of required) if (!Object.hasOwn(value, name)) yield `${path}.${name} is required`;
  for (const name of names) {
    const property = Object.hasOwn(properties, name)
      ? properties[name]
      : typeof additionalProperties === 'object'
        ? additionalProperties
        : undefined;
    if (property !== undefined) yield* valueProblems(property, getField(value, name), `${path}.${name}`);
    else if (additionalProperties !== true && schema['x-kubernetes-preserve-unknown-fields'] !== true) {
      yield `${path}.${name} is not a field of the schema`;
    }
  }
}

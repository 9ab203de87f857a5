import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
  fieldTypeInvalid,
} from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { getField, isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import { isStepDue, type Steps } from '../../../../time/steps.js';
import { regexpOf } from '../definition/patterns.js';
import type { Structural } from '../definition/structural.js';
import { type Correlation, isSame } from './correlation.js';
import { formatCheck } from '../../../../meta/text-formats.js';
import { goNumber, isJsonInteger, isWhole } from './numbers.js';

/** The most faults that are kept, one more than an answer lists. Alternatives that fail count by themselves. */
const MAX_FAULTS = 101;

/**
 * Checks a value against a schema.
 *
 * @param root the path that the causes begin with; undefined for whole objects
 * @param correlation the value beside the one that it replaces: faults of what did not change are dropped
 */
export function* schemaCauses(
  value: unknown,
  schema: Structural,
  root: string | undefined,
  correlation?: Correlation,
): Steps<StatusCause[]> {
  const validation = new Validation(root);
  const result = yield* validation.check(value, schema, '', correlation);
  if (result.isValid || (correlation !== undefined && (yield* correlation.isEqual()))) return [];
  return result.causes;
}

/** The faults of a value. Of several alternatives that fail, the one with the most matches is reported. */
class Result {
  readonly causes: StatusCause[] = [];
  readonly #texts = new Set<string>();
  matches = 0;

  get isValid(): boolean {
    return this.causes.length === 0;
  }

  get isFull(): boolean {
    return this.causes.length >= MAX_FAULTS;
  }

  /** Adds a fault once: alternatives often find the same one. */
  add(text: string, cause: StatusCause): void {
    if (this.isFull || this.#texts.has(text)) return;
    this.#texts.add(text);
    this.causes.push(cause);
  }

  merge(other: Result): void {
    this.matches += other.matches;
    const texts = [...other.#texts];
    for (const [at, cause] of other.causes.entries()) this.add(texts[at]!, cause);
  }
}

class Validation {
  readonly #root: string | undefined;

  constructor(root: string | undefined) {
    this.#root = root;
  }

  /** Checks all keywords, in the order of kube-apiserver. */
  *check(value: unknown, schema: Structural, path: string, correlation: Correlation | undefined): Steps<Result> {
    if (isStepDue()) yield;
    const result = new Result();
    const types = typesOf(schema);
    const format = enforcedFormat(schema, types);
    if (types.length > 0 || format !== '') this.#checkType(value, schema, types, format, path, result);
    if (value === null) {
      this.#checkEnum(value, schema, path, result);
      return result;
    }
    if (hasAlternatives(schema)) yield* this.#checkAlternatives(value, schema, path, correlation, result);
    result.matches++;
    if (typeof value === 'string') {
      this.#checkText(value, schema, path, result);
      if (format !== '') this.#checkFormat(value, format, path, result);
    } else if (typeof value === 'number') {
      this.#checkNumber(value, schema, types, format, path, result);
      result.matches += 2;
    } else if (Array.isArray(value)) {
      yield* this.#checkItems(value, schema, path, correlation, result);
      result.matches += 2;
    }
    this.#checkEnum(value, schema, path, result);
    result.matches++;
    if (isJsonObject(value)) {
      yield* this.#checkFields(value, schema, path, correlation, result);
      result.matches++;
    }
    result.matches++;
    return result;
  }

  #checkType(
    value: unknown,
    schema: Structural,
    types: readonly string[],
    format: string,
    path: string,
    result: Result,
  ): void {
    const [wanted, found] = typeMismatch(value, schema, types, format) ?? [];
    result.matches++;
    if (wanted === undefined || found === undefined) {
      result.matches++;
      return;
    }
    const text = `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
    result.add(text, fieldTypeInvalid(this.#field(path), found, text));
  }

  *#checkAlternatives(
    value: unknown,
    schema: Structural,
    path: string,
    correlation: Correlation | undefined,
    result: Result,
  ): Steps<void> {
    if (schema.anyOf.length > 0) {
      const { valid, first, best } = yield* this.#try(value, schema.anyOf, path, correlation, 1);
      if (valid === 0) this.#general(`${JSON.stringify(path)} must validate at least one schema (anyOf)`, result);
      result.merge((first ?? best)!);
    }
    if (schema.oneOf.length > 0) {
      const { valid, first, best } = yield* this.#try(value, schema.oneOf, path, correlation, schema.oneOf.length);
      if (valid === 1) result.merge(first!);
      else {
        const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
        this.#general(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${found}`, result);
        if (valid === 0) result.merge(best!);
      }
    }
    if (schema.allOf.length > 0) {
      let valid = 0;
      for (const part of schema.allOf) {
        const found = yield* this.check(value, part, path, correlation);
        if (found.isValid) valid++;
        result.merge(found);
      }
      if (valid < schema.allOf.length) {
        const none = valid === 0 ? '. None validated' : '';
        this.#general(`${JSON.stringify(path)} must validate all the schemas (allOf)${none}`, result);
      }
    }
    if (schema.not !== undefined && (yield* this.check(value, schema.not, path, correlation)).isValid) {
      this.#general(`${JSON.stringify(path)} must not validate the schema (not)`, result);
    }
    result.matches++;
  }

  /** Tries alternatives until enough are valid: their number, the first valid one, and the best of those that fail. */
  *#try(
    value: unknown,
    schemas: readonly Structural[],
    path: string,
    correlation: Correlation | undefined,
    enough: number,
  ): Steps<{ valid: number; first: Result | undefined; best: Result | undefined }> {
    let valid = 0;
    let first: Result | undefined;
    let best: Result | undefined;
    for (const schema of schemas) {
      const result = yield* this.check(value, schema, path, correlation);
      if (result.isValid) {
        first ??= result;
        if (++valid === enough) break;
      } else if (best === undefined || result.matches > best.matches) best = result;
    }
    return { valid, first, best };
  }

  #checkText(value: string, schema: Structural, path: string, result: Result): void {
    const { minLength, maxLength, pattern } = schema;
    if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength) {
      result.add(
        `${path} in body should be at most ${maxLength} chars long`,
        fieldTooLong(this.#field(path), maxLength),
      );
    } else if (minLength !== undefined && lengthOf(value) < minLength) {
      this.#invalid(path, value, `${path} in body should be at least ${minLength} chars long`, result);
    } else if (pattern !== '' && !regexpOf(pattern).test(value)) {
      this.#invalid(path, value, `${path} in body should match '${pattern}'`, result);
    }
  }

  #checkFormat(value: string, format: string, path: string, result: Result): void {
    if (formatCheck(format)?.(value) !== false) return;
    const text = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    result.add(text, fieldTypeInvalid(this.#field(path), value, text));
  }

  #checkNumber(
    value: number,
    schema: Structural,
    types: readonly string[],
    format: string,
    path: string,
    result: Result,
  ): void {
    const type = types.length === 1 ? types[0]! : '';
    const isInRange = (number: number, what: string): boolean => {
      const problem = rangeProblem(number, type, format);
      if (problem !== undefined) this.#general(`${what} value must be of type ${problem} in ${path}`, result);
      return problem === undefined;
    };
    isInRange(value, 'Checked');
    const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    const isInteger = isWhole(value);
    if (multipleOf !== undefined) {
      const isNative = isInRange(multipleOf, 'MultipleOf');
      this.#checkMultiple(
        value,
        isNative && isInteger ? Math.trunc(multipleOf) : multipleOf,
        isNative && isInteger,
        path,
        result,
      );
    }
    if (minimum !== undefined) {
      const isNative = isInRange(minimum, 'Minimum boundary') && isInteger;
      const limit = isNative ? Math.trunc(minimum) : minimum;
      if (exclusiveMinimum ? value <= limit : value < limit) {
        const words = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
        this.#numberFault(path, value, `should be ${words} ${goNumber(limit, !isNative)}`, !isNative, result);
      }
    }
    if (maximum !== undefined) {
      const isNative = isInRange(maximum, 'Maximum boundary') && isInteger;
      const limit = isNative ? Math.trunc(maximum) : maximum;
      if (exclusiveMaximum ? value >= limit : value > limit) {
        const words = exclusiveMaximum ? 'less than' : 'less than or equal to';
        this.#numberFault(path, value, `should be ${words} ${goNumber(limit, !isNative)}`, !isNative, result);
      }
    }
  }

  #checkMultiple(value: number, factor: number, isInteger: boolean, path: string, result: Result): void {
    if (factor <= 0) {
      this.#invalid(
        path,
        factor,
        `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`,
        result,
      );
      return;
    }
    const isMultiple = isInteger
      ? value % factor === 0
      : isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor);
    const detail = `should be a multiple of ${goNumber(factor, !isInteger)}`;
    if (!isMultiple) this.#numberFault(path, value, detail, !isInteger, result);
  }

  *#checkItems(
    value: readonly unknown[],
    schema: Structural,
    path: string,
    correlation: Correlation | undefined,
    result: Result,
  ): Steps<void> {
    const { items, minItems, maxItems } = schema;
    if (items !== undefined) {
      for (let at = 0; at < value.length && !result.isFull; at++) {
        const found = yield* this.#checkChild(value[at], items, `${path}[${at}]`, correlation?.index(at));
        result.merge(found);
      }
    }
    if (minItems !== undefined && value.length < minItems) {
      this.#invalid(path, value.length, `${path} in body should have at least ${minItems} items`, result);
    }
    if (maxItems !== undefined && value.length > maxItems) {
      const text = `${path} in body should have at most ${maxItems} items`;
      result.add(text, fieldTooMany(this.#field(path), value.length, maxItems));
    }
  }

  #checkEnum(value: unknown, schema: Structural, path: string, result: Result): void {
    const allowed = schema.enum;
    if (allowed.length === 0) return;
    if (value !== null && allowed.some((one) => isSame(one, value))) return;
    const texts = allowed.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    const cause = fieldNotSupported(this.#field(path), value, texts);
    const message = typeof value === 'number' ? cause.message?.replace(String(value), goNumber(value)) : cause.message;
    result.add(`${path} in body should be one of ${texts}`, { ...cause, message: message ?? '' });
  }

  *#checkFields(
    value: JsonObject,
    schema: Structural,
    path: string,
    correlation: Correlation | undefined,
    result: Result,
  ): Steps<void> {
    const { properties, additionalProperties, required, minProperties, maxProperties } = schema;
    const names = Object.keys(value);
    if (minProperties !== undefined && names.length < minProperties) {
      this.#invalid(path, names.length, `${path} in body should have at least ${minProperties} properties`, result);
    }
    if (maxProperties !== undefined && names.length > maxProperties) {
      const text = `${path} in body should have at most ${maxProperties} properties`;
      result.add(text, fieldTooMany(this.#field(path), names.length, maxProperties));
    }
    for (const name of names) {
      if (result.isFull) return;
      const property = properties.get(name);
      if (property !== undefined) {
        const place = path === '' ? name : `${path}.${name}`;
        const isType = path === '' && (name === 'kind' || name === 'apiVersion');
        const child = isType ? undefined : correlation?.key(name);
        result.merge(yield* this.#checkChild(getField(value, name), property, place, child));
      } else if (additionalProperties === false) {
        this.#invalid(path, name, `${path}.${name} in body is a forbidden property`, result);
      } else if (typeof additionalProperties === 'object') {
        const child = correlation?.key(name);
        result.merge(yield* this.#checkChild(getField(value, name), additionalProperties, `${path}.${name}`, child));
      } else if (isStepDue()) yield;
    }
    for (const name of required) {
      if (Object.hasOwn(value, name)) continue;
      const place = `${path}.${name}`;
      result.add(`${place} in body is required`, fieldRequired(this.#field(place), ''));
    }
  }

  /** Checks a part of a value. Its faults are dropped if it has not changed. */
  *#checkChild(value: unknown, schema: Structural, path: string, correlation: Correlation | undefined): Steps<Result> {
    const result = yield* this.check(value, schema, path, correlation);
    if (result.isValid || correlation === undefined || !(yield* correlation.isEqual())) return result;
    const dropped = new Result();
    dropped.matches = result.matches;
    return dropped;
  }

  #invalid(path: string, value: unknown, text: string, result: Result): void {
    result.add(text, fieldInvalid(this.#field(path), value, text));
  }

  /** Go compares integers and floats apart, and prints the value as what it was compared as. */
  #numberFault(path: string, value: number, detail: string, isFloat: boolean, result: Result): void {
    const text = `${path} in body ${detail}`;
    const message = `Invalid value: ${goNumber(value, isFloat)}: ${text}`;
    result.add(text, { reason: 'FieldValueInvalid', message, field: this.#field(path) });
  }

  /** A fault that kube-apiserver reports without the path of its field. */
  #general(text: string, result: Result): void {
    result.add(text, fieldInvalid(this.#root ?? '<nil>', '', text));
  }

  #field(path: string): string {
    const name = path.startsWith('.') ? path.slice(1) : path;
    if (name === '') return this.#root ?? '<nil>';
    return this.#root === undefined ? name : `${this.#root}.${name}`;
  }
}

const NO_TYPES: readonly string[] = [];
const INT_OR_STRING: readonly string[] = ['integer', 'string'];

function typesOf({ type, isIntOrString }: Structural): readonly string[] {
  if (isIntOrString) return INT_OR_STRING;
  return type === '' ? NO_TYPES : [type];
}

/** The format as far as it is checked: others are ignored. */
function enforcedFormat({ format }: Structural, types: readonly string[]): string {
  if (format === '') return '';
  const type = types.length === 1 ? types[0] : '';
  return isKnownFormat(format, type ?? '') ? format : '';
}

/** Whether a format means something for values of a type. */
export function isKnownFormat(format: string, type: string): boolean {
  if (type === 'integer') return format === 'int32' || format === 'int64';
  if (type === 'number') return format === 'float' || format === 'double';
  return (type === '' || type === 'string') && formatCheck(format) !== undefined;
}

function hasAlternatives({ anyOf, oneOf, allOf, not }: Structural): boolean {
  return anyOf.length > 0 || oneOf.length > 0 || allOf.length > 0 || not !== undefined;
}

/** The type that is wanted and the one that was found, if they differ. */
function typeMismatch(
  value: unknown,
  { nullable }: Structural,
  types: readonly string[],
  format: string,
): readonly [string, string] | undefined {
  if (value === null) return types.length > 0 && !nullable ? [types.join(), 'null'] : undefined;
  const found = typeNameOf(value);
  const fits =
    types.includes(found) ||
    (found === 'integer' && types.includes('number')) ||
    (found === 'number' && types.includes('integer') && isJsonInteger(value as number));
  const isTextOrList = typeof value === 'string' || Array.isArray(value);
  if (format !== '') {
    const foundFormat = found === 'integer' ? 'int64' : found === 'number' ? 'float64' : '';
    if (!isTextOrList && !fits && foundFormat !== format) return [format, foundFormat];
    if (isTextOrList && !types.includes('number') && !types.includes('integer')) return undefined;
  }
  return fits ? undefined : [types.join(), found];
}

function typeNameOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isWhole(value) ? 'integer' : 'number';
  return typeof value;
}

/** The type that a number does not fit into; undefined if it does. */
function rangeProblem(value: number, type: string, format: string): string | undefined {
  const words = `${type} ${format === '' ? '(default format)' : `with format ${format}`}`;
  if (type === 'integer') {
    const isIn = isWhole(value) && (format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31));
    return isIn ? undefined : words;
  }
  return format === 'float' && !Number.isFinite(Math.fround(value)) ? words : undefined;
}

/** The number of Unicode code points. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const high = text.charCodeAt(at) & 0xfc00;
    if (high === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      length--;
      at++;
    }
  }
  return length;
}

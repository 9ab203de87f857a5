import { isSmall, pieceEnd } from '../../codec/json/large-json.js';
import { getField, isJsonObject, type JsonObject, jsonTypeName, setField } from '../../meta/json-values.js';
import { canonicalQuantity, QuantityError } from '../../meta/quantity.js';
import type { FieldSchema, ObjectSchema, Schema } from '../../resources/schema.js';
import type { Steps } from '../../time/steps.js';

/** A document with a value of a wrong type; has the message of Go's decoder. */
export class TypeMismatch extends Error {
  /** The message of Go's converter, which reads the result of a strategic merge patch. */
  readonly conversion: string;

  constructor(message: string, conversion: string = message) {
    super(message);
    this.conversion = conversion;
  }
}

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)$/;

const GO_TYPES: Readonly<Record<Exclude<Schema['type'], 'integer'>, string>> = {
  string: 'string',
  number: 'float64',
  boolean: 'bool',
  bytes: '[]uint8',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  any: 'interface {}',
  object: 'struct',
  map: 'map[string]string',
  list: '[]string',
};

/**
 * Reads a document by its schema, as Go decodes and prints it: fields come in the order of the schema; values of a wrong
 * type are refused; unknown fields, nulls and zero values of optional fields are dropped; fields that are always printed are
 * added.
 *
 * @throws TypeMismatch
 */
export function readTyped(document: JsonObject, schema: ObjectSchema): JsonObject {
  const result = headOf(document);
  for (const [name, field] of schema.fields) {
    if (!HEAD.includes(name)) readField(result, name, getField(document, name), field, nameOf(schema), '');
  }
  return result;
}

/** Like {@link readTyped}, for documents of any size. */
export function* readTypedInSteps(document: JsonObject, schema: ObjectSchema): Steps<JsonObject> {
  const result = headOf(document);
  for (const [name, field] of schema.fields) {
    if (HEAD.includes(name)) continue;
    yield* readFieldInSteps(result, name, getField(document, name), field, nameOf(schema), '');
    yield;
  }
  return result;
}

/** The fields that are not read by the schema. */
const HEAD = ['kind', 'apiVersion'];

function headOf(document: JsonObject): JsonObject {
  const head: JsonObject = {};
  for (const name of HEAD) if (Object.hasOwn(document, name)) head[name] = document[name];
  return head;
}

function readField(
  result: JsonObject,
  name: string,
  value: unknown,
  field: FieldSchema,
  struct: string,
  path: string,
): void {
  const isSet = value !== undefined && value !== null;
  store(result, name, isSet ? readValue(value, field.schema, struct, placeOf(path, name)) : undefined, field);
}

function* readFieldInSteps(
  result: JsonObject,
  name: string,
  value: unknown,
  field: FieldSchema,
  struct: string,
  path: string,
): Steps<void> {
  if (isSmall(value)) return readField(result, name, value, field, struct, path);
  yield;
  store(result, name, yield* readValueInSteps(value, field.schema, struct, placeOf(path, name)), field);
}

function placeOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Sets a field as Go prints it; `value` is undefined if it is not set. */
function store(result: JsonObject, name: string, value: unknown, field: FieldSchema): void {
  // kube-apiserver stores protobuf, in which an empty list or map is the same as none.
  const isNone = value === undefined || (isCollection(field.schema) && isZero(value));
  if (value !== undefined && name === 'managedFields') {
    // An empty list is not the same as none: it removes all entries.
    setField(result, name, value);
  } else if (isNone) {
    if (field.always) setField(result, name, zeroOfField(field));
  } else if (field.always || field.pointer || !isZero(value)) {
    setField(result, name, value);
  }
}

/** Whether Go omits the value with `omitempty`. Structs are never omitted, unless a pointer to one is nil. */
function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false || value === null;
}

function isCollection({ type }: Schema): boolean {
  return type === 'list' || type === 'map';
}

/** Reads large lists, maps and objects in steps. */
function* readValueInSteps(value: unknown, schema: Schema, struct: string, path: string): Steps<unknown> {
  if (isSmall(value)) return readValue(value, schema, struct, path);
  yield;
  if (schema.type === 'list' && Array.isArray(value)) {
    const items: unknown[] = [];
    for (let at = 0; at < value.length; yield) {
      const end = pieceEnd(value, at);
      if (end === at) items.push(yield* readValueInSteps(value[at], schema.items, struct, path));
      else items.push(...(readValue(value.slice(at, end), schema, struct, path) as unknown[]));
      at = Math.max(end, at + 1);
    }
    return items;
  }
  if ((schema.type !== 'map' && schema.type !== 'object') || !isJsonObject(value)) {
    return readValue(value, schema, struct, path);
  }
  const result: JsonObject = {};
  if (schema.type === 'object') {
    for (const [name, field] of schema.fields) {
      yield* readFieldInSteps(result, name, getField(value, name), field, struct, path);
    }
    return result;
  }
  const names = Object.keys(value);
  yield;
  for (const name of names) {
    const item = getField(value, name);
    if (item === null) setField(result, name, zeroItem(schema.values));
    else setField(result, name, yield* readValueInSteps(item, schema.values, struct, path));
    yield;
  }
  return result;
}

function readValue(value: unknown, schema: Schema, struct: string, path: string): unknown {
  const refuse = (type: string = goTypeOf(schema)): never => {
    const found = typeof value === 'number' && schema.type === 'integer' ? `number ${value}` : jsonTypeName(value);
    const wanted = type === 'string' && path.endsWith('.uid') ? 'types.UID' : type;
    const problem = `json: cannot unmarshal ${found} into Go struct field ${struct}.${path} of type ${wanted}`;
    throw new TypeMismatch(problem, conversionProblem(value, schema));
  };
  switch (schema.type) {
    case 'any':
      return value;
    case 'string':
      return typeof value === 'string' ? value : refuse();
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse();
    case 'integer':
      return isInteger(value, schema.bits) ? value : refuse();
    case 'number':
      return typeof value === 'number' ? value : refuse();
    case 'intOrString':
      return typeof value === 'string' || Number.isSafeInteger(value) ? value : refuse();
    case 'quantity':
      return typeof value === 'string' || typeof value === 'number' ? readQuantity(String(value)) : refuse();
    case 'bytes':
      if (Array.isArray(value)) return readByteList(value, struct, path);
      return typeof value === 'string' ? readBytes(value) : refuse();
    case 'time':
    case 'microTime':
      return typeof value === 'string' ? readTime(value, schema.type) : refuse('string');
    case 'list':
      if (!Array.isArray(value)) return refuse(`[]${itemType(schema.items)}`);
      return value.map((item) =>
        item === null ? zeroItem(schema.items) : readValue(item, schema.items, struct, path),
      );
    case 'map': {
      if (!isJsonObject(value)) return refuse(`map[string]${itemType(schema.values)}`);
      const result: JsonObject = {};
      // Go prints maps in this order. The keys of a large map, whose values are read in steps, stay as they are.
      for (const key of Object.keys(value).sort()) {
        const item = getField(value, key);
        setField(result, key, item === null ? zeroItem(schema.values) : readValue(item, schema.values, struct, path));
      }
      return result;
    }
    case 'object': {
      if (!isJsonObject(value)) return refuse(itemType(schema));
      const result: JsonObject = {};
      for (const [name, field] of schema.fields) {
        readField(result, name, getField(value, name), field, nameOf(schema), path);
      }
      return result;
    }
  }
}

/** What Go's converter between JSON values and structs says of a value that does not fit. */
export function conversionProblem(value: unknown, schema: Schema): string {
  const isWhole = Number.isInteger(value);
  if (schema.type === 'list') return `cannot restore slice from ${goKindOf(value)}`;
  if (schema.type === 'map') return `cannot restore map from ${goKindOf(value)}`;
  if (schema.type === 'object') return `cannot restore struct from: ${goKindOf(value)}`;
  // Go could convert an integer to a text, and a fraction to an integer.
  const isConvertible = isWhole ? schema.type === 'string' : typeof value === 'number' && schema.type === 'integer';
  return isConvertible
    ? `cannot convert ${goKindOf(value)} to ${goTypeOf(schema)}`
    : `unrecognized type: ${goTypeOf(schema)}`;
}

function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'object' ? 'map' : jsonTypeName(value);
}

/** JavaScript rounds integers beyond 2^53, which are accepted up to 64 bits. */
function isInteger(value: unknown, bits: 32 | 64): boolean {
  return Number.isInteger(value) && Math.abs(value as number) <= 2 ** (bits - 1) && value !== 2 ** (bits - 1);
}

function goTypeOf(schema: Schema): string {
  return schema.type === 'integer' ? `int${schema.bits}` : GO_TYPES[schema.type];
}

/** Quantities are kept in their canonical form. */
function readQuantity(text: string): string {
  try {
    return canonicalQuantity(text);
  } catch (error) {
    throw error instanceof QuantityError ? new TypeMismatch(error.message) : error;
  }
}

function readBytes(text: string): string {
  const wrong = /[^A-Za-z0-9+/=\r\n]/.exec(text);
  if (wrong === null && text.replace(/[\r\n]/g, '').length % 4 === 0) return text;
  throw new TypeMismatch(`illegal base64 data at input byte ${wrong?.index ?? text.length - (text.length % 4)}`);
}

/** Go reads bytes from a list of numbers too. */
function readByteList(list: readonly unknown[], struct: string, path: string): string {
  const wrong = list.find(
    (item) => item !== null && !(Number.isInteger(item) && (item as number) >= 0 && (item as number) < 256),
  );
  if (wrong === undefined) return Buffer.from(list as number[]).toString('base64');
  const found = typeof wrong === 'number' ? `number ${wrong}` : jsonTypeName(wrong);
  const problem = `json: cannot unmarshal ${found} into Go struct field ${struct}.${path} of type uint8`;
  throw new TypeMismatch(problem, 'unrecognized type: uint8');
}

/** A time as Go prints it: in UTC, in seconds or microseconds; null for the zero time. */
function readTime(text: string, type: 'time' | 'microTime'): string | null {
  const isMicro = type === 'microTime';
  const ms = (isMicro ? MICRO_TIME : RFC3339).test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) {
    const seconds = new Date(ms).toISOString().slice(0, -5);
    if (seconds === '0001-01-01T00:00:00') return null;
    return isMicro ? `${seconds}${text.slice(19, 26)}Z` : `${seconds}Z`;
  }
  const layout = isMicro ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00';
  const problem =
    isMicro && RFC3339.test(text) ? 'cannot parse "Z" as ".000000"' : `cannot parse ${JSON.stringify(text)} as "2006"`;
  throw new TypeMismatch(`parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: ${problem}`);
}

function itemType(schema: Schema): string {
  if (schema.type === 'object') return `v1.${nameOf(schema)}`;
  return schema.type === 'list' ? `[]${itemType(schema.items)}` : goTypeOf(schema);
}

/** Without group and version: `core/v1.PodSpec` is `PodSpec`. */
function nameOf(schema: ObjectSchema): string {
  return schema.name.slice(schema.name.lastIndexOf('.') + 1);
}

/** The zero value of a type, as Go prints it: objects have the fields that are always printed. */
export function zeroOf(schema: Schema): unknown {
  switch (schema.type) {
    case 'object': {
      const zero: JsonObject = {};
      for (const [name, field] of schema.fields) if (field.always) zero[name] = zeroOfField(field);
      return zero;
    }
    case 'integer':
    case 'number':
    case 'intOrString':
      return 0;
    case 'boolean':
      return false;
    case 'string':
      return '';
    case 'quantity':
      return '0';
    default:
      return null;
  }
}

/** A null in a list or map. Protobuf, in which kube-apiserver stores objects, has no null bytes there. */
function zeroItem(schema: Schema): unknown {
  return schema.type === 'bytes' ? '' : zeroOf(schema);
}

function zeroOfField({ schema, pointer }: FieldSchema): unknown {
  return pointer ? null : zeroOf(schema);
}

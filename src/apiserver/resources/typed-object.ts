import { isSmall, pieceEnd } from '../../codec/json/large-json.js';
import { getField, isJsonObject, type JsonObject, jsonTypeName, setField } from '../../meta/json-values.js';
import type { FieldSchema, ObjectSchema, Schema } from '../../resources/schema.js';
import type { Steps } from '../../time/steps.js';

/** A document with a value of a wrong type; has the message of Go's decoder. */
export class TypeMismatch extends Error {}

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)$/;

const GO_TYPES: Readonly<Record<Schema['type'], string>> = {
  string: 'string',
  integer: 'int32',
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
 * Reads a document by its schema, as Go's decoder does: values of a wrong type are refused; unknown fields, nulls and empty
 * optional fields are dropped. Metadata is read elsewhere and returned as it is.
 *
 * @throws TypeMismatch
 */
export function readTyped(document: JsonObject, schema: ObjectSchema): JsonObject {
  const result: JsonObject = {};
  for (const name of Object.keys(document)) {
    if (name === 'kind' || name === 'apiVersion' || name === 'metadata') setField(result, name, document[name]);
    else readField(result, name, getField(document, name), schema, '');
  }
  return result;
}

function readField(result: JsonObject, name: string, value: unknown, schema: ObjectSchema, path: string): void {
  const field = schema.fields.get(name);
  if (field === undefined || value === undefined || value === null) return;
  const place = path === '' ? name : `${path}.${name}`;
  const read = readValue(value, field.schema, nameOf(schema), place);
  if (!field.required && isEmptyCollection(read, field)) return;
  setField(result, name, read);
}

/** Like {@link readTyped}, for documents of any size. */
export function* readTypedInSteps(document: JsonObject, schema: ObjectSchema): Steps<JsonObject> {
  const result: JsonObject = {};
  for (const name of Object.keys(document)) {
    if (name === 'kind' || name === 'apiVersion' || name === 'metadata') setField(result, name, document[name]);
    else yield* readFieldInSteps(result, name, getField(document, name), schema, '');
    yield;
  }
  return result;
}

function* readFieldInSteps(
  result: JsonObject,
  name: string,
  value: unknown,
  schema: ObjectSchema,
  path: string,
): Steps<void> {
  const field = schema.fields.get(name);
  if (field === undefined || isSmall(value)) return readField(result, name, value, schema, path);
  yield;
  const read = yield* readValueInSteps(value, field.schema, nameOf(schema), path === '' ? name : `${path}.${name}`);
  if (field.required || !isEmptyCollection(read, field)) setField(result, name, read);
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
  const names = Object.keys(value);
  yield;
  for (const name of names) {
    const item = getField(value, name);
    if (schema.type === 'object') yield* readFieldInSteps(result, name, item, schema, path);
    else if (item === null) setField(result, name, zeroOf(schema.values));
    else setField(result, name, yield* readValueInSteps(item, schema.values, struct, path));
    yield;
  }
  return result;
}

function isEmptyCollection(value: unknown, { schema }: FieldSchema): boolean {
  if (schema.type === 'list') return (value as unknown[]).length === 0;
  return schema.type === 'map' && Object.keys(value as object).length === 0;
}

function readValue(value: unknown, schema: Schema, struct: string, path: string): unknown {
  const refuse = (type: string = GO_TYPES[schema.type]): never => {
    const found = typeof value === 'number' && type === 'int32' ? `number ${value}` : jsonTypeName(value);
    throw new TypeMismatch(`json: cannot unmarshal ${found} into Go struct field ${struct}.${path} of type ${type}`);
  };
  switch (schema.type) {
    case 'any':
      return value;
    case 'string':
      return typeof value === 'string' ? value : refuse();
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse();
    case 'integer':
      return Number.isSafeInteger(value) ? value : refuse();
    case 'number':
      return typeof value === 'number' ? value : refuse();
    case 'intOrString':
      return typeof value === 'string' || Number.isSafeInteger(value) ? value : refuse();
    case 'quantity':
      // A number is a valid quantity, and is kept as text.
      return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : refuse();
    case 'bytes':
      return typeof value === 'string' ? readBytes(value) : refuse();
    case 'time':
    case 'microTime':
      return typeof value === 'string' ? readTime(value, schema.type) : refuse('string');
    case 'list':
      if (!Array.isArray(value)) return refuse(`[]${itemType(schema.items)}`);
      return value.map((item) => (item === null ? zeroOf(schema.items) : readValue(item, schema.items, struct, path)));
    case 'map': {
      if (!isJsonObject(value)) return refuse(`map[string]${itemType(schema.values)}`);
      const result: JsonObject = {};
      for (const key of Object.keys(value)) {
        const item = getField(value, key);
        setField(result, key, item === null ? zeroOf(schema.values) : readValue(item, schema.values, struct, path));
      }
      return result;
    }
    case 'object': {
      if (!isJsonObject(value)) return refuse(itemType(schema));
      const result: JsonObject = {};
      for (const name of Object.keys(value)) readField(result, name, getField(value, name), schema, path);
      return result;
    }
  }
}

function readBytes(text: string): string {
  const wrong = /[^A-Za-z0-9+/=\r\n]/.exec(text);
  if (wrong === null && text.replace(/[\r\n]/g, '').length % 4 === 0) return text;
  throw new TypeMismatch(`illegal base64 data at input byte ${wrong?.index ?? text.length - (text.length % 4)}`);
}

function readTime(text: string, type: 'time' | 'microTime'): string {
  const isMicro = type === 'microTime';
  if ((isMicro ? MICRO_TIME : RFC3339).test(text) && !Number.isNaN(Date.parse(text))) return text;
  const layout = isMicro ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00';
  const problem = `cannot parse ${JSON.stringify(text)} as ${JSON.stringify('2006')}`;
  throw new TypeMismatch(`parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: ${problem}`);
}

function itemType(schema: Schema): string {
  if (schema.type === 'object') return `v1.${nameOf(schema)}`;
  return schema.type === 'list' ? `[]${itemType(schema.items)}` : GO_TYPES[schema.type];
}

/** Without group and version: `core/v1.PodSpec` is `PodSpec`. */
function nameOf(schema: ObjectSchema): string {
  return schema.name.slice(schema.name.lastIndexOf('.') + 1);
}

/** The zero value of a type: required fields have theirs, optional ones are omitted. */
export function zeroOf(schema: Schema): unknown {
  switch (schema.type) {
    case 'object': {
      const zero: JsonObject = {};
      for (const [name, field] of schema.fields) if (field.required) zero[name] = zeroOf(field.schema);
      return zero;
    }
    case 'integer':
    case 'number':
    case 'intOrString':
      return 0;
    case 'boolean':
      return false;
    case 'string':
    case 'bytes':
      return '';
    default:
      return null;
  }
}

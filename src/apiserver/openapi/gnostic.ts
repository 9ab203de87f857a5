import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';

/**
 * Encodes an OpenAPI 2.0 document as the protobuf messages of gnostic (OpenAPIv2.proto), which older versions of kubectl read.
 * The tables below have the numbers of the fields that Kubernetes uses. Values of any type are YAML texts; JSON is one.
 */

type FieldType = 'string' | 'bool' | 'integer' | 'double' | 'any' | Message | (() => Message);

interface Message {
  readonly fields: Readonly<Record<string, readonly [number: number, type: FieldType]>>;
  /** The number of the extensions, whose names begin with `x-`. */
  readonly extensions?: number;
  /** The message is a list of named values, with this number and type. */
  readonly named?: readonly [number: number, type: () => Message];
  /** The message is one of others: the number and type of the one that a value is. */
  readonly choose?: (value: unknown) => readonly [number: number, type: FieldType];
}

const TYPE: Message = { fields: {}, choose: () => [1, 'string'] };
const ITEMS: Message = { fields: {}, choose: () => [1, () => SCHEMA] };
const ADDITIONAL_PROPERTIES: Message = {
  fields: {},
  choose: (value) => (typeof value === 'boolean' ? [2, 'bool'] : [1, () => SCHEMA]),
};
const SCHEMAS: Message = { fields: {}, named: [1, () => SCHEMA] };

const SCHEMA: Message = {
  fields: {
    $ref: [1, 'string'],
    format: [2, 'string'],
    title: [3, 'string'],
    description: [4, 'string'],
    multipleOf: [6, 'double'],
    maximum: [7, 'double'],
    exclusiveMaximum: [8, 'bool'],
    minimum: [9, 'double'],
    exclusiveMinimum: [10, 'bool'],
    maxLength: [11, 'integer'],
    minLength: [12, 'integer'],
    pattern: [13, 'string'],
    maxItems: [14, 'integer'],
    minItems: [15, 'integer'],
    uniqueItems: [16, 'bool'],
    maxProperties: [17, 'integer'],
    minProperties: [18, 'integer'],
    required: [19, 'string'],
    enum: [20, 'any'],
    additionalProperties: [21, ADDITIONAL_PROPERTIES],
    type: [22, TYPE],
    items: [23, ITEMS],
    properties: [25, SCHEMAS],
    example: [30, 'any'],
  },
  extensions: 31,
};

const BODY_PARAMETER: Message = {
  fields: { name: [2, 'string'], in: [3, 'string'], required: [4, 'bool'], schema: [5, SCHEMA] },
};
const QUERY_PARAMETER: Message = {
  fields: { in: [2, 'string'], name: [4, 'string'], type: [6, 'string'], uniqueItems: [20, 'bool'] },
};
const PATH_PARAMETER: Message = {
  fields: {
    required: [1, 'bool'],
    in: [2, 'string'],
    name: [4, 'string'],
    type: [5, 'string'],
    uniqueItems: [19, 'bool'],
  },
};
const NON_BODY_PARAMETER: Message = {
  fields: {},
  choose: (value) => ((value as JsonObject)['in'] === 'path' ? [4, PATH_PARAMETER] : [3, QUERY_PARAMETER]),
};
const PARAMETER: Message = {
  fields: {},
  choose: (value) => ((value as JsonObject)['in'] === 'body' ? [1, BODY_PARAMETER] : [2, NON_BODY_PARAMETER]),
};
const REFERENCE: Message = { fields: { $ref: [1, 'string'] } };
const PARAMETERS_ITEM: Message = {
  fields: {},
  choose: (value) => ((value as JsonObject)['$ref'] === undefined ? [1, PARAMETER] : [2, REFERENCE]),
};
const SCHEMA_ITEM: Message = { fields: {}, choose: () => [1, SCHEMA] };
const RESPONSE: Message = { fields: { description: [1, 'string'], schema: [2, SCHEMA_ITEM] } };
const RESPONSE_VALUE: Message = { fields: {}, choose: () => [1, RESPONSE] };
const OPERATION: Message = {
  fields: {
    tags: [1, 'string'],
    operationId: [5, 'string'],
    produces: [6, 'string'],
    consumes: [7, 'string'],
    parameters: [8, PARAMETERS_ITEM],
    responses: [9, { fields: {}, named: [1, () => RESPONSE_VALUE] }],
    schemes: [10, 'string'],
  },
  extensions: 13,
};
const PATH_ITEM: Message = {
  fields: {
    get: [2, OPERATION],
    put: [3, OPERATION],
    post: [4, OPERATION],
    delete: [5, OPERATION],
    options: [6, OPERATION],
    head: [7, OPERATION],
    patch: [8, OPERATION],
    parameters: [9, PARAMETERS_ITEM],
  },
};
const API_KEY: Message = {
  fields: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'] },
};
const SECURITY_DEFINITION: Message = { fields: {}, choose: () => [2, API_KEY] };
const STRINGS: Message = { fields: {}, choose: () => [1, 'string'] };

/** The fields of the document; paths and definitions are written one by one. */
const DOCUMENT: Readonly<Record<string, readonly [number, FieldType]>> = {
  swagger: [1, 'string'],
  info: [2, { fields: { title: [1, 'string'], version: [2, 'string'] } }],
  parameters: [10, { fields: {}, named: [1, () => PARAMETER] }],
  security: [12, { fields: {}, named: [1, () => STRINGS] }],
  securityDefinitions: [13, { fields: {}, named: [1, () => SECURITY_DEFINITION] }],
};

/** The bytes of a document. */
export function* encodeGnostic(document: JsonObject): Steps<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const [name, [number, type]] of Object.entries(DOCUMENT))
    parts.push(...encodeField(number, type, document[name]));
  for (const [field, number, item, type] of [
    ['paths', 8, 2, PATH_ITEM],
    ['definitions', 9, 1, SCHEMA],
  ] as const) {
    const entries: Uint8Array[] = [];
    for (const [name, value] of Object.entries(document[field] as JsonObject)) {
      entries.push(delimited(item, namedValue(name, value, type)));
      yield;
    }
    parts.push(delimited(number, Buffer.concat(entries)));
  }
  return Buffer.concat(parts);
}

function encodeMessage(value: unknown, message: Message): Uint8Array {
  if (message.choose !== undefined) {
    const [number, type] = message.choose(value);
    return Buffer.concat(encodeField(number, type, value));
  }
  const object = value as JsonObject;
  const parts: Uint8Array[] = [];
  if (message.named !== undefined) {
    const [number, type] = message.named;
    for (const [name, item] of Object.entries(object)) parts.push(delimited(number, namedValue(name, item, type())));
  }
  for (const [name, field] of Object.entries(object)) {
    const known = Object.hasOwn(message.fields, name) ? message.fields[name] : undefined;
    if (known !== undefined) parts.push(...encodeField(known[0], known[1], field));
    else if (message.extensions !== undefined && name.startsWith('x-')) {
      parts.push(delimited(message.extensions, Buffer.concat([text(1, name), delimited(2, anyValue(field))])));
    }
  }
  return Buffer.concat(parts);
}

function namedValue(name: string, value: unknown, type: Message): Uint8Array {
  return Buffer.concat([text(1, name), delimited(2, encodeMessage(value, type))]);
}

function anyValue(value: unknown): Uint8Array {
  return text(2, `${JSON.stringify(value)}\n`);
}

function encodeField(number: number, type: FieldType, value: unknown): Uint8Array[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item) => encodeField(number, type, item));
  switch (type) {
    case 'string':
      return [text(number, String(value))];
    case 'any':
      return [delimited(number, anyValue(value))];
    case 'bool':
      return value === true ? [Buffer.from([...varint(number << 3), 1])] : [];
    case 'integer':
      return [Buffer.from([...varint(number << 3), ...varint(Number(value))])];
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      return [Buffer.from([...varint((number << 3) | 1), ...bytes])];
    }
    default: {
      const message = typeof type === 'function' ? type() : type;
      if (message.choose === undefined && !isJsonObject(value)) return [];
      return [delimited(number, encodeMessage(value, message))];
    }
  }
}

function text(number: number, value: string): Uint8Array {
  return delimited(number, Buffer.from(value));
}

function delimited(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return bytes;
}

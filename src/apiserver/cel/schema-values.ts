import { isDeepStrictEqual } from 'node:util';
import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { CelType } from './check/types.js';
import { parseDate, parseDateTime, parseFormatDuration } from './eval/time.js';
import {
  CelError,
  type CelList,
  type CelMap,
  elementsOf,
  equal,
  equalInOrder,
  JoinedList,
  mapKey,
  noSuchOverload,
  type OpaqueValue,
  type Value,
} from './eval/values.js';
import { type CelSchema, withTypeAndObjectMeta } from './schema.js';
import { escapeName, unescapeName } from '../../meta/cel-names.js';

/** The value of JSON that has a schema. Lists and objects convert their elements when they are read. */
export function toValue(json: unknown, schema: CelSchema): Value {
  if (json === null || json === undefined)
    return schema.nullable === true ? null : new CelError('invalid data, got null for schema with nullable=false');
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof json === 'string') return json;
    if (isInteger(json)) return BigInt(json);
    return new CelError('invalid data, expected XIntOrString value to be either a string or integer');
  }
  switch (schema.type) {
    case 'object':
      if (!isJsonObject(json))
        return new CelError('invalid data, expected a map for the provided schema with type=object');
      return new JsonMap(
        json,
        schema['x-kubernetes-embedded-resource'] === true ? withTypeAndObjectMeta(schema) : schema,
      );
    case 'array':
      return listOf(json, schema);
    case 'string':
      return textOf(json, schema);
    case 'number':
      return typeof json === 'number' ? json : mismatch('float', json);
    case 'integer':
      return isInteger(json) ? BigInt(json) : mismatch('int', json);
    case 'boolean':
      return typeof json === 'boolean' ? json : mismatch('bool', json);
    default:
      if (schema['x-kubernetes-preserve-unknown-fields'] === true) return new UnknownValue(json);
      return new CelError(
        `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ''}`,
      );
  }
}

function isInteger(json: unknown): json is number {
  return typeof json === 'number' && Number.isInteger(json);
}

const goTypes: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool' };

function mismatch(expected: string, json: unknown): CelError {
  const actual = Array.isArray(json)
    ? '[]interface {}'
    : isInteger(json)
      ? 'int64'
      : typeof json === 'number'
        ? 'float64'
        : (goTypes[typeof json] ?? 'map[string]interface {}');
  return new CelError(`invalid data, expected ${expected}, got ${actual}`);
}

function textOf(json: unknown, schema: CelSchema): Value {
  if (typeof json !== 'string') return mismatch('string', json);
  switch (schema.format) {
    case 'duration':
      return parseFormatDuration(json);
    case 'date':
      return parseDate(json);
    case 'date-time':
      return parseDateTime(json);
    case 'byte':
      return Buffer.from(json, 'base64');
    default:
      return json;
  }
}

function listOf(json: unknown, schema: CelSchema): Value {
  if (!Array.isArray(json))
    return new CelError('invalid data, expected an array for the provided schema with type=array');
  if (schema.items === undefined) return new CelError('invalid array type, expected Items with a non-empty Schema');
  const items = schema.items;
  const elements: ListElements = { size: json.length, at: (index) => toValue(json[index], items) };
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return new SetList(elements);
    case 'map': {
      const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key);
      return new MapList(elements, keys);
    }
    default:
      return new OrderedList(elements);
  }
}

interface ListElements {
  readonly size: number;
  at(index: number): Value;
}

function elementsFrom(values: readonly Value[]): ListElements {
  return { size: values.length, at: (index) => values[index] as Value };
}

/** A list of the object. The order of its elements matters. */
class OrderedList implements CelList {
  readonly #elements: ListElements;
  readonly #converted: Value[] = [];

  constructor(elements: ListElements) {
    this.#elements = elements;
  }

  get listSize(): number {
    return this.#elements.size;
  }

  at(index: number): Value {
    let value = this.#converted[index];
    if (value === undefined) {
      value = this.#elements.at(index);
      this.#converted[index] = value;
    }
    return value;
  }

  equalsList(other: CelList): boolean | CelError {
    return equalInOrder(this, other);
  }

  plus(other: CelList): CelList {
    return new JoinedList(this, other);
  }
}

/** A list with x-kubernetes-list-type=set: order does not matter, and `+` adds what is not there yet. */
class SetList extends OrderedList {
  override equalsList(other: CelList): boolean | CelError {
    if (this.listSize !== other.listSize) return false;
    const keys = new Set([...elementsOf(this)].map(mapKey));
    return [...elementsOf(other)].every((element) => keys.has(mapKey(element)));
  }

  override plus(other: CelList): CelList {
    const values = [...elementsOf(this)];
    const keys = new Set(values.map(mapKey));
    for (const element of elementsOf(other)) {
      const key = mapKey(element);
      if (!keys.has(key)) values.push(element);
      keys.add(key);
    }
    return new SetList(elementsFrom(values));
  }
}

/** A list with x-kubernetes-list-type=map: elements belong together by their keys, and `+` replaces those of the same key. */
class MapList extends OrderedList {
  constructor(
    elements: ListElements,
    readonly keyNames: readonly string[],
  ) {
    super(elements);
  }

  override equalsList(other: CelList): boolean | CelError {
    if (this.listSize !== other.listSize) return false;
    const byKey = new Map([...elementsOf(this)].map((element) => [this.#keyOf(element), element]));
    for (const element of elementsOf(other)) {
      const same = byKey.get(this.#keyOf(element));
      if (same === undefined) return false;
      const result = equal(same, element);
      if (result !== true) return result;
    }
    return true;
  }

  override plus(other: CelList): CelList {
    const values = [...elementsOf(this)];
    const positions = new Map(values.map((element, i) => [this.#keyOf(element), i]));
    for (const element of elementsOf(other)) {
      const position = positions.get(this.#keyOf(element));
      if (position === undefined) values.push(element);
      else values[position] = element;
    }
    return new MapList(elementsFrom(values), this.keyNames);
  }

  #keyOf(element: Value): string {
    const find = (name: string): Value | undefined => (element as Partial<CelMap>).find?.(name);
    return JSON.stringify(this.keyNames.map((name) => mapKey(find(name) ?? null) ?? ''));
  }
}

/** An object or map of the object. */
class JsonMap implements CelMap {
  readonly #converted = new Map<string, Value>();

  constructor(
    readonly json: JsonObject,
    readonly schema: CelSchema,
  ) {}

  get mapSize(): number {
    return Object.keys(this.json).length;
  }

  keys(): readonly Value[] {
    const named = this.schema.properties !== undefined;
    return Object.keys(this.json)
      .filter((name) => this.#schemaOf(name) !== undefined)
      .map((name) => (named ? (escapeName(name) ?? name) : name));
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload;
    const converted = this.#converted.get(key);
    if (converted !== undefined) return converted;
    const named = this.schema.properties !== undefined;
    const name = named ? unescapeName(key) : key;
    const json = name === undefined ? undefined : getField(this.json, name);
    // A named field that is null counts as absent.
    if (name === undefined || json === undefined || (named && json === null)) return undefined;
    const schema = this.#schemaOf(name);
    if (schema === undefined) return undefined;
    const value = toValue(json, schema);
    this.#converted.set(key, value);
    return value;
  }

  equalsMap(other: CelMap): boolean | CelError {
    if (this.mapSize !== other.mapSize) return false;
    for (const name of Object.keys(this.json)) {
      if (this.#schemaOf(name) === undefined) {
        if (!(other instanceof JsonMap)) return noSuchOverload;
        const unknown = getField(other.json, name);
        if (unknown !== undefined && !isDeepStrictEqual(this.json[name], unknown)) return false;
        continue;
      }
      const left = this.find(name);
      const right = other.find(name);
      if (left === undefined || right === undefined) {
        if (left !== right) return false;
        continue;
      }
      const result = equal(left, right);
      if (result !== true) return result;
    }
    return true;
  }

  #schemaOf(name: string): CelSchema | undefined {
    if (this.schema.properties !== undefined)
      return Object.hasOwn(this.schema.properties, name) ? this.schema.properties[name] : undefined;
    return typeof this.schema.additionalProperties === 'object' ? this.schema.additionalProperties : undefined;
  }
}

const unknownType = new CelType('opaque', 'unknown');

/** JSON of which the schema says nothing, but that it is kept. It can only be compared. */
class UnknownValue implements OpaqueValue {
  readonly opaqueType = unknownType;

  constructor(readonly json: unknown) {}

  equals(other: OpaqueValue): boolean {
    return isDeepStrictEqual(this.json, (other as UnknownValue).json);
  }
}

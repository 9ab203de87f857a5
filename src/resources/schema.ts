import type { GroupVersionKind } from '../meta/resource.js';
import { groupProperties } from './catalogue.js';
import { atomicTypes, typeFields } from './type-fields.js';

/** A scalar. `bytes` is base64; `intOrString` and `quantity` may be numbers or strings. */
export type ScalarSchema =
  | {
      readonly type: 'string' | 'number' | 'boolean' | 'bytes' | 'time' | 'microTime' | 'quantity' | 'intOrString';
    }
  | IntegerSchema;

export interface IntegerSchema {
  readonly type: 'integer';
  readonly bits: 32 | 64;
}

/** Any JSON value; server-side apply owns it as a whole. */
export interface AnySchema {
  readonly type: 'any';
  /**
   * Its protobuf message: the JSON text as bytes (`json`), or one of the unions of a CustomResourceDefinition's schema: a
   * schema or a boolean (`orBool`), a list of schemas (`orArray`) or a list of strings (`orStrings`).
   */
  readonly wire: 'json' | 'orBool' | 'orArray' | 'orStrings';
}

/** An object with known fields. */
export interface ObjectSchema {
  readonly type: 'object';
  /** Such as `core/v1.PodSpec`. */
  readonly name: string;
  /** In the order of the Go struct, in which kube-apiserver prints them. */
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Structs whose fields are fields of this object in JSON, and one message in protobuf. */
  readonly inlined: readonly InlinedSchema[];
}

/** A struct that another one inlines. `number` is that of its protobuf message. */
export interface InlinedSchema {
  readonly number: number;
  readonly schema: ObjectSchema;
}

/** An object whose keys are data, such as labels. */
export interface MapSchema {
  readonly type: 'map';
  readonly values: Schema;
}

/** An array. */
export interface ListSchema {
  readonly type: 'list';
  readonly items: Schema;
  /** Whether protobuf has a message around the items, which are its field 1. */
  readonly boxed: boolean;
}

/** The schema of a value. */
export type Schema = ScalarSchema | AnySchema | ObjectSchema | MapSchema | ListSchema;

/** A field of an object: the schema of its value, when it is printed, and how patches treat it. */
export interface FieldSchema {
  readonly schema: Schema;
  /** Its number in protobuf; 0 if it is part of an inlined struct, or not on the wire at all (`kind`, `apiVersion`). */
  readonly number: number;
  /** Whether Go has a pointer: a zero value differs from none, and is printed. */
  readonly pointer: boolean;
  /**
   * Whether it is printed even if it is not set: as its zero value, or as null if it is a pointer, list or map. Without
   * `always` and `pointer` a zero value is omitted.
   */
  readonly always: boolean;
  readonly required: boolean;
  /** The value that the server sets if the field is missing, as OpenAPI declares it. */
  readonly default?: string | number;
  /** The values that OpenAPI declares for the field. */
  readonly values?: readonly string[];
  /**
   * What a manager of server-side apply owns: the whole value (`atomic`), each field or key of it (`granular`; objects and
   * maps), each item by its value (`set`) or by its `keys` (`map`).
   */
  readonly ownership: 'atomic' | 'granular' | 'set' | 'map';
  /** The fields that identify the items of a list with `ownership` `map`. */
  readonly keys: readonly string[];
  /** What a strategic merge patch does with a list: `replace` it, or `merge` its items by `mergeKey` or, without one, by value. */
  readonly strategy: 'merge' | 'replace';
  readonly mergeKey?: string;
  /** Whether a strategic merge patch removes the fields that its `retainKeys` does not list. */
  readonly retainKeys: boolean;
}

const scalars: { readonly [letter: string]: ScalarSchema | AnySchema } = {
  s: { type: 'string' },
  i: { type: 'integer', bits: 32 },
  l: { type: 'integer', bits: 64 },
  n: { type: 'number' },
  b: { type: 'boolean' },
  y: { type: 'bytes' },
  t: { type: 'time' },
  u: { type: 'microTime' },
  q: { type: 'quantity' },
  x: { type: 'intOrString' },
  '*': { type: 'any', wire: 'json' },
  B: { type: 'any', wire: 'orBool' },
  A: { type: 'any', wire: 'orArray' },
  P: { type: 'any', wire: 'orStrings' },
};

const propertyOfGroup = new Map(Object.entries(groupProperties).map(([property, group]) => [group, property]));
const atomic = new Set(atomicTypes);
const known = new Map<string, ObjectSchema>();

/**
 * The schema of a built-in kind, or undefined.
 *
 * The first call for a kind parses the notation of type-fields.ts for it and for the types that it contains. The fields of a
 * type are separated by `;`. Each has its name, a blank and its shape: the letter of a scalar (see `scalars`) or the name of a
 * type (`.Name` within the same group and version), with `[` before it for each list, `@[` for a boxed one, and `{` for each
 * map around it. An inlined struct has no name. Flags follow after blanks: `#` with the protobuf number; `~` for a pointer;
 * `+` if it is always printed; `!` if it is required; `atomic`, `granular`, `set` or `map=key,key` for server-side apply;
 * `merge`, `merge=key`, `replace` and `retainKeys` for strategic merge patches; `default=` with JSON; `enum=` with values.
 */
export function schemaOf(kind: GroupVersionKind): ObjectSchema | undefined {
  const property = propertyOfGroup.get(kind.group);
  return property === undefined ? undefined : typeSchema(`${property}/${kind.version}.${kind.kind}`);
}

/** The schema of a type that is part of others, such as `meta/v1.ObjectMeta`, or undefined. */
export function typeSchema(name: string): ObjectSchema | undefined {
  const present = known.get(name);
  if (present !== undefined) return present;
  if (!Object.hasOwn(typeFields, name)) return undefined;
  const fields = new Map<string, FieldSchema>();
  const inlined: InlinedSchema[] = [];
  const schema: ObjectSchema = { type: 'object', name, fields, inlined };
  // Set before the fields are read, because some types contain themselves.
  known.set(name, schema);
  const home = name.slice(0, name.indexOf('.'));
  for (const notation of (typeFields[name] ?? '').split(';')) {
    if (notation === '') continue;
    const blank = notation.indexOf(' ');
    const field = readField(notation.slice(blank + 1), home);
    if (blank > 0) fields.set(notation.slice(0, blank), field);
    else {
      const part = field.schema as ObjectSchema;
      inlined.push({ number: field.number, schema: part });
      for (const [inner, innerField] of part.fields) fields.set(inner, { ...innerField, number: 0 });
    }
  }
  return schema;
}

function readField(notation: string, home: string): FieldSchema {
  const [shape = '', ...flags] = notation.split(' ');
  const schema = readSchema(shape, home);
  const isAtomicType = schema.type === 'object' && atomic.has(schema.name);
  const field: { -readonly [K in keyof FieldSchema]: FieldSchema[K] } = {
    schema,
    number: 0,
    pointer: false,
    always: false,
    required: false,
    ownership: (schema.type === 'object' && !isAtomicType) || schema.type === 'map' ? 'granular' : 'atomic',
    keys: [],
    strategy: schema.type === 'list' ? 'replace' : 'merge',
    retainKeys: false,
  };
  let isOwnershipGiven = false;
  for (const flag of flags) {
    const [word, value = ''] = splitFlag(flag);
    if (word === '!') field.required = true;
    else if (word === '~') field.pointer = true;
    else if (word === '+') field.always = true;
    else if (word.startsWith('#')) field.number = Number(word.slice(1));
    else if (word === 'enum') field.values = value.split(',');
    else if (word === 'map' || word === 'atomic' || word === 'granular' || word === 'set') {
      field.ownership = word;
      if (word === 'map') field.keys = value.split(',');
      isOwnershipGiven = true;
    } else if (word === 'merge' || word === 'replace') {
      field.strategy = word;
      if (value !== '') field.mergeKey = value;
    } else if (word === 'retainKeys') field.retainKeys = true;
    else if (word === 'default') field.default = JSON.parse(value);
  }
  // Older lists declare only a strategic merge strategy; server-side apply derives the ownership from it.
  if (!isOwnershipGiven && schema.type === 'list' && field.strategy === 'merge') {
    field.ownership = field.mergeKey === undefined ? 'set' : 'map';
    if (field.mergeKey !== undefined) field.keys = [field.mergeKey];
  }
  return field;
}

function splitFlag(flag: string): readonly [string, string?] {
  const equals = flag.indexOf('=');
  return equals < 0 ? [flag] : [flag.slice(0, equals), flag.slice(equals + 1)];
}

function readSchema(shape: string, home: string): Schema {
  if (shape.startsWith('[')) return { type: 'list', items: readSchema(shape.slice(1), home), boxed: false };
  if (shape.startsWith('@[')) return { type: 'list', items: readSchema(shape.slice(2), home), boxed: true };
  if (shape.startsWith('{')) return { type: 'map', values: readSchema(shape.slice(1), home) };
  const schema = scalars[shape] ?? typeSchema(shape.startsWith('.') ? home + shape : shape);
  if (schema === undefined) throw new Error(`The notation of the built-in schemas names an unknown type: ${shape}`);
  return schema;
}

import { type CelSchema, withTypeAndObjectMeta } from '../schema.js';
import { escapeName } from '../../../meta/cel-names.js';
import {
  boolType,
  bytesType,
  CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
} from './types.js';

/** The largest request body, from which the sizes of values without limits in the schema are estimated. */
const maxRequestBytes = 3 * 1024 * 1024;
const dateBytes = 12;
const minDateTimeBytes = 21;
const maxTimeBytes = 32;
const minDurationBytes = 3;

/** What expressions can read of values of one schema: their type, and how large they can be. */
export interface DeclType {
  readonly schema: CelSchema;
  readonly type: CelType;
  /** The largest number of items, properties or characters. */
  readonly maxElements: number;
  /** The smallest size of such a value as JSON. */
  readonly minSerializedSize: number;
  /** The declaration of items, or of values of a map. */
  readonly element?: DeclType;
  /** The declarations of properties by escaped name, for an object with named properties. */
  readonly fields?: ReadonlyMap<string, DeclType>;
}

/**
 * The declaration for a structural schema, or undefined if expressions cannot read values of it: fields of unknown type that
 * are only preserved, and lists and maps of such. `root` is true for the schema of a whole object, also of an embedded one.
 */
export function declTypeOf(schema: CelSchema, root: boolean): DeclType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true)
    return scalar(
      schema,
      dynType,
      1,
      schema.maxLength === undefined ? maxRequestBytes - 2 : characters(schema.maxLength),
    );
  const visible = root ? withTypeAndObjectMeta(schema) : schema;
  switch (visible.type) {
    case 'array':
      return arrayType(visible);
    case 'object':
      return typeof visible.additionalProperties === 'object' ? mapOf(visible) : objectType(visible);
    case 'string':
      return textType(visible);
    case 'boolean':
      return scalar(schema, boolType, 4);
    case 'number':
      return scalar(schema, doubleType, 1);
    case 'integer':
      return scalar(schema, intType, 1);
    default:
      return undefined;
  }
}

/** The type with names for its objects: `name`, `name.spec`, `name.list.@idx`. Objects are the same type if their names are. */
export function namedType(declared: DeclType, name: string): CelType {
  if (declared.fields !== undefined) {
    const fields = new Map<string, CelType>();
    for (const [field, type] of declared.fields) fields.set(field, namedType(type, `${name}.${field}`));
    return new CelType('struct', name, [], fields);
  }
  if (declared.element === undefined) return declared.type;
  return declared.type.kind === 'list'
    ? listType(namedType(declared.element, `${name}.@idx`))
    : mapType(stringType, namedType(declared.element, `${name}.@elem`));
}

function scalar(schema: CelSchema, type: CelType, minSerializedSize: number, maxElements = 0): DeclType {
  return { schema, type, maxElements, minSerializedSize };
}

function arrayType(schema: CelSchema): DeclType | undefined {
  const element = embedded(schema.items);
  if (element === undefined) return undefined;
  const maxElements =
    atLeastZero(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 1));
  return { schema, type: listType(element.type), element, maxElements, minSerializedSize: 2 };
}

function mapOf(schema: CelSchema): DeclType | undefined {
  const element = embedded(schema.additionalProperties as CelSchema);
  if (element === undefined) return undefined;
  const maxElements =
    atLeastZero(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 6));
  return { schema, type: mapType(stringType, element.type), element, maxElements, minSerializedSize: 2 };
}

function objectType(schema: CelSchema): DeclType {
  const fields = new Map<string, DeclType>();
  let minSerializedSize = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = embedded(property);
    if (type === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, type);
    if (schema.required?.includes(name) === true && property.default === undefined)
      minSerializedSize += Buffer.byteLength(name) + type.minSerializedSize + 4;
  }
  return { schema, type: new CelType('struct', 'object', [], new Map()), fields, maxElements: 0, minSerializedSize };
}

function textType(schema: CelSchema): DeclType {
  const limit = atLeastZero(schema.maxLength);
  switch (schema.format) {
    case 'byte':
      return scalar(schema, bytesType, 2, limit ?? maxRequestBytes - 2);
    case 'duration':
      return scalar(schema, durationType, minDurationBytes, maxTimeBytes);
    case 'date':
      return scalar(schema, timestampType, dateBytes, dateBytes);
    case 'date-time':
      return scalar(schema, timestampType, minDateTimeBytes, maxTimeBytes);
    default:
      return scalar(schema, stringType, 2, limit === undefined ? longestText(schema) : characters(limit));
  }
}

function longestText(schema: CelSchema): number {
  if (schema.enum === undefined || schema.enum.length === 0) return maxRequestBytes - 2;
  return schema.enum.reduce<number>(
    (longest, value) => Math.max(longest, typeof value === 'string' ? Buffer.byteLength(value) : 0),
    0,
  );
}

function embedded(schema: CelSchema | undefined): DeclType | undefined {
  return schema === undefined ? undefined : declTypeOf(schema, schema['x-kubernetes-embedded-resource'] === true);
}

/** maxLength counts code points; sizes are bytes, up to four for each. */
function characters(maxLength: number): number {
  return Math.max(0, maxLength) * 4;
}

function atLeastZero(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, value);
}

/** How often a value of this declaration fits into a request, if lists or maps without limits hold it. */
export function maxCardinality(declared: DeclType): number {
  return Math.floor(maxRequestBytes / (declared.minSerializedSize + 1));
}

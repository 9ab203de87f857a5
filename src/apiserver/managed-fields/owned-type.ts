import type { GroupVersionKind } from '../../meta/resource.js';
import { type FieldSchema, type ObjectSchema, type Schema, schemaOf, typeSchema } from '../../resources/schema.js';
import { atomicTypes } from '../../resources/type-fields.js';

/**
 * The type of a value as server-side apply sees it: what of the value managers own. A type with several shapes takes the one
 * of the value.
 */
export interface OwnedType {
  readonly scalar?: 'string' | 'numeric' | 'boolean' | 'untyped' | undefined;
  readonly list?: OwnedList | undefined;
  readonly map?: OwnedMap | undefined;
}

/** A list: owned as a whole (`atomic`), or by its items, which are identified by their `keys` or, if there are none, by value. */
export interface OwnedList {
  readonly isAtomic: boolean;
  readonly keys: readonly string[];
  readonly items: OwnedType;
}

/** An object or a map: owned as a whole (`atomic`), or by its fields. */
export interface OwnedMap {
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, OwnedField>;
  /** The type of fields that are not in `fields`. Undefined: there are no others. */
  readonly values?: OwnedType | undefined;
}

/** A declared field. */
export interface OwnedField {
  readonly type: OwnedType;
  /** The value that stands for a missing one if the field is the key of a list's items. */
  readonly default?: unknown;
}

const NO_FIELDS: ReadonlyMap<string, OwnedField> = new Map();

/** Any value, owned as a whole. */
export const ATOMIC_ANY: OwnedType = {
  scalar: 'untyped',
  get list() {
    return { isAtomic: true, keys: [], items: ATOMIC_ANY };
  },
  get map() {
    return { isAtomic: true, fields: NO_FIELDS, values: ATOMIC_ANY };
  },
};

/** Any value: maps are owned by key, lists as a whole. */
export const DEDUCED: OwnedType = {
  scalar: 'untyped',
  list: { isAtomic: true, keys: [], items: ATOMIC_ANY },
  get map() {
    return { isAtomic: false, fields: NO_FIELDS, values: DEDUCED };
  },
};

const UNTYPED: OwnedType = { scalar: 'untyped' };
const STRING: OwnedType = { scalar: 'string' };
const NUMERIC: OwnedType = { scalar: 'numeric' };
const BOOLEAN: OwnedType = { scalar: 'boolean' };

const SCALARS: Readonly<Record<Exclude<Schema['type'], 'object' | 'map' | 'list'>, OwnedType>> = {
  string: STRING,
  bytes: STRING,
  integer: NUMERIC,
  number: NUMERIC,
  boolean: BOOLEAN,
  time: UNTYPED,
  microTime: UNTYPED,
  quantity: UNTYPED,
  intOrString: UNTYPED,
  any: ATOMIC_ANY,
};

const atomicNames = new Set(atomicTypes);
const granular = new WeakMap<ObjectSchema, OwnedType>();
const atomic = new WeakMap<ObjectSchema, OwnedType>();

/** The type of a built-in kind. */
export function typeOfKind(kind: GroupVersionKind): OwnedType | undefined {
  const schema = schemaOf(kind);
  return schema === undefined ? undefined : typeOfObject(schema, false);
}

/** The type of `metadata`. */
export function metadataType(): OwnedType {
  return typeOfObject(typeSchema('meta/v1.ObjectMeta')!, false);
}

function typeOfField({ schema, ownership, keys }: FieldSchema): OwnedType {
  switch (schema.type) {
    case 'object':
      return typeOfObject(schema, ownership === 'atomic');
    case 'map':
      return { map: { isAtomic: ownership === 'atomic', fields: NO_FIELDS, values: typeOfSchema(schema.values) } };
    case 'list':
      return { list: { isAtomic: ownership === 'atomic', keys, items: typeOfSchema(schema.items) } };
    default:
      return SCALARS[schema.type];
  }
}

/** The type of items and values, which have no ownership of their own. */
function typeOfSchema(schema: Schema): OwnedType {
  switch (schema.type) {
    case 'object':
      return typeOfObject(schema, atomicNames.has(schema.name));
    case 'map':
      return { map: { isAtomic: false, fields: NO_FIELDS, values: typeOfSchema(schema.values) } };
    case 'list':
      return { list: { isAtomic: true, keys: [], items: typeOfSchema(schema.items) } };
    default:
      return SCALARS[schema.type];
  }
}

function typeOfObject(schema: ObjectSchema, isAtomic: boolean): OwnedType {
  const known = isAtomic ? atomic : granular;
  let type = known.get(schema);
  if (type === undefined) known.set(schema, (type = { map: new ObjectType(schema, isAtomic) }));
  return type;
}

/** Its fields are read when they are needed, because some types contain themselves. */
class ObjectType implements OwnedMap {
  readonly isAtomic: boolean;
  readonly values = undefined;
  readonly #schema: ObjectSchema;
  #fields: ReadonlyMap<string, OwnedField> | undefined;

  constructor(schema: ObjectSchema, isAtomic: boolean) {
    this.#schema = schema;
    this.isAtomic = isAtomic;
  }

  get fields(): ReadonlyMap<string, OwnedField> {
    if (this.#fields === undefined) {
      const fields = [...this.#schema.fields].map(([name, field]) => {
        return [name, { type: typeOfField(field), default: keyDefault(field) }] as const;
      });
      this.#fields = new Map(fields);
    }
    return this.#fields;
  }
}

/** OpenAPI declares the zero value as the default of scalars that are always printed. */
function keyDefault(field: FieldSchema): unknown {
  if (field.default !== undefined || !field.always || field.pointer) return field.default;
  return field.schema.type === 'string' ? '' : field.schema.type === 'integer' ? 0 : undefined;
}

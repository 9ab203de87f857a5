import type { AnySchema, ObjectSchema, ScalarSchema, Schema } from '../../resources/schema.js';
import { typeSchema } from '../../resources/schema.js';
import { BYTES, FIXED64, VARINT } from './wire.js';

/** What a value is on the wire and in JSON. All from `MESSAGE` on are messages. */
export enum Kind {
  String,
  Bytes,
  Int32,
  Int64,
  Boolean,
  Double,
  Message,
  /** A message whose fields are fields of the object around it. */
  Inline,
  /** An array, whose items are the repeated field itself. */
  List,
  /** A message with the items of an array in field 1. */
  Boxed,
  /** An object, whose entries are a repeated message: key in field 1, value in field 2. */
  Map,
  Time,
  MicroTime,
  Duration,
  Quantity,
  IntOrString,
  /** JSON text in field 1. */
  Json,
  /** The unions of a CustomResourceDefinition's schema: field 2 and a boolean, field 1 and a list of field 2. */
  OrBoolean,
  OrArray,
  OrStrings,
}

/** The type of a value. */
export class Shape {
  readonly kind: Kind;
  /** The message; undefined for scalars and unboxed lists. Of a map it is the entry. */
  readonly type: MessageType | undefined;
  /** The items of a list, the values of a map. */
  readonly item: Shape | undefined;
  /** The wire type of one value. */
  readonly wire: number;

  constructor(kind: Kind, type?: MessageType, item?: Shape) {
    this.kind = kind;
    this.type = type;
    this.item = item;
    if (kind === Kind.List) this.wire = item!.wire;
    else if (kind === Kind.Int32 || kind === Kind.Int64 || kind === Kind.Boolean) this.wire = VARINT;
    else this.wire = kind === Kind.Double ? FIXED64 : BYTES;
  }

  /** Whether numbers may also be packed: one value with all items. */
  get isPackable(): boolean {
    return this.kind === Kind.List && this.wire !== BYTES;
  }
}

/** A field of a message. */
export class Field {
  readonly name: string;
  readonly number: number;
  /** Its place among the fields of the object in JSON. Of an inlined message the place of its first field. */
  readonly slot: number;
  readonly shape: Shape;
  readonly kind: Kind;
  /** The message of the shape. */
  readonly type: MessageType | undefined;
  /** The message of one value: of the shape, or of the items of a list. */
  readonly inner: MessageType | undefined;
  /** Whether a zero value differs from none. */
  readonly pointer: boolean;
  /** Whether it is printed even if it is not set. */
  readonly always: boolean;
  /** Whether a zero value is left out. */
  readonly omitsZero: boolean;

  constructor(name: string, number: number, slot: number, shape: Shape, pointer: boolean, always: boolean) {
    this.name = name;
    this.number = number;
    this.slot = slot;
    this.shape = shape;
    this.kind = shape.kind;
    this.type = shape.type;
    this.inner = shape.kind === Kind.List ? shape.item!.type : shape.type;
    this.pointer = pointer;
    this.always = always;
    this.omitsZero = !pointer && !always;
  }
}

/** Makes the empty object of a type. */
type Maker = new () => Record<string, unknown>;

/**
 * A constructor of its own for each type keeps the hidden classes of the types apart, which makes adding fields faster. Its
 * objects are plain: their prototype is that of `{}`.
 */
function makerOf(): Maker {
  function Plain(): void {}
  Plain.prototype = Object.prototype;
  return Plain as unknown as Maker;
}

/** A message compiled from a schema. */
export class MessageType {
  readonly name: string;
  /** The fields of the object in JSON, in the order of Go, including those of inlined messages. */
  readonly slots: Field[] = [];
  readonly byName: Map<string, Field> = new Map();
  /** The fields of the message, in the order of their numbers. */
  readonly fields: Field[] = [];
  /** The fields of the message by number. */
  readonly byNumber: (Field | undefined)[] = [];
  /** The fields of the object that JSON shows even if they are not set. */
  readonly always: Field[] = [];
  /** The fields of the object that are not on the wire: kind and apiVersion. */
  readonly unsent: string[] = [];
  readonly Maker: Maker = makerOf();

  constructor(name: string) {
    this.name = name;
  }

  /** Sorts the fields; called once, after all have been added. */
  finish(): this {
    this.fields.sort((a, b) => a.number - b.number);
    const last = this.fields.at(-1)?.number ?? 0;
    for (let number = 0; number <= last; number++) this.byNumber.push(undefined);
    for (const field of this.fields) this.byNumber[field.number] = field;
    return this;
  }

  addField(field: Field): void {
    this.slots.push(field);
    if (field.always) this.always.push(field);
    this.byName.set(field.name, field);
    if (field.number > 0) this.fields.push(field);
  }
}

const scalarKinds: { readonly [type: string]: Kind } = {
  string: Kind.String,
  bytes: Kind.Bytes,
  boolean: Kind.Boolean,
  number: Kind.Double,
  time: Kind.Time,
  microTime: Kind.MicroTime,
  duration: Kind.Duration,
  quantity: Kind.Quantity,
  intOrString: Kind.IntOrString,
};

const anyKinds: { readonly [wire in AnySchema['wire']]: Kind } = {
  json: Kind.Json,
  orBool: Kind.OrBoolean,
  orArray: Kind.OrArray,
  orStrings: Kind.OrStrings,
};

const stringShape = new Shape(Kind.String);
const int64Shape = new Shape(Kind.Int64);
const int32Shape = new Shape(Kind.Int32);

/** A message that JSON shows as one value. */
function smallMessage(name: string, ...shapes: Shape[]): MessageType {
  const type = new MessageType(name);
  shapes.forEach((shape, i) => {
    type.addField(new Field(String(i + 1), i + 1, i, shape, true, false));
  });
  return type.finish();
}

const timestamp = smallMessage('Timestamp', int64Shape, int32Shape);
const smallMessages = new Map<Kind, MessageType>([
  [Kind.Time, timestamp],
  [Kind.MicroTime, timestamp],
  [Kind.Duration, smallMessage('Duration', int64Shape)],
  [Kind.Quantity, smallMessage('Quantity', stringShape)],
  [Kind.IntOrString, smallMessage('IntOrString', int64Shape, int32Shape, stringShape)],
  [Kind.Json, smallMessage('JSON', new Shape(Kind.Bytes))],
]);

const known = new Map<ObjectSchema, MessageType>();

/** The message of a schema. */
export function messageTypeOf(schema: ObjectSchema): MessageType {
  const present = known.get(schema);
  if (present !== undefined) return present;
  const type = new MessageType(schema.name);
  // Set before the fields are compiled, because some types contain themselves.
  known.set(schema, type);
  const inlined = new Map<string, { readonly number: number; readonly field: Field; readonly type: MessageType }>();
  for (const { number, schema: part } of schema.inlined) {
    const partType = messageTypeOf(part);
    for (const field of partType.slots) inlined.set(field.name, { number, field, type: partType });
  }
  for (const [name, field] of schema.fields) {
    const slot = type.slots.length;
    const inner = inlined.get(name);
    if (inner === undefined) {
      if (field.number === 0) type.unsent.push(name);
      type.addField(new Field(name, field.number, slot, shapeOf(field.schema), field.pointer, field.always));
      continue;
    }
    const { shape, pointer, always } = inner.field;
    type.addField(new Field(name, 0, slot, shape, pointer, always));
    if (inner.field.slot === 0) {
      type.fields.push(new Field('', inner.number, slot, new Shape(Kind.Inline, inner.type), false, false));
    }
  }
  return type.finish();
}

function shapeOf(schema: Schema): Shape {
  switch (schema.type) {
    case 'object':
      return new Shape(Kind.Message, messageTypeOf(schema));
    case 'list': {
      const items = new Shape(Kind.List, undefined, shapeOf(schema.items));
      return schema.boxed ? new Shape(Kind.Boxed, smallMessage('list', items), items.item) : items;
    }
    case 'map': {
      const values = shapeOf(schema.values);
      return new Shape(Kind.Map, smallMessage('entry', stringShape, values), values);
    }
    case 'any':
      return schema.wire === 'json'
        ? new Shape(Kind.Json, smallMessages.get(Kind.Json))
        : new Shape(anyKinds[schema.wire], unionOf(anyKinds[schema.wire]));
    default:
      return scalarShape(schema);
  }
}

function scalarShape(schema: ScalarSchema): Shape {
  if (schema.type === 'integer') return schema.bits === 32 ? int32Shape : int64Shape;
  const kind = scalarKinds[schema.type]!;
  return new Shape(kind, smallMessages.get(kind));
}

/** The message of a union of a CustomResourceDefinition's schema. */
function unionOf(kind: Kind): MessageType {
  const present = smallMessages.get(kind);
  if (present !== undefined) return present;
  const type = new MessageType('union');
  smallMessages.set(kind, type);
  const schema = new Shape(Kind.Message, messageTypeOf(typeSchema('apiextensions/v1.JSONSchemaProps')!));
  const parts: Record<number, readonly [Shape, Shape]> = {
    [Kind.OrBoolean]: [new Shape(Kind.Boolean), schema],
    [Kind.OrArray]: [schema, new Shape(Kind.List, undefined, schema)],
    [Kind.OrStrings]: [schema, new Shape(Kind.List, undefined, stringShape)],
  };
  parts[kind]!.forEach((shape, i) => {
    type.addField(new Field(String(i + 1), i + 1, i, shape, true, false));
  });
  return type.finish();
}

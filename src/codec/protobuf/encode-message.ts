import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { type Field, Kind, type MessageType, type Shape } from './message-type.js';
import { isQuantity, parseDuration, parseTime, ZERO_TIME_SECONDS } from './scalars.js';
import { BYTES, varintSize, writeVarint } from './wire.js';

/** Thrown for a value that protobuf cannot represent: a field or a type of value that the schema does not have. */
export class NotRepresentableError extends Error {}

function fail(what: string): never {
  throw new NotRepresentableError(what);
}

const nothing: JsonObject = {};

/** Messages within each other; far more than any object has, and few enough for the stack. */
const MAX_DEPTH = 600;

/**
 * Writes messages from their end to their start, because the length of a message comes before it. The bytes are those that
 * Go writes, with zero values of fields that are no pointers. A missing field and null are the same.
 */
export class MessageWriter {
  /** How many messages around the present one are being written. */
  #depth = 0;
  #bytes: Buffer = Buffer.allocUnsafeSlow(4096);
  /** The position of the byte that was written last. */
  #at = 4096;
  readonly #exact: boolean;

  /** @param exact whether kind and apiVersion of objects within objects are refused, which Go drops */
  constructor(exact: boolean) {
    this.#exact = exact;
  }

  /** The number of bytes written. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** A copy of what was written; the writer is empty again. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(this.#at));
    if (this.#bytes.length > 1_048_576) this.#bytes = Buffer.allocUnsafeSlow(4096);
    this.#at = this.#bytes.length;
    return taken;
  }

  /** Forgets what was written. */
  clear(): void {
    this.#at = this.#bytes.length;
    this.#depth = 0;
  }

  #reserve(length: number): void {
    if (length <= this.#at) return;
    const used = this.length;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, used + length));
    this.#bytes.copy(larger, larger.length - used, this.#at);
    this.#bytes = larger;
    this.#at = larger.length - used;
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  varint(value: number): void {
    this.#reserve(10);
    this.#at -= varintSize(value);
    writeVarint(this.#bytes, this.#at, value);
  }

  tag(number: number, wire: number): void {
    this.varint(number * 8 + wire);
  }

  /** The tag and length of a field whose content was written since `length` was `before`. */
  close(number: number, before: number): void {
    this.varint(this.length - before);
    this.tag(number, BYTES);
  }

  /** A signed integer as 64 bits. */
  integer(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.varint(value);
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    const digits: number[] = [];
    for (; rest >= 0x80n; rest >>= 7n) digits.push(Number(rest & 0x7fn) | 0x80);
    digits.push(Number(rest));
    this.raw(Uint8Array.from(digits));
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#at -= length;
    this.#bytes.write(text, this.#at, 'utf8');
  }

  /** The fields of a document other than its kind and apiVersion. @throws NotRepresentableError */
  document(value: unknown, type: MessageType): void {
    if (!isJsonObject(value)) fail(`${type.name} is not an object`);
    for (const name of Object.keys(value)) {
      if (!type.byName.has(name)) fail(`${type.name} has no field ${JSON.stringify(name)}`);
    }
    this.#fields(value, type);
  }

  #message(value: unknown, type: MessageType): void {
    if (++this.#depth > MAX_DEPTH) fail(`it is nested deeper than ${MAX_DEPTH} levels`);
    this.document(value, type);
    this.#depth--;
    if (!this.#exact || type.unsent.length === 0) return;
    for (const name of type.unsent) if (getField(value as JsonObject, name) !== undefined) fail(`${name} is not sent`);
  }

  #fields(object: JsonObject, type: MessageType): void {
    const { fields } = type;
    for (let i = fields.length - 1; i >= 0; i--) {
      const field = fields[i]!;
      if (field.kind === Kind.Inline) {
        const before = this.length;
        this.#fields(object, field.type!);
        this.close(field.number, before);
        continue;
      }
      const value = getField(object, field.name);
      if (value !== undefined && value !== null) this.#field(value, field);
      else if (!field.pointer) this.#zero(field);
    }
  }

  #field(value: unknown, { shape, kind, number }: Field): void {
    if (kind === Kind.List) this.#items(value, shape.item!, number);
    else if (kind === Kind.Map) this.#entries(value, shape.item!, number);
    else {
      const before = this.length;
      this.#value(value, shape);
      if (shape.wire === BYTES) this.close(number, before);
      else this.tag(number, shape.wire);
    }
  }

  /** A field that is not set, and is no pointer in Go: Go writes its zero value. */
  #zero({ kind, type, number, shape }: Field): void {
    if (kind === Kind.List || kind === Kind.Map || kind === Kind.Bytes) return;
    const before = this.length;
    if (kind === Kind.Message) this.#fields(nothing, type!);
    else if (kind === Kind.Double) this.double(0);
    else if (shape.wire !== BYTES) this.varint(0);
    else if (kind === Kind.Quantity) this.#text(1, '0');
    else if (kind === Kind.IntOrString) this.#small(0, kind, type);
    else if (kind === Kind.Duration || kind === Kind.OrBoolean) this.#number(1, 0);
    if (shape.wire === BYTES) this.close(number, before);
    else this.tag(number, shape.wire);
  }

  #items(value: unknown, item: Shape, number: number): void {
    if (!Array.isArray(value)) fail(`a list is of the type ${typeof value}`);
    for (let i = value.length - 1; i >= 0; i--) {
      const before = this.length;
      this.#value(value[i], item);
      if (item.wire === BYTES) this.close(number, before);
      else this.tag(number, item.wire);
    }
  }

  #entries(value: unknown, item: Shape, number: number): void {
    if (!isJsonObject(value)) fail(`a map is of the type ${typeof value}`);
    const keys = Object.keys(value).sort();
    for (let i = keys.length - 1; i >= 0; i--) {
      const before = this.length;
      this.#value(value[keys[i]!], item);
      if (item.wire === BYTES) this.close(2, before);
      else this.tag(2, item.wire);
      const beforeKey = this.length;
      this.text(keys[i]!);
      this.close(1, beforeKey);
      this.close(number, before);
    }
  }

  #value(value: unknown, shape: Shape): void {
    switch (shape.kind) {
      case Kind.String:
        if (typeof value !== 'string') fail(`a string is of the type ${typeof value}`);
        this.text(value);
        return;
      case Kind.Bytes:
        this.raw(fromBase64(value));
        return;
      case Kind.Int32:
        if (!Number.isInteger(value) || (value as number) !== ((value as number) | 0)) fail('a number has no 32 bits');
        this.integer(value as number);
        return;
      case Kind.Int64:
        if (!Number.isSafeInteger(value)) fail('a number is not exact');
        this.integer(value as number);
        return;
      case Kind.Boolean:
        if (typeof value !== 'boolean') fail(`a boolean is of the type ${typeof value}`);
        this.varint(value ? 1 : 0);
        return;
      case Kind.Double:
        if (typeof value !== 'number') fail(`a number is of the type ${typeof value}`);
        this.double(value);
        return;
      case Kind.Message:
        this.#message(value, shape.type!);
        return;
      case Kind.Boxed:
        this.#items(value, shape.item!, 1);
        return;
      default:
        this.#small(value, shape.kind, shape.type);
    }
  }

  #small(value: unknown, kind: Kind, type: MessageType | undefined): void {
    switch (kind) {
      case Kind.Time:
      case Kind.MicroTime:
        this.#time(value, kind);
        return;
      case Kind.Duration: {
        const nanos = typeof value === 'string' ? parseDuration(value) : undefined;
        if (nanos === undefined) fail('a duration cannot be parsed');
        this.#number(1, nanos);
        return;
      }
      case Kind.Quantity: {
        const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
        if (typeof text !== 'string' || !isQuantity(text)) fail('a quantity cannot be parsed');
        this.#text(1, text);
        return;
      }
      case Kind.IntOrString:
        if (typeof value === 'string') {
          this.#text(3, value);
          this.#number(2, 0);
          this.#number(1, 1);
        } else if (Number.isInteger(value) && value === ((value as number) | 0)) {
          this.#text(3, '');
          this.#number(2, value as number);
          this.#number(1, 0);
        } else fail('neither a string nor a number of 32 bits');
        return;
      case Kind.Json:
        if (value !== null) this.#text(1, JSON.stringify(value));
        return;
      default:
        this.#union(value, kind, type!);
    }
  }

  #text(number: number, text: string): void {
    const before = this.length;
    this.text(text);
    this.close(number, before);
  }

  #number(number: number, value: number | bigint): void {
    this.integer(value);
    this.tag(number, 0);
  }

  #time(value: unknown, kind: Kind): void {
    if (value === null) return;
    const time = typeof value === 'string' ? parseTime(value) : undefined;
    if (time === undefined) fail('a time cannot be parsed');
    const nanos = kind === Kind.MicroTime ? Math.trunc(time.nanos / 1000) * 1000 : 0;
    // The zero time is a message without fields.
    if (time.seconds === ZERO_TIME_SECONDS && nanos === 0) return;
    this.#number(2, nanos);
    this.#number(1, time.seconds);
  }

  #union(value: unknown, kind: Kind, type: MessageType): void {
    const [first, second] = type.fields as [Field, Field];
    if (kind === Kind.OrBoolean) {
      if (typeof value === 'boolean') this.#number(1, value ? 1 : 0);
      else {
        this.#field(value, second);
        // As Go reads it from JSON.
        this.#number(1, 1);
      }
    } else this.#field(value, Array.isArray(value) ? second : first);
  }
}

function fromBase64(value: unknown): Buffer {
  const bytes = Buffer.from(typeof value === 'string' ? value : '!', 'base64');
  if (bytes.toString('base64') !== value) fail('bytes are not base64');
  return bytes;
}

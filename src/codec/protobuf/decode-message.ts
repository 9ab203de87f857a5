import { setField } from '../../meta/json-values.js';
import { type Field, Kind, type MessageType, type Shape } from './message-type.js';
import { printDuration, printMicroTime, printQuantity, printTime } from './scalars.js';
import { readText } from './text.js';
import { BYTES, cursor, readBoolean, readInt32, readInt64, readLength, readTag, skipValue, VARINT } from './wire.js';

/**
 * Decodes messages that `checkMessage` has accepted. The result is what Go prints as JSON for the same message: fields in Go's
 * order, zero values where Go prints them.
 *
 * While a message is read, its values are collected on a stack, sorted by their slots, which are in Go's order; then they are
 * stored in an object. So objects with the same fields share a hidden class, whatever the order on the wire.
 */
const values: unknown[] = [];
const slots: number[] = [];
let top = 0;

const noBytes = Buffer.alloc(0);

/** The object of the message between `start` and `end`. */
export function decodeMessage(bytes: Buffer, start: number, end: number, type: MessageType): Record<string, unknown> {
  top = 0;
  return decodeObject(bytes, start, end, type);
}

/** The object of a document: with its kind and apiVersion, which the message does not have. */
export function decodeDocument(
  bytes: Buffer,
  start: number,
  end: number,
  type: MessageType,
  kind: string,
  apiVersion: string,
): Record<string, unknown> {
  top = 0;
  const kindField = type.byName.get('kind');
  if (kindField !== undefined && kind !== '') put(0, kindField.slot, kind);
  const versionField = type.byName.get('apiVersion');
  if (versionField !== undefined && apiVersion !== '') put(0, versionField.slot, apiVersion);
  decodeFields(bytes, start, end, type, 0, 0);
  const object = leave(type, 0);
  // Go's client has no list, but servers print an empty one.
  if (object['items'] === null && type.name.endsWith('List')) object['items'] = [];
  return object;
}

function decodeObject(bytes: Buffer, start: number, end: number, type: MessageType): Record<string, unknown> {
  const base = top;
  decodeFields(bytes, start, end, type, base, 0);
  return leave(type, base);
}

/** Makes the object of the values from `base` on, and removes them. */
function leave(type: MessageType, base: number): Record<string, unknown> {
  const object = new type.Maker();
  const { always, slots: fields } = type;
  let next = 0;
  for (let i = base; i < top; i++) {
    const slot = slots[i]!;
    for (; next < always.length && always[next]!.slot <= slot; next++) {
      if (always[next]!.slot < slot) object[always[next]!.name] = zeroOf(always[next]!);
    }
    const value = values[i];
    if (value !== undefined) object[fields[slot]!.name] = value;
    values[i] = undefined;
  }
  for (; next < always.length; next++) object[always[next]!.name] = zeroOf(always[next]!);
  top = base;
  return object;
}

/** What JSON shows for a field that is not set. */
function zeroOf(field: Field): unknown {
  if (field.pointer) return null;
  switch (field.kind) {
    case Kind.String:
      return '';
    case Kind.Quantity:
      return '0';
    case Kind.Duration:
      return '0s';
    case Kind.Int32:
    case Kind.Int64:
    case Kind.Double:
    case Kind.IntOrString:
      return 0;
    case Kind.Boolean:
      return false;
    case Kind.Message:
      return decodeObject(noBytes, 0, 0, field.type!);
    default:
      return null;
  }
}

/** The index of the value of a slot, or the complement of where it would be. Fields mostly arrive in the order of slots. */
function find(base: number, slot: number): number {
  let i = top - 1;
  while (i >= base && slots[i]! > slot) i--;
  return i >= base && slots[i] === slot ? i : ~(i + 1);
}

/** Sets the value of a slot in the message whose values begin at `base`. */
function put(base: number, slot: number, value: unknown): void {
  let at = top;
  if (at > base && slots[at - 1]! >= slot) {
    const found = find(base, slot);
    if (found >= 0) {
      values[found] = value;
      return;
    }
    at = ~found;
    for (let i = top; i > at; i--) {
      slots[i] = slots[i - 1]!;
      values[i] = values[i - 1];
    }
  }
  slots[at] = slot;
  values[at] = value;
  top++;
}

function add(base: number, slot: number, value: unknown): void {
  const found = find(base, slot);
  const list = found < 0 ? undefined : (values[found] as unknown[] | undefined);
  if (list === undefined) put(base, slot, [value]);
  else list.push(value);
}

/** @param offset the slot of the first field: other than 0 for an inlined message */
function decodeFields(
  bytes: Buffer,
  start: number,
  end: number,
  type: MessageType,
  base: number,
  offset: number,
): void {
  /** Numbers of messages that occur again. They were merged when the second one was found. */
  let merged: number[] | undefined;
  /** A bit for each number of an inlined message that was found. */
  let inlined = 0;
  let at = start;
  while (at < end) {
    let tag = bytes[at]!;
    if (tag < 0x80) at++;
    else {
      tag = readTag(bytes, at, end);
      at = cursor.at;
    }
    const number = tag >>> 3;
    const field = number < type.byNumber.length ? type.byNumber[number] : undefined;
    if (field === undefined) {
      at = skipValue(bytes, at, end, tag);
      continue;
    }
    const slot = offset + field.slot;
    if ((tag & 7) !== BYTES) {
      if (field.kind === Kind.List) add(base, slot, decodeNumber(bytes, at, end, field.shape.item!.kind));
      else {
        const value = decodeNumber(bytes, at, end, field.kind);
        if (!field.omitsZero || (value !== 0 && value !== false)) put(base, slot, value);
        else unset(base, slot);
      }
      at = cursor.at;
      continue;
    }
    let length = bytes[at]!;
    if (length < 0x80) at++;
    else {
      length = readLength(bytes, at, end);
      at = cursor.at;
    }
    const to = at + length;
    switch (field.kind) {
      case Kind.String:
        if (length > 0 || !field.omitsZero) put(base, slot, readText(bytes, at, to));
        else unset(base, slot);
        break;
      case Kind.List: {
        const item = field.shape.item!;
        if (item.wire === BYTES) add(base, slot, decodeValue(bytes, at, to, item));
        else for (let i = at; i < to; i = cursor.at) add(base, slot, decodeNumber(bytes, i, to, item.kind));
        break;
      }
      case Kind.Map: {
        const found = find(base, slot);
        let map = found < 0 ? undefined : (values[found] as Record<string, unknown> | undefined);
        if (map === undefined) put(base, slot, (map = {}));
        decodeEntry(bytes, at, to, field.shape.item!, map);
        break;
      }
      case Kind.Inline:
        if ((inlined & (1 << number)) === 0) {
          inlined |= 1 << number;
          decodeFields(bytes, at, to, field.type!, base, slot);
        } else if (merged === undefined || !merged.includes(number)) {
          merged = [...(merged ?? []), number];
          for (let i = 0; i < field.type!.slots.length; i++) unset(base, slot + i);
          const all = allOf(bytes, start, end, number);
          decodeFields(all, 0, all.length, field.type!, base, slot);
        }
        break;
      default:
        if (
          isNew(base, slot) ||
          field.kind === Kind.Time ||
          field.kind === Kind.MicroTime ||
          field.kind === Kind.Bytes
        ) {
          // Go does not merge times.
          putUnlessZero(base, slot, decodeValue(bytes, at, to, field.shape), field);
        } else if (merged === undefined || !merged.includes(number)) {
          merged = [...(merged ?? []), number];
          const all = allOf(bytes, start, end, number);
          putUnlessZero(base, slot, decodeValue(all, 0, all.length, field.shape), field);
        }
    }
    at = to;
  }
}

function isNew(base: number, slot: number): boolean {
  if (top === base || slots[top - 1]! < slot) return true;
  const found = find(base, slot);
  return found < 0 || values[found] === undefined;
}

function unset(base: number, slot: number): void {
  if (top === base || slots[top - 1]! < slot) return;
  const found = find(base, slot);
  if (found >= 0) values[found] = undefined;
}

function putUnlessZero(base: number, slot: number, value: unknown, field: Field): void {
  if (field.omitsZero && isZero(value, field.kind)) unset(base, slot);
  else put(base, slot, value);
}

function isZero(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case Kind.Message:
      return false;
    case Kind.Quantity:
      return value === '0';
    case Kind.Duration:
      return value === '0s';
    case Kind.IntOrString:
      return value === 0;
    case Kind.Bytes:
      return value === '';
    case Kind.Boxed:
      return (value as unknown[]).length === 0;
    default:
      return value === null;
  }
}

/** The messages of a field that occurs more than once, one after the other: decoded as one, they are merged as in Go. */
function allOf(bytes: Buffer, start: number, end: number, number: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = cursor.at;
    const to = skipValue(bytes, from, end, tag);
    if (tag >>> 3 === number) {
      readLength(bytes, from, end);
      parts.push(bytes.subarray(cursor.at, to));
    }
    at = to;
  }
  return Buffer.concat(parts);
}

/** A number; the position after it is in `cursor`. */
function decodeNumber(bytes: Buffer, at: number, end: number, kind: Kind): number | boolean {
  switch (kind) {
    case Kind.Int32:
      return readInt32(bytes, at, end);
    case Kind.Boolean:
      return readBoolean(bytes, at, end);
    case Kind.Double:
      cursor.at = at + 8;
      return bytes.readDoubleLE(at);
    default:
      return readInt64(bytes, at, end);
  }
}

function decodeEntry(bytes: Buffer, start: number, end: number, shape: Shape, map: Record<string, unknown>): void {
  // As every encoder writes it: a short key, then the value.
  const keyEnd = start + 2 + bytes[start + 1]!;
  if (
    bytes[start] === 10 &&
    bytes[start + 1]! < 0x80 &&
    bytes[keyEnd] === 18 &&
    bytes[keyEnd + 1]! < 0x80 &&
    keyEnd + 2 + bytes[keyEnd + 1]! === end
  ) {
    setField(map, readText(bytes, start + 2, keyEnd), decodeValue(bytes, keyEnd + 2, end, shape));
    return;
  }
  let key = '';
  let value: unknown;
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = cursor.at;
    const to = skipValue(bytes, at, end, tag);
    if (tag >>> 3 === 1 || (tag >>> 3 === 2 && shape.wire === BYTES)) {
      readLength(bytes, at, end);
      if (tag >>> 3 === 1) key = readText(bytes, cursor.at, to);
      else value = decodeValue(bytes, cursor.at, to, shape);
    } else if (tag >>> 3 === 2) value = decodeNumber(bytes, at, end, shape.kind);
    at = to;
  }
  setField(map, key, value === undefined ? zeroValue(shape) : value);
}

/** The value of an entry that has none. */
function zeroValue(shape: Shape): unknown {
  if (shape.wire === BYTES) return decodeValue(noBytes, 0, 0, shape);
  return shape.kind === Kind.Boolean ? false : 0;
}

/** A value that is a string, bytes or a message. */
function decodeValue(bytes: Buffer, start: number, end: number, shape: Shape): unknown {
  switch (shape.kind) {
    case Kind.String:
      return readText(bytes, start, end);
    case Kind.Message:
      return decodeObject(bytes, start, end, shape.type!);
    case Kind.Bytes:
      return bytes.toString('base64', start, end);
    case Kind.Boxed:
    case Kind.OrBoolean:
    case Kind.OrArray:
    case Kind.OrStrings:
      return decodeUnion(decodeObject(bytes, start, end, shape.type!), shape.kind);
    default:
      return decodeSmall(bytes, start, end, shape.kind);
  }
}

/** A message with two fields, or one with the items of a list, that JSON shows as one value. */
function decodeUnion(object: Record<string, unknown>, kind: Kind): unknown {
  if (kind === Kind.Boxed) return object['1'] ?? [];
  return object['2'] ?? object['1'] ?? (kind === Kind.OrBoolean ? false : null);
}

/** A message with two numbers and a text, of which JSON shows one. */
function decodeSmall(bytes: Buffer, start: number, end: number, kind: Kind): unknown {
  let first = 0;
  let second = 0;
  let from = -1;
  let to = -1;
  const textNumber = kind === Kind.IntOrString ? 3 : 1;
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = cursor.at;
    if ((tag & 7) === VARINT) {
      const value = readInt64(bytes, at, end);
      if (tag >>> 3 === 1) first = value;
      else if (tag >>> 3 === 2) second = value;
      at = cursor.at;
      continue;
    }
    const next = skipValue(bytes, at, end, tag);
    if (tag >>> 3 === textNumber) {
      readLength(bytes, at, end);
      from = cursor.at;
      to = next;
    }
    at = next;
  }
  switch (kind) {
    case Kind.Time:
      return start === end ? null : printTime(first);
    case Kind.MicroTime:
      return start === end ? null : printMicroTime(first, second | 0);
    case Kind.Duration:
      return printDuration(first);
    case Kind.Quantity:
      return from < 0 ? '0' : printQuantity(readText(bytes, from, to));
    case Kind.IntOrString:
      return first === 1 ? (from < 0 ? '' : readText(bytes, from, to)) : second | 0;
    default:
      return from < 0 ? null : parseJson(bytes, from, to);
  }
}

/** The value of JSON text. Text that is not JSON cannot be shown, and is null. */
function parseJson(bytes: Buffer, from: number, to: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', from, to));
  } catch {
    return null;
  }
}

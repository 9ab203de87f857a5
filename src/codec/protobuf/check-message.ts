import type { MessageType, Shape } from './message-type.js';
import { beginFacts, MANAGED_FIELDS, METADATA, noteMetadata, noteMetadataField } from './object-facts.js';
import {
  BYTES,
  cursor,
  FIXED64,
  MAX_DEPTH,
  MalformedError,
  readInt64,
  readLength,
  readTag,
  skipValue,
  VARINT,
} from './wire.js';

/** What a field of a message is, in the program: any other number is the index of the message that it contains. */
enum Entry {
  /** Unknown, or it needs a closer look. */
  Other,
  Varint,
  Bytes,
}

/**
 * All message types as one array of numbers: the entries of a type begin at its index, one for each field number, and the entry
 * before them is the highest number. The types as objects would be spread over the memory, and reading them from there takes
 * most of the time of a check when events are rare.
 */
let program = new Int32Array(4096);
/** Index 0 to 2 are the other entries. */
let used = 3;
const indexes = new Map<MessageType, number>();
const types = new Map<number, MessageType>();

/** The index of a type in the program, to which it is added if it is not there. */
function indexOf(type: MessageType): number {
  const present = indexes.get(type);
  if (present !== undefined) return present;
  const last = type.byNumber.length - 1;
  const index = used + 1;
  used = index + last + 1;
  if (used > program.length) {
    const larger = new Int32Array(2 * used);
    larger.set(program);
    program = larger;
  }
  program[index - 1] = last;
  // Set before the fields are added, because some types contain themselves.
  indexes.set(type, index);
  types.set(index, type);
  for (const { number, inner, shape } of type.fields) {
    const entry = inner === undefined ? scalarEntry(shape) : indexOf(inner);
    program[index + number] = entry;
  }
  return index;
}

function scalarEntry({ wire }: Shape): Entry {
  if (wire === BYTES) return Entry.Bytes;
  return wire === VARINT ? Entry.Varint : Entry.Other;
}

/** What is noted of a message while it is checked. */
enum Notes {
  None,
  /** It is an object: where its metadata is. */
  Object,
  /** It is the metadata of the object: where its fields are. */
  Metadata,
}

let unknown: string | undefined;
/** The field of the metadata whose messages are not checked, or -1. */
let unchecked = -1;

/**
 * Walks all fields of a message: their lengths and wire types must be those of the schema. Decoding reads nothing else, so
 * that it cannot fail for a message that was checked.
 *
 * @returns the first field that the schema does not have, such as `core/v1.PodSpec field 99`; undefined if there is none
 * @throws MalformedError
 */
export function checkMessage(bytes: Buffer, start: number, end: number, type: MessageType): string | undefined {
  unknown = undefined;
  check(bytes, start, end, indexOf(type), 1, Notes.None);
  return unknown;
}

/**
 * The same for an object with metadata; the facts of the metadata are in `facts` then.
 *
 * @param dropsManagedFields whether the object is stored without them, so that they need not be checked
 */
export function checkObject(
  bytes: Buffer,
  start: number,
  end: number,
  type: MessageType,
  dropsManagedFields: boolean,
): string | undefined {
  unknown = undefined;
  unchecked = dropsManagedFields ? MANAGED_FIELDS : -1;
  beginFacts();
  check(bytes, start, end, indexOf(type), 1, Notes.Object);
  return unknown;
}

function check(bytes: Buffer, start: number, end: number, index: number, depth: number, notes: Notes): void {
  if (depth > MAX_DEPTH) throw new MalformedError(`it is nested deeper than ${MAX_DEPTH} levels`, start);
  const entries = program;
  const last = entries[index - 1]!;
  let at = start;
  while (at < end) {
    const before = at;
    let tag = bytes[at]!;
    let from = at + 1;
    if (tag >= 0x80 && from < end) {
      // Numbers from 16 on.
      tag += (bytes[from]! - 1) << 7;
      from++;
    }
    const number = tag >>> 3;
    const entry = number <= last ? entries[index + number]! : Entry.Other;
    if (from < end && entry >= Entry.Bytes && (tag & 7) === BYTES) {
      let length = bytes[from++]!;
      if (length >= 0x80 || length > end - from) {
        length = readLength(bytes, from - 1, end);
        from = cursor.at;
      }
      at = from + length;
      if (notes !== Notes.None) note(notes, number, before, from, at);
      if (entry > Entry.Bytes && length > 0 && (notes !== Notes.Metadata || number !== unchecked)) {
        check(bytes, from, at, entry, depth + 1, within(notes, number));
      }
    } else if (from < end && entry === Entry.Varint && (tag & 7) === VARINT) {
      at = bytes[from]! < 0x80 ? from + 1 : skipValue(bytes, from, end, VARINT);
    } else at = checkOther(bytes, before, end, index, depth, notes);
  }
}

function note(notes: Notes, number: number, fieldStart: number, start: number, end: number): void {
  if (notes === Notes.Metadata) noteMetadataField(number, fieldStart, start, end);
  else if (number === METADATA) noteMetadata(fieldStart, start, end);
}

/** What is noted of the message in a field. */
function within(notes: Notes, number: number): Notes {
  return notes === Notes.Object && number === METADATA ? Notes.Metadata : Notes.None;
}

/** Checks a field that the program does not have, or whose tag or value is not as encoders write it. */
function checkOther(bytes: Buffer, start: number, end: number, index: number, depth: number, notes: Notes): number {
  const type = types.get(index)!;
  const tag = readTag(bytes, start, end);
  const at = cursor.at;
  const field = type.byNumber[tag >>> 3];
  if (field === undefined) {
    unknown ??= `${type.name} field ${tag >>> 3}`;
    return skipValue(bytes, at, end, tag);
  }
  if ((tag & 7) !== field.shape.wire) return checkPacked(bytes, at, end, tag, field.shape);
  const to = skipValue(bytes, at, end, tag);
  if ((tag & 7) !== BYTES) return to;
  readLength(bytes, at, end);
  const from = cursor.at;
  if (notes !== Notes.None) note(notes, field.number, start, from, to);
  if (field.inner !== undefined) {
    check(bytes, from, to, indexOf(field.inner), depth + 1, within(notes, field.number));
  }
  return to;
}

/** Repeated numbers in one value. */
function checkPacked(bytes: Buffer, from: number, end: number, tag: number, shape: Shape): number {
  if ((tag & 7) !== BYTES || !shape.isPackable) {
    throw new MalformedError(`field ${tag >>> 3} has the wire type ${tag & 7}`, from);
  }
  const length = readLength(bytes, from, end);
  const to = cursor.at + length;
  if (shape.wire === FIXED64) {
    if (length % 8 !== 0) throw new MalformedError('packed numbers are incomplete', from);
  } else for (let at = cursor.at; at < to; at = cursor.at) readInt64(bytes, at, to);
  return to;
}

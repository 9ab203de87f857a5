import type { MessageType, Shape } from './message-type.js';
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
} from './wire.js';

let unknown: string | undefined;

/**
 * Walks all fields of a message: their lengths and wire types must be those of the schema. Decoding reads nothing else, so
 * that it cannot fail for a message that was checked.
 *
 * @returns the first field that the schema does not have, such as `core/v1.PodSpec field 99`; undefined if there is none
 * @throws MalformedError
 */
export function checkMessage(bytes: Buffer, start: number, end: number, type: MessageType): string | undefined {
  unknown = undefined;
  check(bytes, start, end, type, 1);
  return unknown;
}

function check(bytes: Buffer, start: number, end: number, type: MessageType, depth: number): void {
  if (depth > MAX_DEPTH) throw new MalformedError(`it is nested deeper than ${MAX_DEPTH} levels`, start);
  const byNumber = type.byNumber;
  let at = start;
  while (at < end) {
    let tag = bytes[at]!;
    if (tag < 0x80 && tag > 7) at++;
    else {
      tag = readTag(bytes, at, end);
      at = cursor.at;
    }
    const number = tag >>> 3;
    const field = number < byNumber.length ? byNumber[number] : undefined;
    if (field === undefined) {
      unknown ??= `${type.name} field ${number}`;
      at = skipValue(bytes, at, end, tag);
      continue;
    }
    const wire = tag & 7;
    if (wire !== field.shape.wire) {
      at = checkPacked(bytes, at, end, tag, field.shape);
      continue;
    }
    if (wire === BYTES) {
      let length = bytes[at]!;
      if (length < 0x80 && length < end - at) at++;
      else {
        length = readLength(bytes, at, end);
        at = cursor.at;
      }
      const inner = field.inner;
      if (inner !== undefined) check(bytes, at, at + length, inner, depth + 1);
      at += length;
    } else at = skipValue(bytes, at, end, tag);
  }
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

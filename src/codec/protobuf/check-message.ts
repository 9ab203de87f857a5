import { type MessageType, type Shape, Step } from './message-type.js';
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
  const { steps, inners } = type;
  let at = start;
  while (at < end) {
    let tag = bytes[at]!;
    let from = at + 1;
    if (tag >= 0x80 && from < end) {
      // Numbers from 16 on.
      tag += (bytes[from]! - 1) << 7;
      from++;
    }
    const step = tag < steps.length ? steps[tag]! : Step.Other;
    if (step === Step.Other || from >= end) at = checkOther(bytes, at, end, type, depth);
    else {
      let length = bytes[from++]!;
      if (step === Step.Varint) at = length < 0x80 ? from : skipValue(bytes, from - 1, end, VARINT);
      else {
        if (length >= 0x80 || length > end - from) {
          length = readLength(bytes, from - 1, end);
          from = cursor.at;
        }
        at = from + length;
        if (step === Step.Message && length > 0) check(bytes, from, at, inners[tag]!, depth + 1);
      }
    }
  }
}

/** Checks a field that `steps` does not have, or whose tag or value is not as encoders write it. */
function checkOther(bytes: Buffer, start: number, end: number, type: MessageType, depth: number): number {
  const tag = readTag(bytes, start, end);
  const at = cursor.at;
  const field = type.byNumber[tag >>> 3];
  if (field === undefined) {
    unknown ??= `${type.name} field ${tag >>> 3}`;
    return skipValue(bytes, at, end, tag);
  }
  if ((tag & 7) !== field.shape.wire) return checkPacked(bytes, at, end, tag, field.shape);
  const to = skipValue(bytes, at, end, tag);
  if (field.inner !== undefined) {
    readLength(bytes, at, end);
    check(bytes, cursor.at, to, field.inner, depth + 1);
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

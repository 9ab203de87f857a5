/**
 * The wire format of protobuf: tags, varints and lengths. Functions that read more than one value leave the position after it
 * in {@link cursor}, because a returned pair would be an allocation per field.
 */

/** The four bytes before each document of Kubernetes' protobuf. */
export const MAGIC: Buffer = Buffer.from('k8s\0', 'latin1');

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const START_GROUP = 3;
const END_GROUP = 4;
export const FIXED32 = 5;

/** Messages may be nested this deep. The types of Kubernetes are less deep, except for schemas of custom resources. */
export const MAX_DEPTH = 1000;

/** The position after the value that was read last. */
export const cursor: { at: number } = { at: 0 };

/** Thrown for bytes that are not the message that they should be. `at` is an index into the bytes that were passed. */
export class MalformedError extends Error {
  readonly at: number;
  /** Whether the bytes end too early, or a length is too large. */
  readonly isTruncated: boolean;

  constructor(reason: string, at: number, isTruncated = false) {
    super(reason);
    this.at = at;
    this.isTruncated = isTruncated;
  }
}

let low = 0;
let high = 0;

/** Reads 64 bits into `low` and `high`. As in Go, ten bytes are the most, and bits beyond 64 are ignored. */
function readWords(bytes: Buffer, from: number, end: number): void {
  let at = from;
  low = high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    if (at >= end) throw new MalformedError('it ends in the middle of a number', at, true);
    const byte = bytes[at++]!;
    const bits = byte & 0x7f;
    if (shift < 28) low |= bits << shift;
    else if (shift === 28) {
      low |= bits << 28;
      high = bits >>> 4;
    } else high |= bits << (shift - 32);
    if (byte < 0x80) {
      cursor.at = at;
      return;
    }
  }
  throw new MalformedError('a number has more than ten bytes', at);
}

/** The signed 64-bit integer at `from`; rounded beyond 2^53. */
export function readInt64(bytes: Buffer, from: number, end: number): number {
  const first = bytes[from]!;
  if (first < 0x80 && from < end) {
    cursor.at = from + 1;
    return first;
  }
  readWords(bytes, from, end);
  return high * 4_294_967_296 + (low >>> 0);
}

/** The lower 32 bits of the integer at `from`, signed. */
export function readInt32(bytes: Buffer, from: number, end: number): number {
  const first = bytes[from]!;
  if (first < 0x80 && from < end) {
    cursor.at = from + 1;
    return first;
  }
  readWords(bytes, from, end);
  return low;
}

/** The boolean at `from`: any number other than 0 is true. */
export function readBoolean(bytes: Buffer, from: number, end: number): boolean {
  const first = bytes[from]!;
  if (first < 0x80 && from < end) {
    cursor.at = from + 1;
    return first !== 0;
  }
  readWords(bytes, from, end);
  return low !== 0 || high !== 0;
}

/** The tag at `from`: the number of the field times 8, plus the wire type. */
export function readTag(bytes: Buffer, from: number, end: number): number {
  const first = bytes[from]!;
  if (first < 0x80 && first > 7 && from < end) {
    cursor.at = from + 1;
    return first;
  }
  const second = bytes[from + 1]!;
  // Numbers from 16 on.
  if (first >= 0x80 && second < 0x80 && second > 0 && from + 1 < end) {
    cursor.at = from + 2;
    return first + ((second - 1) << 7);
  }
  readWords(bytes, from, end);
  const tag = low >>> 0;
  if (high !== 0 || tag < 8) throw new MalformedError('a field has an illegal number', from);
  return tag;
}

/** The length at `from`, of bytes that end at `end` at the latest. */
export function readLength(bytes: Buffer, from: number, end: number): number {
  const first = bytes[from]!;
  if (first < 0x80 && from < end) {
    cursor.at = from + 1;
    if (first > end - from - 1) throw new MalformedError('a field is longer than its message', from, true);
    return first;
  }
  const second = bytes[from + 1]!;
  if (first >= 0x80 && second < 0x80 && from + 1 < end) {
    cursor.at = from + 2;
    const length = first + ((second - 1) << 7);
    if (length > end - from - 2) throw new MalformedError('a field is longer than its message', from, true);
    return length;
  }
  readWords(bytes, from, end);
  const length = low >>> 0;
  if (high !== 0 || length > end - cursor.at)
    throw new MalformedError('a field is longer than its message', from, true);
  return length;
}

/** The position after the value of the field with this tag, which starts at `from`. */
export function skipValue(bytes: Buffer, from: number, end: number, tag: number): number {
  let at = from;
  switch (tag & 7) {
    case VARINT:
      readWords(bytes, at, end);
      return cursor.at;
    case FIXED64:
      at += 8;
      break;
    case BYTES: {
      const length = readLength(bytes, at, end);
      return cursor.at + length;
    }
    case START_GROUP:
      return skipGroup(bytes, at, end);
    case FIXED32:
      at += 4;
      break;
    default:
      throw new MalformedError(`a field has the wire type ${tag & 7}`, from);
  }
  if (at > end) throw new MalformedError('it ends in the middle of a number', end, true);
  return at;
}

/** Groups are obsolete, and Kubernetes has none: only their end is looked for. */
function skipGroup(bytes: Buffer, from: number, end: number): number {
  let at = from;
  for (let open = 1; open > 0; ) {
    const tag = readTag(bytes, at, end);
    at = cursor.at;
    if ((tag & 7) === END_GROUP) open--;
    else if ((tag & 7) === START_GROUP) open++;
    else at = skipValue(bytes, at, end, tag);
  }
  cursor.at = at;
  return at;
}

/**
 * The first field with this tag, whose value is bytes, in a message that may break off: the end of the field is then that of
 * the message. Undefined if there is none.
 */
export function clippedField(
  bytes: Buffer,
  start: number,
  end: number,
  wanted: number,
): { readonly start: number; readonly end: number } | undefined {
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    if ((tag & 7) !== BYTES) {
      at = skipValue(bytes, cursor.at, end, tag);
      continue;
    }
    const length = readInt64(bytes, cursor.at, end);
    const from = cursor.at;
    if (length < 0) return undefined;
    if (tag === wanted) return { start: from, end: Math.min(from + length, end) };
    at = from + length;
  }
  return undefined;
}

/** The number of bytes of a length or tag as a varint. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Writes a length or tag as a varint; returns the position after it. */
export function writeVarint(into: Buffer, from: number, value: number): number {
  let at = from;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) into[at++] = (rest % 0x80) | 0x80;
  into[at++] = rest;
  return at;
}

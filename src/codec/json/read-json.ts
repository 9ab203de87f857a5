/**
 * Reads JSON bytes that a scan has validated. This is plain JavaScript, because it reads short ranges, for which a call into
 * WebAssembly costs more than it saves.
 */
import type { FieldPath } from '../raw.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Methods of Node's buffers that its types do not declare: they skip the look-up of the encoding and argument checks. */
interface FastBuffer extends Buffer {
  latin1Slice(from: number, to: number): string;
  utf8Slice(from: number, to: number): string;
}

/** Decodes a range of UTF-8 bytes. Invalid bytes become U+FFFD, as in `Buffer.toString`. */
export function utf8(bytes: Buffer, from: number, to: number): string {
  return (bytes as FastBuffer).utf8Slice(from, to);
}

/** Decodes a range of ASCII bytes. */
export function ascii(bytes: Buffer, from: number, to: number): string {
  return (bytes as FastBuffer).latin1Slice(from, to);
}

/** Parses the JSON string between `from` and `to`, quotes included; undefined if the value is not a string. */
export function parseString(bytes: Buffer, from: number, to: number): string | undefined {
  if (bytes[from] !== QUOTE) return undefined;
  const end = to - 1;
  for (let i = from + 1; i < end; i++) {
    const c = bytes[i]!;
    if (c === BACKSLASH || c > 0x7f) return JSON.parse(utf8(bytes, from, to));
  }
  return ascii(bytes, from + 1, end);
}

/** Whether the bytes between `from` and `to` are the JSON string `text`, written without escapes. */
export function isPlainText(bytes: Buffer, from: number, to: number, text: string): boolean {
  if (bytes[from] !== QUOTE || to - from - 2 !== text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[from + 1 + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Parses the JSON value between `from` and `to`. */
export function parseValue(bytes: Buffer, from: number, to: number): unknown {
  return bytes[from] === QUOTE ? parseString(bytes, from, to) : JSON.parse(utf8(bytes, from, to));
}

function isSpace(c: number): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}

/** The first position from `at` on that is not whitespace. */
export function skipSpace(bytes: Buffer, at: number): number {
  let i = at;
  while (isSpace(bytes[i]!)) i++;
  return i;
}

/** The last position up to `at` that is not whitespace. */
export function skipSpaceBack(bytes: Buffer, at: number): number {
  let i = at;
  while (isSpace(bytes[i]!)) i--;
  return i;
}

/** The position after the string that starts at `at`. */
function skipString(bytes: Buffer, at: number): number {
  let i = at + 1;
  for (;;) {
    const c = bytes[i]!;
    if (c === QUOTE) return i + 1;
    i += c === BACKSLASH ? 2 : 1;
  }
}

/** The position after the value that starts at `at`. */
function skipValue(bytes: Buffer, at: number): number {
  let i = at;
  let depth = 0;
  for (;;) {
    const c = bytes[i]!;
    if (c === QUOTE) {
      i = skipString(bytes, i);
      if (depth === 0) return i;
    } else if (c === 0x7b || c === 0x5b) {
      depth++;
      i++;
    } else if (c === 0x7d || c === 0x5d) {
      // The bracket of the container ends a number or a literal.
      if (depth === 0) return i;
      i++;
      if (--depth === 0) return i;
    } else if (depth === 0 && (c === 0x2c || isSpace(c))) return i;
    else i++;
  }
}

/** Whether the key between `from` and `to`, quotes included, is `name`. */
function keyIs(bytes: Buffer, from: number, to: number, name: Buffer, text: string): boolean {
  const length = to - from - 2;
  let i = 0;
  while (i < length && i < name.length && bytes[from + 1 + i] === name[i]) i++;
  if (i === length && i === name.length) return true;
  for (; i < length; i++) if (bytes[from + 1 + i] === BACKSLASH) return parseString(bytes, from, to) === text;
  return false;
}

/** The positions of a member of an object. */
export interface Member {
  /** The start of its key. */
  readonly key: number;
  readonly start: number;
  readonly end: number;
}

const names = new Map<string, Buffer>();

/** The bytes of a name, cached. The cache is bounded, because a caller may read any number of different labels. */
function encoded(name: string): Buffer {
  let bytes = names.get(name);
  if (bytes === undefined) {
    bytes = Buffer.from(name);
    if (names.size >= 1000) names.clear();
    names.set(name, bytes);
  }
  return bytes;
}

/** All members with this name of the object at `at`, in order. */
function membersOf(bytes: Buffer, at: number, name: string): Member[] {
  const found: Member[] = [];
  const wanted = encoded(name);
  let i = skipSpace(bytes, at + 1);
  while (bytes[i] !== 0x7d) {
    const key = i;
    const keyEnd = skipString(bytes, i);
    const start = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1);
    const end = skipValue(bytes, start);
    if (keyIs(bytes, key, keyEnd, wanted, name)) found.push({ key, start, end });
    i = nextEntry(bytes, end);
  }
  return found;
}

/** The start of the value of the first member with this name, or -1. Usually reads only the start of the object. */
function firstValueOf(bytes: Buffer, at: number, name: string): number {
  const wanted = encoded(name);
  let i = skipSpace(bytes, at + 1);
  while (bytes[i] !== 0x7d) {
    const keyEnd = skipString(bytes, i);
    const start = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1);
    if (keyIs(bytes, i, keyEnd, wanted, name)) return start;
    i = nextEntry(bytes, skipValue(bytes, start));
  }
  return -1;
}

/** The start of the next entry of an object or array after the one that ends at `end`, or the closing bracket. */
function nextEntry(bytes: Buffer, end: number): number {
  const i = skipSpace(bytes, end);
  return bytes[i] === 0x2c ? skipSpace(bytes, i + 1) : i;
}

/** The start of the element `index` of the array at `at`; its number of elements for `length`. */
function elementOf(bytes: Buffer, at: number, index: string): { start: number } | number | undefined {
  const wanted = Number(index);
  let i = skipSpace(bytes, at + 1);
  let count = 0;
  while (bytes[i] !== 0x5d) {
    const end = skipValue(bytes, i);
    if (count === wanted && String(wanted) === index) return { start: i };
    count++;
    i = nextEntry(bytes, end);
  }
  return index === 'length' ? count : undefined;
}

/**
 * The decoded value at a path of the object at `at`, as in the parsed object: of duplicate members the last one counts.
 *
 * @param unique how many leading names of the path have no duplicates: for these the search ends at the first match
 */
export function readPath(bytes: Buffer, at: number, path: FieldPath, unique: number): unknown {
  let start = at;
  for (let i = 0; i < path.length; i++) {
    const name = path[i]!;
    if (bytes[start] === 0x7b) {
      start = i < unique ? firstValueOf(bytes, start, name) : (membersOf(bytes, start, name).at(-1)?.start ?? -1);
      if (start < 0) return undefined;
    } else if (bytes[start] === 0x5b) {
      const element = elementOf(bytes, start, name);
      if (typeof element !== 'object') return i === path.length - 1 ? element : undefined;
      start = element.start;
    } else return undefined;
  }
  return parseValue(bytes, start, skipValue(bytes, start));
}

/** All members at a path of the object at `at`, including duplicates. */
export function findMembers(bytes: Buffer, at: number, path: FieldPath): Member[] {
  const [name, ...rest] = path;
  if (name === undefined || bytes[at] !== 0x7b) return [];
  const members = membersOf(bytes, at, name);
  return rest.length === 0 ? members : members.flatMap((member) => findMembers(bytes, member.start, rest));
}

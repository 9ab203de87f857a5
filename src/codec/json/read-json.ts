/**
 * Reading JSON bytes that are known to be valid, because a scan has been over them. Everything here is plain code on
 * purpose: it looks at short stretches, where entering WebAssembly would cost more than it gives.
 */
import type { FieldPath } from '../raw.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What Node's buffers can do and its types do not tell: no look-up of an encoding, no check of arguments. */
interface FastBuffer extends Buffer {
  latin1Slice(from: number, to: number): string;
  utf8Slice(from: number, to: number): string;
}

/** The text of a stretch of bytes. Bytes that are no UTF-8 become U+FFFD, as they do in `Buffer.toString`. */
export function utf8(bytes: Buffer, from: number, to: number): string {
  return (bytes as FastBuffer).utf8Slice(from, to);
}

/** The text of bytes that are all ASCII. */
export function ascii(bytes: Buffer, from: number, to: number): string {
  return (bytes as FastBuffer).latin1Slice(from, to);
}

/** The value of the JSON string between `from` and `to`, quotes included; undefined when it is no string. */
export function parseString(bytes: Buffer, from: number, to: number): string | undefined {
  if (bytes[from] !== QUOTE) return undefined;
  const end = to - 1;
  for (let i = from + 1; i < end; i++) {
    const c = bytes[i]!;
    if (c === BACKSLASH || c > 0x7f) return JSON.parse(utf8(bytes, from, to));
  }
  return ascii(bytes, from + 1, end);
}

/** Whether the JSON string between `from` and `to` is `text`, written without escapes. */
export function isPlainText(bytes: Buffer, from: number, to: number, text: string): boolean {
  if (bytes[from] !== QUOTE || to - from - 2 !== text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[from + 1 + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** The value between `from` and `to`. */
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

/** The position behind the string that begins at `at`. */
function skipString(bytes: Buffer, at: number): number {
  let i = at + 1;
  for (;;) {
    const c = bytes[i]!;
    if (c === QUOTE) return i + 1;
    i += c === BACKSLASH ? 2 : 1;
  }
}

/** The position behind the value that begins at `at`. */
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
      // A number or a literal may end at the bracket around it.
      if (depth === 0) return i;
      i++;
      if (--depth === 0) return i;
    } else if (depth === 0 && (c === 0x2c || isSpace(c))) return i;
    else i++;
  }
}

/** Whether the key between its quotes is `name`. */
function keyIs(bytes: Buffer, from: number, to: number, name: Buffer, text: string): boolean {
  const length = to - from - 2;
  let i = 0;
  while (i < length && i < name.length && bytes[from + 1 + i] === name[i]) i++;
  if (i === length && i === name.length) return true;
  for (; i < length; i++) if (bytes[from + 1 + i] === BACKSLASH) return parseString(bytes, from, to) === text;
  return false;
}

/** Where a member of an object is. */
export interface Member {
  /** Where its key begins. */
  readonly key: number;
  readonly start: number;
  readonly end: number;
}

const names = new Map<string, Buffer>();

/** Paths are few and come again and again; labels asked for by somebody's loop need not be. */
function encoded(name: string): Buffer {
  let bytes = names.get(name);
  if (bytes === undefined) {
    bytes = Buffer.from(name);
    if (names.size >= 1000) names.clear();
    names.set(name, bytes);
  }
  return bytes;
}

/** The members of a name of the object at `at`, in their order. */
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

/** Where the value of the first member of a name begins, or -1: most often this looks at a few bytes of an object only. */
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

/** From the end of an entry of an object or array to the next one, or to the bracket. */
function nextEntry(bytes: Buffer, end: number): number {
  const i = skipSpace(bytes, end);
  return bytes[i] === 0x2c ? skipSpace(bytes, i + 1) : i;
}

/** The element number `index` of the array at `at`, or with `length` how many there are. */
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
 * The decoded value at a path below the object at `at`, as reading the fields of the parsed object would give it; of
 * members with the same name the last one counts.
 *
 * @param unique how many names of the path are known to be alone in their object: there the first one will do.
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

/** Everything at a path below the object at `at`, however often names come. */
export function findMembers(bytes: Buffer, at: number, path: FieldPath): Member[] {
  const [name, ...rest] = path;
  if (name === undefined || bytes[at] !== 0x7b) return [];
  const members = membersOf(bytes, at, name);
  return rest.length === 0 ? members : members.flatMap((member) => findMembers(bytes, member.start, rest));
}

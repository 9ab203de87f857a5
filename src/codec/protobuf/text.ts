/** Strings from bytes. */

/** Methods of Node's buffers that its types do not declare: they skip the look-up of the encoding and argument checks. */
interface FastBuffer extends Buffer {
  latin1Slice(from: number, to: number): string;
  utf8Slice(from: number, to: number): string;
}

/** Longer strings are rarely repeated. */
const MAX_INTERNED = 64;
const TABLE_SIZE = 4096;
const table: string[] = new Array<string>(TABLE_SIZE).fill('');
/** Their lengths. */
const lengths = new Uint8Array(TABLE_SIZE);
/** The bytes of the strings in the table: comparing bytes is faster than comparing them with characters of a string. */
const tableBytes = new Uint8Array(TABLE_SIZE * MAX_INTERNED);

/**
 * The UTF-8 text between `from` and `to`; invalid bytes become U+FFFD. Short ASCII texts are looked up in a table first: in the
 * objects of a cluster most are names of labels, images, nodes and so on that recur, and making a string costs more than
 * comparing one. The hash is of a few bytes only, because those of a text that was found are all compared anyway.
 */
export function readText(bytes: Buffer, from: number, to: number): string {
  const length = to - from;
  if (length > MAX_INTERNED) return (bytes as FastBuffer).utf8Slice(from, to);
  if (length === 0) return '';
  const middle = from + (length >>> 1);
  let hash = Math.imul(length, 0x9e37) + Math.imul(bytes[from]!, 0x1003f);
  hash = Math.imul(hash ^ bytes[to - 1]!, 0x85eb) + bytes[middle]!;
  hash = Math.imul(hash ^ bytes[from + (length >>> 2)]!, 0x85eb) + bytes[middle + (length >>> 2)]!;
  if (length > 4) hash = Math.imul(hash, 0x85eb) + (bytes[to - 2]! << 8) + bytes[to - 3]!;
  const slot = (hash ^ (hash >>> 16)) & (TABLE_SIZE - 1);
  const base = slot * MAX_INTERNED;
  if (lengths[slot] === length) {
    let i = 0;
    while (i < length && bytes[from + i] === tableBytes[base + i]) i++;
    if (i === length) return table[slot]!;
  }
  let bits = 0;
  for (let i = from; i < to; i++) bits |= bytes[i]!;
  if (bits > 0x7f) return (bytes as FastBuffer).utf8Slice(from, to);
  const text = (bytes as FastBuffer).latin1Slice(from, to);
  table[slot] = text;
  lengths[slot] = length;
  for (let i = 0; i < length; i++) tableBytes[base + i] = bytes[from + i]!;
  return text;
}

/** Whether the bytes between `from` and `to` are the ASCII text. */
export function equalsText(text: string, bytes: Buffer, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[from + i]) return false;
  return true;
}

/** The ASCII text between `from` and `to`, which is not looked up. */
export function readAscii(bytes: Buffer, from: number, to: number): string {
  return (bytes as FastBuffer).latin1Slice(from, to);
}

import { type ByteReader, type ByteWriter, MalformedBytesError } from './bytes.js';

/**
 * The difference between two texts: the length of the new one, then pieces until it is complete.
 *
 * ```
 *   piece    number n, even    n / 2 bytes of the old text; then where they start, relative to the end of the last such piece
 *            number n, odd     (n - 1) / 2 bytes that follow
 * ```
 *
 * An update of a Kubernetes object changes a few values (its resourceVersion, times, parts of the status) in different places; what is
 * between them becomes pieces of the old text.
 */

/** The shortest piece of the old text; a shorter one takes as many bytes as its place. */
const SHORTEST = 8;
/** The old text is indexed at every so many bytes. */
const STRIDE = 4;
const MAX_TABLE = 1 << 16;
/** The place after the last text with each hash; 0: none. */
const table = new Int32Array(MAX_TABLE);

/** Writes what makes `next` of `old`. */
export function writeDelta(out: ByteWriter, old: Uint8Array, next: Uint8Array): void {
  out.number(next.length);
  const shorter = Math.min(old.length, next.length);
  let head = 0;
  while (head < shorter && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail++;
  const pieces = new Pieces(out, next);
  if (head > 0) pieces.copy(0, 0, head);
  writeMiddle(pieces, old, head, old.length - tail, next, head, next.length - tail);
  if (tail > 0) pieces.copy(old.length - tail, next.length - tail, tail);
  pieces.end();
}

/** Finds the pieces of `old` from `oldStart` to `oldEnd` in `next` from `start` to `end`. */
function writeMiddle(
  pieces: Pieces,
  old: Uint8Array,
  oldStart: number,
  oldEnd: number,
  next: Uint8Array,
  start: number,
  end: number,
): void {
  if (oldEnd - oldStart < SHORTEST || end - start < SHORTEST) return;
  let mask = 256;
  while (mask < MAX_TABLE && mask * STRIDE < 2 * (oldEnd - oldStart)) mask *= 2;
  table.fill(0, 0, mask--);
  for (let at = oldStart; at + SHORTEST <= oldEnd; at += STRIDE) table[hashAt(old, at) & mask] = at + 1;
  for (let at = start; at + SHORTEST <= end; ) {
    let from = table[hashAt(next, at) & mask]! - 1;
    let length = from < 0 ? 0 : equalLength(old, from, oldEnd, next, at, end);
    if (length < SHORTEST) {
      at++;
      continue;
    }
    for (; from > oldStart && at > pieces.done && old[from - 1] === next[at - 1]; length++) {
      from--;
      at--;
    }
    pieces.copy(from, at, length);
    at += length;
  }
}

function hashAt(bytes: Uint8Array, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  const high = bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 24);
  const hash = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}

function equalLength(a: Uint8Array, from: number, fromEnd: number, b: Uint8Array, at: number, end: number): number {
  const limit = Math.min(fromEnd - from, end - at);
  let length = 0;
  while (length < limit && a[from + length] === b[at + length]) length++;
  return length;
}

/** The pieces of one difference; those of the old text that meet are one. */
class Pieces {
  readonly #out: ByteWriter;
  readonly #next: Uint8Array;
  /** How much of the new text is written or waits as a piece of the old one. */
  done = 0;
  #written = 0;
  #from = 0;
  #expected = 0;

  constructor(out: ByteWriter, next: Uint8Array) {
    this.#out = out;
    this.#next = next;
  }

  /** `length` bytes of the new text at `at` are those of the old text at `from`. */
  copy(from: number, at: number, length: number): void {
    const isContinued = at === this.done && this.done > this.#written && from === this.#from + (at - this.#written);
    if (!isContinued) {
      this.#flush();
      if (at > this.#written) this.#insert(at);
      this.#from = from;
    }
    this.done = at + length;
  }

  end(): void {
    this.#flush();
    if (this.#next.length > this.#written) this.#insert(this.#next.length);
  }

  /** Writes the piece of the old text that waits. */
  #flush(): void {
    const length = this.done - this.#written;
    if (length === 0) return;
    this.#out.number(2 * length);
    this.#out.signed(this.#from - this.#expected);
    this.#expected = this.#from + length;
    this.#written = this.done;
  }

  #insert(to: number): void {
    this.#out.number(2 * (to - this.#written) + 1);
    this.#out.append(this.#next.subarray(this.#written, to));
    this.#written = to;
    this.done = to;
  }
}

/** Makes the new text of the old one. Throws a {@link MalformedBytesError} if it would be longer than `limit`. */
export function readDelta(from: ByteReader, old: Uint8Array, limit: number): Buffer {
  const length = from.number();
  if (length > limit) throw new MalformedBytesError(`an object has ${length} bytes, more than ${limit}`);
  const next = Buffer.allocUnsafe(length);
  let expected = 0;
  for (let at = 0; at < length; ) {
    const piece = from.number();
    const size = Math.floor(piece / 2);
    if (size === 0 || size > length - at) throw new MalformedBytesError('a piece does not fit into its object');
    if (piece % 2 === 1) next.set(from.take(size), at);
    else {
      const start = expected + from.signed();
      if (start < 0 || start + size > old.length) {
        throw new MalformedBytesError('a piece is not in the object that it is taken from');
      }
      next.set(old.subarray(start, start + size), at);
      expected = start + size;
    }
    at += size;
  }
  return next;
}

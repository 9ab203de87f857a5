import { BLOCK_BYTES, TAR_TYPES, type TarEntry, tarPadding } from './tar-writer.js';

/** An entry, and its content as it comes. The content has to be read before the next entry. */
export interface ReadEntry extends TarEntry {
  content(): AsyncGenerator<Buffer, void>;
}

/** Limit of an extended header. */
const MAX_EXTENDED_BYTES = 1024 * 1024;

const TYPES: ReadonlyMap<string, TarEntry['type']> = new Map([
  ...Object.entries(TAR_TYPES).map(([name, code]) => [code, name as TarEntry['type']] as const),
  // Archives of the seventies, and contiguous files, which are files.
  ['\0', 'file'],
  ['7', 'file'],
]);

/**
 * Reads the entries of an archive: ustar, with the extended headers of POSIX (`x`, `g`) and of GNU (`L`, `K`). Devices, pipes
 * and other special files are left out.
 *
 * @throws Error at bytes that are no archive
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry, void> {
  const bytes = new ByteReader(source);
  let extended: Record<string, string> = {};
  const global: Record<string, string> = {};
  for (;;) {
    const head = await bytes.take(BLOCK_BYTES, true);
    // An archive ends with zeros; a stream that ends before these has lost nothing that matters.
    if (head === undefined || head.every((byte) => byte === 0)) break;
    checkSum(head);
    const type = String.fromCharCode(head[156]!);
    const size = extended['size'] === undefined ? numberOf(head, 124, 12) : Number(extended['size']);
    if (!Number.isSafeInteger(size) || size < 0) throw notTar('the size of an entry is no number');
    if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
      const content = await bytes.content(size);
      if (type === 'L') extended['path'] = textOf(content);
      else if (type === 'K') extended['linkpath'] = textOf(content);
      else Object.assign(type === 'x' ? extended : global, readPax(content));
      continue;
    }
    const entry = entryOf(head, type, size, { ...global, ...extended });
    extended = {};
    const content = entry?.type === 'file' ? size : 0;
    // Other types have no content, whatever their size says; special files of some archivers do.
    bytes.expect(content === 0 && entry !== undefined ? 0 : size);
    if (entry !== undefined) yield { ...entry, size: content, content: () => bytes.read() };
    await bytes.skip();
  }
  await bytes.drain();
}

function entryOf(
  head: Buffer,
  type: string,
  size: number,
  extended: Readonly<Record<string, string>>,
): TarEntry | undefined {
  const known = TYPES.get(type);
  if (known === undefined) return undefined;
  const prefix = head.toString('latin1', 257, 262) === 'ustar' ? textOf(head.subarray(345, 500)) : '';
  const name = textOf(head.subarray(0, 100));
  const path = extended['path'] ?? (prefix === '' ? name : `${prefix}/${name}`);
  // Old archives write a folder as a file whose name ends with a slash.
  const isFolder = known === 'folder' || (known === 'file' && path.endsWith('/'));
  return {
    type: isFolder ? 'folder' : known,
    path,
    size,
    mode: numberOf(head, 100, 8) & 0o7777,
    mtime: Number.parseFloat(extended['mtime'] ?? '') || numberOf(head, 136, 12),
    link: extended['linkpath'] ?? textOf(head.subarray(157, 257)),
  };
}

/** Cuts a stream into blocks. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  /** What is left of the content of the present entry, and of the block that it ends in. */
  #left = 0;
  #padding = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** The next bytes, which are few; undefined if `mayEnd` and the stream ends in front of them. */
  async take(count: number, mayEnd = false): Promise<Buffer | undefined> {
    while (this.#buffer.length < count) {
      const isAtStart = mayEnd && this.#buffer.length === 0;
      if (!(await this.#fill(isAtStart))) return undefined;
    }
    const bytes = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return bytes;
  }

  /** Reads a chunk. False: the stream has ended, which is an error unless `mayEnd`. */
  async #fill(mayEnd = false): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) {
      if (mayEnd) return false;
      throw notTar('it ends in the middle of an entry');
    }
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value]);
    return true;
  }

  /** The content of an extended header. */
  async content(size: number): Promise<Buffer> {
    if (size > MAX_EXTENDED_BYTES) throw notTar('an extended header is too long');
    const bytes = (await this.take(size + tarPadding(size).length))!;
    return bytes.subarray(0, size);
  }

  /** A content of this size follows. */
  expect(size: number): void {
    this.#left = size;
    this.#padding = tarPadding(size).length;
  }

  /** The content that is left, as it comes. */
  async *read(): AsyncGenerator<Buffer, void> {
    while (this.#left > 0) {
      if (this.#buffer.length === 0) await this.#fill();
      const part = this.#buffer.subarray(0, this.#left);
      this.#buffer = this.#buffer.subarray(part.length);
      this.#left -= part.length;
      yield part;
    }
  }

  async skip(): Promise<void> {
    for await (const _ of this.read());
    await this.take(this.#padding);
    this.#padding = 0;
  }

  /** Reads what follows the archive, so that its writer can end. */
  async drain(): Promise<void> {
    this.#buffer = Buffer.alloc(0);
    while ((await this.#chunks.next()).done !== true);
  }
}

function checkSum(head: Buffer): void {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK_BYTES; at++) if (at < 148 || at >= 156) sum += head[at]!;
  if (numberOf(head, 148, 8) !== sum) throw notTar('the checksum of an entry is wrong');
}

/** A number in octal digits, or in binary if its first bit is set, as GNU writes large ones. */
function numberOf(head: Buffer, at: number, length: number): number {
  if ((head[at]! & 0x80) !== 0) {
    let number = head[at]! & 0x7f;
    for (let index = at + 1; index < at + length; index++) number = number * 256 + head[index]!;
    return number;
  }
  const text = textOf(head.subarray(at, at + length)).trim();
  return text === '' ? 0 : /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

/** The text up to the first zero. */
function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** Records of an extended header: `length name=value\n`. */
function readPax(content: Buffer): Record<string, string> {
  const fields: Record<string, string> = {};
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const length = Number(content.toString('latin1', at, Math.max(space, at)));
    if (space < 0 || !Number.isInteger(length) || length <= space - at || at + length > content.length) {
      throw notTar('an extended header is malformed');
    }
    const record = content.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    const name = record.slice(0, Math.max(equals, 0));
    if (name === 'path' || name === 'linkpath' || name === 'size' || name === 'mtime') {
      fields[name] = record.slice(equals + 1);
    }
    at += length;
  }
  return fields;
}

function notTar(why: string): Error {
  return new Error(`the container sent no valid tar archive: ${why}`);
}

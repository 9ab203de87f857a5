import { DEFAULT_TABLE_BYTES } from './frames.js';
import { ENTRY_OVERHEAD_BYTES, staticTable } from './hpack-tables.js';

/** Fields whose value differs from request to request: they would only push others out of the table. */
const unindexed: ReadonlySet<string> = new Set([':path', 'content-length']);

const staticNames = new Map<string, number>();
const staticFields = new Map<string, number>();
for (const [at, [name, value]] of staticTable.entries()) {
  if (!staticNames.has(name)) staticNames.set(name, at + 1);
  staticFields.set(fieldKey(name, value), at + 1);
}

/**
 * Compresses the header blocks of the requests of one connection (HPACK, RFC 7541). Fields that are repeated, such as the token of
 * the client, are sent once and then referred to. Strings are not Huffman-coded.
 */
export class HpackEncoder {
  /** The dynamic table: field → its number, counted from the first that was ever added. Oldest first. */
  readonly #entries = new Map<string, number>();
  #added = 0;
  #size = 0;
  #maxSize = DEFAULT_TABLE_BYTES;
  /** The smallest size since the last block, if the size was changed: the next block begins with it. */
  #smallest: number | undefined;

  /** The server accepts a dynamic table of this size. */
  limit(bytes: number): void {
    const size = Math.min(bytes, DEFAULT_TABLE_BYTES);
    if (size === this.#maxSize) return;
    this.#smallest = Math.min(size, this.#smallest ?? size);
    this.#maxSize = size;
    this.#evict();
  }

  /** A block of these fields. Values are written as Latin-1. */
  encode(fields: readonly (readonly [name: string, value: string])[]): Buffer {
    const parts: number[] = [];
    if (this.#smallest !== undefined) {
      integer(parts, 0x20, 5, this.#smallest);
      if (this.#smallest !== this.#maxSize) integer(parts, 0x20, 5, this.#maxSize);
      this.#smallest = undefined;
    }
    for (const [name, value] of fields) this.#field(parts, name, value);
    return Buffer.from(parts);
  }

  #field(parts: number[], name: string, value: string): void {
    const key = fieldKey(name, value);
    const index = staticFields.get(key) ?? this.#indexOf(key);
    if (index !== undefined) {
      integer(parts, 0x80, 7, index);
      return;
    }
    const size = name.length + value.length + ENTRY_OVERHEAD_BYTES;
    const isAdded = !unindexed.has(name) && size <= this.#maxSize;
    const nameIndex = staticNames.get(name) ?? 0;
    integer(parts, isAdded ? 0x40 : 0, isAdded ? 6 : 4, nameIndex);
    if (nameIndex === 0) string(parts, name);
    string(parts, value);
    if (!isAdded) return;
    this.#entries.set(key, this.#added++);
    this.#size += size;
    this.#evict();
  }

  #indexOf(key: string): number | undefined {
    const number = this.#entries.get(key);
    return number === undefined ? undefined : staticTable.length + this.#added - number;
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) return;
      this.#entries.delete(key);
      // The separator of the key is not a part of the entry.
      this.#size -= key.length - 1 + ENTRY_OVERHEAD_BYTES;
    }
  }
}

function fieldKey(name: string, value: string): string {
  return `${name}\0${value}`;
}

/** An integer with a prefix of some bits (RFC 7541, section 5.1), after the bits of `pattern`. */
function integer(parts: number[], pattern: number, prefixBits: number, value: number): void {
  const limit = 2 ** prefixBits - 1;
  if (value < limit) {
    parts.push(pattern | value);
    return;
  }
  parts.push(pattern | limit);
  let rest = value - limit;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) parts.push((rest % 128) | 0x80);
  parts.push(rest);
}

function string(parts: number[], text: string): void {
  integer(parts, 0, 7, text.length);
  for (let i = 0; i < text.length; i++) parts.push(text.charCodeAt(i));
}

import { COMPRESSION_ERROR, DEFAULT_TABLE_BYTES, Http2Error, MAX_INT31 } from './frames.js';
import { ENTRY_OVERHEAD_BYTES, EOS, huffmanTree, staticTable } from './hpack-tables.js';

/** The largest header list: names, values and 32 bytes for each field. */
export const MAX_LIST_BYTES = 65_536;

/** Built when the first string needs it. */
let tree: Int16Array | undefined;

/** Decompresses the header blocks of one direction of a connection (HPACK, RFC 7541). */
export class HpackDecoder {
  /** The dynamic table, oldest entry first. */
  readonly #entries: (readonly [name: string, value: string])[] = [];
  #size = 0;
  #maxSize = DEFAULT_TABLE_BYTES;
  /** The block that is being decoded. */
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  /**
   * The fields of a block: names and values in turns. Undefined if they are more than {@link MAX_LIST_BYTES}; the connection can
   * be used further in that case.
   *
   * @throws Http2Error at bytes that are not HPACK: later blocks cannot be decoded then
   */
  decode(block: Buffer): string[] | undefined {
    const fields: string[] = [];
    let left = MAX_LIST_BYTES;
    let mayResize = true;
    this.#bytes = block;
    this.#at = 0;
    while (this.#at < block.length) {
      const first = block[this.#at]!;
      if ((first & 0xe0) === 0x20) {
        if (!mayResize) throw malformed('a new size of the table comes after a field');
        this.#resize(this.#integer(5));
        continue;
      }
      mayResize = false;
      const [name, value] = this.#field(first);
      left -= name.length + value.length + ENTRY_OVERHEAD_BYTES;
      // The rest is decoded all the same, for the dynamic table.
      if (left >= 0) fields.push(name, value);
    }
    return left < 0 ? undefined : fields;
  }

  #field(first: number): readonly [name: string, value: string] {
    if ((first & 0x80) !== 0) return this.#entry(this.#integer(7));
    const isIndexed = (first & 0x40) !== 0;
    const index = this.#integer(isIndexed ? 6 : 4);
    const name = index === 0 ? this.#string() : this.#entry(index)[0];
    const field = [name, this.#string()] as const;
    if (isIndexed) this.#add(field);
    return field;
  }

  #entry(index: number): readonly [name: string, value: string] {
    const entry =
      index <= staticTable.length
        ? staticTable[index - 1]
        : this.#entries[this.#entries.length - (index - staticTable.length)];
    if (entry === undefined) throw malformed(`the table has no entry ${index}`);
    return entry;
  }

  #add(entry: readonly [name: string, value: string]): void {
    this.#entries.push(entry);
    this.#size += sizeOf(entry);
    this.#evict();
  }

  #resize(size: number): void {
    if (size > DEFAULT_TABLE_BYTES) throw malformed(`its table of ${size} bytes is larger than allowed`);
    this.#maxSize = size;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#maxSize) this.#size -= sizeOf(this.#entries.shift()!);
  }

  /** An integer with a prefix of some bits (RFC 7541, section 5.1). */
  #integer(prefixBits: number): number {
    const limit = 2 ** prefixBits - 1;
    let value = this.#byte() & limit;
    if (value < limit) return value;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (value > MAX_INT31 || factor > MAX_INT31) throw malformed('an integer is too large');
      if (byte < 0x80) return value;
    }
  }

  #string(): string {
    const isHuffman = (this.#bytes[this.#at] ?? 0) >= 0x80;
    const length = this.#integer(7);
    const from = this.#at;
    if (length > this.#bytes.length - from) throw malformed('a string is longer than its block');
    this.#at += length;
    return isHuffman ? unhuffman(this.#bytes, from, this.#at) : this.#bytes.toString('latin1', from, this.#at);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw malformed('a block ends in the middle of a field');
    return byte;
  }
}

function sizeOf([name, value]: readonly [name: string, value: string]): number {
  return name.length + value.length + ENTRY_OVERHEAD_BYTES;
}

function unhuffman(bytes: Buffer, from: number, to: number): string {
  tree ??= huffmanTree();
  // The shortest code has 5 bits.
  const text = Buffer.allocUnsafe(Math.floor(((to - from) * 8) / 5));
  let length = 0;
  let node = 0;
  /** The bits since the last symbol, and whether all of them are 1. */
  let bits = 0;
  let areOnes = true;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    for (let shift = 7; shift >= 0; shift--) {
      const bit = (byte >> shift) & 1;
      const next = tree[2 * node + bit]!;
      bits++;
      areOnes &&= bit === 1;
      if (next >= 0) {
        node = next;
        continue;
      }
      if (next === -1 - EOS) throw malformed('a string contains the code of its end');
      text[length++] = -1 - next;
      node = 0;
      bits = 0;
      areOnes = true;
    }
  }
  if (bits > 7 || !areOnes) throw malformed('the last code of a string is cut');
  return text.toString('latin1', 0, length);
}

function malformed(why: string): Http2Error {
  return new Http2Error(COMPRESSION_ERROR, `a header block is malformed: ${why}`);
}

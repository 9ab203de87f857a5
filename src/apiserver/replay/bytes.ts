/** Bytes that end too early, or that no writer of recordings produces. */
export class MalformedBytesError extends Error {}

/** Collects numbers and bytes. */
export class ByteWriter {
  #buffer: Buffer = Buffer.allocUnsafe(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** All bytes so far: a view that is valid until the next write. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** A whole number from 0 to 2^53 - 1: seven bits per byte, the lowest first; the last byte is below 128. */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[this.#length++] = (rest % 0x80) | 0x80;
    this.#buffer[this.#length++] = rest;
  }

  /** A whole number that may be negative. */
  signed(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}

/** Reads what a {@link ByteWriter} has written. Throws a {@link MalformedBytesError} for everything else. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new MalformedBytesError('it ends in the middle of a number');
      this.#at++;
      value += (byte & 0x7f) * factor;
      if (!Number.isSafeInteger(value)) throw new MalformedBytesError('a number is too large');
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** The next bytes: a view. */
  take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new MalformedBytesError('it ends too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

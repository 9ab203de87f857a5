import { MalformedError } from './wire.js';

const noBytes: Buffer = Buffer.alloc(0);

/** The buffer for pieces that span chunks is reused up to this size. */
const MAX_REUSED = 1_048_576;
const MIN_PENDING = 4096;

/**
 * Cuts pieces of known length out of a stream that arrives in chunks. A piece within one chunk is not copied; one that spans
 * chunks is collected in a buffer, which grows with the bytes that arrive, and not with the length that was announced.
 */
export class PieceReader {
  #chunk: Buffer = noBytes;
  #at = 0;
  /** Bytes of the stream before the chunk. */
  #before = 0;
  #pending: Buffer = noBytes;
  #pendingLength = 0;
  /** Bytes that are still to be skipped. */
  #skipping = 0;
  /** The parts of a varint that have been read. */
  #varint = 0;
  #varintBytes = 0;

  /** The bytes of the piece that {@link take} has returned, from {@link start} to {@link end}; valid until the next call. */
  source: Buffer = noBytes;
  start = 0;
  end = 0;

  /** The number of bytes of the stream that have been read. */
  get offset(): number {
    return this.#before + this.#at;
  }

  /** The position in the stream of index 0 of {@link source}. */
  get sourceOffset(): number {
    return this.offset - this.end;
  }

  /** Whether a piece has been read in part. */
  get isInside(): boolean {
    return this.#pendingLength > 0 || this.#skipping > 0 || this.#varintBytes > 0;
  }

  /** Sets the next chunk, after the previous one has been read to its end. */
  put(chunk: Buffer): void {
    this.#before += this.#chunk.length;
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** Reads a piece of `length` bytes. Returns false if the chunk ends before it: call it again after `put`. */
  take(length: number): boolean {
    const chunk = this.#chunk;
    if (this.#pendingLength === 0 && chunk.length - this.#at >= length) {
      this.source = chunk;
      this.start = this.#at;
      this.end = this.#at += length;
      return true;
    }
    const part = Math.min(length - this.#pendingLength, chunk.length - this.#at);
    this.#append(this.#at, part);
    this.#at += part;
    if (this.#pendingLength < length) return false;
    this.source = this.#pending;
    this.start = 0;
    this.end = length;
    this.#pendingLength = 0;
    if (this.#pending.length > MAX_REUSED) this.#pending = noBytes;
    return true;
  }

  /** Skips `length` bytes. Returns false if the chunk ends before that: call it again, with any length, after `put`. */
  skip(length: number): boolean {
    if (this.#skipping === 0) this.#skipping = length;
    const part = Math.min(this.#skipping, this.#chunk.length - this.#at);
    this.#at += part;
    this.#skipping -= part;
    return this.#skipping === 0;
  }

  /** Reads a varint of at most 32 bits, or returns -1 if the chunk ends before it: call it again after `put`. */
  varint(): number {
    while (this.#at < this.#chunk.length) {
      const byte = this.#chunk[this.#at++]!;
      this.#varint += (byte & 0x7f) * 2 ** (7 * this.#varintBytes++);
      if (byte < 0x80) {
        const value = this.#varint;
        this.#varint = this.#varintBytes = 0;
        if (value > 0xffff_ffff) throw new MalformedError('a number is too large', this.#at);
        return value;
      }
      if (this.#varintBytes === 10) throw new MalformedError('a number is too large', this.#at);
    }
    return -1;
  }

  #append(from: number, length: number): void {
    const needed = this.#pendingLength + length;
    if (needed > this.#pending.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#pending.length * 2, MIN_PENDING));
      larger.set(this.#pending.subarray(0, this.#pendingLength));
      this.#pending = larger;
    }
    this.#pending.set(this.#chunk.subarray(from, from + length), this.#pendingLength);
    this.#pendingLength = needed;
  }
}

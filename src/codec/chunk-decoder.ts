import { type BlockPool, ByteQueue } from './byte-queue.js';
import type { StreamDecoder } from './codec.js';
import { DecodeError } from './decode-error.js';

/** The default of `maxBytes`: about half a millisecond of work. */
const DEFAULT_READ = 262_144;

/**
 * What the decoders of all formats have in common: chunks are queued, read in slices, and an error is thrown after the entries
 * before it.
 */
export abstract class ChunkDecoder<E> implements StreamDecoder<E> {
  readonly #what: string;
  readonly #blocks: BlockPool;
  readonly #inbox: ByteQueue;
  #ended = false;
  #failure: unknown;

  /**
   * @param what names an entry, or the stream, in errors
   * @param blocks the memory of chunks that were not read, which all decoders of a format share
   */
  constructor(what: string, blocks: BlockPool) {
    this.#what = what;
    this.#blocks = blocks;
    this.#inbox = new ByteQueue(blocks);
  }

  get isCrowded(): boolean {
    return this.#inbox.length > 0 && this.#blocks.isEmpty;
  }

  get buffered(): number {
    return this.#inbox.length;
  }

  push(chunk: Uint8Array): void {
    // After a failure nothing is read any more.
    if (this.#failure === undefined) this.#inbox.push(chunk);
  }

  end(): void {
    this.#ended = true;
  }

  close(): void {
    this.#failure ??= this.fail('the decoder was closed');
    this.#inbox.clear();
  }

  read(into: E[], maxBytes: number = DEFAULT_READ): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    const before = into.length;
    try {
      return this.#read(into, maxBytes);
    } catch (error) {
      this.#failure = this.errorOf(error);
      this.#inbox.clear();
      // Entries before the error are returned first; the next call throws.
      if (into.length > before) return true;
      throw this.#failure;
    }
  }

  /** The number of bytes of the stream that have been read. */
  protected abstract get offset(): number;

  /** Sets the next chunk, after the previous one has been read to its end. */
  protected abstract put(chunk: Buffer): void;

  /**
   * Reads one part of the stream, and appends the entry if it is one. Returns false if the chunk ends before it: it is called
   * again after the next chunk was put.
   */
  protected abstract next(into: E[]): boolean;

  /** Throws if the stream must not end here. */
  protected abstract finish(): void;

  /** What is thrown for an error of `next` or `finish`. */
  protected errorOf(error: unknown): unknown {
    return error;
  }

  protected fail(reason: string, truncated = false): DecodeError {
    return new DecodeError(this.#what, this.offset, reason, { truncated });
  }

  #read(into: E[], maxBytes: number): boolean {
    const until = this.offset + maxBytes;
    for (;;) {
      while (this.next(into)) if (this.offset >= until) return true;
      const chunk = this.#inbox.shift();
      if (chunk === undefined) {
        if (this.#ended) this.finish();
        return false;
      }
      this.put(chunk);
      if (this.offset >= until) return true;
    }
  }
}

import { BLOCK_BYTES, BlockPool, ByteQueue } from '../byte-queue.js';
import type { StreamDecoder } from '../codec.js';
import { DecodeError } from '../decode-error.js';
import { PieceReader } from './piece-reader.js';
import { MalformedError } from './wire.js';

/** The default of `maxBytes`: about half a millisecond of work. */
const DEFAULT_READ = 262_144;
const BLOCKS = 32;

let sharedBlocks: BlockPool | undefined;

/** The memory of chunks that have not been read, which all decoders share; allocated for the first one. */
function blockPool(): BlockPool {
  sharedBlocks ??= new BlockPool(Array.from({ length: BLOCKS }, () => Buffer.allocUnsafeSlow(BLOCK_BYTES)));
  return sharedBlocks;
}

/** The common part of list and watch decoders: queues chunks, reads them in slices, and handles errors. */
export abstract class ProtobufStreamDecoder<E> implements StreamDecoder<E> {
  protected readonly reader: PieceReader = new PieceReader();
  protected readonly what: string;
  readonly #blocks = blockPool();
  readonly #inbox = new ByteQueue(this.#blocks);
  #ended = false;
  #failure: unknown;

  constructor(what: string) {
    this.what = what;
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
      this.#failure = error instanceof MalformedError ? this.fail(error.message) : error;
      this.#inbox.clear();
      // Entries before the error are returned first; the next call throws.
      if (into.length > before) return true;
      throw this.#failure;
    }
  }

  /**
   * Reads one part of the stream, and appends the entry if it is one. Returns false if the chunk ends before it: it is called
   * again after the next chunk was put into the reader.
   */
  protected abstract next(into: E[]): boolean;

  /** Whether the stream may end here. */
  protected abstract get isComplete(): boolean;

  protected fail(reason: string, truncated = false): DecodeError {
    return new DecodeError(this.what, this.reader.offset, reason, { truncated });
  }

  #read(into: E[], maxBytes: number): boolean {
    const { reader } = this;
    const until = reader.offset + maxBytes;
    for (;;) {
      while (this.next(into)) if (reader.offset >= until) return true;
      const chunk = this.#inbox.shift();
      if (chunk === undefined) {
        if (this.#ended && !this.isComplete) throw this.fail('the bytes end in the middle of it', true);
        return false;
      }
      reader.put(chunk);
    }
  }
}

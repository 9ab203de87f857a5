import { type BlockPool, ByteQueue } from '../byte-queue.js';
import type { StreamDecoder } from '../codec.js';
import { DecodeError } from '../decode-error.js';
import { type EngineKind, engineOf } from './engine.js';
import type { RawBuilder } from './raw-builder.js';
import { Scanner } from './scanner.js';

/** The default of `maxBytes`: about half a millisecond of work. */
const DEFAULT_READ = 262_144;

/** The common part of list and watch decoders: queues chunks, runs the scanner over them in slices, and handles errors. */
export abstract class JsonStreamDecoder<E> implements StreamDecoder<E> {
  protected readonly builder: RawBuilder;
  protected readonly scanner: Scanner;
  readonly #blocks: BlockPool;
  readonly #inbox: ByteQueue;
  readonly #what: string;
  #ended = false;
  #failure: unknown;

  constructor(what: string, builder: RawBuilder, engine: EngineKind | undefined) {
    this.#what = what;
    this.builder = builder;
    this.#blocks = engineOf(engine).blocks;
    this.#inbox = new ByteQueue(this.#blocks);
    this.scanner = new Scanner(what, builder.program, builder.maxObjectBytes, engine);
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
    this.#failure ??= new DecodeError(this.#what, this.scanner.offset, 'the decoder was closed');
    this.#inbox.clear();
  }

  read(into: E[], maxBytes: number = DEFAULT_READ): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    const before = into.length;
    try {
      return this.#read(into, maxBytes);
    } catch (error) {
      this.#failure = error;
      this.#inbox.clear();
      // Entries before the error are returned first; the next call throws.
      if (into.length > before) return true;
      throw error;
    }
  }

  /** Makes an entry of the scanner's current emission. */
  protected abstract emit(tag: number, into: E[]): void;

  #read(into: E[], maxBytes: number): boolean {
    const scanner = this.scanner;
    const until = scanner.offset + maxBytes;
    for (;;) {
      const tag = scanner.next();
      if (tag !== 0) {
        this.emit(tag, into);
        if (scanner.offset >= until) return true;
        continue;
      }
      const chunk = this.#inbox.shift();
      if (chunk === undefined) {
        if (this.#ended) scanner.finish();
        return false;
      }
      scanner.put(chunk);
      if (scanner.offset >= until) return true;
    }
  }
}

import { type BlockPool, ByteQueue } from '../byte-queue.js';
import type { StreamDecoder } from '../codec.js';
import { DecodeError } from '../decode-error.js';
import { type EngineKind, engineOf } from './engine.js';
import type { RawBuilder } from './raw-builder.js';
import { Scanner } from './scanner.js';

/** How much one `read` does unless told: about half a millisecond's worth. */
const DEFAULT_READ = 262_144;

/** What lists and watches have in common: chunks come in, emissions go out, in slices. */
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
    // What will never be read is not worth memory.
    if (this.#failure === undefined) this.#inbox.push(chunk);
  }

  end(): void {
    this.#ended = true;
  }

  close(): void {
    this.#failure ??= new DecodeError(this.#what, this.scanner.offset, 'nobody wants to know any more');
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
      // What came before the trouble is handed over first.
      if (into.length > before) return true;
      throw error;
    }
  }

  /** Turns the emission the scanner stands at into an entry. */
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

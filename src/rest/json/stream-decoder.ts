import { Ring } from '../../meta/ring.js';
import type { StreamDecoder } from '../codec.js';
import type { EngineKind } from './engine.js';
import type { RawBuilder } from './raw-builder.js';
import { MAX_CHUNK, Scanner } from './scanner.js';

/** How much one `read` does unless told: about half a millisecond's worth. */
const DEFAULT_READ = 262_144;

/** What lists and watches have in common: chunks come in, emissions go out, in slices. */
export abstract class JsonStreamDecoder<E> implements StreamDecoder<E> {
  protected readonly builder: RawBuilder;
  protected readonly scanner: Scanner;
  readonly #inbox = new Ring<Buffer>();
  #buffered = 0;
  #ended = false;
  #failure: unknown;

  constructor(what: string, builder: RawBuilder, engine: EngineKind | undefined) {
    this.builder = builder;
    this.scanner = new Scanner(what, builder.program, builder.maxObjectBytes, engine);
  }

  get buffered(): number {
    return this.#buffered;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    this.#buffered += bytes.length;
    if (bytes.length <= MAX_CHUNK) this.#inbox.push(bytes);
    else for (let at = 0; at < bytes.length; at += MAX_CHUNK) this.#inbox.push(bytes.subarray(at, at + MAX_CHUNK));
  }

  end(): void {
    this.#ended = true;
  }

  read(into: E[], maxBytes: number = DEFAULT_READ): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    const before = into.length;
    try {
      return this.#read(into, maxBytes);
    } catch (error) {
      this.#failure = error;
      this.#inbox.clear();
      this.#buffered = 0;
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
      this.#buffered -= chunk.length;
      scanner.put(chunk);
      if (scanner.offset >= until) return true;
    }
  }
}

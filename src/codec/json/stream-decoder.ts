import { ChunkDecoder } from '../chunk-decoder.js';
import { type EngineKind, engineOf } from './engine.js';
import type { RawBuilder } from './raw-builder.js';
import { Scanner } from './scanner.js';

/** The common part of list and watch decoders: runs the scanner over the chunks. */
export abstract class JsonStreamDecoder<E> extends ChunkDecoder<E> {
  protected readonly builder: RawBuilder;
  protected readonly scanner: Scanner;

  constructor(what: string, builder: RawBuilder, engine: EngineKind | undefined) {
    super(what, engineOf(engine).blocks);
    this.builder = builder;
    this.scanner = new Scanner(what, builder.program, builder.maxObjectBytes, engine);
  }

  protected get offset(): number {
    return this.scanner.offset;
  }

  protected put(chunk: Buffer): void {
    this.scanner.put(chunk);
  }

  protected next(into: E[]): boolean {
    const tag = this.scanner.next();
    if (tag === 0) return false;
    this.emit(tag, into);
    return true;
  }

  protected finish(): void {
    this.scanner.finish();
  }

  /** Makes an entry of the scanner's current emission. */
  protected abstract emit(tag: number, into: E[]): void;
}

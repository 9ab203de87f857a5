import { BLOCK_BYTES, BlockPool } from '../byte-queue.js';
import { ChunkDecoder } from '../chunk-decoder.js';
import { PieceReader } from './piece-reader.js';
import { MalformedError } from './wire.js';

const BLOCKS = 32;

let sharedBlocks: BlockPool | undefined;

/** The memory of chunks that have not been read; allocated for the first decoder. */
function blockPool(): BlockPool {
  sharedBlocks ??= new BlockPool(Array.from({ length: BLOCKS }, () => Buffer.allocUnsafeSlow(BLOCK_BYTES)));
  return sharedBlocks;
}

/** The common part of list and watch decoders: cuts pieces of known length out of the chunks. */
export abstract class ProtobufStreamDecoder<E> extends ChunkDecoder<E> {
  protected readonly reader: PieceReader = new PieceReader();

  constructor(what: string) {
    super(what, blockPool());
  }

  protected get offset(): number {
    return this.reader.offset;
  }

  protected put(chunk: Buffer): void {
    this.reader.put(chunk);
  }

  protected finish(): void {
    if (!this.isComplete) throw this.fail('the bytes end in the middle of it', true);
  }

  protected override errorOf(error: unknown): unknown {
    return error instanceof MalformedError ? this.fail(error.message) : error;
  }

  /** Whether the stream may end here. */
  protected abstract get isComplete(): boolean;
}

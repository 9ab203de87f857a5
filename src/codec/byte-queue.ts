import { Ring } from '../structures/ring.js';

/** The size of one read of a socket. */
export const BLOCK_BYTES = 65_536;

/**
 * Blocks of memory that are reused. They stay in the processor's caches and cause no garbage: allocating a buffer costs more
 * than copying into one of these.
 */
export class BlockPool {
  readonly #spare: Buffer[];
  readonly #own: ReadonlySet<Buffer>;

  /** @param blocks of {@link BLOCK_BYTES} each; while all are in use, `take` allocates others, which are not kept */
  constructor(blocks: readonly Buffer[]) {
    this.#spare = [...blocks];
    this.#own = new Set(blocks);
  }

  /** Whether all blocks are in use. */
  get isEmpty(): boolean {
    return this.#spare.length === 0;
  }

  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  release(block: Buffer): void {
    if (this.#own.has(block)) this.#spare.push(block);
  }
}

/**
 * A FIFO queue of bytes, which are copied into blocks of a pool.
 *
 * ```
 *   push ──▶ [ block | block | bloc  ]──▶ shift: a block, until the next shift
 *               ▲                                      │
 *               └──────────────── pool ◀───────────────┘
 * ```
 */
export class ByteQueue {
  readonly #pool: BlockPool;
  readonly #blocks = new Ring<Buffer>();
  /** The block that is being filled, if it has room. */
  #open: Buffer | undefined;
  #written = 0;
  /** The block that `shift` returned last. */
  #lent: Buffer | undefined;
  #length = 0;

  constructor(pool: BlockPool) {
    this.#pool = pool;
  }

  /** The number of queued bytes. */
  get length(): number {
    return this.#length;
  }

  /** Appends a copy of the bytes. */
  push(bytes: Uint8Array): void {
    this.#length += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      this.#open ??= this.#begin();
      const end = Math.min(bytes.length, at + BLOCK_BYTES - this.#written);
      this.#open.set(end - at === bytes.length ? bytes : bytes.subarray(at, end), this.#written);
      this.#written += end - at;
      at = end;
      if (this.#written === BLOCK_BYTES) this.#open = undefined;
    }
  }

  /** Removes and returns the bytes of the first block. They are valid until the next call. */
  shift(): Buffer | undefined {
    this.#release();
    const block = this.#blocks.shift();
    if (block === undefined) return undefined;
    this.#lent = block;
    const isOpen = block === this.#open;
    if (isOpen) this.#open = undefined;
    const length = isOpen ? this.#written : BLOCK_BYTES;
    this.#length -= length;
    return length === BLOCK_BYTES ? block : block.subarray(0, length);
  }

  /** Removes all bytes and returns all blocks to the pool. */
  clear(): void {
    while (this.shift() !== undefined);
  }

  #begin(): Buffer {
    const block = this.#pool.take();
    this.#blocks.push(block);
    this.#written = 0;
    return block;
  }

  #release(): void {
    if (this.#lent !== undefined) this.#pool.release(this.#lent);
    this.#lent = undefined;
  }
}

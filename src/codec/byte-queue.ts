import { Ring } from '../structures/ring.js';

/** As much as comes with one read of a socket. */
export const BLOCK_BYTES = 65_536;

/**
 * Memory that goes round. What is used again and again stays in the processor's caches, and is nothing that the garbage
 * collector has to free: making a new buffer each time costs more than a copy.
 */
export class BlockPool {
  readonly #spare: Buffer[];
  readonly #own: ReadonlySet<Buffer>;

  /** @param blocks of {@link BLOCK_BYTES} each; when all are in use, others are made and not kept */
  constructor(blocks: readonly Buffer[]) {
    this.#spare = [...blocks];
    this.#own = new Set(blocks);
  }

  /** Whether all are in use. */
  get isEmpty(): boolean {
    return this.#spare.length === 0;
  }

  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  giveBack(block: Buffer): void {
    if (this.#own.has(block)) this.#spare.push(block);
  }
}

/**
 * Bytes that wait to be read. They are copied into blocks of a pool.
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
  /** The block being written, if there is room in it. */
  #open: Buffer | undefined;
  #written = 0;
  /** The block that was handed out last. */
  #given: Buffer | undefined;
  #length = 0;

  constructor(pool: BlockPool) {
    this.#pool = pool;
  }

  /** How many bytes wait. */
  get length(): number {
    return this.#length;
  }

  /** Adds a copy of the bytes to the end. */
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

  /** Takes the first bytes, as many as there are in one piece. They are gone with the next call. */
  shift(): Buffer | undefined {
    this.#giveBack();
    const block = this.#blocks.shift();
    if (block === undefined) return undefined;
    this.#given = block;
    const isOpen = block === this.#open;
    if (isOpen) this.#open = undefined;
    const length = isOpen ? this.#written : BLOCK_BYTES;
    this.#length -= length;
    return length === BLOCK_BYTES ? block : block.subarray(0, length);
  }

  /** Forgets what waits, and what was taken last. */
  clear(): void {
    while (this.shift() !== undefined);
  }

  #begin(): Buffer {
    const block = this.#pool.take();
    this.#blocks.push(block);
    this.#written = 0;
    return block;
  }

  #giveBack(): void {
    if (this.#given !== undefined) this.#pool.giveBack(this.#given);
    this.#given = undefined;
  }
}

import { Ring } from '../meta/ring.js';

/** As much as comes with one read of a socket. */
export const BLOCK_BYTES = 65_536;
/** Blocks that nobody uses are kept for the next one up to this number: what a burst took is given back. */
const MOST_SPARE = 32;

const spare: Buffer[] = [];

/**
 * Bytes that wait to be read. They are copied, into blocks that all queues of the process use in turn: memory that is
 * used again and again stays in the processor's caches and is nothing that the garbage collector has to free, which costs
 * more than the copy.
 *
 * ```
 *   push ──▶ [ block | block | bloc  ]──▶ shift: a block, until the next shift
 *               ▲                                      │
 *               └──────────── spare blocks ◀───────────┘
 * ```
 */
export class ByteQueue {
  readonly #blocks = new Ring<Buffer>();
  /** The block being written, if there is room in it. */
  #open: Buffer | undefined;
  #written = 0;
  /** The block that was handed out last. */
  #given: Buffer | undefined;
  #length = 0;

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
    const block = spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#blocks.push(block);
    this.#written = 0;
    return block;
  }

  #giveBack(): void {
    if (this.#given !== undefined && spare.length < MOST_SPARE) spare.push(this.#given);
    this.#given = undefined;
  }
}

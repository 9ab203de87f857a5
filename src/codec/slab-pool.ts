/**
 * Reuses the memory of slabs that were garbage-collected.
 *
 * New external memory makes V8 collect garbage: it runs a full mark after about 16 MB of allocations outside of its heap,
 * which at 5,000 changes a second is once a second. Reused memory is not counted again, and the system need not clear it.
 *
 * The pool keeps at most as many spare slabs as are in use, and at most `maxSpare`.
 */
export class SlabPool {
  readonly #slabBytes: number;
  readonly #maxSpare: number;
  readonly #spare: Buffer[] = [];
  #inUse = 0;
  readonly #registry: FinalizationRegistry<Buffer>;

  /**
   * @param slabBytes the size of each slab
   * @param maxSpare the most spare slabs that are kept
   */
  constructor(slabBytes: number, maxSpare: number) {
    this.#slabBytes = slabBytes;
    this.#maxSpare = maxSpare;
    this.#registry = new FinalizationRegistry((bytes) => this.#reclaim(bytes));
  }

  /** The number of spare slabs. */
  get spare(): number {
    return this.#spare.length;
  }

  /**
   * Memory that belongs to `owner` until that is garbage-collected. Code that reads the memory later must hold a reference to
   * the owner, and not only to the memory.
   */
  take(owner: object): Buffer {
    const bytes = this.#spare.pop() ?? allocate(this.#slabBytes);
    this.#inUse++;
    this.#registry.register(owner, bytes);
    return bytes;
  }

  #reclaim(bytes: Buffer): void {
    this.#inUse--;
    this.#spare.push(bytes);
    const limit = Math.min(this.#inUse, this.#maxSpare);
    if (this.#spare.length > limit) this.#spare.length = limit;
  }
}

/** Allocates memory that is not cleared, and not part of Node's shared pool, which would keep other buffers alive. */
export function allocate(size: number): Buffer {
  return Buffer.allocUnsafeSlow(size);
}

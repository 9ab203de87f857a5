/**
 * Memory of slabs that the garbage collector has found dead, kept for the next ones.
 *
 * Fresh memory makes V8 collect: it counts what lies outside of its heap, and marks everything once some sixteen megabytes
 * have come together, which at five thousand changes a second is every second. Memory that is used again is not counted
 * again, and the system has not to clear it.
 *
 * It keeps no more than is in use, so that who has little stays small, and no more than it was told.
 */
export class SlabPool {
  readonly #slabBytes: number;
  readonly #mostSpare: number;
  readonly #spare: Buffer[] = [];
  #inUse = 0;
  readonly #dead: FinalizationRegistry<Buffer>;

  /**
   * @param slabBytes how large its slabs are, all of them
   * @param mostSpare how many it keeps at most
   */
  constructor(slabBytes: number, mostSpare: number) {
    this.#slabBytes = slabBytes;
    this.#mostSpare = mostSpare;
    this.#dead = new FinalizationRegistry((bytes) => this.#takeBack(bytes));
  }

  /** How many slabs' worth of memory waits for its next use. */
  get spare(): number {
    return this.#spare.length;
  }

  /**
   * Memory that is the owner's for as long as anybody can reach the owner. Whoever reads it later than now has to hold the
   * owner, and not only the memory.
   */
  take(owner: object): Buffer {
    const bytes = this.#spare.pop() ?? allocate(this.#slabBytes);
    this.#inUse++;
    this.#dead.register(owner, bytes);
    return bytes;
  }

  #takeBack(bytes: Buffer): void {
    this.#inUse--;
    this.#spare.push(bytes);
    const most = Math.min(this.#inUse, this.#mostSpare);
    if (this.#spare.length > most) this.#spare.length = most;
  }
}

/** Not zeroed, and not from Node's shared pool, which would keep more alive than this. */
export function allocate(size: number): Buffer {
  return Buffer.allocUnsafeSlow(size);
}

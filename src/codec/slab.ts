import { requireInteger } from '../meta/validate.js';
import { allocate, SlabPool } from './slab-pool.js';

/** The size of most slabs: those of every arena once it has some objects. */
const usualBytes = 1_048_576;
/** Thirty-two megabytes at most, for all arenas of the process. */
const pool = new SlabPool(usualBytes, 32);

/**
 * A piece of off-heap memory that objects' bytes are written into, one after the other. Bytes that were written are never
 * overwritten: whoever can still reach the slab reads what was there. When the garbage collector finds that nobody can, since
 * the last handle into it is gone, its memory is free for the next slab.
 */
export class Slab {
  /** Not to be kept by itself: the memory belongs to the slab. */
  readonly bytes: Buffer;
  /** How much has been written; the next object begins here. */
  used = 0;
  /** How much of it the store still holds. */
  live = 0;
  /** Whether it counts as part of its arena: the store holds something in it, or it is being filled. */
  tracked = false;
  /** Whether a compaction under way moves objects out of it. */
  sparse = false;

  /** @param isPooled whether its memory may be a dead slab's, and may become another's when this one is dead */
  constructor(size: number, isPooled: boolean) {
    this.bytes = isPooled && size === usualBytes ? pool.take(this) : allocate(size);
  }
}

/** An object that lives in a slab and can be told that its bytes have moved. */
export interface SlabEntry {
  slab: Slab;
  offset: number;
  readonly length: number;
  /** Whether the store holds it; set by {@link SlabArena.retain} and {@link SlabArena.release} only. */
  held: boolean;
}

/** How large slabs are, and when moving objects together is worth the work. */
export interface SlabArenaOptions {
  /** Size of the first slab; each further one is twice as large. @default 65536 */
  readonly minSlabBytes?: number | undefined;
  /** Size at which slabs stop growing. An object larger than this gets a slab of its own. @default 1048576 */
  readonly maxSlabBytes?: number | undefined;
  /** How many bytes may lie waste, beside half of what is live, before {@link SlabArena.wantsCompaction}. @default 2097152 */
  readonly slackBytes?: number | undefined;
}

/** What an arena weighs. */
export interface SlabArenaUsage {
  readonly slabs: number;
  /** The size of all slabs that the store has an object in, and of the one being filled. */
  readonly slabBytes: number;
  /** The size of what the store holds. */
  readonly liveBytes: number;
}

/**
 * The slabs of one store.
 *
 * ```
 *   slab     slab     slab (being filled)
 *  ┌──────┐ ┌──────┐ ┌──────┐
 *  │a b·c │ │· d · │ │e f   │      · no longer held by the store
 *  └──────┘ └──────┘ └──────┘
 *             sparse: compaction copies d behind f and re-points its handle; the slab is left to the garbage collector
 * ```
 *
 * The store says what it holds with {@link retain} and {@link release}; everything else (queues, handlers' rings, events
 * somebody kept) needs to say nothing, because a handle keeps its slab alive by itself and nothing is ever overwritten.
 */
export class SlabArena {
  readonly #maxSlabBytes: number;
  readonly #slackBytes: number;
  #nextSlabBytes: number;
  #open: Slab | undefined;
  readonly #slabs = new Set<Slab>();
  #slabBytes = 0;
  #liveBytes = 0;

  constructor(options: SlabArenaOptions = {}) {
    this.#nextSlabBytes = requireInteger('minSlabBytes', options.minSlabBytes ?? 65_536, 1);
    this.#maxSlabBytes = requireInteger('maxSlabBytes', options.maxSlabBytes ?? usualBytes, this.#nextSlabBytes);
    this.#slackBytes = requireInteger('slackBytes', options.slackBytes ?? 2_097_152);
  }

  get usage(): SlabArenaUsage {
    return { slabs: this.#slabs.size, slabBytes: this.#slabBytes, liveBytes: this.#liveBytes };
  }

  /** Whether so much lies waste that a {@link compaction} pays. */
  get wantsCompaction(): boolean {
    return this.#slabBytes > this.#liveBytes * 1.5 + this.#slackBytes;
  }

  /**
   * A slab with room for `length` bytes at `slab.used`. The caller writes them there and moves `used` on, at once.
   */
  reserve(length: number): Slab {
    const open = this.#open;
    if (open !== undefined && open.used + length <= open.bytes.length) return open;
    // It counts once the store takes it in; if that never happens, nobody is to hold on to it.
    if (length > this.#maxSlabBytes) return new Slab(length, false);
    while (this.#nextSlabBytes < length) this.#grow();
    // What is decoded and let go of at once, as in a first list or where objects are stored, the collector frees sooner.
    const slab = this.#track(new Slab(this.#nextSlabBytes, this.#liveBytes > 0));
    this.#grow();
    this.#open = slab;
    if (open !== undefined && open.live === 0) this.#forget(open);
    return slab;
  }

  /** The store took this object in. */
  retain(entry: SlabEntry): void {
    if (entry.held) return;
    entry.held = true;
    entry.slab.live += entry.length;
    this.#liveBytes += entry.length;
    if (!entry.slab.tracked) this.#track(entry.slab);
  }

  /** The store let go of this object. Whoever else holds it can go on reading it. */
  release(entry: SlabEntry): void {
    if (!entry.held) return;
    entry.held = false;
    this.#liveBytes -= entry.length;
    this.#drain(entry.slab, entry.length);
  }

  /**
   * Moves the held objects out of slabs that are mostly waste.
   *
   * @param held everything the store holds, in any order; the store may change between two steps, as a Map's iterator allows.
   */
  compaction(held: Iterable<SlabEntry>): Compaction {
    // The emptiest first, and no more than needed: what is nearly full costs much to move and frees little.
    const emptiest = [...this.#slabs].sort((a, b) => a.live / a.bytes.length - b.live / b.bytes.length);
    let excess = this.#slabBytes - this.#liveBytes * 1.25;
    for (const slab of emptiest) {
      slab.sparse = slab !== this.#open && excess > 0;
      if (slab.sparse) excess -= slab.bytes.length - slab.live;
    }
    return new Compaction(held[Symbol.iterator](), (entry) => this.#move(entry));
  }

  #move(entry: SlabEntry): void {
    const from = entry.slab;
    const to = this.reserve(entry.length);
    if (!to.tracked) this.#track(to);
    from.bytes.copy(to.bytes, to.used, entry.offset, entry.offset + entry.length);
    entry.slab = to;
    entry.offset = to.used;
    to.used += entry.length;
    to.live += entry.length;
    this.#drain(from, entry.length);
  }

  #drain(slab: Slab, length: number): void {
    slab.live -= length;
    if (slab.live === 0 && slab !== this.#open) this.#forget(slab);
  }

  #grow(): void {
    this.#nextSlabBytes = Math.min(this.#nextSlabBytes * 2, this.#maxSlabBytes);
  }

  #track(slab: Slab): Slab {
    slab.tracked = true;
    if (!this.#slabs.has(slab)) this.#slabBytes += slab.bytes.length;
    this.#slabs.add(slab);
    return slab;
  }

  #forget(slab: Slab): void {
    if (!this.#slabs.delete(slab)) return;
    slab.tracked = false;
    this.#slabBytes -= slab.bytes.length;
  }
}

/** A compaction under way, to be worked off in slices. Leaving it half done is harmless. */
export class Compaction {
  readonly #held: Iterator<SlabEntry>;
  readonly #move: (entry: SlabEntry) => void;
  /** How many objects have been moved so far. */
  moved = 0;

  /** @internal Made by {@link SlabArena.compaction}. */
  constructor(held: Iterator<SlabEntry>, move: (entry: SlabEntry) => void) {
    this.#held = held;
    this.#move = move;
  }

  /** Looks at up to `count` more objects; returns whether there are any left. */
  step(count = 256): boolean {
    for (let i = 0; i < count; i++) {
      const next = this.#held.next();
      if (next.done) return false;
      const entry = next.value;
      if (!entry.held || !entry.slab.sparse) continue;
      this.#move(entry);
      this.moved++;
    }
    return true;
  }
}

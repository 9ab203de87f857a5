import { requireInteger } from '../meta/options/validate.js';
import { allocate, SlabPool } from './slab-pool.js';

/** The size at which slabs stop growing; only slabs of this size are pooled. */
const DEFAULT_MAX_SLAB_BYTES = 1_048_576;
/** Shared by all arenas of the process; keeps at most 32 MB. */
const pool = new SlabPool(DEFAULT_MAX_SLAB_BYTES, 32);

/**
 * A block of off-heap memory that the bytes of objects are written into, one after the other. Written bytes are never
 * overwritten while a `Raw` refers to the slab. After the slab has been garbage-collected, its memory may be reused.
 */
export class Slab {
  /** Do not keep a reference to this without one to the slab: the memory may be reused after the slab is collected. */
  readonly bytes: Buffer;
  /** Bytes written; the offset of the next object. */
  used = 0;
  /** Bytes of objects that the store holds. */
  live = 0;
  /** Whether the arena counts it: the store holds an object in it, or it is being filled. */
  tracked = false;
  /** Whether the running compaction moves objects out of it. */
  sparse = false;

  /** @param isPooled whether its memory comes from the pool and returns to it */
  constructor(size: number, isPooled: boolean) {
    this.bytes = isPooled && size === DEFAULT_MAX_SLAB_BYTES ? pool.take(this) : allocate(size);
  }
}

/** An object in a slab. Compaction changes `slab` and `offset` when it moves the bytes. */
export interface SlabEntry {
  slab: Slab;
  offset: number;
  readonly length: number;
  /** Whether the store holds it; set by {@link SlabArena.retain} and {@link SlabArena.release} only. */
  held: boolean;
}

/** Options of {@link SlabArena}. */
export interface SlabArenaOptions {
  /** The size of the first slab; each further one has twice the size. @default 65536 */
  readonly minSlabBytes?: number | undefined;
  /** The size at which slabs stop growing. A larger object gets its own slab. @default 1048576 */
  readonly maxSlabBytes?: number | undefined;
  /** {@link SlabArena.wantsCompaction} when more than this and half of the live bytes are unused. @default 2097152 */
  readonly slackBytes?: number | undefined;
}

/** The memory of a {@link SlabArena}. */
export interface SlabArenaUsage {
  readonly slabs: number;
  /** The size of all slabs that hold an object of the store, and of the one that is being filled. */
  readonly slabBytes: number;
  /** The size of all objects of the store. */
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
 *             sparse: compaction copies d behind f and updates its Raw; the slab is then garbage-collected
 * ```
 *
 * The store calls {@link retain} and {@link release}. Queues, rings of handlers and events need not, because a `Raw` keeps
 * its slab alive and written bytes are never overwritten.
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
    this.#maxSlabBytes = requireInteger(
      'maxSlabBytes',
      options.maxSlabBytes ?? DEFAULT_MAX_SLAB_BYTES,
      this.#nextSlabBytes,
    );
    this.#slackBytes = requireInteger('slackBytes', options.slackBytes ?? 2_097_152);
  }

  get usage(): SlabArenaUsage {
    return { slabs: this.#slabs.size, slabBytes: this.#slabBytes, liveBytes: this.#liveBytes };
  }

  /** Whether so much memory is unused that a {@link compaction} is worth its cost. */
  get wantsCompaction(): boolean {
    return this.#slabBytes > this.#liveBytes * 1.5 + this.#slackBytes;
  }

  /**
   * A slab with room for `length` bytes at `slab.used`. The caller must write them and increase `used` at once.
   */
  reserve(length: number): Slab {
    const open = this.#open;
    if (open !== undefined && open.used + length <= open.bytes.length) return open;
    // Not tracked before `retain`: if the store never takes the object, the arena must not keep the slab alive.
    if (length > this.#maxSlabBytes) return new Slab(length, false);
    while (this.#nextSlabBytes < length) this.#grow();
    // Not pooled while the store holds nothing, as during the first list or with `storage: 'objects'`: such slabs are freed soon.
    const slab = this.#track(new Slab(this.#nextSlabBytes, this.#liveBytes > 0));
    this.#grow();
    this.#open = slab;
    if (open !== undefined && open.live === 0) this.#forget(open);
    return slab;
  }

  /** The store holds this object from now on. */
  retain(entry: SlabEntry): void {
    if (entry.held) return;
    entry.held = true;
    entry.slab.live += entry.length;
    this.#liveBytes += entry.length;
    if (!entry.slab.tracked) this.#track(entry.slab);
  }

  /** The store no longer holds this object. Other holders can still read it. */
  release(entry: SlabEntry): void {
    if (!entry.held) return;
    entry.held = false;
    this.#liveBytes -= entry.length;
    this.#drain(entry.slab, entry.length);
  }

  /**
   * Moves the store's objects out of slabs that are mostly unused.
   *
   * @param held all objects of the store, in any order; as with the iterator of a Map, the store may change between two steps
   */
  compaction(held: Iterable<SlabEntry>): Compaction {
    // The emptiest slabs first, and no more than necessary: a nearly full slab costs much to move and frees little.
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

/** A running compaction, to be called in slices. It may be abandoned at any point. */
export class Compaction {
  readonly #held: Iterator<SlabEntry>;
  readonly #move: (entry: SlabEntry) => void;
  /** The number of objects moved so far. */
  moved = 0;

  /** @internal Made by {@link SlabArena.compaction}. */
  constructor(held: Iterator<SlabEntry>, move: (entry: SlabEntry) => void) {
    this.#held = held;
    this.#move = move;
  }

  /** Visits up to `count` more objects; returns whether there are more. */
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

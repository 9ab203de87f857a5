import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realClock } from '../time/real-clock.js';
import { type Slab, SlabArena, type SlabEntry } from './slab.js';

class Entry implements SlabEntry {
  slab: Slab;
  offset: number;
  readonly length: number;
  held = false;

  constructor(arena: SlabArena, content: Buffer) {
    this.slab = arena.reserve(content.length);
    this.offset = this.slab.used;
    this.length = content.length;
    content.copy(this.slab.bytes, this.offset);
    this.slab.used += content.length;
  }

  get content(): string {
    return this.slab.bytes.toString('latin1', this.offset, this.offset + this.length);
  }
}

const filled = (arena: SlabArena, length: number, byte = 'x'): Entry => new Entry(arena, Buffer.alloc(length, byte));

describe('SlabArena', () => {
  it('grows its slabs up to a limit, and gives a larger object its own slab', () => {
    const arena = new SlabArena({ minSlabBytes: 64, maxSlabBytes: 256 });
    const sizes = [60, 60, 100, 200, 200, 1000, 50].map((length) => filled(arena, length).slab.bytes.length);
    expect(sizes).toEqual([64, 128, 256, 256, 256, 1000, 256]);
  });

  it('stores objects one after the other', () => {
    const arena = new SlabArena({ minSlabBytes: 100 });
    const [a, b, c] = [filled(arena, 40), filled(arena, 60), filled(arena, 1)] as const;
    expect([a.offset, b.offset, c.offset]).toEqual([0, 40, 0]);
    expect([a.slab === b.slab, b.slab === c.slab]).toEqual([true, false]);
  });

  it('counts a held object once, however often retain() is called', () => {
    const arena = new SlabArena({ minSlabBytes: 100, maxSlabBytes: 100 });
    const entry = filled(arena, 80);
    arena.retain(entry);
    arena.retain(entry);
    expect(arena.usage).toEqual({ slabs: 1, slabBytes: 100, liveBytes: 80 });
    filled(arena, 80);
    expect(arena.usage.slabs).toBe(2);
    arena.release(entry);
    arena.release(entry);
    expect(arena.usage).toEqual({ slabs: 1, slabBytes: 100, liveBytes: 0 });
  });

  it('does not track the slab of a large object before retain()', () => {
    const arena = new SlabArena({ minSlabBytes: 100, maxSlabBytes: 100, slackBytes: 200 });
    for (let i = 0; i < 20; i++) {
      const [stored, deleted] = [filled(arena, 500), filled(arena, 500)];
      arena.retain(stored);
      expect(arena.usage).toEqual({ slabs: 1, slabBytes: 500, liveBytes: 500 });
      arena.release(stored);
      expect(deleted.slab.tracked).toBe(false);
    }
    expect(arena.usage).toEqual({ slabs: 0, slabBytes: 0, liveBytes: 0 });
    expect(arena.wantsCompaction).toBe(false);
  });

  it('counts a slab once that another arena also tracked for a while', () => {
    const [own, other] = [new SlabArena({ minSlabBytes: 100 }), new SlabArena()];
    const [mine, theirs] = [filled(own, 40), filled(own, 40)];
    own.retain(mine);
    other.retain(theirs);
    other.release(theirs);
    own.release(mine);
    own.retain(mine);
    expect(own.usage).toEqual({ slabs: 1, slabBytes: 100, liveBytes: 40 });
  });

  it('wants compaction if a third is unused, and not after it', () => {
    const arena = new SlabArena({ minSlabBytes: 100, maxSlabBytes: 100, slackBytes: 200 });
    const entries = Array.from({ length: 40 }, (_, i) => filled(arena, 25, String.fromCharCode(65 + i)));
    for (const entry of entries) arena.retain(entry);
    expect(arena.wantsCompaction).toBe(false);
    const kept = entries.filter((_, i) => i % 4 === 0);
    for (const entry of entries) if (!kept.includes(entry)) arena.release(entry);
    expect(arena.usage).toEqual({ slabs: 10, slabBytes: 1000, liveBytes: 250 });
    expect(arena.wantsCompaction).toBe(true);

    const before = entries.map((entry) => entry.content);
    const compaction = arena.compaction(kept);
    let steps = 1;
    while (compaction.step(2)) steps++;
    expect(steps).toBeGreaterThan(kept.length / 2);
    expect(compaction.moved).toBe(9);
    expect(arena.usage).toEqual({ slabs: 4, slabBytes: 400, liveBytes: 250 });
    expect(arena.wantsCompaction).toBe(false);
    // Neither moved nor released objects have changed.
    expect(entries.map((entry) => entry.content)).toEqual(before);
  });

  it('does not move an object that the store has released since the compaction began', () => {
    const arena = new SlabArena({ minSlabBytes: 100, maxSlabBytes: 100, slackBytes: 0 });
    const entries = Array.from({ length: 8 }, () => filled(arena, 50));
    for (const entry of entries) arena.retain(entry);
    // One object of each slab is left, and all but the last slab are sparse.
    const [first, ...kept] = entries.filter((_, i) => i % 2 === 0) as [(typeof entries)[0], ...typeof entries];
    for (const entry of entries) if (entry !== first && !kept.includes(entry)) arena.release(entry);
    const compaction = arena.compaction([first, ...kept]);
    const { slab, offset } = first;
    arena.release(first);
    while (compaction.step(1));
    expect(first).toMatchObject({ slab, offset });
    expect(arena.usage.liveBytes).toBe(150);
    for (const entry of kept) arena.release(entry);
    expect(arena.usage.liveBytes).toBe(0);
    expect(arena.usage.slabs).toBe(1);
  });

  it('tracks a slab again after it was forgotten', () => {
    const arena = new SlabArena({ minSlabBytes: 10, maxSlabBytes: 10 });
    const early = filled(arena, 10);
    filled(arena, 10);
    expect(arena.usage.slabs).toBe(1);
    arena.retain(early);
    expect(arena.usage).toEqual({ slabs: 2, slabBytes: 20, liveBytes: 10 });
  });

  it('checks its options', () => {
    expect(() => new SlabArena({ minSlabBytes: 0 })).toThrow(
      'minSlabBytes must be a whole number of at least 1, got 0',
    );
    expect(() => new SlabArena({ minSlabBytes: 10, maxSlabBytes: 9 })).toThrow('maxSlabBytes');
  });

  it('keeps no reference to a slab without held objects', async () => {
    const arena = new SlabArena({ minSlabBytes: 100, maxSlabBytes: 100 });
    const watched: WeakRef<Slab>[] = [];
    const entries = Array.from({ length: 20 }, () => filled(arena, 50));
    for (const entry of entries) {
      arena.retain(entry);
      watched.push(new WeakRef(entry.slab));
    }
    const kept = entries.splice(0, 2);
    for (const entry of entries.splice(0)) arena.release(entry);
    // A WeakRef keeps its target alive until the end of the turn.
    await realClock.yield();
    globalThis.gc?.();
    const alive = new Set(watched.map((ref) => ref.deref()).filter((slab) => slab !== undefined));
    expect(alive.has(kept[0]!.slab)).toBe(true);
    // That slab, and the one that is being filled.
    expect(alive.size).toBe(2);
  });

  it('never changes written bytes, under any sequence of operations', () => {
    const action = fc.oneof(
      { weight: 6, arbitrary: fc.record({ put: fc.nat({ max: 20 }), length: fc.integer({ min: 1, max: 60 }) }) },
      { weight: 3, arbitrary: fc.record({ remove: fc.nat({ max: 20 }) }) },
      { weight: 1, arbitrary: fc.record({ compact: fc.integer({ min: 1, max: 5 }) }) },
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 150 }), (actions) => {
        const arena = new SlabArena({ minSlabBytes: 32, maxSlabBytes: 128, slackBytes: 0 });
        const store = new Map<number, Entry>();
        const written: [Entry, string][] = [];
        let running: ReturnType<SlabArena['compaction']> | undefined;
        for (const [i, step] of actions.entries()) {
          if ('put' in step) {
            const content = String.fromCharCode(33 + (i % 90)).repeat(step.length);
            const entry = new Entry(arena, Buffer.from(content, 'latin1'));
            written.push([entry, content]);
            const old = store.get(step.put);
            if (old !== undefined) arena.release(old);
            arena.retain(entry);
            store.set(step.put, entry);
          } else if ('remove' in step) {
            const old = store.get(step.remove);
            if (old !== undefined) arena.release(old);
            store.delete(step.remove);
          } else {
            // Abandoned and started again at random.
            running ??= arena.compaction(store.values());
            if (!running.step(step.compact)) running = undefined;
          }
          const live = [...store.values()].reduce((sum, { length }) => sum + length, 0);
          expect(arena.usage.liveBytes).toBe(live);
          for (const [entry, content] of written) expect(entry.content).toBe(content);
        }
        const last = arena.compaction(store.values());
        while (last.step());
        const again = arena.compaction(store.values());
        while (again.step());
        const { slabBytes, liveBytes } = arena.usage;
        // Every slab but the one that is being filled is now three quarters full, or holds a single object.
        expect(slabBytes).toBeLessThanOrEqual(liveBytes * 2 + 128 * 2);
      }),
    );
  });
});

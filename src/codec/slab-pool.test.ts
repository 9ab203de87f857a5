import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SlabPool } from './slab-pool.js';

const collect = (globalThis as unknown as { gc(): void }).gc;

/** Runs the garbage collector until the condition holds, or a number of times. */
async function collected(condition: () => boolean, times = 50): Promise<boolean> {
  for (let i = 0; i < times && !condition(); i++) {
    collect();
    await nextTurn();
  }
  return condition();
}

/** Owners of memory that is filled with their number. */
function take(pool: SlabPool, count: number): { owners: object[]; memory: Buffer[] } {
  const owners = Array.from({ length: count }, () => ({}));
  return { owners, memory: owners.map((owner, i) => pool.take(owner).fill(i)) };
}

describe('SlabPool', () => {
  it('reuses memory after its owner has been collected, and not before', async () => {
    const pool = new SlabPool(1024, 8);
    const { owners, memory } = take(pool, 6);
    expect(await collected(() => pool.spare > 0, 5)).toBe(false);

    owners.length = 3;
    expect(await collected(() => pool.spare === 3)).toBe(true);
    const later = take(pool, 3);
    expect(new Set(later.memory)).toEqual(new Set(memory.slice(3)));
    expect(pool.spare).toBe(0);
    for (const [i, bytes] of memory.slice(0, owners.length).entries()) {
      expect(bytes.every((byte) => byte === i)).toBe(true);
    }
    expect(later.owners).toHaveLength(3);
  });

  it('keeps at most as many spare slabs as are in use, and at most maxSpare', async () => {
    const pool = new SlabPool(1024, 4);
    const { owners } = take(pool, 12);
    owners.length = 6;
    expect(await collected(() => pool.spare === 4)).toBe(true);
    owners.length = 1;
    expect(await collected(() => pool.spare === 1)).toBe(true);
    owners.length = 0;
    expect(await collected(() => pool.spare === 0)).toBe(true);
  });
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SlabPool } from './slab-pool.js';

const collect = (globalThis as unknown as { gc(): void }).gc;

/** Collects until it is so, or for as long as the collector can reasonably take to notice. */
async function collected(condition: () => boolean): Promise<boolean> {
  for (let i = 0; i < 50 && !condition(); i++) {
    collect();
    await nextTurn();
  }
  return condition();
}

/** Owners of memory with their number written all over it. */
function take(pool: SlabPool, count: number): { owners: object[]; memory: Buffer[] } {
  const owners = Array.from({ length: count }, () => ({}));
  return { owners, memory: owners.map((owner, i) => pool.take(owner).fill(i)) };
}

describe('SlabPool', () => {
  it('gives memory to the next owner once nobody can reach the last one, and not before', async () => {
    const pool = new SlabPool(1024, 8);
    const { owners, memory } = take(pool, 6);
    await collected(() => pool.spare > 0);
    expect(pool.spare).toBe(0);

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

  it('keeps no more than is in use, and no more than it may', async () => {
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

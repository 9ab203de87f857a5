import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { BLOCK_BYTES, BlockPool, ByteQueue } from './byte-queue.js';
import { MAX_CHUNK } from './json/scanner.js';

/** Bytes whose values depend on their positions. */
const numbered = (from: number, length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (from + i) % 251));

describe('ByteQueue', () => {
  it('returns the pushed bytes in order, in pieces of at most one block', () => {
    const step = fc.oneof(
      fc.record({ push: fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 3 * BLOCK_BYTES })) }),
      fc.constant({ push: -1 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const queue = new ByteQueue(new BlockPool([Buffer.alloc(BLOCK_BYTES), Buffer.alloc(BLOCK_BYTES)]));
        let pushed = 0;
        let read = 0;
        const take = (): boolean => {
          const piece = queue.shift();
          if (piece === undefined) return false;
          expect(piece.length).toBeGreaterThan(0);
          expect(piece.length).toBeLessThanOrEqual(MAX_CHUNK);
          // A later push does not change it.
          queue.push(numbered(pushed, 10));
          pushed += 10;
          expect(piece.equals(numbered(read, piece.length))).toBe(true);
          read += piece.length;
          return true;
        };
        for (const { push } of steps) {
          if (push < 0) take();
          else {
            const bytes = numbered(pushed, push);
            queue.push(bytes);
            bytes.fill(255);
            pushed += push;
          }
          expect(queue.length).toBe(pushed - read);
        }
        const all = pushed;
        while (read < all) take();
        queue.clear();
        expect(queue.length).toBe(0);
        expect(queue.shift()).toBe(undefined);
      }),
      { numRuns: runs(15) },
    );
  });

  it('reuses blocks that were read, also those of other queues', () => {
    const blocks = Array.from({ length: 3 }, () => Buffer.alloc(BLOCK_BYTES));
    const pool = new BlockPool(blocks);
    const first = new ByteQueue(pool);
    const second = new ByteQueue(pool);
    const memory = new Set<ArrayBufferLike>(blocks.map((block) => block.buffer));
    for (let i = 0; i < 50; i++) {
      for (const queue of [first, second]) {
        queue.push(numbered(i, 40_000));
        queue.push(numbered(i, 40_000));
        for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) memory.add(piece.buffer);
      }
    }
    expect(memory.size).toBe(3);
  });
});

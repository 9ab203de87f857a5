import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ring } from './ring.js';

describe('Ring', () => {
  it('is first in, first out, and undefined when empty', () => {
    const ring = new Ring<string>();
    expect(ring.shift()).toBeUndefined();
    ring.push('a');
    ring.push('b');
    expect([ring.at(0), ring.at(1), ring.at(2), ring.at(-1)]).toEqual(['a', 'b', undefined, undefined]);
    expect([ring.shift(), ring.shift(), ring.shift()]).toEqual(['a', 'b', undefined]);
  });

  it('grows and shrinks with its length', () => {
    const ring = new Ring<number>();
    for (let i = 0; i < 1000; i++) ring.push(i);
    expect(ring.capacity).toBe(1024);
    for (let i = 0; i < 1000; i++) expect(ring.shift()).toBe(i);
    expect([ring.length, ring.capacity]).toEqual([0, 16]);
    for (let i = 0; i < 1000; i++) ring.push(i);
    ring.clear();
    expect([ring.length, ring.capacity, ring.at(0)]).toEqual([0, 16, undefined]);
  });

  it('keeps no reference to an item that was taken', () => {
    const ring = new Ring<object>();
    const taken = (() => {
      ring.push({});
      return new WeakRef(ring.shift() as object);
    })();
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      (globalThis as { gc?: () => void }).gc?.();
      expect(taken.deref()).toBeUndefined();
    });
  });

  it('agrees with an array under any sequence of operations', () => {
    // Long runs of one operation make the ring wrap, grow and shrink.
    const operation = fc.record({
      do: fc.constantFrom('push', 'shift', 'clear'),
      times: fc.integer({ min: 1, max: 90 }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const ring = new Ring<number>();
        let model: number[] = [];
        let next = 0;
        for (const step of operations) {
          for (let i = 0; i < step.times; i++) {
            if (step.do === 'push') {
              ring.push(next);
              model.push(next++);
            } else if (step.do === 'shift') {
              expect(ring.shift()).toBe(model.shift());
            }
          }
          // Rarely, so that most runs grow.
          if (step.do === 'clear' && step.times > 60) {
            ring.clear();
            model = [];
          }
          expect(ring.length).toBe(model.length);
          expect([...ring]).toEqual(model);
          expect(ring.capacity).toBeLessThanOrEqual(Math.max(16, 4 * model.length));
        }
      }),
    );
  });
});

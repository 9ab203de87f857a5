import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { FakeClock } from '../time/fake-clock.js';
import { lowPriority, PriorityQueue } from './priority-queue.js';
import { processQueue } from './process-queue.js';

function takeAll(queue: PriorityQueue): string[] {
  const items: string[] = [];
  for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) {
    items.push(item);
    queue.done(item);
  }
  return items;
}

describe('PriorityQueue', () => {
  it('hands out the highest priority first, equal ones in order', () => {
    const queue = new PriorityQueue();
    queue.add('zero');
    queue.add('low', { priority: lowPriority });
    queue.add('high', { priority: 5 });
    queue.add('zero too');
    expect(takeAll(queue)).toEqual(['high', 'zero', 'zero too', 'low']);
  });

  it('hands out items of an initial list after new changes', () => {
    const queue = new PriorityQueue();
    queue.addWithHint('old', { cause: 'pods add', background: true });
    queue.addWithHint('new', { cause: 'pods add', background: false });
    queue.addWithHint('old and changed', { cause: 'pods add', background: true });
    queue.addWithHint('old and changed', { cause: 'pods update', background: false });
    expect(takeAll(queue)).toEqual(['new', 'old and changed', 'old']);
  });

  it('hands out every second time what has waited longest, once that is longer than ageAfterMs', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue({ clock, ageAfterMs: 1000 });
    for (const item of ['old 1', 'old 2']) queue.add(item, { priority: lowPriority });
    await clock.advance(1000);
    for (const item of ['new 1', 'new 2', 'new 3']) queue.add(item);
    expect(takeAll(queue)).toEqual(['old 1', 'new 1', 'old 2', 'new 2', 'new 3']);
  });

  it('hands out each item once, the oldest within twice its place, whatever the order of calls', async () => {
    const step = fc.record({ kind: fc.constantFrom('low', 'high', 'take', 'wait'), item: fc.nat(40) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const clock = new FakeClock();
        const queue = new PriorityQueue({ clock, ageAfterMs: 10 });
        const waiting = new Set<string>();
        for (const { kind, item } of steps) {
          if (kind === 'wait') await clock.advance(5);
          else if (kind === 'take') {
            const taken = queue.tryGet();
            expect(taken === undefined).toBe(waiting.size === 0);
            if (taken === undefined) continue;
            expect(waiting.delete(taken)).toBe(true);
            queue.done(taken);
          } else {
            queue.add(`${item}`, { priority: kind === 'low' ? lowPriority : 0 });
            waiting.add(`${item}`);
          }
        }
        const oldest = [...waiting];
        await clock.advance(10);
        const taken = takeAll(queue);
        expect(taken.slice().sort()).toEqual(oldest.slice().sort());
        const [first] = oldest;
        if (first !== undefined) expect(taken.indexOf(first)).toBeLessThan(2);
      }),
      { numRuns: runs(60) },
    );
  });

  it('nextDueInMs is the time until the first delayed item', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue({ clock });
    expect(queue.nextDueInMs).toBe(Number.POSITIVE_INFINITY);
    queue.addAfter('a', 500);
    queue.addAfter('b', 300);
    await clock.advance(100);
    expect(queue.nextDueInMs).toBe(200);
    await clock.advance(200);
    expect([queue.nextDueInMs, queue.tryGet()]).toEqual([200, 'b']);
  });

  it('keeps the higher priority, and moves an item to the end of its new level', () => {
    const queue = new PriorityQueue();
    queue.add('riser');
    queue.add('five', { priority: 5 });
    queue.add('riser', { priority: 5 });
    queue.add('five', { priority: 1 });
    expect(takeAll(queue)).toEqual(['five', 'riser']);
  });

  it('keeps the highest priority of adds while the item is processed', () => {
    const queue = new PriorityQueue();
    queue.add('a');
    expect(queue.tryGet()).toBe('a');
    queue.add('a', { priority: 5 });
    queue.add('a', { priority: 1 });
    queue.done('a');
    expect(queue.tryGet()).toBe('a');
    expect(queue.priorityOf('a')).toBe(5);
  });

  it('a retry of a dirty item is handed out once', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue({ clock });
    queue.add('a', { priority: lowPriority });
    expect(queue.tryGet()).toBe('a');
    queue.addWithHint('a', { cause: 'pods update', background: true });
    queue.addRateLimited('a');
    expect(queue.delayedLength).toBe(0);
    queue.done('a');
    expect(queue.tryGet()).toBe('a');
    expect(queue.priorityOf('a')).toBe(lowPriority);
    queue.done('a');
    await clock.advance(10_000);
    expect(takeAll(queue)).toEqual([]);
  });

  it('a retry can have any priority', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue({ clock });
    queue.addRateLimited('low', { priority: -50 });
    queue.addRateLimited('zero');
    await clock.advance(10);
    expect(queue.numRequeues('low')).toBe(1);
    expect(queue.tryGet()).toBe('zero');
    expect(queue.tryGet()).toBe('low');
    expect(queue.priorityOf('low')).toBe(-50);
  });

  it('keeps the earlier time', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue({ clock });
    queue.addAfter('a', 100, { priority: 3 });
    queue.add('a');
    queue.add('b', { priority: 1 });
    expect(queue.delayedLength).toBe(0);
    queue.addAfter('b', 100, { priority: 9 });
    expect(queue.delayedLength).toBe(0);
    expect(takeAll(queue)).toEqual(['b', 'a']);
    queue.addAfter('late', 50, { priority: 7 });
    queue.addAfter('late', 20);
    queue.addAfter('c', 20);
    await clock.advance(20);
    expect(takeAll(queue)).toEqual(['late', 'c']);
    await clock.advance(100);
    expect(takeAll(queue)).toEqual([]);
  });

  it('an item that an informer enqueues is queued at once, and its delay is dropped', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue({ clock });
    queue.addAfter('a', 100);
    queue.addWithHint('a', { cause: 'pods update', background: false });
    expect(queue.delayedLength).toBe(0);
    expect(takeAll(queue)).toEqual(['a']);
    await clock.advance(100);
    expect(takeAll(queue)).toEqual([]);
  });

  it('a retry keeps the priority of the run that failed', async () => {
    const clock = new FakeClock();
    const queue = new PriorityQueue({ clock });
    const priorities: (number | undefined)[] = [];
    const stop = new AbortController();
    const loop = processQueue(queue, {
      signal: stop.signal,
      onError() {},
      reconcile(item) {
        priorities.push(queue.priorityOf(item));
        if (priorities.length < 3) throw new Error('again');
      },
    });
    queue.add('a', { priority: -7 });
    await clock.advance(1000);
    expect(priorities).toEqual([-7, -7, -7]);
    expect(queue.priorityOf('a')).toBeUndefined();
    stop.abort();
    await loop;
  });

  it('is a work queue: an item is queued once, again after done, and not after shutdown', async () => {
    const queue = new PriorityQueue();
    queue.add('a');
    queue.add('a', { priority: 1 });
    expect(queue.length).toBe(1);
    expect(queue.tryGet()).toBe('a');
    queue.add('a', { priority: 4 });
    expect(queue.tryGet()).toBeUndefined();
    queue.add('b');
    queue.done('a');
    expect(takeAll(queue)).toEqual(['a', 'b']);
    await queue.shutDown();
    queue.add('c');
    expect(takeAll(queue)).toEqual([]);
    expect(() => new PriorityQueue().add('x', { priority: Number.NaN })).toThrow(/priority must be a number/);
  });

  it('hands out items in the order of a sorted list', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ item: fc.nat(9), priority: fc.integer({ min: -3, max: 3 }), take: fc.boolean() })),
        (steps) => {
          const queue = new PriorityQueue<number>();
          let model: { item: number; priority: number }[] = [];
          const expectNext = () => {
            const best = model.reduce<number | undefined>(
              (top, { priority }) => Math.max(top ?? priority, priority),
              undefined,
            );
            const index = model.findIndex(({ priority }) => priority === best);
            const item = queue.tryGet();
            expect(item).toBe(model[index]?.item);
            if (item === undefined) return false;
            queue.done(item);
            model = model.filter((_, i) => i !== index);
            return true;
          };
          for (const { item, priority, take } of steps) {
            queue.add(item, { priority });
            const known = model.find((entry) => entry.item === item);
            if (known === undefined) model.push({ item, priority });
            else if (priority > known.priority)
              model = [...model.filter((entry) => entry !== known), { item, priority }];
            if (take) expectNext();
          }
          while (expectNext());
        },
      ),
    );
  });
});

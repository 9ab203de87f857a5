import { describe, expect, it } from 'vitest';
import { channels, listen } from '../observe/channels.js';
import { FakeClock } from '../time/fake-clock.js';
import { DelayingQueue } from './delaying-queue.js';

function make(): { clock: FakeClock; queue: DelayingQueue; takeAll: () => string[] } {
  const clock = new FakeClock();
  const queue = new DelayingQueue({ clock });
  const takeAll = () => {
    const items: string[] = [];
    for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) {
      items.push(item);
      queue.done(item);
    }
    return items;
  };
  return { clock, queue, takeAll };
}

describe('DelayingQueue', () => {
  it('[S243] adds an item after its delay, once', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 50);
    expect(queue.length).toBe(0);
    expect(queue.delayedLength).toBe(1);
    await clock.advance(60);
    expect(takeAll()).toEqual(['foo']);
    await clock.advance(10_000);
    expect(takeAll()).toEqual([]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('[S244] of two delays the earlier counts', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 50);
    queue.addAfter('foo', 70);
    await clock.advance(60);
    expect(takeAll()).toEqual(['foo']);
    await clock.advance(20);
    expect(takeAll()).toEqual([]);
    queue.addAfter('foo', 50);
    queue.addAfter('foo', 30);
    await clock.advance(40);
    expect(takeAll()).toEqual(['foo']);
    await clock.advance(20);
    expect(takeAll()).toEqual([]);
  });

  it('[S245] handles several delays, the longest added first', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 1000);
    queue.addAfter('bar', 50);
    await clock.advance(60);
    expect(takeAll()).toEqual(['bar']);
    queue.addAfter('baz', 2000);
    await clock.advance(1000);
    expect(takeAll()).toEqual(['foo']);
    await clock.advance(2000);
    expect(takeAll()).toEqual(['baz']);
  });

  it('[S246] hands out items in the order of their due times', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('first', 1000);
    queue.addAfter('second', 500);
    queue.addAfter('third', 250);
    await clock.advance(2000);
    expect(takeAll()).toEqual(['third', 'second', 'first']);
  });

  it('keeps the order of equal due times, and adds items without a delay at once', async () => {
    const { clock, queue, takeAll } = make();
    for (const item of ['a', 'b', 'c']) queue.addAfter(item, 10);
    queue.addAfter('now', 0);
    queue.addAfter('past', -5);
    expect(takeAll()).toEqual(['now', 'past']);
    await clock.advance(10);
    expect(takeAll()).toEqual(['a', 'b', 'c']);
  });

  it('an item that is delayed again until the same time keeps its place', async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue({ clock });
    for (const item of ['a', 'b', 'a']) queue.addAfter(item, 10);
    await clock.advance(10);
    expect([queue.tryGet(), queue.tryGet(), queue.tryGet()]).toEqual(['a', 'b', undefined]);
  });

  it('publishes a negative delay as 0', () => {
    const queue = new DelayingQueue({ name: 'test', clock: new FakeClock() });
    const delays: number[] = [];
    const stop = listen(channels.workqueueRetry, ({ delayMs }) => delays.push(delayMs));
    queue.addAfter('a', -5);
    stop();
    expect([delays, queue.tryGet()]).toEqual([[0], 'a']);
  });

  it('a direct add does not cancel the delay', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 50);
    queue.add('foo');
    expect(takeAll()).toEqual(['foo']);
    await clock.advance(50);
    expect(takeAll()).toEqual(['foo']);
  });

  it('a change of the wall clock has no effect', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 1000);
    clock.jump(3_600_000);
    await clock.advance(10);
    expect(takeAll()).toEqual([]);
    clock.jump(-7_200_000);
    await clock.advance(990);
    expect(takeAll()).toEqual(['foo']);
  });

  it('shutdown drops delayed items and leaves no timer', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 50);
    await queue.shutDown();
    queue.addAfter('bar', 50);
    expect(clock.pendingTimers).toEqual([]);
    await clock.advance(100);
    expect(takeAll()).toEqual([]);
    expect(queue.delayedLength).toBe(0);
  });

  it('shutdown drops delayed items although others are queued or processed', async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue({ clock });
    for (const item of ['processed', 'queued']) queue.add(item);
    queue.tryGet();
    queue.addAfter('delayed', 10);
    await queue.shutDown();
    expect(queue.delayedLength).toBe(0);
    await clock.advance(10);
    expect([queue.tryGet(), queue.tryGet()]).toEqual(['queued', undefined]);
  });

  it('an item that is delayed while it is processed keeps its delay, and not the causes of that run', async () => {
    const { clock, queue, takeAll } = make();
    queue.addWithHint('foo', { cause: 'created', background: false });
    expect(queue.tryGet()).toBe('foo');
    queue.addAfter('foo', 50);
    expect(queue.causesOf('foo')).toEqual(['created']);
    queue.done('foo');
    expect([queue.length, queue.delayedLength, takeAll()]).toEqual([0, 1, []]);
    await clock.advance(50);
    expect(queue.tryGet()).toBe('foo');
    expect(queue.causesOf('foo')).toEqual([]);
    queue.done('foo');
    expect([queue.length, queue.delayedLength]).toEqual([0, 0]);
  });

  it('an item that comes due while it is processed is handed out again after done', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 50);
    queue.add('foo');
    expect(queue.tryGet()).toBe('foo');
    await clock.advance(50);
    expect([queue.length, queue.delayedLength]).toEqual([0, 0]);
    queue.done('foo');
    expect(takeAll()).toEqual(['foo']);
  });

  it('keeps the order of 40,000 items, twice', async () => {
    const { clock, queue, takeAll } = make();
    const items = Array.from({ length: 40_000 }, (_, i) => `team-${i % 7}/app-${i}`);
    for (let round = 0; round < 2; round++) {
      items.forEach((item, i) => {
        queue.addAfter(item, 1000 + (i % 3));
      });
      // Every tenth gets an earlier time, and is handed out in the order of those calls.
      const urgent = items.filter((_, i) => i % 10 === 0).reverse();
      for (const item of urgent) queue.addAfter(item, 500);
      expect(queue.delayedLength).toBe(40_000);
      await clock.advance(500);
      expect(takeAll()).toEqual(urgent);
      const later = [0, 1, 2].map((rest) => items.filter((_, i) => i % 10 !== 0 && i % 3 === rest));
      await clock.advance(500);
      expect(takeAll()).toEqual(later[0]);
      await clock.advance(2);
      expect(takeAll()).toEqual([...(later[1] as string[]), ...(later[2] as string[])]);
      expect([queue.length, queue.delayedLength]).toEqual([0, 0]);
    }
  });

  const isCollected = async (reference: WeakRef<object>) => {
    for (let i = 0; i < 20 && reference.deref() !== undefined; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      (globalThis as { gc?: () => void }).gc?.();
    }
    return reference.deref() === undefined;
  };

  it.each([{ running: true }, { running: false }])(
    'retains no delayed item after shutdown (%o)',
    async ({ running }) => {
      const queue = new DelayingQueue<object>({ clock: new FakeClock() });
      const current = { id: 'current' };
      if (running) {
        queue.add(current);
        expect(queue.tryGet()).toBe(current);
      }
      const reference = (() => {
        const item = { id: 'waits' };
        queue.addAfter(item, 50);
        return new WeakRef(item);
      })();
      await queue.shutDown();
      queue.done(current);
      expect(await isCollected(reference)).toBe(true);
    },
  );

  it('retains no item whose delay was cancelled', async () => {
    class Fickle extends DelayingQueue<object> {
      cancel(item: object): void {
        this.cancelDelayed(item);
      }
    }
    const clock = new FakeClock();
    const queue = new Fickle({ clock });
    queue.cancel({ id: 'unknown' });
    queue.add({ id: 'queued' });
    queue.addAfter({ id: 'queued' }, 50);
    queue.cancel({ id: 'queued' });
    const reference = (() => {
      const item = { id: 'waits' };
      queue.addAfter(item, 50);
      queue.cancel({ id: 'waits' });
      return new WeakRef(item);
    })();
    expect([queue.length, queue.delayedLength]).toEqual([1, 0]);
    await clock.advance(50);
    expect([queue.tryGet(), queue.tryGet()]).toEqual([{ id: 'queued' }, undefined]);
    expect(await isCollected(reference)).toBe(true);
  });

  it('keeps the process alive only while a get waits', async () => {
    const { clock, queue } = make();
    const holds = () => clock.pendingTimers.map(({ keepsAlive }) => keepsAlive);
    queue.addAfter('x', 50);
    expect(holds()).toEqual([false]);
    const stop = new AbortController();
    const [first, second] = [queue.get({ signal: stop.signal }), queue.get({ signal: stop.signal })];
    expect(holds()).toEqual([true]);
    queue.addAfter('sooner', 20);
    expect(holds()).toEqual([true]);
    await clock.advance(20);
    expect([await first, holds()]).toEqual(['sooner', [true]]);
    stop.abort();
    expect([await second, holds()]).toEqual([undefined, [false]]);
    const third = queue.get();
    expect(holds()).toEqual([true]);
    await clock.advance(30);
    expect([await third, holds()]).toEqual(['x', []]);
  });

  it('a delay must be a number', () => {
    const { queue } = make();
    expect(() => queue.addAfter('x', Number.NaN)).toThrow(/ms must be a number .* got NaN/);
  });
});

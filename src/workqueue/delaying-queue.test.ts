import { describe, expect, it } from 'vitest';
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
  it('[S243] adds an item when its time has come, once', async () => {
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

  it('[S244] the earlier time wins', async () => {
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

  it('[S245] several delays, the later ones asked for earlier', async () => {
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

  it('[S246] comes out in the order of the times', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('first', 1000);
    queue.addAfter('second', 500);
    queue.addAfter('third', 250);
    await clock.advance(2000);
    expect(takeAll()).toEqual(['third', 'second', 'first']);
  });

  it('keeps the order of equal times, and adds at once what has no delay', async () => {
    const { clock, queue, takeAll } = make();
    for (const item of ['a', 'b', 'c']) queue.addAfter(item, 10);
    queue.addAfter('now', 0);
    queue.addAfter('past', -5);
    expect(takeAll()).toEqual(['now', 'past']);
    await clock.advance(10);
    expect(takeAll()).toEqual(['a', 'b', 'c']);
  });

  it('a direct add leaves the delayed one in place', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 50);
    queue.add('foo');
    expect(takeAll()).toEqual(['foo']);
    await clock.advance(50);
    expect(takeAll()).toEqual(['foo']);
  });

  it('a wall clock that jumps changes nothing', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 1000);
    clock.jump(3_600_000);
    await clock.advance(10);
    expect(takeAll()).toEqual([]);
    clock.jump(-7_200_000);
    await clock.advance(990);
    expect(takeAll()).toEqual(['foo']);
  });

  it('shutdown drops what waits and leaves no timer', async () => {
    const { clock, queue, takeAll } = make();
    queue.addAfter('foo', 50);
    await queue.shutDown();
    queue.addAfter('bar', 50);
    expect(clock.pendingTimers).toEqual([]);
    await clock.advance(100);
    expect(takeAll()).toEqual([]);
    expect(queue.delayedLength).toBe(0);
  });

  it('a delay must be a number', () => {
    const { queue } = make();
    expect(() => queue.addAfter('x', Number.NaN)).toThrow(/ms must be a number .* got NaN/);
  });
});

import { describe, expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import {
  BucketLimiter,
  defaultControllerLimiter,
  ItemExponentialLimiter,
  ItemFastSlowLimiter,
  MaxOfLimiter,
  MaxWaitLimiter,
  type RateLimiter,
} from './rate-limiters.js';
import { RateLimitingQueue } from './rate-limiting-queue.js';

const waits = (limiter: RateLimiter<string>, item: string, times: number): number[] =>
  Array.from({ length: times }, () => limiter.when(item));

describe('rate limiters', () => {
  it('[S248] exponential: doubles per item, and forgets', () => {
    const limiter = new ItemExponentialLimiter({ baseMs: 1, maxMs: 1000 });
    expect(waits(limiter, 'one', 5)).toEqual([1, 2, 4, 8, 16]);
    expect(limiter.numRequeues('one')).toBe(5);
    expect(waits(limiter, 'two', 2)).toEqual([1, 2]);
    expect(limiter.numRequeues('two')).toBe(2);
    limiter.forget('one');
    expect(limiter.numRequeues('one')).toBe(0);
    expect(limiter.when('one')).toBe(1);
  });

  it('[S249] exponential: stays at its cap however often when() is called', () => {
    const limiter = new ItemExponentialLimiter({ baseMs: 1, maxMs: 1_000_000 });
    waits(limiter, 'one', 5);
    expect(limiter.when('one')).toBe(32);
    expect(waits(new ItemExponentialLimiter({ baseMs: 0 }), 'zero', 2000).every((ms) => ms === 0)).toBe(true);
    waits(limiter, 'overflow1', 1000);
    expect(limiter.when('overflow1')).toBe(1_000_000);
    const slow = new ItemExponentialLimiter({ baseMs: 60_000, maxMs: 3_600_000_000 });
    waits(slow, 'two', 2);
    expect(slow.when('two')).toBe(240_000);
    waits(slow, 'overflow2', 1000);
    expect(slow.when('overflow2')).toBe(3_600_000_000);
  });

  it('[S250] fast, then slow', () => {
    const limiter = new ItemFastSlowLimiter({ fastMs: 5, slowMs: 10_000, fastTries: 3 });
    expect(waits(limiter, 'one', 5)).toEqual([5, 5, 5, 10_000, 10_000]);
    expect(limiter.numRequeues('one')).toBe(5);
    expect(waits(limiter, 'two', 2)).toEqual([5, 5]);
    limiter.forget('one');
    expect(limiter.numRequeues('one')).toBe(0);
    expect(limiter.when('one')).toBe(5);
  });

  it('[S251] the longest of several', () => {
    const limiter = new MaxOfLimiter(
      new ItemFastSlowLimiter({ fastMs: 5, slowMs: 3000, fastTries: 3 }),
      new ItemExponentialLimiter({ baseMs: 1, maxMs: 1000 }),
    );
    expect(waits(limiter, 'one', 5)).toEqual([5, 5, 5, 3000, 3000]);
    expect(limiter.numRequeues('one')).toBe(5);
    limiter.forget('one');
    expect(limiter.numRequeues('one')).toBe(0);
    expect(limiter.when('one')).toBe(5);
  });

  it('[S252] a longest delay', () => {
    const limiter = new MaxWaitLimiter(new ItemFastSlowLimiter({ fastMs: 5, slowMs: 1_000_000, fastTries: 100 }), {
      maxMs: 500_000,
    });
    expect(waits(limiter, 'one', 100).every((ms) => ms === 5)).toBe(true);
    expect(waits(limiter, 'one', 100).every((ms) => ms === 500_000)).toBe(true);
    expect(limiter.numRequeues('one')).toBe(200);
    limiter.forget('one');
    expect(limiter.when('one')).toBe(5);
  });

  it('bucket: a burst has no delay, then each item waits for a token', async () => {
    const clock = new FakeClock();
    const limiter = new BucketLimiter({ qps: 10, burst: 3, clock });
    expect(waits(limiter, 'any', 5)).toEqual([0, 0, 0, 100, 200]);
    expect(limiter.numRequeues('any')).toBe(0);
    limiter.forget('any');
    await clock.advance(500);
    expect(limiter.when('other')).toBe(0);
  });

  it('defaults are those of client-go', () => {
    const clock = new FakeClock();
    expect(waits(defaultControllerLimiter({ clock }), 'x', 9)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280]);
    const shared = defaultControllerLimiter({ clock });
    for (let i = 0; i < 100; i++) expect(shared.when(`item-${i}`)).toBe(5);
    expect(shared.when('one too many')).toBe(100);
  });

  it('[S253] the queue delays items as its limiter says', async () => {
    const clock = new FakeClock();
    const queue = new RateLimitingQueue({ clock, limiter: new ItemExponentialLimiter({ baseMs: 1, maxMs: 1000 }) });
    const readyAfter = async (item: string): Promise<number> => {
      queue.addRateLimited(item);
      let ms = 0;
      for (; queue.length === 0; ms++) await clock.advance(1);
      queue.done(queue.tryGet() as string);
      return ms;
    };
    expect([await readyAfter('one'), await readyAfter('one')]).toEqual([1, 2]);
    expect(queue.numRequeues('one')).toBe(2);
    expect([await readyAfter('two'), await readyAfter('two')]).toEqual([1, 2]);
    queue.forget('one');
    expect(queue.numRequeues('one')).toBe(0);
    expect(await readyAfter('one')).toBe(1);
  });

  it.each([
    () => new ItemExponentialLimiter({ baseMs: -1 }),
    () => new ItemFastSlowLimiter({ fastMs: 1, slowMs: 1, fastTries: 1.5 }),
    () => new BucketLimiter({ qps: 0 }),
    () => new MaxOfLimiter(),
    () => new MaxWaitLimiter(new ItemExponentialLimiter(), { maxMs: Number.NaN }),
  ])('refuse bad options (%#)', (make) => {
    expect(make).toThrow(TypeError);
  });
});

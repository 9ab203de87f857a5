import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { FakeClock } from './fake-clock.js';
import { TokenBucket } from './token-bucket.js';

/** Calls `wait` `times` times at once and records when each resolves. */
function waitMany(clock: FakeClock, bucket: TokenBucket, times: number): number[] {
  const through: number[] = [];
  for (let i = 0; i < times; i++) void bucket.wait().then(() => through.push(clock.monotonicNow()));
  return through;
}

describe('TokenBucket', () => {
  it('gives a burst of tokens at once and one per interval after that', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, { qps: 10, burst: 3 });
    expect(Array.from({ length: 5 }, () => bucket.tryTake())).toEqual([true, true, true, false, false]);
    await clock.advance(99);
    expect(bucket.tryTake()).toBe(false);
    await clock.advance(1);
    expect([bucket.tryTake(), bucket.tryTake()]).toEqual([true, false]);
    await clock.advance(60_000);
    expect(Array.from({ length: 5 }, () => bucket.tryTake())).toEqual([true, true, true, false, false]);
  });

  it('reserves any number of future tokens', () => {
    const bucket = new TokenBucket(new FakeClock(), { qps: 10, burst: 2 });
    expect(Array.from({ length: 6 }, () => bucket.reserve())).toEqual([0, 0, 100, 200, 300, 400]);
    expect(bucket.tryTake()).toBe(false);
  });

  it('resolves waiters in order, each at its time, and leaves no timer', async () => {
    const clock = new FakeClock();
    const through = waitMany(clock, new TokenBucket(clock, { qps: 10, burst: 2 }), 5);
    await clock.advance(1000);
    expect(through).toEqual([0, 0, 100, 200, 300]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('moves waiters up when one aborts', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, { qps: 10, burst: 1 });
    const controller = new AbortController();
    bucket.tryTake();
    const first = expect(bucket.wait({ signal: controller.signal })).rejects.toThrow('enough');
    const through = waitMany(clock, bucket, 2);
    await clock.advance(50);
    controller.abort(new Error('enough'));
    await first;
    const late = waitMany(clock, bucket, 1);
    await clock.advance(1000);
    expect([through, late]).toEqual([[100, 200], [300]]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('gives the token of an aborted last waiter to the next caller', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, { qps: 10, burst: 1 });
    const controller = new AbortController();
    bucket.tryTake();
    const through = waitMany(clock, bucket, 1);
    const last = expect(bucket.wait({ signal: controller.signal })).rejects.toThrow('enough');
    controller.abort(new Error('enough'));
    await last;
    expect(bucket.reserve()).toBe(200);
    await clock.advance(1000);
    expect(through).toEqual([100]);
  });

  it('does not let two callers through at once when a waiter before a reservation aborts', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, { qps: 10, burst: 1 });
    const controller = new AbortController();
    bucket.tryTake();
    const waited = expect(bucket.wait({ signal: controller.signal })).rejects.toThrow('enough');
    expect(bucket.reserve()).toBe(200);
    controller.abort(new Error('enough'));
    await waited;
    expect(bucket.reserve()).toBe(300);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('rejects at once if already aborted, and takes no token', async () => {
    const bucket = new TokenBucket(new FakeClock(), { qps: 10, burst: 1 });
    await expect(bucket.wait({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
    expect(bucket.tryTake()).toBe(true);
  });

  it('ignores the wall clock, and tolerates a monotonic clock that goes back', async () => {
    class BrokenClock extends FakeClock {
      offset = 0;
      override monotonicNow(): number {
        return super.monotonicNow() + this.offset;
      }
    }
    const clock = new BrokenClock();
    const bucket = new TokenBucket(clock, { qps: 10, burst: 2 });
    expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).toEqual([true, true, false]);
    clock.jump(-3_600_000);
    expect(bucket.tryTake()).toBe(false);
    const through = waitMany(clock, bucket, 2);
    clock.offset = -3_600_000;
    expect(bucket.tryTake()).toBe(false);
    await clock.advance(200);
    expect(through).toEqual([-3_599_900, -3_599_800]);
    await clock.advance(100);
    expect(bucket.tryTake()).toBe(true);
  });

  it('delays each reservation as counting tokens would', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat(400), { maxLength: 40 }),
        (qps, burst, gaps) => {
          let now = 0;
          const bucket = new TokenBucket({ monotonicNow: () => now } as FakeClock, { qps, burst });
          let tokens = burst;
          for (const gap of gaps) {
            now += gap;
            tokens = Math.min(burst, tokens + (gap * qps) / 1000) - 1;
            expect(bucket.reserve()).toBeCloseTo(Math.max(0, (-tokens * 1000) / qps), 6);
          }
        },
      ),
    );
  });

  it('never allows more than burst and qps, whichever waiters abort', async () => {
    const caller = fc.record({ after: fc.nat(150), abortAfter: fc.option(fc.nat(400), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(caller, { maxLength: 15 }), async (burst, callers) => {
        const clock = new FakeClock();
        const bucket = new TokenBucket(clock, { qps: 10, burst });
        const through: number[] = [];
        let settled = 0;
        for (const { after, abortAfter } of callers) {
          await clock.advance(after);
          const controller = new AbortController();
          if (abortAfter !== undefined) clock.setTimer(abortAfter, () => controller.abort());
          void bucket
            .wait({ signal: controller.signal })
            .then(
              () => void through.push(clock.monotonicNow()),
              () => {},
            )
            .then(() => settled++);
        }
        await clock.until(() => settled === callers.length && clock.pendingTimers.length === 0);
        for (let from = 0; from < through.length; from++) {
          for (let to = from; to < through.length; to++) {
            const allowed = burst + (through[to]! - through[from]!) / 100;
            expect(to - from + 1).toBeLessThanOrEqual(allowed + 1e-6);
          }
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('throws a TypeError for invalid values', () => {
    const clock = new FakeClock();
    expect(() => new TokenBucket(clock, { qps: 0, burst: 1 })).toThrow(TypeError);
    expect(() => new TokenBucket(clock, { qps: 1, burst: 0 })).toThrow(
      'burst must be a whole number of at least 1, got 0',
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backoff, type BackoffOptions, defaultRetry, reflectorBackoff, retry, withDefaults } from './backoff.js';
import { FakeClock } from './fake-clock.js';

const draw = (backoff: Backoff, times: number): number[] => Array.from({ length: times }, () => backoff.next());

describe('Backoff', () => {
  it('doubles up to the cap and stays there', () => {
    const backoff = new Backoff(new FakeClock(), { ...reflectorBackoff, jitter: 0 });
    expect(draw(backoff, 9)).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  });

  it('grows without a cap, but not beyond the safe integers', () => {
    const delays = draw(new Backoff(new FakeClock(), { initialMs: 1, factor: 10 }), 400);
    expect(delays.slice(0, 4)).toEqual([1, 10, 100, 1000]);
    expect(delays.at(-1)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('doubles by default, and stays the same with a factor of 0', () => {
    expect(draw(new Backoff(new FakeClock(), { initialMs: 3 }), 3)).toEqual([3, 6, 12]);
    expect(draw(new Backoff(new FakeClock(), { initialMs: 3, factor: 0 }), 3)).toEqual([3, 3, 3]);
  });

  it('starts again after resetAfterMs, measured from the last step and not from the first', async () => {
    const clock = new FakeClock();
    const backoff = new Backoff(clock, { ...reflectorBackoff, jitter: 0 });
    draw(backoff, 5);
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(60_000);
      expect(backoff.next()).toBeGreaterThanOrEqual(25_600);
    }
    await clock.advance(120_000);
    expect(backoff.next()).toBe(30_000);
    await clock.advance(120_001);
    expect(backoff.next()).toBe(800);
    expect(backoff.next()).toBe(1600);
    backoff.reset();
    expect(backoff.next()).toBe(800);
  });

  it('stays at the cap during an outage of one hour', async () => {
    const clock = new FakeClock({ seed: 11 });
    const backoff = new Backoff(clock, reflectorBackoff);
    let attempts = 0;
    while (clock.monotonicNow() < 3_600_000) {
      attempts++;
      await clock.advance(backoff.next());
    }
    expect(attempts).toBeGreaterThan(70);
    expect(attempts).toBeLessThan(100);
  });

  it('stays between the base and the jitter on top of it', () => {
    const options = fc.record({
      initialMs: fc.integer({ min: 1, max: 5000 }),
      factor: fc.double({ min: 0, max: 5, noNaN: true }),
      capMs: fc.integer({ min: 1, max: 60_000 }),
      jitter: fc.double({ min: 0, max: 2, noNaN: true }),
    });
    fc.assert(
      fc.property(options, fc.integer(), (options: BackoffOptions, seed) => {
        const backoff = new Backoff(new FakeClock({ seed }), options);
        const bases = draw(new Backoff(new FakeClock(), { ...options, jitter: 0 }), 12);
        for (const base of bases) {
          const delay = backoff.next();
          expect(delay).toBeGreaterThanOrEqual(base);
          expect(delay).toBeLessThanOrEqual(base * (1 + options.jitter!) * (1 + 1e-12));
          expect(base).toBeLessThanOrEqual(options.capMs!);
        }
      }),
    );
  });

  it('throws a TypeError that names the option for invalid values', () => {
    const make = (options: object) => () => new Backoff(new FakeClock(), { initialMs: 1, ...options });
    expect(make({ initialMs: -1 })).toThrow('initialMs must be a number of at least 0, got -1');
    expect(make({ factor: -1 })).toThrow('factor must be');
    expect(make({ capMs: 'much' })).toThrow('capMs must be a number of at least 0, got "much"');
    expect(make({ jitter: Number.NaN })).toThrow('jitter must be');
    expect(make({ resetAfterMs: -1 })).toThrow('resetAfterMs must be');
    expect(make({ resetAfterMs: Number.POSITIVE_INFINITY })).not.toThrow();
  });
});

it('withDefaults keeps the given fields and fills in the others', () => {
  expect(withDefaults({ initialMs: 5, capMs: undefined }, reflectorBackoff)).toEqual({
    ...reflectorBackoff,
    initialMs: 5,
  });
  expect(withDefaults(undefined, defaultRetry)).toEqual(defaultRetry);
});

describe('retry', () => {
  const conflict = new Error('conflict');
  const retriable = (error: unknown): boolean => error === conflict;

  it('repeats retriable failures with growing delays until an attempt succeeds', async () => {
    const clock = new FakeClock();
    const at: number[] = [];
    const result = retry(
      async () => {
        at.push(clock.monotonicNow());
        if (at.length < 4) throw conflict;
        return 'done';
      },
      { clock, policy: { steps: 4, initialMs: 10, factor: 5 }, retriable },
    );
    await clock.advance(1000);
    expect(await result).toBe('done');
    expect(at).toEqual([0, 10, 60, 310]);
  });

  it('throws the last error when all steps are used up', async () => {
    const clock = new FakeClock();
    let attempts = 0;
    const failed = expect(
      retry(
        async () => {
          attempts++;
          throw conflict;
        },
        { clock, policy: defaultRetry, retriable },
      ),
    ).rejects.toBe(conflict);
    await clock.advance(1000);
    await failed;
    expect(attempts).toBe(5);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('does not repeat other failures, and stops on abort', async () => {
    const clock = new FakeClock();
    const other = new Error('other');
    const options = { clock, policy: defaultRetry, retriable };
    await expect(retry(() => Promise.reject(other), options)).rejects.toBe(other);
    const controller = new AbortController();
    const stopped = expect(
      retry(() => Promise.reject(conflict), { ...options, signal: controller.signal }),
    ).rejects.toThrow('enough');
    await clock.runUntilIdle();
    controller.abort(new Error('enough'));
    await stopped;
    await expect(retry(async () => 1, { ...options, signal: controller.signal })).rejects.toThrow('enough');
    await expect(retry(async () => 1, { ...options, policy: { steps: 0, initialMs: 1 } })).rejects.toThrow(
      'steps must be',
    );
    expect(clock.pendingTimers).toEqual([]);
  });
});

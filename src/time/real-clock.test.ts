import { describe, expect, it, vi } from 'vitest';
import { realClock } from './real-clock.js';

describe('realClock', () => {
  it('returns the wall-clock time, and a monotonic time', () => {
    expect(Math.abs(realClock.now() - Date.now())).toBeLessThan(10_000);
    const first = realClock.monotonicNow();
    expect(realClock.monotonicNow()).toBeGreaterThanOrEqual(first);
    const drawn = realClock.random();
    expect(drawn >= 0 && drawn < 1).toBe(true);
  });

  it('fires timers in order, except cancelled ones', async () => {
    const log: string[] = [];
    await new Promise<void>((resolve) => {
      realClock.setTimer(0, () => log.push('cancelled')).cancel();
      realClock.setTimer(-1, () => log.push('past'));
      realClock.setTimer(1, () => {
        log.push('last');
        resolve();
      });
    });
    expect(log).toEqual(['past', 'last']);
  });

  it('defers and yields to the next turn', async () => {
    const log: string[] = [];
    realClock.defer(() => log.push('cancelled')).cancel();
    realClock.defer(() => log.push('turn'));
    await realClock.yield();
    expect(log).toEqual(['turn']);
  });

  it('sleeps, and rejects with signal.reason on abort', async () => {
    await realClock.sleep(1);
    const controller = new AbortController();
    const slept = realClock.sleep(60_000, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(slept).rejects.toThrow('enough');
  });

  it('throws for a delay that is not a number', () => {
    expect(() => realClock.setTimer(Number.NaN, () => {})).toThrow(TypeError);
  });

  it('splits delays beyond the limit of setTimeout, and keeps the process alive only with keepAlive', () => {
    const armed: { readonly ms: number; readonly fire: () => void }[] = [];
    let unreferenced = 0;
    const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((fire: () => void, ms: number) => {
      armed.push({ ms, fire });
      return { unref: () => unreferenced++ };
    }) as never);
    try {
      let fired = 0;
      realClock.setTimer(2 ** 31 + 10, () => fired++, { keepAlive: false });
      armed[0]?.fire();
      expect(fired).toBe(0);
      armed[1]?.fire();
      expect(fired).toBe(1);
      expect(armed.map((timeout) => timeout.ms)).toEqual([2 ** 31 - 1, 11]);
      expect(unreferenced).toBe(2);
      realClock.setTimer(5, () => {});
      expect(unreferenced).toBe(2);
    } finally {
      spy.mockRestore();
    }
  });
});

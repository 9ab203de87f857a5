import { describe, expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { Lazy } from './lazy.js';

describe('Lazy', () => {
  it('[S223] nobody sees a value older than what they wrote', async () => {
    const clock = new FakeClock();
    let written = 0;
    const lazy = new Lazy(async () => {
      const value = written;
      await clock.sleep(clock.random() * 10);
      return value;
    });
    let finished = 0;
    const work = async () => {
      for (let i = 0; i < 100; i++) {
        const mine = ++written;
        lazy.notify();
        expect(await lazy.get()).toBeGreaterThanOrEqual(mine);
        await clock.sleep(clock.random() * 5);
      }
      finished++;
    };
    const workers = Promise.all(Array.from({ length: 10 }, work));
    await clock.until(() => finished === 10);
    await workers;
  });

  it('[S224] changes that come faster than evaluations do not starve the reader', async () => {
    const clock = new FakeClock();
    let version = 0;
    const lazy = new Lazy(async () => {
      const value = version;
      await clock.sleep(11);
      return value;
    });
    const changing = (async () => {
      for (let i = 0; i < 100; i++) {
        version++;
        lazy.notify();
        await clock.sleep(10);
      }
    })();
    const startedAt = clock.monotonicNow();
    let last = 0;
    const reading = (async () => {
      while (last < 100) last = await lazy.get();
    })();
    await clock.until(() => last === 100, { withinMs: 3_000 });
    await Promise.all([changing, reading]);
    expect(clock.monotonicNow() - startedAt).toBeLessThanOrEqual(1_020);
  });

  /** Two evaluations, the second begun after a change; each ends when told. */
  const overlapping = () => {
    const ends: ((value: string) => void)[] = [];
    const lazy = new Lazy(() => new Promise<string>((resolve) => ends.push(resolve)));
    const first = lazy.get();
    lazy.notify();
    const second = lazy.get();
    const end = (which: number, value: string) => ends[which]?.(value);
    return { lazy, first, second, end, evaluations: () => ends.length };
  };

  it('[S225] an evaluation that ends after a later one is not kept', async () => {
    const { lazy, first, second, end, evaluations } = overlapping();
    end(1, 'new');
    expect(await second).toBe('new');
    end(0, 'old');
    expect(await first).toBe('old');
    expect(await lazy.get()).toBe('new');
    expect(evaluations()).toBe(2);
  });

  it('[S226] nor is one that ends before the later one', async () => {
    const { lazy, first, second, end, evaluations } = overlapping();
    end(0, 'old');
    expect(await first).toBe('old');
    const third = lazy.get();
    end(1, 'new');
    expect(await Promise.all([second, third])).toEqual(['new', 'new']);
    expect(await lazy.get()).toBe('new');
    expect(evaluations()).toBe(2);
  });

  it('[S227] evaluates once for all who ask', async () => {
    let evaluations = 0;
    const lazy = new Lazy(() => ++evaluations);
    expect(await Promise.all([lazy.get(), lazy.get(), lazy.get()])).toEqual([1, 1, 1]);
    expect(await lazy.get()).toBe(1);
    lazy.notify();
    lazy.notify();
    expect(await lazy.get()).toBe(2);
  });

  it('[S228] an error is not kept', async () => {
    let attempts = 0;
    const lazy = new Lazy(() => {
      if (++attempts === 1) throw new Error('not yet');
      return attempts;
    });
    const both = [lazy.get(), lazy.get()];
    for (const each of both) await expect(each).rejects.toThrow('not yet');
    expect(await lazy.get()).toBe(2);
    expect(() => new Lazy(1 as never)).toThrow('evaluate must be a function');
  });
});

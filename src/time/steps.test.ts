import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.js';
import { schedulerOf } from './scheduler.js';
import { finish, inSlices, type Steps } from './steps.js';

function* count(to: number, seen: string[], name: string): Steps<number> {
  try {
    for (let i = 1; i <= to; i++) {
      seen.push(`${name}${i}`);
      yield;
    }
    return to;
  } finally {
    seen.push(`${name} closed`);
  }
}

describe('finish', () => {
  it('runs every step at once and returns the result', () => {
    const seen: string[] = [];
    expect(finish(count(3, seen, 'a'))).toBe(3);
    expect(seen).toEqual(['a1', 'a2', 'a3', 'a closed']);
  });
});

describe('inSlices', () => {
  it('finishes short work without a turn of the event loop', async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    expect(await inSlices(clock, 'a', count(3, seen, 'a'))).toBe(3);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('shares turns of the scheduler with other work', async () => {
    const clock = new FakeClock();
    schedulerOf(clock, { sliceItems: 2 });
    const seen: string[] = [];
    const both = Promise.all([inSlices(clock, 'a', count(18, seen, 'a')), inSlices(clock, 'b', count(18, seen, 'b'))]);
    await clock.advance(0);
    expect(await both).toEqual([18, 18]);
    expect(seen.slice(32)).toEqual(['a17', 'b17', 'a18', 'b18', 'a closed', 'b closed']);
  });

  it('leaves the event loop after a millisecond, however few the steps', async () => {
    const clock = new FakeClock();
    let looks = 0;
    // Each look at this clock takes a millisecond.
    const slow = Object.assign(Object.create(clock) as FakeClock, {
      monotonicNow: () => looks++,
      defer: (callback: () => void) => clock.defer(callback),
    });
    const seen: string[] = [];
    const work = inSlices(slow, 'a', count(40, seen, 'a'));
    clock.defer(() => seen.push('another'));
    await clock.advance(0);
    expect(await work).toBe(40);
    expect(seen.indexOf('another')).toBeLessThan(seen.indexOf('a40'));
  });

  it('rejects with what a step throws, at once or later', async () => {
    const clock = new FakeClock();
    const boom = new Error('boom');
    const failing = function* (after: number): Steps<void> {
      for (let i = 0; i < after; i++) yield;
      throw boom;
    };
    await expect(inSlices(clock, 'failing', failing(1))).rejects.toBe(boom);
    const outcome = expect(inSlices(clock, 'failing', failing(100))).rejects.toBe(boom);
    await clock.advance(0);
    await outcome;
  });

  it('stops on abort and closes the generator', async () => {
    const clock = new FakeClock();
    schedulerOf(clock, { sliceItems: 1 });
    const stop = new AbortController();
    const seen: string[] = [];
    const outcome = expect(inSlices(clock, 'a', count(100, seen, 'a'), stop.signal)).rejects.toThrow('enough');
    stop.abort(new Error('enough'));
    await clock.advance(0);
    await outcome;
    expect(seen.slice(15)).toEqual(['a16', 'a closed']);
  });
});

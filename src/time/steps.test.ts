import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.js';
import { schedulerOf } from './scheduler.js';
import { finish, inSlices, promptlyInSlices, type Steps, waitFor, withoutPauses } from './steps.js';

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
  it('shares turns of the scheduler with other tasks', async () => {
    const clock = new FakeClock();
    schedulerOf(clock, { sliceItems: 2 });
    const seen: string[] = [];
    const both = Promise.all([inSlices(clock, 'a', count(3, seen, 'a')), inSlices(clock, 'b', count(3, seen, 'b'))]);
    expect(seen).toEqual([]);
    await clock.advance(0);
    expect(await both).toEqual([3, 3]);
    expect(seen).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a closed', 'b closed']);
  });

  it('rejects with the error that a step throws', async () => {
    const clock = new FakeClock();
    const boom = new Error('boom');
    const failing = function* (): Steps<void> {
      yield;
      throw boom;
    };
    const outcome = expect(inSlices(clock, 'failing', failing())).rejects.toBe(boom);
    await clock.advance(0);
    await outcome;
  });

  it('stops at an abort and closes the generator', async () => {
    const clock = new FakeClock();
    schedulerOf(clock, { sliceItems: 1 });
    const stop = new AbortController();
    const seen: string[] = [];
    const steps = count(100, seen, 'a');
    const outcome = expect(inSlices(clock, 'a', steps, stop.signal)).rejects.toThrow('enough');
    clock.defer(() => stop.abort(new Error('enough')));
    await clock.advance(0);
    await outcome;
    expect(seen).toEqual(['a1', 'a closed']);
  });
});

describe('promptlyInSlices', () => {
  it('finishes short work without a turn of the event loop', async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    expect(await promptlyInSlices(clock, 'a', count(3, seen, 'a'))).toBe(3);
    expect(clock.pendingTimers).toEqual([]);
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
    const work = promptlyInSlices(slow, 'a', count(40, seen, 'a'));
    clock.defer(() => seen.push('another'));
    await clock.advance(0);
    expect(await work).toBe(40);
    expect(seen.indexOf('another')).toBeLessThan(seen.indexOf('a40'));
  });

  it('rejects with the error of an early or a late step', async () => {
    const clock = new FakeClock();
    const failing = function* (after: number): Steps<void> {
      for (let i = 0; i < after; i++) yield;
      throw new Error(`boom ${after}`);
    };
    await expect(promptlyInSlices(clock, 'failing', failing(1))).rejects.toThrow('boom 1');
    const outcome = expect(promptlyInSlices(clock, 'failing', failing(100))).rejects.toThrow('boom 100');
    await clock.advance(0);
    await outcome;
  });
});

describe('waitFor', () => {
  function* waiting(promise: Promise<number>, seen: string[]): Steps<number> {
    seen.push('before');
    const value = yield* waitFor(promise);
    seen.push('after');
    yield;
    return value;
  }

  it('resumes steps when the promise has settled, and lets other work go on until then', async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    let settle: (value: number) => void = () => {};
    const promise = new Promise<number>((resolve) => {
      settle = resolve;
    });
    const sliced = inSlices(clock, 'a', waiting(promise, seen));
    const prompt = promptlyInSlices(clock, 'b', waiting(promise, seen));
    const other = inSlices(clock, 'other', count(3, [], 'c'));
    await clock.advance(0);
    expect(await other).toBe(3);
    expect(seen.sort()).toEqual(['before', 'before']);
    settle(7);
    await clock.advance(0);
    expect(await Promise.all([sliced, prompt])).toEqual([7, 7]);
    expect(seen).toEqual(['before', 'before', 'after', 'after']);
  });

  it('throws the error of the promise', async () => {
    const boom = new Error('boom');
    await expect(promptlyInSlices(new FakeClock(), 'a', waiting(Promise.reject(boom), []))).rejects.toBe(boom);
  });

  it('cannot be finished at once', () => {
    expect(() => finish(waiting(Promise.resolve(1), []))).toThrow('wait for a promise');
  });

  it('is the only pause that withoutPauses leaves', async () => {
    const steps = withoutPauses(waiting(Promise.resolve(1), []));
    expect(steps.next().value).toBeInstanceOf(Promise);
    await Promise.resolve();
    expect(steps.next()).toEqual({ done: true, value: 1 });
  });
});

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
  it('shares turns of the scheduler with other tasks', async () => {
    const clock = new FakeClock();
    schedulerOf(clock, { sliceItems: 2 });
    const seen: string[] = [];
    const both = Promise.all([inSlices(clock, 'a', count(3, seen, 'a')), inSlices(clock, 'b', count(3, seen, 'b'))]);
    await clock.advance(0);
    expect(await both).toEqual([3, 3]);
    expect(seen).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a closed', 'b closed']);
  });

  it('rejects with the error that a step throws', async () => {
    const clock = new FakeClock();
    const boom = new Error('boom');
    const failing = inSlices(
      clock,
      'failing',
      (function* (): Steps<void> {
        yield;
        throw boom;
      })(),
    );
    const outcome = expect(failing).rejects.toBe(boom);
    await clock.advance(0);
    await outcome;
  });

  it('stops on abort and closes the generator', async () => {
    const clock = new FakeClock();
    schedulerOf(clock, { sliceItems: 1 });
    const stop = new AbortController();
    const seen: string[] = [];
    const steps = (function* (): Steps<void> {
      yield* (function* (): Steps<void> {
        const inner = count(10, seen, 'a');
        for (const _ of inner) {
          if (seen.length === 2) stop.abort(new Error('enough'));
          yield;
        }
      })();
    })();
    const outcome = expect(inSlices(clock, 'a', steps, stop.signal)).rejects.toThrow('enough');
    await clock.advance(0);
    await outcome;
    expect(seen).toEqual(['a1', 'a2', 'a closed']);
  });
});

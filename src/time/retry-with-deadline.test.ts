import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.js';
import { RetryWithDeadline } from './retry-with-deadline.js';

const internal = new Error('internal');
const other = new Error('other');

function make(maxMs: number): { clock: FakeClock; ask: (error: unknown) => boolean } {
  const clock = new FakeClock();
  const window = new RetryWithDeadline(clock, { maxMs, retriable: (error) => error === internal });
  return {
    clock,
    ask: (error) => {
      window.after(error);
      return window.shouldRetry();
    },
  };
}

describe('RetryWithDeadline', () => {
  it('[S58] never retries if maxMs is 0', () => {
    const { ask } = make(0);
    expect([ask(undefined), ask(internal), ask(other)]).toEqual([false, false, false]);
  });

  it('[S59] retries within maxMs of the first error, and not after it', async () => {
    const { clock, ask } = make(1000);
    const answers: boolean[] = [ask(internal)];
    await clock.advance(1000);
    answers.push(ask(internal));
    await clock.advance(1);
    answers.push(ask(internal));
    expect(answers).toEqual([true, true, false]);
    expect(ask(internal)).toBe(true);
  });

  it('[S60] does not retry other errors', () => {
    const { ask } = make(1000);
    expect([ask(other), ask(undefined)]).toEqual([false, false]);
  });

  it('[S61] ignores other errors between retriable ones', async () => {
    const { clock, ask } = make(1000);
    const answers: boolean[] = [ask(internal), ask(other)];
    await clock.advance(1000);
    answers.push(ask(internal));
    expect(answers).toEqual([true, true, true]);
  });

  it('starts a new series after resetAfterMs without an error', async () => {
    const clock = new FakeClock();
    const window = new RetryWithDeadline(clock, { maxMs: 10_000, resetAfterMs: 5000, retriable: () => true });
    for (let i = 0; i < 10; i++) {
      window.after(internal);
      expect(window.shouldRetry()).toBe(true);
      await clock.advance(5000);
    }
  });

  it('throws a TypeError for invalid values', () => {
    const make = (options: object) => () =>
      new RetryWithDeadline(new FakeClock(), { maxMs: 1, retriable: () => true, ...options });
    expect(make({ maxMs: -1 })).toThrow('maxMs must be a number of at least 0, got -1');
    expect(make({ resetAfterMs: -1 })).toThrow('resetAfterMs must be');
    expect(make({ retriable: true })).toThrow('retriable must be a function, got true');
  });
});

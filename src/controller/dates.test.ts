import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { RetryDates } from './dates.js';

let clock: FakeClock;
let dates: RetryDates;
beforeEach(() => {
  clock = new FakeClock({ seed: 1 });
  dates = new RetryDates(clock);
});

/** Ends a run now that began now; returns the time until the next one. */
const failNow = () => dates.after('failed', 'a', clock.monotonicNow());

describe('RetryDates', () => {
  it('doubles the delay of failed runs that were due', async () => {
    const delays: number[] = [];
    for (let i = 0; i < 5; i++) {
      const delayMs = failNow();
      delays.push(delayMs);
      await clock.advance(delayMs);
    }
    expect(delays).toEqual([5, 10, 20, 40, 80]);
    expect(dates.failures('a')).toBe(5);
  });

  it('keeps the date of a run that a change brought forward', async () => {
    for (let i = 0; i < 10; i++) await clock.advance(failNow());
    const delayMs = failNow();
    await clock.advance(1000);
    expect(dates.after('failed', 'a', clock.monotonicNow())).toBe(delayMs - 1000);
    expect(dates.failures('a')).toBe(11);
  });

  it('waits as long again if the date has passed while the early run was in progress', async () => {
    for (let i = 0; i < 10; i++) await clock.advance(failNow());
    const delayMs = failNow();
    await clock.advance(1000);
    const startedAt = clock.monotonicNow();
    await clock.advance(delayMs);
    expect(dates.after('failed', 'a', startedAt)).toBe(delayMs);
  });

  it('waits at least as long as it is told', () => {
    expect(dates.after('failed', 'a', clock.monotonicNow(), 30_000)).toBe(30_000);
  });

  it('has a count for each kind: waiting forgets failures, and both forget conflicts', async () => {
    const end = (kind: 'failed' | 'waiting' | 'conflict') => dates.after(kind, 'a', clock.monotonicNow());
    await clock.advance(end('failed'));
    expect(end('conflict')).toBe(1000);
    await clock.advance(1000);
    expect(end('conflict')).toBe(2000);
    expect(dates.conflicts('a')).toBe(2);
    expect(end('waiting')).toBe(1000);
    expect([dates.failures('a'), dates.conflicts('a')]).toEqual([0, 0]);
  });

  it('counts each conflict, also of runs that a change brought forward, and keeps the date', async () => {
    const conflict = () => dates.after('conflict', 'a', clock.monotonicNow());
    expect(conflict()).toBe(1000);
    await clock.advance(400);
    expect(conflict()).toBe(600);
    expect(dates.conflicts('a')).toBe(2);
  });

  it('starts anew after it was told to forget', async () => {
    for (let i = 0; i < 3; i++) await clock.advance(failNow());
    dates.forget('a');
    expect(dates.failures('a')).toBe(0);
    expect(failNow()).toBe(5);
  });

  it('keeps keys apart', () => {
    failNow();
    expect(dates.failures('b')).toBe(0);
    expect(dates.after('failed', 'b', clock.monotonicNow())).toBe(5);
  });
});

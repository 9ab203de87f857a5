import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import { SilenceWatch, setDeadline } from './silence.js';

function watch(limitMs: number) {
  const clock = new FakeClock();
  const state = { count: 0, silences: [] as number[] };
  const silence = new SilenceWatch(
    clock,
    () => limitMs,
    () => state.count,
    (silentMs) => state.silences.push(silentMs),
  );
  return { clock, state, silence };
}

describe('SilenceWatch', () => {
  it('does not call back while the counter changes', async () => {
    const { clock, state, silence } = watch(1000);
    for (let i = 0; i < 50; i++) {
      await clock.advance(900);
      state.count++;
    }
    expect(state.silences).toEqual([]);
    silence.stop();
    expect(clock.pendingTimers).toEqual([]);
  });

  it('calls back at most an eighth late, and again after the same time', async () => {
    const { clock, state, silence } = watch(1000);
    await clock.advance(333);
    state.count++;
    await clock.advance(1000);
    expect(state.silences).toEqual([]);
    await clock.advance(125);
    expect(state.silences).toEqual([1000]);
    await clock.advance(1000);
    expect(state.silences).toEqual([1000, 1000]);
    silence.stop();
    await clock.advance(10_000);
    expect(state.silences).toHaveLength(2);
  });

  it('is no later if timers fire early by parts of a millisecond', async () => {
    const { clock, state, silence } = watch(1000);
    const original = clock.setTimer.bind(clock);
    clock.setTimer = (ms, ...rest) => original(Math.max(0.1, ms - 0.4), ...rest);
    await clock.advance(333);
    state.count++;
    await clock.advance(1125);
    expect(state.silences).toHaveLength(1);
    silence.stop();
  });

  it('counts what the sockets receive in the turn after a late timer', async () => {
    const { clock, state, silence } = watch(1000);
    const original = clock.defer.bind(clock);
    // The event loop was blocked: bytes in the sockets are read between the timer and the deferred check.
    clock.defer = (callback) => {
      state.count++;
      return original(callback);
    };
    await clock.advance(20_000);
    expect(state.silences).toEqual([]);
    silence.stop();
  });
});

describe('a deadline', () => {
  it('calls back after the time, unless it is cancelled before or in the turn after', async () => {
    const clock = new FakeClock();
    const calls: string[] = [];
    setDeadline(clock, 100, () => calls.push('kept'));
    setDeadline(clock, 100, () => calls.push('cancelled before')).cancel();
    const late = setDeadline(clock, 100, () => calls.push('cancelled in the turn after'));
    const original = clock.defer.bind(clock);
    clock.defer = (callback) => {
      const timer = original(callback);
      if (calls.length === 0) queueMicrotask(() => late.cancel());
      return timer;
    };
    await clock.advance(99);
    expect(calls).toEqual([]);
    await clock.advance(1);
    expect(calls).toEqual(['kept']);
    expect(clock.pendingTimers).toEqual([]);
  });
});

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.js';
import { abortable, abortError, linkSignals, onAbort } from './signals.js';

const listeners = (controller: AbortController): number => getEventListeners(controller.signal, 'abort').length;

describe('signals', () => {
  it('abortError sets name and cause', () => {
    const cause = new Error('why');
    const error = abortError('stopped', { cause });
    expect([error.name, error.message, error.cause]).toEqual(['AbortError', 'stopped', cause]);
  });

  it('onAbort calls back once, synchronously if already aborted, and never after its undo', () => {
    let calls = 0;
    const count = (): void => void calls++;
    onAbort(undefined, count)();
    const controller = new AbortController();
    const undo = onAbort(controller.signal, count);
    const other = onAbort(controller.signal, () => (calls += 100));
    other();
    controller.abort();
    undo();
    expect(calls).toBe(1);
    onAbort(controller.signal, count)();
    expect(calls).toBe(2);
  });

  it('onAbort has one listener per signal, removed with its last callback', () => {
    const controller = new AbortController();
    let calls = 0;
    const count = (): void => void calls++;
    const undos = Array.from({ length: 20 }, () => onAbort(controller.signal, count));
    expect(listeners(controller)).toBe(1);
    for (const undo of undos.splice(0, 19)) undo();
    expect(listeners(controller)).toBe(1);
    undos[0]?.();
    expect(listeners(controller)).toBe(0);
    onAbort(controller.signal, count);
    onAbort(controller.signal, count);
    controller.abort();
    expect(calls).toBe(2);
    expect(listeners(controller)).toBe(0);
  });

  it('onAbort calls every callback, even if one throws or undoes another', async () => {
    const controller = new AbortController();
    const told: string[] = [];
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    onAbort(controller.signal, () => {
      undoSecond();
      throw new Error('careless');
    });
    const undoSecond = onAbort(controller.signal, () => told.push('second'));
    onAbort(controller.signal, () => told.push('third'));
    controller.abort();
    expect(told).toEqual(['third']);
    expect(await thrown).toMatchObject({ message: 'careless' });
  });

  it('abortable settles as the promise does and leaves no listener', async () => {
    const controller = new AbortController();
    expect(await abortable(Promise.resolve(1), controller.signal)).toBe(1);
    expect(await abortable(Promise.resolve(2), undefined)).toBe(2);
    await expect(abortable(Promise.reject(new Error('failed')), controller.signal)).rejects.toThrow('failed');
    expect(listeners(controller)).toBe(0);
  });

  it('abortable rejects with signal.reason and ignores a later rejection of the promise', async () => {
    const controller = new AbortController();
    let fail: (error: Error) => void = () => {};
    const slow = new Promise<never>((_, reject) => (fail = reject));
    const raced = abortable(slow, controller.signal);
    controller.abort(new Error('enough'));
    await expect(raced).rejects.toThrow('enough');
    fail(new Error('too late'));
    await expect(abortable(new Promise(() => {}), controller.signal)).rejects.toThrow('enough');
  });
});

describe('linkSignals', () => {
  it('aborts with any of its parents, and then listens to none', () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const linked = linkSignals([a.signal, undefined, b.signal]);
    expect([listeners(a), listeners(b)]).toEqual([1, 1]);
    const reason = new Error('b ended');
    b.abort(reason);
    expect(linked.signal.reason).toBe(reason);
    expect([listeners(a), listeners(b)]).toEqual([0, 0]);
  });

  it('is aborted from the start if a parent is, and listens to none', () => {
    const live = new AbortController();
    const reason = new Error('before');
    const linked = linkSignals([live.signal, AbortSignal.abort(reason), new AbortController().signal], {
      clock: new FakeClock(),
      timeoutMs: 5,
    });
    expect(linked.signal.reason).toBe(reason);
    expect(listeners(live)).toBe(0);
  });

  it('does not abort with its parents after release()', () => {
    const parent = new AbortController();
    const clock = new FakeClock();
    const linked = linkSignals([parent.signal], { clock, timeoutMs: 100 });
    linked[Symbol.dispose]();
    parent.abort();
    expect([linked.signal.aborted, listeners(parent), clock.pendingTimers.length]).toEqual([false, 0, 0]);
  });

  it('aborts without its parents', () => {
    const parent = new AbortController();
    const linked = linkSignals([parent.signal]);
    linked.abort(new Error('only this'));
    expect([linked.signal.aborted, parent.signal.aborted, listeners(parent)]).toEqual([true, false, 0]);
  });

  it('aborts with a TimeoutError that names the operation', async () => {
    const clock = new FakeClock();
    const linked = linkSignals([], { clock, timeoutMs: 100, what: 'the first list of pods' });
    await clock.advance(100);
    expect(linked.signal.reason).toMatchObject({
      name: 'TimeoutError',
      message: 'the first list of pods took more than 100 ms',
    });
    expect(() => linkSignals([], { timeoutMs: 1 })).toThrow(new TypeError('timeoutMs needs a clock'));
    expect(() => linkSignals([], { clock, timeoutMs: -1 })).toThrow('timeoutMs must be');
  });
});

import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { realClock } from './real-clock.js';
import { Waiters } from './waiters.js';

it('resolves waits in order, and with undefined on abort', async () => {
  const waiters = new Waiters<number>();
  const controller = new AbortController();
  const all = [waiters.wait(controller.signal), waiters.wait(undefined), waiters.wait(controller.signal)];
  expect(waiters.serve(1)).toBe(true);
  controller.abort();
  expect(waiters.serve(2)).toBe(true);
  expect(waiters.serve(3)).toBe(false);
  expect(await Promise.all(all)).toEqual([1, 2, undefined]);
  expect(await waiters.wait(controller.signal)).toBeUndefined();
});

it('share one listener of a signal and leave none', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const { signal } = new AbortController();
  const many = Array.from({ length: 30 }, () => new Waiters<number>());
  const waiting = many.map((waiters) => waiters.wait(signal));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await realClock.yield();
  for (const waiters of many) waiters.dismiss();
  await Promise.all(waiting);
  process.off('warning', note);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { channels } from '../../observe/channels.js';
import { QueueRecorder } from './queue-recorder.js';

/** Adds items each second, and returns the hottest ones after the last. */
function hottestAfter(seconds: number, addedIn: (second: number) => readonly unknown[]) {
  const recorder = new QueueRecorder();
  const undos = recorder.listen();
  let hottest: readonly { readonly item: string; readonly rate: number }[] = [];
  for (let second = 0; second < seconds; second++) {
    for (const item of addedIn(second)) channels.workqueueAdd.publish({ queue: 'work', item, depth: 1 });
    hottest = recorder.queues.get('work')?.hot.take(1) ?? [];
  }
  for (const undo of undos) undo();
  return hottest;
}

describe('hot items of a queue', () => {
  it('are those that were added most in the last ten seconds', () => {
    const items = [...new Array(20).fill('a'), ...new Array(3).fill('b'), 'c'];
    expect(hottestAfter(30, () => items)).toEqual([
      { item: 'a', rate: 20 },
      { item: 'b', rate: 3 },
    ]);
  });

  it('are forgotten ten seconds after they were added', () => {
    const burst = (second: number) => (second < 5 ? new Array(20).fill('a') : ['b']);
    expect(hottestAfter(9, burst)).toMatchObject([{ item: 'a' }]);
    expect(hottestAfter(16, burst)).toEqual([]);
  });

  it('are not those of a burst in the first second', () => {
    expect(hottestAfter(1, () => new Array(5).fill('a'))).toEqual([]);
  });

  it('are found among many others, and may be objects', () => {
    const hot = { toString: () => 'the hot one' };
    const others = (second: number) => Array.from({ length: 240 }, (_, i) => `${second} ${i}`);
    expect(hottestAfter(12, (second) => [...new Array(10).fill(hot), ...others(second)])).toEqual([
      { item: 'the hot one', rate: expect.closeTo(10, 0) },
    ]);
  });

  it('of a busy queue are estimated from a part of the additions', () => {
    const added = (second: number) =>
      Array.from({ length: 3000 }, (_, i) =>
        i % 30 === 0 ? 'hot' : i % 2 === 0 ? `warm ${i % 400}` : `${second} ${i}`,
      );
    const [first, ...others] = hottestAfter(30, added);
    expect(first).toEqual({ item: 'hot', rate: expect.closeTo(100, -1.5) });
    expect(others.every(({ rate }) => rate < 50)).toBe(true);
  });
});

it('counts adds, waits and retries by the name of the queue', () => {
  const recorder = new QueueRecorder();
  const undos = recorder.listen();
  for (const item of ['a', 'b']) channels.workqueueAdd.publish({ queue: 'work', item, depth: 1 });
  channels.workqueueGet.publish({ queue: 'work', item: 'a', depth: 1, waitedMs: 7 });
  channels.workqueueGet.publish({ queue: 'work', item: 'b', depth: 0, waitedMs: 3 });
  channels.workqueueRetry.publish({ queue: 'work', item: 'b', delayMs: 5 });
  for (const undo of undos) undo();
  channels.workqueueAdd.publish({ queue: 'work', item: 'c', depth: 1 });
  const meter = recorder.queues.get('work');
  expect(meter?.take(0.5)).toEqual({ rate: 4, lagMs: 7, errors: 0, errorsTotal: 0, total: 2 });
  expect(meter?.take(1)).toEqual({ rate: 0, lagMs: null, errors: 0, errorsTotal: 0, total: 2 });
  expect([meter?.taken.take(1), meter?.retries.take(1)]).toEqual([2, 1]);
});

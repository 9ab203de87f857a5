import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { channels, listen } from '../observe/channels.js';
import { FakeClock } from '../time/fake-clock.js';
import { DelayingQueue } from './delaying-queue.js';
import type { InnerQueue, QueueEntry } from './inner-queue.js';
import { WorkQueue } from './work-queue.js';

/** A FIFO that records which items were touched. */
class TouchLog<T = string> implements InnerQueue<T> {
  readonly touched: T[] = [];
  readonly #line: QueueEntry<T>[] = [];
  get length(): number {
    return this.#line.length;
  }
  push(entry: QueueEntry<T>): void {
    this.#line.push(entry);
  }
  pop(): QueueEntry<T> {
    return this.#line.shift() as QueueEntry<T>;
  }
  touch(entry: QueueEntry<T>): void {
    this.touched.push(entry.item);
  }
}

describe('WorkQueue.ready', () => {
  it('resolves when an item is queued, and takes none', async () => {
    const queue = new WorkQueue();
    const waits = [queue.ready(), queue.ready()];
    queue.add('a');
    expect(await Promise.all(waits)).toEqual([true, true]);
    expect([await queue.ready(), queue.length, queue.tryGet()]).toEqual([true, 1, 'a']);
  });

  it('resolves for an item that is done and dirty', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.tryGet();
    const wait = queue.ready();
    queue.add('a');
    queue.done('a');
    expect([await wait, queue.tryGet()]).toEqual([true, 'a']);
  });

  it('resolves with false after an abort and after a shutdown', async () => {
    const queue = new WorkQueue();
    const stop = new AbortController();
    const waits = [queue.ready({ signal: stop.signal }), queue.ready()];
    stop.abort();
    void queue.shutDown();
    expect(await Promise.all(waits)).toEqual([false, false]);
    expect([await queue.ready(), await queue.ready({ signal: stop.signal })]).toEqual([false, false]);
  });
});

describe('WorkQueue', () => {
  it.each([{ drain: false }, { drain: true }])(
    '[S231] hands out every item once, and accepts none after shutdown (%o)',
    async (shutDown) => {
      const clock = new FakeClock({ seed: 1 });
      const queue = new WorkQueue({ clock });
      const handedOut: string[] = [];
      const consumers = Array.from({ length: 10 }, async () => {
        for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
          handedOut.push(item);
          await clock.sleep(3);
          queue.done(item);
        }
      });
      const producers = Array.from({ length: 50 }, async (_, producer) => {
        for (let i = 0; i < 50; i++) {
          queue.add(`${producer}-${i}`);
          await clock.sleep(1);
        }
      });
      await clock.until(async () => queue.length === 0 && handedOut.length === 2500, { withinMs: 60_000 });
      await Promise.all(producers);
      const down = queue.shutDown(shutDown);
      queue.add('too late');
      await clock.advance(1000);
      await Promise.all([down, ...consumers]);
      expect(handedOut).not.toContain('too late');
      expect(new Set(handedOut).size).toBe(2500);
      expect(queue.length).toBe(0);
    },
  );

  it.each([{ drain: false }, { drain: true }])(
    '[S232] items may be added again while they are processed (%o)',
    async (shutDown) => {
      const queue = new WorkQueue();
      const times = new Map<string, number>();
      const consumers = Array.from({ length: 10 }, async () => {
        for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
          const seen = (times.get(item) ?? 0) + 1;
          times.set(item, seen);
          if (seen < 3) queue.add(item);
          queue.done(item);
        }
      });
      for (let i = 0; i < 50; i++) queue.add(String(i));
      while ([...times.values()].filter((n) => n === 3).length < 50) await Promise.resolve();
      await queue.shutDown(shutDown);
      await Promise.all(consumers);
      expect([...times.values()].every((n) => n === 3)).toBe(true);
      expect(queue.length).toBe(0);
    },
  );

  it('[S233] counts an item once', () => {
    const queue = new WorkQueue();
    queue.add('foo');
    expect(queue.length).toBe(1);
    queue.add('bar');
    expect(queue.length).toBe(2);
    queue.add('foo');
    expect(queue.length).toBe(2);
  });

  it('[S234] an item added while it is processed is handed out again after done', () => {
    const queue = new WorkQueue();
    queue.add('foo');
    expect(queue.tryGet()).toBe('foo');
    queue.add('foo');
    expect(queue.tryGet()).toBeUndefined();
    queue.done('foo');
    expect(queue.tryGet()).toBe('foo');
    queue.done('foo');
    expect(queue.tryGet()).toBeUndefined();
  });

  it('[S235] an item added twice is handed out once, and the inner queue is touched', () => {
    const inner = new TouchLog();
    const queue = new WorkQueue({ inner });
    queue.add('bar');
    queue.add('bar');
    expect(queue.tryGet()).toBe('bar');
    queue.done('bar');
    expect(queue.tryGet()).toBeUndefined();
    expect(inner.touched).toEqual(['bar']);
  });

  it('[S236] an item added twice while it is processed is handed out once more, and the inner queue is not touched', () => {
    const inner = new TouchLog();
    const queue = new WorkQueue({ inner });
    queue.add('foo');
    expect(queue.tryGet()).toBe('foo');
    queue.add('foo');
    queue.add('foo');
    expect(queue.tryGet()).toBeUndefined();
    queue.done('foo');
    expect(queue.tryGet()).toBe('foo');
    queue.done('foo');
    expect(queue.tryGet()).toBeUndefined();
    expect(inner.touched).toEqual([]);
  });

  it('[S237] drain waits for every item that was handed out', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    queue.tryGet();
    let drained = false;
    const down = queue.shutDown({ drain: true }).then(() => {
      drained = true;
    });
    queue.done('a');
    await Promise.resolve();
    expect(drained).toBe(false);
    queue.done('b');
    await down;
  });

  it('drain waits for the only item that was handed out', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.tryGet();
    let drained = false;
    const down = queue.shutDown({ drain: true }).then(() => {
      drained = true;
    });
    await Promise.resolve();
    expect(drained).toBe(false);
    queue.done('a');
    await down;
  });

  it('[S237] drain does not wait for queued items', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    await queue.shutDown({ drain: true });
    expect(queue.tryGet()).toBe('a');
  });

  it('[S238] shutdown without drain waits for nothing', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.tryGet();
    await queue.shutDown();
    expect(queue.isShuttingDown).toBe(true);
  });

  it('[S239] shutdown without drain ends an earlier drain', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.tryGet();
    const drain = queue.shutDown({ drain: true });
    await queue.shutDown();
    await drain;
  });

  it('[S240] an item that became dirty before shutdown is handed out again after it', async () => {
    const queue = new WorkQueue();
    queue.add('foo');
    queue.tryGet();
    queue.add('foo');
    const drain = queue.shutDown({ drain: true });
    expect(await queue.get()).toBeUndefined();
    queue.done('foo');
    await drain;
    expect(await queue.get()).toBe('foo');
    queue.done('foo');
    expect(await queue.get()).toBeUndefined();
  });

  it.each([
    ['first in, first out', undefined],
    ['an inner queue', new TouchLog<{ readonly id: number }>()],
  ])('[S241] retains no item that was processed: %s', async (_, inner) => {
    const queue = new WorkQueue<{ readonly id: number }>({ inner });
    const reference = await (async () => {
      const item = { id: 1 };
      queue.add(item);
      queue.done((await queue.get()) as typeof item);
      return new WeakRef(item);
    })();
    for (let i = 0; i < 20 && reference.deref() !== undefined; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      (globalThis as { gc?: () => void }).gc?.();
    }
    expect(reference.deref()).toBeUndefined();
    expect(queue.length).toBe(0);
  });

  it('compares objects by value, in any order of their fields', () => {
    const queue = new WorkQueue<{ namespace: string; name: string; uid?: string | undefined }>();
    queue.add({ namespace: 'a', name: 'b' });
    queue.add({ name: 'b', namespace: 'a', uid: undefined });
    expect(queue.length).toBe(1);
    expect(queue.tryGet()).toEqual({ namespace: 'a', name: 'b' });
    queue.add({ namespace: 'a', name: 'b' });
    expect(queue.length).toBe(0);
    queue.done({ name: 'b', namespace: 'a' });
    expect(queue.length).toBe(1);
  });

  it('rejects items that cannot be compared by value', () => {
    const queue = new WorkQueue<unknown>();
    expect(() => queue.add(new Date(0))).toThrow(
      /item must be a primitive or a plain object, unless the queue has a keyOf, got an object of Date/,
    );
    const dates = new WorkQueue<Date>({ keyOf: (date) => date.getTime() });
    dates.add(new Date(0));
    dates.add(new Date(0));
    dates.add(new Date(1));
    expect(dates.length).toBe(2);
  });

  it('a get whose signal has aborted takes no item', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    expect(await queue.get({ signal: AbortSignal.abort() })).toBeUndefined();
    expect(queue.length).toBe(1);
  });

  it('a get ends when its signal aborts, and a hundred of them share one listener', async () => {
    const queue = new WorkQueue();
    const stop = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = stop.signal;
    stop.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(stop.signal, args);
    };
    stop.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(stop.signal, args);
    };
    const gets = Array.from({ length: 100 }, () => queue.get({ signal: stop.signal }));
    expect(listeners).toBe(1);
    queue.add('x');
    expect(await gets[0]).toBe('x');
    stop.abort();
    expect(await Promise.all(gets.slice(1))).toEqual(Array(99).fill(undefined));
    expect(listeners).toBe(0);
    expect(await queue.get({ signal: stop.signal })).toBeUndefined();
    queue.add('y');
    expect(queue.length).toBe(1);
  });

  it('done without get has no effect', () => {
    const queue = new WorkQueue();
    queue.done('nothing');
    queue.add('a');
    queue.done('a');
    expect(queue.tryGet()).toBe('a');
  });

  it.each([
    [{ name: '' }, /name must be a string that is not empty, got ""/],
    [{ keyOf: 'x' }, /keyOf must be a function, got "x"/],
    [{ inner: { length: 3 } }, /inner must be an empty queue/],
  ])('refuses %o', (options, message) => {
    expect(() => new WorkQueue(options as never)).toThrow(message);
  });

  it('[S255] publishes how long items waited and were processed', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ name: 'test', clock });
    const messages: object[] = [];
    const stops = [
      listen(channels.workqueueAdd, ({ depth }) => messages.push({ add: depth })),
      listen(channels.workqueueGet, ({ depth, waitedMs }) => messages.push({ get: depth, waitedMs })),
      listen(channels.workqueueDone, ({ depth, workedMs }) => messages.push({ done: depth, workedMs })),
    ];
    queue.add('foo');
    await clock.advance(50);
    queue.tryGet();
    await clock.advance(10);
    for (let i = 0; i < 5; i++) queue.add('foo');
    await clock.advance(25);
    queue.done('foo');
    queue.tryGet();
    await clock.advance(1000);
    queue.done('foo');
    for (const stop of stops) stop();
    expect(messages).toEqual([
      { add: 1 },
      { get: 0, waitedMs: 50 },
      { add: 1 },
      { done: 1, workedMs: 35 },
      { get: 0, waitedMs: 25 },
      { done: 0, workedMs: 1000 },
    ]);
  });

  it('an item that a listener of the done channel adds is handed out again', () => {
    const queue = new WorkQueue({ name: 'listened' });
    const stop = listen(channels.workqueueDone, () => queue.add('foo'));
    queue.add('foo');
    queue.tryGet();
    queue.done('foo');
    stop();
    expect(queue.tryGet()).toBe('foo');
  });

  it('an item is queued although a listener of the add channel shuts the queue down', async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue({ name: 'listened', clock });
    queue.addAfter('foo', 10);
    const stop = listen(channels.workqueueAdd, () => void queue.shutDown());
    await clock.advance(10);
    stop();
    expect([queue.tryGet(), queue.tryGet()]).toEqual(['foo', undefined]);
  });

  it('remembers up to eight different causes', () => {
    const queue = new WorkQueue();
    for (const i of [1, 1, 2, 1, 3, 4, 5, 6, 7, 8, 9, 2])
      queue.addWithHint('foo', { cause: `${i}`, background: false });
    queue.tryGet();
    expect(queue.causesOf('foo')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    queue.done('foo');
    queue.add('foo');
    queue.tryGet();
    expect(queue.causesOf('foo')).toEqual([]);
    queue.addWithHint('foo', { cause: 'again', background: false });
    expect(queue.causesOf('foo')).toEqual(['again']);
  });

  it('the causes of one run are not causes of the next', () => {
    const queue = new WorkQueue();
    queue.addWithHint('foo', { cause: 'first', background: false });
    queue.tryGet();
    queue.addWithHint('foo', { cause: 'second', background: false });
    queue.done('foo');
    queue.tryGet();
    expect(queue.causesOf('foo')).toEqual(['second']);
  });

  it('publishes a waiting time of 0 for an item that was added without a listener', async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ name: 'test', clock });
    const waited: number[] = [];
    const listenToGet = () => {
      const stops = [
        listen(channels.workqueueAdd, () => {}),
        listen(channels.workqueueGet, (e) => waited.push(e.waitedMs)),
      ];
      return () => stops.forEach((stop) => void stop());
    };
    const run = async (listened: boolean) => {
      const stop = listened ? listenToGet() : () => {};
      queue.add('foo');
      stop();
      await clock.advance(20);
      const stopGet = listenToGet();
      queue.tryGet();
      stopGet();
      queue.done('foo');
    };
    await run(true);
    await run(false);
    expect(waited).toEqual([20, 0]);
  });
});

describe('the contract of work queues, under any interleaving', () => {
  const command = fc.oneof(
    { weight: 5, arbitrary: fc.record({ op: fc.constant('add' as const), item: fc.nat(5) }) },
    { weight: 4, arbitrary: fc.record({ op: fc.constant('take' as const) }) },
    { weight: 4, arbitrary: fc.record({ op: fc.constant('done' as const), item: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('after' as const), item: fc.nat(5), ms: fc.nat(50) }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('advance' as const), ms: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('shutDown' as const), drain: fc.boolean() }) },
  );

  it('an item never has two workers, no item is lost, and none is handed out that was not added', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
        const clock = new FakeClock();
        const queue = new DelayingQueue<number>({ clock });
        // The model: items to be handed out, items being processed, delayed items.
        const owed = new Set<number>();
        const running = new Set<number>();
        const delayed = new Map<number, number>();
        let down = false;
        const release = () => {
          for (const [item, at] of delayed) {
            if (at <= clock.monotonicNow()) {
              delayed.delete(item);
              owed.add(item);
            }
          }
        };
        const takeOne = () => {
          const item = queue.tryGet();
          const ready = [...owed].filter((candidate) => !running.has(candidate));
          if (item === undefined) {
            expect(ready).toEqual([]);
            return false;
          }
          expect(ready).toContain(item);
          owed.delete(item);
          running.add(item);
          return true;
        };
        for (const step of commands) {
          if (step.op === 'add') {
            queue.add(step.item);
            if (!down) owed.add(step.item);
          } else if (step.op === 'take') {
            takeOne();
          } else if (step.op === 'done') {
            if (running.delete(step.item)) queue.done(step.item);
          } else if (step.op === 'after') {
            queue.addAfter(step.item, step.ms);
            if (!down) {
              const at = clock.monotonicNow() + step.ms;
              if (step.ms === 0) owed.add(step.item);
              else delayed.set(step.item, Math.min(at, delayed.get(step.item) ?? at));
            }
          } else if (step.op === 'advance') {
            await clock.advance(step.ms);
            release();
          } else {
            void queue.shutDown({ drain: step.drain });
            down = true;
            delayed.clear();
          }
          expect(queue.length).toBe([...owed].filter((item) => !running.has(item)).length);
        }
        for (const item of running) queue.done(item);
        running.clear();
        while (takeOne()) {
          for (const item of running) queue.done(item);
          running.clear();
        }
        expect(owed.size).toBe(0);
        await queue.shutDown();
        expect(clock.pendingTimers).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { schedulerOf } from '../time/scheduler.js';
import { parallelizeUntil } from './parallelize.js';
import { type ProcessOptions, processQueue } from './process-queue.js';
import { RateLimitingQueue } from './rate-limiting-queue.js';
import { TerminalError } from './terminal-error.js';

function start(options: Partial<ProcessOptions<string>> & Pick<ProcessOptions<string>, 'reconcile'>) {
  const clock = new FakeClock();
  const queue = new RateLimitingQueue({ clock });
  const stop = new AbortController();
  const errors: unknown[] = [];
  const running = processQueue(queue, { signal: stop.signal, onError: (error) => errors.push(error), ...options });
  return { clock, queue, stop, errors, running };
}

describe('processQueue', () => {
  it('reconciles items that are added, clears their failures on success, and ends when aborted', async () => {
    const seen: string[] = [];
    const { clock, queue, stop, running } = start({ reconcile: (key) => void seen.push(key) });
    queue.add('a');
    queue.add('b');
    await clock.runUntilIdle();
    queue.add('c');
    await clock.runUntilIdle();
    expect(seen).toEqual(['a', 'b', 'c']);
    stop.abort();
    await running;
    queue.add('d');
    await clock.runUntilIdle();
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('retries a reconcile that throws with backoff, and counts the attempts', async () => {
    const attempts: [number, number][] = [];
    const { clock, queue, stop, errors, running } = start({
      reconcile(_, { attempt }) {
        attempts.push([clock.monotonicNow(), attempt]);
        if (attempts.length < 4) throw new Error(`no. ${attempts.length}`);
      },
    });
    const from = clock.monotonicNow();
    queue.add('a');
    await clock.advance(1000);
    expect(attempts.map(([at, attempt]) => [at - from, attempt])).toEqual([
      [0, 1],
      [5, 2],
      [15, 3],
      [35, 4],
    ]);
    expect(errors.map(String)).toEqual(['Error: no. 1', 'Error: no. 2', 'Error: no. 3']);
    expect(queue.numRequeues('a')).toBe(0);
    stop.abort();
    await running;
  });

  it('a TerminalError is reported and not retried', async () => {
    let runs = 0;
    const { clock, queue, stop, errors, running } = start({
      async reconcile() {
        runs++;
        throw new TerminalError('never');
      },
    });
    queue.add('a');
    await clock.advance(10_000);
    expect(runs).toBe(1);
    expect(errors).toEqual([new TerminalError('never')]);
    expect(queue.numRequeues('a')).toBe(0);
    queue.add('a');
    await clock.advance(1);
    expect(runs).toBe(2);
    stop.abort();
    await running;
  });

  it('a TerminalError clears the failures before it', async () => {
    const attempts: number[] = [];
    const { clock, queue, stop, running } = start({
      reconcile(_, { attempt }) {
        attempts.push(attempt);
        throw attempts.length < 3 ? new Error('again') : new TerminalError('never');
      },
    });
    queue.add('a');
    await clock.advance(10_000);
    queue.add('a');
    await clock.advance(10_000);
    expect(attempts).toEqual([1, 2, 3, 1]);
    stop.abort();
    await running;
  });

  it('requeueAfterMs adds the item again after that time', async () => {
    const times: number[] = [];
    const { clock, queue, stop, running } = start({
      async reconcile() {
        times.push(clock.monotonicNow());
        return times.length < 3 ? { requeueAfterMs: 60_000 } : undefined;
      },
    });
    const from = clock.monotonicNow();
    queue.add('a');
    await clock.advance(600_000);
    expect(times.map((at) => at - from)).toEqual([0, 60_000, 120_000]);
    stop.abort();
    await running;
  });

  it('after an abort starts no reconcile, waits for running ones, and adds interrupted items again', async () => {
    const { clock, queue, stop, errors, running } = start({
      workers: 2,
      async reconcile(key, { signal }) {
        if (key === 'patient') await clock.sleep(500);
        else await clock.sleep(500, { signal });
      },
    });
    for (const key of ['patient', 'hasty', 'third']) queue.add(key);
    await clock.advance(100);
    let ended = false;
    void running.then(() => {
      ended = true;
    });
    stop.abort();
    await clock.advance(100);
    expect(ended).toBe(false);
    await clock.advance(300);
    await running;
    expect(errors).toEqual([]);
    expect([queue.tryGet(), queue.tryGet(), queue.tryGet()]).toEqual(['third', 'hasty', undefined]);
    expect(queue.causesOf('hasty')).toEqual(['interrupted']);
  });

  it('calls reconcile with the causes of the item', async () => {
    const causes: (readonly string[])[] = [];
    const { clock, queue, stop, running } = start({
      async reconcile(key, context) {
        causes.push(context.causes);
        if (key === 'busy') await clock.sleep(1);
      },
    });
    queue.add('busy');
    const hint = (cause: string) => ({ cause, background: false });
    queue.addWithHint('a', hint('pods add'));
    queue.addWithHint('a', hint('pods update'));
    queue.addWithHint('a', hint('pods update'));
    queue.add('b');
    await clock.advance(1);
    expect(causes).toEqual([[], ['pods add', 'pods update'], []]);
    stop.abort();
    await running;
  });

  it('an onError that throws does not end the loop', async () => {
    const warnings: string[] = [];
    const emitWarning = process.emitWarning;
    process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
    try {
      const { clock, queue, stop, running } = start({
        reconcile() {
          throw new Error('first');
        },
        onError() {
          throw new Error('broken reporter');
        },
      });
      queue.add('a');
      await clock.advance(6);
      stop.abort();
      await running;
      expect(warnings.some((text) => text.includes('broken reporter'))).toBe(true);
    } finally {
      process.emitWarning = emitWarning;
    }
  });

  it.each([
    [null, 'got null'],
    [{ requeueAfter: 10 }, 'got an object with requeueAfter'],
    [{ requeueAfterMs: Number.NaN }, 'got NaN'],
    [{ requeueAfterMs: '5' }, 'got "5"'],
    [true, 'got true'],
  ])('treats the result %j as a failure, and retries with backoff', async (result, got) => {
    const attempts: number[] = [];
    const { clock, queue, stop, errors, running } = start({
      reconcile(_, { attempt }) {
        attempts.push(attempt);
        return result as never;
      },
    });
    queue.add('a');
    await clock.advance(34);
    expect(attempts).toEqual([1, 2, 3]);
    expect(errors[0]).toEqual(
      new TypeError(`what reconcile returns must be nothing or { requeueAfterMs: a number }, ${got}`),
    );
    stop.abort();
    await running;
  });

  it('goes on after a failure of an item that is not serializable', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const clock = new FakeClock();
    interface Node {
      readonly id: string;
      self?: Node;
    }
    const queue = new RateLimitingQueue<Node>({ clock, keyOf: ({ id }) => id });
    const cyclic: Node = { id: 'a' };
    cyclic.self = cyclic;
    const seen: string[] = [];
    const stop = new AbortController();
    const loop = processQueue(queue, {
      signal: stop.signal,
      reconcile({ id }) {
        seen.push(id);
        if (id === 'a') throw new TerminalError('no good');
      },
    });
    queue.add(cyclic);
    queue.add({ id: 'b' });
    await clock.advance(1000);
    stop.abort();
    await loop;
    expect(seen).toEqual(['a', 'b']);
    expect(warn.mock.calls[0]?.[0]).toContain('reconcile of an object with id, self failed: ');
    expect(clock.pendingTimers).toEqual([]);
  });

  it('names the item in its warnings, objects by their fields', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const clock = new FakeClock();
    const queue = new RateLimitingQueue<{ name: string }>({ clock });
    const stop = new AbortController();
    const running = processQueue(queue, {
      signal: stop.signal,
      reconcile() {
        throw new TerminalError('no');
      },
    });
    queue.add({ name: 'web' });
    await clock.runUntilIdle();
    stop.abort();
    await running;
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(/^reconcile of \{"name":"web"\} failed: TerminalError: no/),
    ]);
  });

  it('ends when the queue is shut down and empty', async () => {
    const { clock, queue, running } = start({ workers: 3, reconcile() {} });
    queue.add('a');
    const down = queue.shutDown({ drain: true });
    await clock.runUntilIdle();
    await Promise.all([down, running]);
  });

  it('starts reconciles in slices of the scheduler, so that the event loop turns in between', async () => {
    const clock = new FakeClock();
    schedulerOf(clock, { sliceItems: 10 });
    const queue = new RateLimitingQueue<number>({ clock });
    for (let i = 0; i < 95; i++) queue.add(i);
    const perTurn: number[] = [];
    let reconciled = 0;
    const countTurn = () => {
      perTurn.push(reconciled);
      reconciled = 0;
      if (queue.length > 0) clock.defer(countTurn);
    };
    clock.defer(countTurn);
    const stop = new AbortController();
    const running = processQueue(queue, { signal: stop.signal, reconcile: () => void reconciled++ });
    await clock.runUntilIdle();
    expect(perTurn).toEqual([0, ...Array(9).fill(10), 5]);
    stop.abort();
    await running;
  });

  it('adds an item again that was handed out and not started when the signal aborted', async () => {
    const seen: string[] = [];
    const { clock, queue, stop, running } = start({ reconcile: (key) => void seen.push(key) });
    await clock.runUntilIdle();
    queue.add('a');
    stop.abort();
    await clock.runUntilIdle();
    await running;
    expect([seen, queue.tryGet(), queue.causesOf('a')]).toEqual([[], 'a', ['interrupted']]);
  });

  it('calls reconcile with the causes as of when the item was handed out', async () => {
    const causes: (readonly string[])[] = [];
    const { clock, queue, stop, running } = start({ reconcile: (_, context) => void causes.push(context.causes) });
    await clock.runUntilIdle();
    queue.addWithHint('a', { cause: 'pods add', background: false });
    clock.defer(() => queue.addWithHint('a', { cause: 'pods update', background: false }));
    await clock.runUntilIdle();
    expect(causes).toEqual([['pods add'], ['pods update']]);
    stop.abort();
    await running;
  });

  it('rejects with what a method of the queue throws', async () => {
    const clock = new FakeClock();
    const refuse = (): never => {
      throw new Error('no such method');
    };
    const taking = Object.assign(new RateLimitingQueue({ clock }), { tryGet: refuse });
    const first = processQueue(taking, { reconcile() {} });
    const waiting = Object.assign(new RateLimitingQueue({ clock }), { get: () => Promise.reject(new Error('gone')) });
    const second = processQueue(waiting, { reconcile() {} });
    const ending = Object.assign(new RateLimitingQueue({ clock }), { done: refuse });
    ending.add('a');
    const third = processQueue(ending, { async reconcile() {} });
    const ends = [
      expect(first).rejects.toThrow('no such method'),
      expect(second).rejects.toThrow('gone'),
      expect(third).rejects.toThrow('no such method'),
    ];
    await clock.runUntilIdle();
    await Promise.all(ends);
  });

  it('never reconciles one item twice at a time, and loses none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ item: fc.nat(4), wait: fc.nat(3), work: fc.nat(20), fails: fc.boolean() }), {
          maxLength: 40,
        }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, workers) => {
          const clock = new FakeClock();
          const queue = new RateLimitingQueue<number>({ clock });
          const running = new Set<number>();
          const addedAt = new Map<number, number>();
          const startedAt = new Map<number, number>();
          let order = 0;
          let step = 0;
          const stop = new AbortController();
          const loop = processQueue(queue, {
            workers,
            signal: stop.signal,
            onError() {},
            async reconcile(item) {
              expect(running.has(item)).toBe(false);
              expect(running.size).toBeLessThan(workers);
              running.add(item);
              startedAt.set(item, ++order);
              const { work, fails } = steps[step++ % steps.length] as (typeof steps)[number];
              await clock.sleep(work);
              running.delete(item);
              if (fails && step < 200) throw new Error('again');
            },
          });
          for (const { item, wait } of steps) {
            addedAt.set(item, ++order);
            queue.add(item);
            await clock.advance(wait);
          }
          await clock.advance(3_600_000);
          for (const [item, at] of addedAt) expect(startedAt.get(item)).toBeGreaterThan(at);
          stop.abort();
          await clock.runUntilIdle();
          await loop;
          await queue.shutDown();
          expect(clock.pendingTimers).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    [{ reconcile: 1 }, /reconcile must be a function, got 1/],
    [{ reconcile() {}, workers: 0 }, /workers must be a whole number from 1 to 100000, got 0/],
    [{ reconcile() {}, signal: 'x' }, /signal must be an AbortSignal, got "x"/],
  ])('refuses %o', async (options, message) => {
    await expect(processQueue(new RateLimitingQueue(), options as never)).rejects.toThrow(message);
  });
});

describe('parallelizeUntil', () => {
  it.each([
    [1000, 10, 1],
    [1000, 10, 10],
    [1000, 10, 100],
    [999, 10, 13],
    [0, 3, 1],
  ])(
    '[S256] calls work once for each of %i pieces with %i workers in chunks of %i',
    async (pieces, workers, chunkSize) => {
      const visits = new Array(pieces).fill(0);
      let atOnce = 0;
      let most = 0;
      await parallelizeUntil({ pieces, workers, chunkSize }, async (piece) => {
        most = Math.max(most, ++atOnce);
        await Promise.resolve();
        visits[piece]++;
        atOnce--;
      });
      expect(visits.every((n) => n === 1)).toBe(true);
      expect(most).toBeLessThanOrEqual(workers);
    },
  );

  it('starts no piece after an abort, and rejects with the first error after the running pieces have ended', async () => {
    const stop = new AbortController();
    let begun = 0;
    await parallelizeUntil({ pieces: 100, workers: 2, signal: stop.signal }, () => {
      if (++begun === 5) stop.abort();
    });
    expect(begun).toBe(5);
    const ended: number[] = [];
    const failing = parallelizeUntil({ pieces: 10, workers: 3 }, async (piece) => {
      if (piece === 1) throw new Error('piece 1');
      await Promise.resolve();
      ended.push(piece);
    });
    await expect(failing).rejects.toThrow('piece 1');
    expect(ended).toEqual([0, 2]);
  });
});

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { channels, listen } from '../observe/channels.js';
import type { Clock } from './clock.js';
import { FakeClock } from './fake-clock.js';
import { realClock } from './real-clock.js';
import { Scheduler, type SliceBudget, schedulerOf } from './scheduler.js';

/** A step that processes a number of items, one per `take`, and reports each. */
function pile(items: number, onItem: () => void = () => {}): (budget: SliceBudget) => boolean {
  let left = items;
  return (budget) => {
    while (left > 0) {
      if (!budget.take()) return true;
      left--;
      onItem();
    }
    return false;
  };
}

/** A fake clock on which work takes time: `spend` adds the cost of an item. */
class WorkingClock extends FakeClock {
  #spent = 0;
  looks = 0;

  override monotonicNow(): number {
    this.looks++;
    return super.monotonicNow() + this.#spent;
  }

  spend(ms: number): void {
    this.#spent += ms;
  }
}

describe('Scheduler: turns', () => {
  it('runs a woken task in a later turn, once however often it is woken', async () => {
    const clock = new FakeClock();
    let steps = 0;
    const task = new Scheduler(clock).add('counting', () => {
      steps++;
      return false;
    });
    await clock.runUntilIdle();
    expect(steps).toBe(0);
    task.wake();
    task.wake();
    expect(steps).toBe(0);
    await clock.runUntilIdle();
    expect(steps).toBe(1);
    expect(task.name).toBe('counting');
  });

  it('runs a task again if it was woken during its own step', async () => {
    const clock = new FakeClock();
    let steps = 0;
    const task = new Scheduler(clock).add('again', () => {
      if (++steps < 3) task.wake();
      return false;
    });
    task.wake();
    await clock.runUntilIdle();
    expect(steps).toBe(3);
  });

  it('never runs a removed task, even if it was queued', async () => {
    const clock = new FakeClock();
    let steps = 0;
    const scheduler = new Scheduler(clock);
    const task = scheduler.add('removed', () => {
      steps++;
      return true;
    });
    task.wake();
    task[Symbol.dispose]();
    task.wake();
    await clock.runUntilIdle();
    const endless = scheduler.add('endless', () => {
      if (++steps === 5) endless.remove();
      return true;
    });
    endless.wake();
    await clock.runUntilIdle();
    expect(steps).toBe(5);
  });

  it('runs work that continues after an await in a later step', async () => {
    const clock = new FakeClock();
    const log: string[] = [];
    let waiting: Promise<void> | undefined;
    let left = 3;
    const task = new Scheduler(clock).add('handler', () => {
      if (waiting !== undefined || left === 0) return false;
      left--;
      log.push(`call at ${clock.monotonicNow()}`);
      waiting = clock.sleep(10).then(() => {
        waiting = undefined;
        task.wake();
      });
      return false;
    });
    task.wake();
    await clock.advance(100);
    expect(log).toEqual(['call at 0', 'call at 10', 'call at 20']);
  });

  it('throws a TypeError for invalid values', () => {
    const clock = new FakeClock();
    expect(() => new Scheduler(clock, { sliceMs: 0 })).toThrow('sliceMs must be a number of at least 0.1, got 0');
    expect(() => new Scheduler(clock, { sliceItems: 0.5 })).toThrow('sliceItems must be a whole number');
    expect(() => new Scheduler(clock).add('', () => false)).toThrow('name must be');
    expect(() => new Scheduler(clock).add('x', undefined as never)).toThrow('step must be a function');
  });
});

describe('Scheduler: the slice', () => {
  it('ends after 8 ms of work, and other callbacks run before the next', async () => {
    const clock = new WorkingClock();
    let done = 0;
    const doneAtTurn: number[] = [];
    const task = new Scheduler(clock).add(
      'busy',
      pile(40, () => {
        done++;
        clock.spend(1);
      }),
    );
    task.wake();
    while (done < 40) {
      await clock.yield();
      doneAtTurn.push(done);
    }
    // The clock is read before items 2, 3, 5 and 9: eight milliseconds are eight items.
    expect(doneAtTurn).toEqual([8, 16, 24, 32, 40]);
  });

  it('reads the clock before every item with takeSlow()', async () => {
    const clock = new WorkingClock();
    let done = 0;
    const task = new Scheduler(clock).add('slow', (budget) => {
      while (budget.takeSlow()) {
        done++;
        clock.spend(3);
      }
      return false;
    });
    task.wake();
    await clock.runUntilIdle();
    expect(done).toBe(3);
  });

  it('reads the clock at most every sixteenth item with take()', async () => {
    const clock = new WorkingClock();
    const task = new Scheduler(clock).add('fast', pile(4000));
    task.wake();
    clock.looks = 0;
    await clock.runUntilIdle();
    expect(clock.looks).toBeLessThan(4000 / 16 + 20);
  });

  it('ends after sliceItems on a clock that stands still', async () => {
    const clock = new FakeClock();
    let done = 0;
    const doneAtTurn: number[] = [];
    const task = new Scheduler(clock, { sliceItems: 10 }).add(
      'still',
      pile(35, () => done++),
    );
    task.wake();
    while (done < 35) {
      await clock.yield();
      doneAtTurn.push(done);
    }
    expect(doneAtTurn).toEqual([10, 20, 30, 35]);
  });

  it('ends although tasks wake each other without taking items', async () => {
    const clock = new FakeClock();
    const scheduler = new Scheduler(clock, { sliceItems: 10 });
    let steps = 0;
    const ping = scheduler.add('ping', () => {
      steps++;
      pong.wake();
      return false;
    });
    const pong = scheduler.add('pong', () => {
      steps++;
      ping.wake();
      return false;
    });
    ping.wake();
    await clock.yield();
    expect(steps).toBe(10);
    ping.remove();
    pong.remove();
    await clock.runUntilIdle();
  });

  it('publishes schedulerOverrun for a step that took longer than the slice', async () => {
    const clock = new WorkingClock();
    const heard: unknown[] = [];
    const scheduler = new Scheduler(clock);
    const hold = (ms: number) => () => {
      clock.spend(ms);
      return false;
    };
    scheduler.add('unheard', hold(20)).wake();
    await clock.runUntilIdle();
    const stop = listen(channels.schedulerOverrun, (message) => heard.push(message));
    scheduler.add('holding', hold(20)).wake();
    scheduler.add('in time', hold(8)).wake();
    await clock.runUntilIdle();
    stop();
    expect(heard).toEqual([{ task: 'holding', durationMs: 20, budgetMs: 8 }]);
  });
});

describe('Scheduler: thirty competing tasks', () => {
  interface Race {
    readonly turns: number;
    readonly sliceMs?: number;
    readonly onItem?: () => void;
  }
  const compete = async (clock: Clock, { turns, sliceMs, onItem }: Race): Promise<number[]> => {
    const scheduler = new Scheduler(clock, { sliceItems: 300, sliceMs });
    const counts = new Array<number>(30).fill(0);
    const tasks = counts.map((_, index) =>
      scheduler.add(`task ${index}`, (budget) => {
        while (budget.take()) {
          counts[index]!++;
          onItem?.();
        }
        return true;
      }),
    );
    for (const task of tasks) task.wake();
    for (let turn = 0; turn < turns; turn++) await clock.yield();
    for (const task of tasks) task.remove();
    await clock.yield();
    return counts;
  };

  it('get exactly equal shares on the fake clock', async () => {
    const counts = await compete(new FakeClock(), { turns: 20 });
    expect(new Set(counts)).toEqual(new Set([200]));
  });

  it('get equal shares of time when their items cost the same', async () => {
    const clock = new WorkingClock();
    const counts = await compete(clock, { turns: 100, onItem: () => clock.spend(0.05) });
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(8);
    expect(Math.min(...counts)).toBeGreaterThan(100);
  });

  it('get equal shares of the real loop', async () => {
    // No time limit, so that a pause of the machine does not affect the shares: they depend on items alone.
    const counts = await compete(realClock, { turns: 40, sliceMs: 600_000 });
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(390);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(10);
  });

  it('all run, and the real event loop runs in between, on any machine', async () => {
    const scheduler = new Scheduler(realClock);
    const ran = new Set<number>();
    const tasks = Array.from({ length: 30 }, (_, index) =>
      scheduler.add(`task ${index}`, (budget) => {
        ran.add(index);
        while (budget.take());
        return true;
      }),
    );
    for (const task of tasks) task.wake();
    // Each turn runs at least one step, so thirty turns reach every task.
    for (let turn = 0; turn <= 30; turn++) await realClock.yield();
    await realClock.sleep(0);
    for (const task of tasks) task.remove();
    await realClock.yield();
    expect(ran.size).toBe(30);
  });

  it('leave unused parts of their shares to the others', async () => {
    const clock = new FakeClock();
    const scheduler = new Scheduler(clock, { sliceItems: 100 });
    const done = [0, 0];
    const tasks = [pile(5, () => done[0]!++), pile(500, () => done[1]!++)].map((step, index) =>
      scheduler.add(`task ${index}`, step),
    );
    for (const task of tasks) task.wake();
    await clock.yield();
    expect(done).toEqual([5, 95]);
    await clock.runUntilIdle();
    expect(done).toEqual([5, 500]);
  });

  it('never differ by more than a share, and all finish, with any amounts of work', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        async (work, sliceItems) => {
          const clock = new FakeClock();
          const scheduler = new Scheduler(clock, { sliceItems });
          const done = work.map(() => 0);
          const share = Math.max(1, sliceItems);
          work.forEach((items, index) => {
            const onItem = (): void => {
              done[index]!++;
              for (let other = 0; other < work.length; other++) {
                const unfinished = done[other]! < work[other]!;
                if (unfinished) expect(done[index]! - done[other]!).toBeLessThanOrEqual(2 * share);
              }
            };
            scheduler.add(`task ${index}`, pile(items, onItem)).wake();
          });
          await clock.runUntilIdle();
          expect(done).toEqual(work);
        },
      ),
      { numRuns: runs(15) },
    );
  });
});

describe('Scheduler: errors', () => {
  it('are reported, and neither end the task nor affect another', async () => {
    const clock = new FakeClock();
    const scheduler = new Scheduler(clock);
    const errors: unknown[] = [];
    const heard: unknown[] = [];
    const stop = listen(channels.schedulerError, (message) => heard.push(message));
    let steps = 0;
    const failure = new Error('broken');
    const throwing = scheduler.add(
      'throwing',
      () => {
        steps++;
        throw failure;
      },
      { onError: (error) => errors.push(error) },
    );
    let done = 0;
    throwing.wake();
    scheduler
      .add(
        'other',
        pile(3, () => done++),
      )
      .wake();
    await clock.runUntilIdle();
    expect([steps, done]).toEqual([1, 3]);
    throwing.wake();
    await clock.runUntilIdle();
    stop();
    expect(steps).toBe(2);
    expect(errors).toEqual([failure, failure]);
    expect(heard).toEqual([
      { task: 'throwing', error: failure },
      { task: 'throwing', error: failure },
    ]);
  });

  it('become process warnings without onError, and when onError throws', async () => {
    const clock = new FakeClock();
    const scheduler = new Scheduler(clock);
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    try {
      const fail = (error: unknown) => () => {
        throw error;
      };
      const bare = new Error('without a stack');
      delete (bare as { stack?: string }).stack;
      scheduler.add('one', fail(new Error('broken'))).wake();
      scheduler.add('two', fail('just text')).wake();
      scheduler.add('three', fail(new Error('first')), { onError: fail(bare) }).wake();
      await clock.runUntilIdle();
      const texts = warnings.mock.calls.map(([text]) => String(text));
      expect(texts[0]).toMatch(/^the scheduled task one threw: Error: broken\n/);
      expect(texts[1]).toBe('the scheduled task two threw: just text');
      expect(texts[2]).toBe('the scheduled task three threw: without a stack');
    } finally {
      warnings.mockRestore();
    }
  });
});

describe('schedulerOf', () => {
  it('returns one scheduler per clock; only the first call may pass options', () => {
    const [clock, other] = [new FakeClock(), new FakeClock()];
    const scheduler = schedulerOf(clock, { sliceItems: 5 });
    expect(schedulerOf(clock)).toBe(scheduler);
    expect(schedulerOf(other)).not.toBe(scheduler);
    expect(() => schedulerOf(clock, {})).toThrow('this clock already has a scheduler');
  });
});

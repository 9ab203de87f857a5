import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { startApiServer } from '../apiserver/server.js';
import { SharedInformerFactory } from '../informers/shared-informer-factory.js';
import { RateLimitingQueue } from '../workqueue/rate-limiting-queue.js';
import { FakeClock } from './fake-clock.js';
import { offClock } from './off-clock.js';

describe('FakeClock: time', () => {
  it('moves both clocks together, only by advance()', async () => {
    const clock = new FakeClock({ now: 1000 });
    expect([clock.now(), clock.monotonicNow()]).toEqual([1000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonicNow()]).toEqual([1250, 250]);
  });

  it('jumps the wall clock alone, forwards and backwards', async () => {
    const clock = new FakeClock({ now: 1000 });
    let fired = false;
    clock.setTimer(10, () => (fired = true));
    clock.jump(5000);
    clock.jump(-5500);
    await clock.runUntilIdle();
    expect([clock.now(), clock.monotonicNow(), fired]).toEqual([500, 0, false]);
  });

  it('starts at a fixed date by default', () => {
    expect(new Date(new FakeClock().now()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('throws for invalid options and times', async () => {
    expect(() => new FakeClock({ seed: Number.NaN })).toThrow(
      new TypeError(`seed must be a number of at least ${Number.MIN_SAFE_INTEGER}, got NaN`),
    );
    expect(() => new FakeClock({ now: -1 })).toThrow('now must be a number of at least 0, got -1');
    const clock = new FakeClock();
    expect(() => clock.setTimer(Number.NaN, () => {})).toThrow('ms must be a number of milliseconds, got NaN');
    expect(() => clock.setTimer(1, 'x' as never)).toThrow('callback must be a function, got "x"');
    await expect(clock.advance(-1)).rejects.toThrow('ms must be');
    await expect(clock.until(() => true, { withinMs: -1 })).rejects.toThrow('withinMs must be');
  });
});

describe('FakeClock: timers', () => {
  it('fire at their own time, those of one instant in the order they were set', async () => {
    const clock = new FakeClock();
    const log: string[] = [];
    const note = (name: string) => () => log.push(`${name}@${clock.monotonicNow()}`);
    clock.setTimer(20, note('c'));
    clock.setTimer(10, note('a'));
    clock.setTimer(10, note('b'));
    clock.setTimer(-5, note('past'));
    clock.setTimer(31, note('later'));
    await clock.advance(30);
    expect(log).toEqual(['past@0', 'a@10', 'b@10', 'c@20']);
    expect(clock.monotonicNow()).toBe(30);
  });

  it('with a delay fire after the current time, even if the delay is lost in the sum', async () => {
    const clock = new FakeClock();
    await clock.advance(24_321.3);
    const start = clock.monotonicNow();
    let looks = 0;
    const waitForRest = (): void => {
      const rest = start + 1e-11 - clock.monotonicNow();
      if (rest > 0 && looks++ < 100) clock.setTimer(rest / 10, waitForRest);
    };
    waitForRest();
    await clock.advance(1);
    expect(looks).toBeLessThan(10);
    expect(clock.monotonicNow()).toBe(start + 1);
  });

  it('do not fire after cancel(), which may be called again', async () => {
    const clock = new FakeClock();
    let fired = 0;
    const timer = clock.setTimer(10, () => fired++);
    timer.cancel();
    timer.cancel();
    const other = clock.setTimer(10, () => fired++);
    await clock.advance(100);
    other.cancel();
    expect(fired).toBe(1);
  });

  it('run all promises and turns before the next timer fires', async () => {
    const clock = new FakeClock();
    const log: string[] = [];
    clock.setTimer(10, async () => {
      log.push('first');
      await Promise.resolve();
      await clock.yield();
      log.push('after a turn');
      await clock.yield();
      log.push('after two');
      clock.setTimer(0, () => log.push('set on the way'));
    });
    clock.setTimer(10, () => log.push('second'));
    await clock.advance(10);
    expect(log).toEqual(['first', 'after a turn', 'after two', 'second', 'set on the way']);
  });

  it('fire in the order of a sorted list under any sequence of sets and cancels', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ms: fc.nat(20), cancelled: fc.boolean() }), { maxLength: 30 }),
        fc.array(fc.nat(8), { maxLength: 6 }),
        async (timers, steps) => {
          const clock = new FakeClock();
          const fired: number[] = [];
          const handles = timers.map(({ ms }, index) => clock.setTimer(ms, () => fired.push(index)));
          timers.forEach(({ cancelled }, index) => {
            if (cancelled) handles[index]?.cancel();
          });
          for (const step of steps) await clock.advance(step);
          const end = steps.reduce((sum, step) => sum + step, 0);
          const expected = timers
            .map((timer, index) => ({ ...timer, index }))
            .filter((timer) => !timer.cancelled && timer.ms <= end && steps.length > 0)
            .sort((a, b) => a.ms - b.ms || a.index - b.index)
            .map((timer) => timer.index);
          expect(fired).toEqual(expected);
        },
      ),
      { numRuns: runs(50) },
    );
  });
});

describe('FakeClock: turns', () => {
  it('happen without advance(), in order, with promises settled in between', async () => {
    const clock = new FakeClock();
    const log: string[] = [];
    clock.defer(() => {
      log.push('one');
      void Promise.resolve().then(() => log.push('promise of one'));
      clock.defer(() => log.push('three'));
    });
    clock.defer(() => log.push('two'));
    await clock.yield();
    expect(log).toEqual(['one', 'promise of one', 'two']);
    await clock.yield();
    expect(log).toEqual(['one', 'promise of one', 'two', 'three']);
  });

  it('can be cancelled', async () => {
    const clock = new FakeClock();
    let ran = 0;
    const turn = clock.defer(() => ran++);
    turn.cancel();
    turn.cancel();
    const taken = clock.defer(() => ran++);
    await clock.runUntilIdle();
    taken.cancel();
    await clock.runUntilIdle();
    expect(ran).toBe(1);
  });
});

describe('FakeClock: work that no clock tracks', () => {
  const turns = async (count: number) => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  it('lets no virtual time pass before it ends', async () => {
    const clock = new FakeClock();
    let endedAt: number | undefined;
    void offClock(turns(50)).then(() => (endedAt = clock.monotonicNow()));
    await clock.advance(1000);
    expect([endedAt, clock.monotonicNow()]).toEqual([0, 1000]);
  });

  it('lets time pass after it has failed', async () => {
    const clock = new FakeClock();
    let failedAt: number | undefined;
    const work = turns(50).then(() => Promise.reject(new Error('no such module')));
    offClock(work).catch(() => (failedAt = clock.monotonicNow()));
    await clock.advance(1000);
    expect([failedAt, clock.monotonicNow()]).toEqual([0, 1000]);
  });

  it('may begin other such work, timers and turns when it ends', async () => {
    const clock = new FakeClock();
    const log: string[] = [];
    const work = async () => {
      await offClock(turns(20));
      await clock.yield();
      await offClock(turns(20));
      clock.setTimer(0, () => log.push(`timer@${clock.monotonicNow()}`));
    };
    const done = work();
    clock.setTimer(10, () => log.push(`later@${clock.monotonicNow()}`));
    await clock.until(() => log.length === 2);
    await done;
    expect(log).toEqual(['timer@0', 'later@10']);
  });
});

describe('FakeClock: sleep', () => {
  it('resolves when its time has passed', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    let woken = false;
    const slept = clock.sleep(100, { signal: controller.signal }).then(() => (woken = true));
    await clock.advance(99);
    expect(woken).toBe(false);
    await clock.advance(1);
    await slept;
    controller.abort();
    expect(woken).toBe(true);
  });

  it('rejects with the reason on abort, before or during, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const slept = clock.sleep(100, { signal: controller.signal });
    expect(clock.pendingTimers).toHaveLength(1);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(slept).rejects.toBe(reason);
    await expect(clock.sleep(100, { signal: controller.signal })).rejects.toBe(reason);
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe('FakeClock: until', () => {
  it('advances from timer to timer until the condition holds', async () => {
    const clock = new FakeClock();
    let ticks = 0;
    const tick = (): void => {
      ticks++;
      clock.setTimer(1000, tick);
    };
    clock.setTimer(1000, tick);
    await clock.until(() => ticks === 5);
    expect(clock.monotonicNow()).toBe(5000);
  });

  it('lets an asynchronous condition use turns and timers', async () => {
    const clock = new FakeClock();
    let asked = 0;
    await clock.until(async () => {
      asked++;
      await clock.yield();
      await clock.sleep(100);
      return asked === 3;
    });
    expect([asked, clock.monotonicNow()]).toEqual([3, 300]);
  });

  it('supports a condition that reads the clock', async () => {
    const clock = new FakeClock();
    await clock.until(() => clock.monotonicNow() >= 500, { withinMs: 500 });
    expect(clock.monotonicNow()).toBe(500);
  });

  it('lists each line of a test that set timers once, and the timers of the library as one group', async () => {
    const clock = new FakeClock();
    const queue = new RateLimitingQueue({ clock });
    for (const item of ['a', 'b', 'c']) queue.addAfter(item, 5_000);
    for (let i = 0; i < 20; i++) clock.setTimer(3_000 + i, () => {});
    const error = await clock.until(() => false, { withinMs: 1_000 }).catch((failure: Error) => failure);
    const lines = String((error as Error).message).split('\n');
    expect(lines[0]).toBe('the condition did not hold within 1000 ms of virtual time; pending timers:');
    expect(lines[1]).toMatch(/^ {2}due in 2000 ms \(19 more later\), set at .*fake-clock\.test\.ts:\d+/);
    expect(lines[2]).toMatch(/^ {2}due in 4000 ms, set at .*fake-clock\.test\.ts:\d+/);
    expect(lines).toHaveLength(3);
  });

  it('lists the timers of informers and servers on one line', async () => {
    const clock = new FakeClock();
    await using api = await startApiServer({ clock, listen: false });
    await using client = api.client();
    await using factory = new SharedInformerFactory(client);
    for (const resource of ['pods', 'nodes', 'secrets', 'services'] as const) factory.core.v1[resource]();
    factory.start();
    await factory.waitForCacheSync();
    expect(clock.pendingTimers.length).toBeGreaterThan(4);
    const error = await clock.until(() => false, { withinMs: 100 }).catch((failure: Error) => failure);
    const own = String((error as Error).message)
      .split('\n')
      .filter((line) => line.includes('set by kubeflect itself'));
    expect(own).toHaveLength(1);
    expect(String((error as Error).message).split('\n').length).toBeLessThan(6);
  });

  it('rejects after withinMs of virtual time and lists the pending timers', async () => {
    const clock = new FakeClock();
    clock.setTimer(900, () => {});
    void clock.sleep(1200);
    await expect(clock.until(() => false, { withinMs: 1000 })).rejects.toThrow(
      /the condition did not hold within 1000 ms of virtual time; pending timers:\n {2}due in 200 ms, set at .*fake-clock\.test\.ts:\d+/,
    );
    expect(clock.monotonicNow()).toBe(1000);
  });

  it('reports that no timer is pending, and that the condition never settles', async () => {
    const clock = new FakeClock();
    await expect(clock.until(() => false)).rejects.toThrow('within 60000 ms of virtual time; no timer is pending');
    await expect(clock.until(() => new Promise(() => {}))).rejects.toThrow('the asynchronous condition did not settle');
  });

  it('rejects with the error that the condition throws', async () => {
    const clock = new FakeClock();
    await expect(clock.until(() => Promise.reject(new Error('asked and failed')))).rejects.toThrow('asked and failed');
    await expect(
      clock.until(() => {
        throw new Error('failed at once');
      }),
    ).rejects.toThrow('failed at once');
  });
});

describe('FakeClock: mistakes', () => {
  it('rejects a second call while the clock is being advanced', async () => {
    const clock = new FakeClock();
    const moving = clock.advance(10);
    await expect(clock.until(() => true)).rejects.toThrow(
      'FakeClock.until() was called while advance() is moving the clock: await that one first',
    );
    await moving;
    await clock.until(() => true);
  });

  it('rejects with the error of a callback, and can be used again', async () => {
    const clock = new FakeClock();
    clock.setTimer(5, () => {
      throw new Error('timer failed');
    });
    clock.setTimer(6, () => {
      clock.defer(() => {
        throw new Error('turn failed');
      });
    });
    await expect(clock.advance(10)).rejects.toThrow('timer failed');
    await expect(clock.advance(10)).rejects.toThrow('turn failed');
    await clock.advance(10);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('throws for an endless series of timers at one instant', async () => {
    const clock = new FakeClock({ patience: 100 });
    const again = (): void => void clock.setTimer(0, again);
    again();
    await expect(clock.runUntilIdle()).rejects.toThrow(/timers are set for the same instant without end.*at again/);
  });

  it('throws for an endless series of turns', async () => {
    const clock = new FakeClock({ patience: 100 });
    let running = true;
    const spin = (): void => void (running && clock.defer(spin));
    spin();
    await expect(clock.runUntilIdle()).rejects.toThrow('takes turns of the event loop without end');
    running = false;
    await clock.runUntilIdle();
  });
});

describe('FakeClock: random numbers', () => {
  it('gives the same sequence for the same seed, and another one for another seed', () => {
    const draw = (seed: number): number[] => {
      const clock = new FakeClock({ seed });
      return Array.from({ length: 5 }, () => clock.random());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it('stays in range and is evenly distributed', () => {
    const clock = new FakeClock({ seed: 3 });
    const buckets = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const value = clock.random();
      expect(value >= 0 && value < 1).toBe(true);
      buckets[Math.floor(value * 10)]!++;
    }
    for (const count of buckets) expect(count).toBeGreaterThan(900);
  });
});

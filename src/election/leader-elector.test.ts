import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeLeases } from '../../test/support/fake-leases.js';
import { StatusError } from '../meta/errors/errors.js';
import { conflict, forbidden } from '../meta/errors/status.js';
import { channels, listen } from '../observe/channels.js';
import type { LeaseSpec } from '../resources/types/coordination-v1.js';
import { FakeClock } from '../time/fake-clock.js';
import { realClock } from '../time/real-clock.js';
import { LeadershipLostError } from './election-errors.js';
import { LeaderElectionHealth } from './leader-election-health.js';
import { LeaderElector, type LeaderElectorOptions } from './leader-elector.js';
import type { LeaseClient } from './lease-lock.js';
import { Watchdog } from './watchdog.js';

const leaseResource = { group: 'coordination.k8s.io', resource: 'leases' };

let clock: FakeClock;
let leases: FakeLeases;
let stops: AbortController[];
let undos: (() => void)[];

beforeEach(() => {
  clock = new FakeClock();
  leases = new FakeLeases(clock);
  stops = [];
  undos = [];
});
afterEach(async () => {
  for (const undo of undos) undo();
  leases.before = undefined;
  for (const stop of stops) stop.abort();
  await clock.advance(60_000);
  expect(clock.pendingTimers).toEqual([]);
});

function electorOf(options: Partial<LeaderElectorOptions> = {}): LeaderElector {
  return new LeaderElector(leases, { namespace: 'system', name: 'boss', identity: 'baz', onError() {}, ...options });
}

interface Run {
  readonly elector: LeaderElector;
  readonly reported: string[];
  /** The signals that `lead` was called with. */
  readonly signals: AbortSignal[];
  readonly outcome: Promise<'stopped' | 'lost'>;
  result: unknown;
  stop(): void;
}

/** Runs an elector; by default `lead` ends when its signal aborts. */
function start(
  options: Partial<LeaderElectorOptions> = {},
  lead: (signal: AbortSignal) => Promise<void> = untilAborted,
): Run {
  const reported: string[] = [];
  const signals: AbortSignal[] = [];
  const elector = electorOf({ onNewLeader: (identity) => reported.push(identity), ...options });
  const controller = new AbortController();
  stops.push(controller);
  const outcome = elector.run(
    (signal) => {
      signals.push(signal);
      return lead(signal);
    },
    { signal: controller.signal },
  );
  const run: Run = { elector, reported, signals, outcome, result: undefined, stop: () => controller.abort() };
  outcome.then(
    (value) => (run.result = value),
    (error: unknown) => (run.result = error),
  );
  return run;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** A promise that never settles. */
function never(): Promise<void> {
  return new Promise(() => {});
}

function heldBy(holderIdentity: string, leaseDurationSeconds = 15, leaseTransitions = 0): LeaseSpec {
  const time = '2025-01-01T00:00:00.000000Z';
  return { holderIdentity, leaseDurationSeconds, leaseTransitions, acquireTime: time, renewTime: time };
}

describe('options', () => {
  it('[S268] are checked, and have defaults', () => {
    expect(electorOf().identity).toBe('baz');
    expect(electorOf({ identity: undefined }).identity).toMatch(/^.+_[0-9a-f-]{36}$/);
    expect(() => electorOf({ identity: '' })).toThrow('identity must be a string that is not empty, got ""');
    expect(() => electorOf({ leaseDurationMs: 10_000 })).toThrow(
      'leaseDurationMs must be in whole seconds more than renewDeadlineMs (10000), got 10000',
    );
    expect(() => electorOf({ leaseDurationMs: 10_900, renewDeadlineMs: 10_500 })).toThrow(/in whole seconds/);
    expect(() => electorOf({ renewDeadlineMs: 2400 })).toThrow(
      'renewDeadlineMs must be more than 1.2 times retryPeriodMs (2000), got 2400',
    );
    expect(() => electorOf({ retryPeriodMs: 0 })).toThrow(/retryPeriodMs must be a number of at least 1/);
    expect(() => electorOf({ leaseDurationMs: 0 })).toThrow(/leaseDurationMs/);
    expect(() => electorOf({ onNewLeader: 'me' as never })).toThrow(/onNewLeader must be a function/);
    expect(() => electorOf({ watchdog: true })).toThrow(/watchdog must be false unless the clock is the real one/);
  });

  it('of run() are checked, and a second run() at the same time is refused', async () => {
    const { elector } = start();
    await expect(elector.run(undefined as never)).rejects.toThrow(/lead must be a function/);
    await expect(elector.run(untilAborted)).rejects.toThrow(/baz is already a candidate for system\/boss/);
  });
});

describe('[S261] a candidate', () => {
  it('creates the Lease if there is none', async () => {
    const run = start();
    await clock.until(() => run.elector.isLeader);
    expect(leases.operations).toEqual(['get', 'create']);
    expect(leases.spec).toEqual({
      holderIdentity: 'baz',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
    });
    expect(run.reported).toEqual(['baz']);
    expect(run.elector.leader).toBe('baz');
  });

  it('takes a Lease with an empty spec', async () => {
    leases.put(undefined);
    const run = start();
    await clock.until(() => run.elector.isLeader);
    expect(leases.operations).toEqual(['get', 'update']);
    expect(leases.spec).toMatchObject({ holderIdentity: 'baz', leaseTransitions: 1 });
  });

  it('takes a Lease without a holder at once, however recently it changed', async () => {
    leases.put(heldBy('', 15, 7));
    const run = start();
    await clock.runUntilIdle();
    expect(run.elector.isLeader).toBe(true);
    expect(leases.operations).toEqual(['get', 'update']);
    expect(leases.spec.leaseTransitions).toBe(8);
    expect(run.reported).toEqual(['baz']);
  });

  it('does not take a Lease that it has just seen for the first time, whatever its renewTime', async () => {
    leases.put(heldBy('bing'));
    const run = start();
    await clock.runUntilIdle();
    expect([run.elector.isLeader, run.elector.leader]).toEqual([false, 'bing']);
    expect(leases.operations).toEqual(['get']);
    expect(leases.spec.holderIdentity).toBe('bing');
    expect(run.reported).toEqual(['bing']);
  });

  it('takes a Lease that has not changed for its leaseDurationSeconds', async () => {
    leases.put(heldBy('bing', 3, 1));
    const run = start();
    await clock.runUntilIdle();
    const seenAt = clock.monotonicNow();
    await clock.until(() => run.elector.isLeader);
    expect(clock.monotonicNow() - seenAt).toBeGreaterThan(3000);
    expect(clock.monotonicNow() - seenAt).toBeLessThanOrEqual(3000 + 2000 * 2.2);
    expect(leases.spec).toMatchObject({ holderIdentity: 'baz', leaseTransitions: 2, leaseDurationSeconds: 15 });
    expect(run.reported).toEqual(['bing', 'baz']);
  });

  it('counts from each change that it sees', async () => {
    leases.put(heldBy('bing', 5));
    const run = start();
    for (let second = 0; second < 30; second++) {
      leases.put({ ...heldBy('bing', 5), leaseTransitions: second });
      await clock.advance(1000);
    }
    expect(run.elector.isLeader).toBe(false);
    expect(run.reported).toEqual(['bing']);
  });

  it('continues with a Lease that it holds already', async () => {
    leases.put(heldBy('baz', 15, 4));
    const run = start();
    await clock.until(() => run.elector.isLeader);
    expect(leases.operations).toEqual(['get', 'update']);
    expect(leases.spec).toMatchObject({ leaseTransitions: 4, acquireTime: '2025-01-01T00:00:00.000000Z' });
  });

  it('retries after 1 to 2.2 periods when the server fails', async () => {
    leases.before = () => {
      throw new Error('no route');
    };
    const run = start();
    const asked: number[] = [];
    for (let i = 1; i <= 20; i++) {
      await clock.until(() => leases.operations.length >= i);
      asked.push(clock.monotonicNow());
    }
    const pauses = asked.slice(1).map((at, i) => at - asked[i]!);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(2000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(4400);
    expect(new Set(pauses).size).toBeGreaterThan(10);
    leases.before = undefined;
    await clock.until(() => run.elector.isLeader);
  });

  it('aborts a request that gets no response', async () => {
    leases.before = (operation, count) => (operation === 'get' && count === 1 ? never() : undefined);
    const run = start();
    await clock.until(() => run.elector.isLeader, { withinMs: 5000 + 4400 });
    expect(leases.operations).toEqual(['get', 'get', 'create']);
  });

  it('does not lead if the response to its write comes after the deadline', async () => {
    const options = { leaseDurationMs: 1000, renewDeadlineMs: 500, retryPeriodMs: 100 };
    leases.before = (operation) => (operation === 'create' ? clock.sleep(600) : undefined);
    let isLeader: boolean | undefined;
    const run = start(options, (signal) => {
      isLeader = run.elector.isLeader;
      return untilAborted(signal);
    });
    await clock.until(() => isLeader !== undefined);
    expect(isLeader).toBe(true);
    expect(leases.operations.slice(0, 3)).toEqual(['get', 'create', 'update']);
  });

  it('stops when its signal aborts, without writing to a Lease of another candidate', async () => {
    leases.put(heldBy('bing'));
    const run = start();
    await clock.advance(100);
    run.stop();
    expect(await run.outcome).toBe('stopped');
    expect(leases.operations).toEqual(['get']);
    expect(run.signals).toEqual([]);
  });

  it('releases a Lease that it may hold, because a write got no response', async () => {
    leases.put(heldBy(''));
    let keep = true;
    leases.before = (operation) => {
      if (operation !== 'update' || !keep) return undefined;
      keep = false;
      leases.put(heldBy('baz'));
      return never();
    };
    const run = start();
    await clock.runUntilIdle();
    run.stop();
    expect(await run.outcome).toBe('stopped');
    expect(leases.spec.holderIdentity).toBe('');
    expect(run.signals).toEqual([]);
  });
});

describe('a leader', () => {
  it('ends its watchdog before it resolves: the process goes on when it leads no more', async () => {
    const extended = vi.spyOn(Watchdog.prototype, 'extend');
    const stopped = vi.spyOn(Watchdog.prototype, 'stop');
    try {
      const elector = new LeaderElector(new FakeLeases(realClock), {
        namespace: 'system',
        name: 'boss',
        identity: 'baz',
        watchdog: true,
      });
      expect(await elector.run(async () => {})).toBe('stopped');
      expect(extended).toHaveBeenCalledTimes(1);
      expect(stopped).toHaveBeenCalledTimes(1);
      expect(stopped.mock.settledResults).toEqual([{ type: 'fulfilled', value: undefined }]);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('takes a Lease as soon as it has not seen it change for its duration', async () => {
    clock.random = () => 0;
    leases.put({ holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' });
    const run = start({ retryPeriodMs: 1500 });
    await clock.advance(14_999);
    expect(run.elector.isLeader).toBe(false);
    await clock.advance(1);
    expect(run.elector.isLeader).toBe(true);
  });

  it('a renewal under way when lead ends is over before leadership is', async () => {
    const messages: string[] = [];
    let finish = (): void => {};
    const run = start({}, () => new Promise((resolve) => (finish = resolve)));
    await clock.until(() => run.elector.isLeader);
    undos.push(
      listen(channels.electionRenew, ({ error }) => messages.push(error === undefined ? 'renewed' : 'not renewed')),
      listen(channels.electionLost, () => messages.push('over')),
    );
    leases.before = (verb) => (verb === 'update' ? never() : undefined);
    await clock.advance(2000);
    leases.before = undefined;
    finish();
    await clock.runUntilIdle();
    expect(await run.outcome).toBe('stopped');
    expect(messages).toEqual(['not renewed', 'over']);
  });

  it('[S269] renews without reading first, until an update fails', async () => {
    const messages: { slowPath: boolean; error?: unknown }[] = [];
    undos.push(listen(channels.electionRenew, ({ slowPath, error }) => messages.push({ slowPath, error })));
    const run = start();
    await clock.until(() => leases.operations.length === 4);
    expect(leases.operations).toEqual(['get', 'create', 'update', 'update']);
    leases.before = (operation, count) => {
      if (operation === 'update' && count === 3) throw new StatusError(conflict(leaseResource, 'boss'));
    };
    await clock.until(() => leases.operations.length === 8);
    expect(leases.operations.slice(4)).toEqual(['update', 'get', 'update', 'update']);
    expect(messages.map(({ slowPath }) => slowPath)).toEqual([false, false, true, false]);
    expect(messages.every(({ error }) => error === undefined)).toBe(true);
    expect(leases.spec).toMatchObject({ acquireTime: '2026-01-01T00:00:00.000000Z', leaseTransitions: 0 });
    expect(leases.spec.renewTime).toBe('2026-01-01T00:00:08.000000Z');
    expect(run.elector.isLeader).toBe(true);
  });

  it('writes a different record each time, so that other candidates see each renewal, also one after a lost response', async () => {
    const inner = leases.coordination.v1.leases('system');
    const written: unknown[] = [];
    const update: LeaseClient['update'] = async (lease, options) => {
      const stored = await inner.update(lease, options);
      written.push(lease.spec);
      if (written.length > 1) return stored;
      await clock.sleep(3000);
      throw new Error('socket hang up');
    };
    const client = { clock, coordination: { v1: { leases: () => ({ ...inner, update }) } } };
    const elector = new LeaderElector(client, { namespace: 'system', name: 'boss', identity: 'baz', onError() {} });
    const stop = new AbortController();
    stops.push(stop);
    void elector.run(untilAborted, { signal: stop.signal });
    await clock.advance(10_000);
    expect(written.length).toBeGreaterThan(2);
    expect(new Set(written.map((spec) => JSON.stringify(spec))).size).toBe(written.length);
  });

  it('is lost in time when its client neither responds nor reacts to the abort', async () => {
    const inner = leases.coordination.v1.leases('system');
    const deaf: LeaseClient = { ...inner, update: () => new Promise(() => {}) };
    const client = { clock, coordination: { v1: { leases: () => deaf } } };
    const elector = new LeaderElector(client, { namespace: 'system', name: 'boss', identity: 'baz', onError() {} });
    let outcome: unknown;
    void elector.run(untilAborted).then((value) => (outcome = value));
    await clock.advance(30_000);
    expect(outcome).toBe('lost');
  });

  it('creates the Lease again when it was deleted', async () => {
    const run = start();
    await clock.until(() => run.elector.isLeader);
    leases.lease = undefined;
    await clock.advance(2000);
    expect(run.elector.isLeader).toBe(true);
    expect(leases.spec.holderIdentity).toBe('baz');
  });

  it('is lost when it could not renew for renewDeadlineMs, counted from when the last renewal was sent', async () => {
    const lost: unknown[] = [];
    undos.push(listen(channels.electionLost, ({ error }) => lost.push(error)));
    const run = start();
    await clock.until(() => leases.operations.length === 3);
    const renewedAt = clock.monotonicNow();
    leases.before = () => {
      throw new Error('no route');
    };
    await clock.until(() => run.signals[0]?.aborted === true);
    expect(clock.monotonicNow() - renewedAt).toBe(10_000);
    expect(run.elector.isLeader).toBe(false);
    const reason = run.signals[0]?.reason as LeadershipLostError;
    expect(reason).toBeInstanceOf(LeadershipLostError);
    expect(reason.message).toBe('baz does not lead system/boss: it could not renew the Lease for 10000 ms');
    expect((reason.cause as Error).message).toBe('no route');
    expect(lost).toEqual([reason]);
    expect(await run.outcome).toBe('lost');
  });

  it('counts its deadline from when a renewal was sent, also if the response took four seconds', async () => {
    const run = start();
    await clock.until(() => run.elector.isLeader);
    let sentAt: number | undefined;
    leases.before = () => {
      if (sentAt !== undefined) throw new Error('no route');
      sentAt = clock.monotonicNow();
      return clock.sleep(4000);
    };
    await clock.until(() => run.signals[0]?.aborted === true);
    // Other candidates may count from the write: counted from the response, there would be two leaders for four seconds.
    expect(clock.monotonicNow() - Number(sentAt)).toBe(10_000);
    expect(await run.outcome).toBe('lost');
  });

  it('is lost in time when the server does not respond', async () => {
    const run = start();
    await clock.until(() => leases.operations.length === 3);
    const renewedAt = clock.monotonicNow();
    leases.before = never;
    await clock.until(() => run.signals[0]?.aborted === true);
    expect(clock.monotonicNow() - renewedAt).toBe(10_000);
    // The release fails too, and takes no longer than renewDeadlineMs.
    await clock.until(() => run.result !== undefined, { withinMs: 10_000 });
    expect(run.result).toBe('lost');
  });

  it('is lost as soon as it sees that another candidate holds the Lease', async () => {
    const run = start();
    await clock.until(() => run.elector.isLeader);
    leases.put(heldBy('bing'));
    await clock.advance(2000);
    expect(await run.outcome).toBe('lost');
    expect(run.signals[0]?.reason).toMatchObject({ message: 'baz does not lead system/boss: bing holds the Lease' });
    expect(run.reported).toEqual(['baz', 'bing']);
    expect(leases.spec.holderIdentity).toBe('bing');
  });

  it('is not leader after its deadline, even before a timer has fired', async () => {
    const run = start();
    await clock.until(() => run.elector.isLeader);
    const now = clock.monotonicNow.bind(clock);
    clock.monotonicNow = () => now() + 10_000;
    expect(run.elector.isLeader).toBe(false);
    clock.monotonicNow = now;
    expect(run.elector.isLeader).toBe(true);
  });

  it('renews until lead has ended, and releases the Lease then', async () => {
    let finish = (): void => {};
    const run = start({}, () => new Promise((resolve) => (finish = resolve)));
    await clock.until(() => run.elector.isLeader);
    run.stop();
    await clock.advance(60_000);
    expect(run.signals[0]?.aborted).toBe(true);
    expect([run.elector.isLeader, run.result, leases.spec.holderIdentity]).toEqual([true, undefined, 'baz']);
    finish();
    expect(await run.outcome).toBe('stopped');
    expect([run.elector.isLeader, leases.spec.holderIdentity]).toEqual([false, '']);
  });

  it('releases the Lease when lead ends by itself', async () => {
    const run = start({}, async () => clock.sleep(5000));
    await clock.until(() => run.result !== undefined);
    expect([run.result, leases.spec.holderIdentity]).toEqual(['stopped', '']);
  });

  it('rejects when lead does, and releases the Lease', async () => {
    const error = new Error('reconcile broke');
    const run = start({}, () => Promise.reject(error));
    await expect(run.outcome).rejects.toBe(error);
    expect(leases.spec.holderIdentity).toBe('');
    const thrown = start({}, () => {
      throw error;
    });
    await expect(thrown.outcome).rejects.toBe(error);
  });

  it('does not reject when lead rejects because its signal aborted', async () => {
    const run = start({}, (signal) => clock.sleep(1e9, { signal }));
    await clock.until(() => run.elector.isLeader);
    run.stop();
    expect(await run.outcome).toBe('stopped');
    const wrapped = start({}, async (signal) => {
      await clock.sleep(1e9, { signal }).catch((cause: unknown) => {
        throw new Error('a request failed', { cause });
      });
    });
    await clock.until(() => wrapped.elector.isLeader);
    leases.put(heldBy('bing'));
    await clock.until(() => wrapped.result !== undefined);
    expect(wrapped.result).toBe('lost');
    const unrelated = start({ identity: 'b2' }, async (signal) => {
      await untilAborted(signal);
      throw new Error('and then it broke');
    });
    leases.put(heldBy(''));
    await clock.until(() => unrelated.elector.isLeader);
    unrelated.stop();
    await expect(unrelated.outcome).rejects.toThrow('and then it broke');
  });

  it('that was stopped is not lost, even if its Lease expires before lead has ended', async () => {
    let finish = () => {};
    const run = start({}, () => new Promise((resolve) => (finish = resolve)));
    await clock.until(() => run.elector.isLeader);
    run.stop();
    leases.before = () => {
      throw new Error('no route');
    };
    await clock.advance(20_000);
    expect([run.elector.isLeader, run.result]).toEqual([false, undefined]);
    finish();
    leases.before = undefined;
    await clock.advance(1000);
    expect(run.result).toBe('stopped');
  });

  it('can run again', async () => {
    const { elector, ...run } = start({}, async () => {});
    expect(await run.outcome).toBe('stopped');
    let isLeader = false;
    await elector.run(async () => void (isLeader = elector.isLeader));
    expect(isLeader).toBe(true);
    expect(leases.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 1 });
  });

  it('stays leader when onNewLeader and the event recorder throw', async () => {
    const warnings: string[] = [];
    const keep = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', keep);
    undos.push(() => process.off('warning', keep));
    const fail = (): never => {
      throw new Error('not now');
    };
    const run = start({ onNewLeader: fail, recorder: { event: fail } });
    await clock.until(() => run.elector.isLeader);
    await clock.advance(4000);
    expect(run.elector.isLeader).toBe(true);
    expect(warnings.sort()).toEqual([
      'onNewLeader of the election of system/boss failed: not now',
      'the event recorder of the election of system/boss failed: not now',
    ]);
  });
});

describe('releasing a Lease', () => {
  it('[S264] clears the holder, which other candidates see', async () => {
    const run = start();
    await clock.until(() => run.elector.isLeader);
    const other = start({ identity: 'bing' });
    await clock.runUntilIdle();
    leases.before = (operation) => {
      if (operation === 'update' && leases.spec.holderIdentity === '') throw new Error('not now');
    };
    await clock.advance(2000);
    run.stop();
    expect(await run.outcome).toBe('stopped');
    expect(leases.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    await clock.until(() => other.reported.length === 2);
    expect(other.reported).toEqual(['baz', '']);
    // Its own release is not reported to its onNewLeader.
    expect(run.reported).toEqual(['baz']);
    leases.before = undefined;
    await clock.until(() => other.elector.isLeader);
    expect(leases.spec.leaseTransitions).toBe(1);
  });

  it('[S265] reads it first', async () => {
    const run = start();
    await clock.until(() => run.elector.isLeader);
    const before = leases.operations.length;
    run.stop();
    await run.outcome;
    expect(leases.operations.slice(before)).toEqual(['get', 'update']);
  });

  it('[S266] starts over when another client wrote in between', async () => {
    const run = start();
    await clock.until(() => run.elector.isLeader);
    let meddle = true;
    leases.before = (operation) => {
      if (operation !== 'update' || !meddle) return;
      meddle = false;
      leases.put(leases.spec);
    };
    const before = leases.operations.length;
    run.stop();
    await clock.until(() => run.result !== undefined);
    expect(leases.operations.slice(before)).toEqual(['get', 'update', 'get', 'update']);
    expect(leases.spec.holderIdentity).toBe('');
  });

  for (const hanging of ['update', 'get'] as const) {
    it(`[S267] works while a renewal hangs in its ${hanging}`, async () => {
      const events: string[] = [];
      const recorder = { event: (_lease: unknown, { message }: { message: string }) => events.push(message) };
      const run = start({ recorder });
      await clock.until(() => leases.operations.length === 3);
      let hangs = true;
      leases.before = (operation, count) => {
        // A get follows only an update that failed.
        if (hanging === 'get' && operation === 'update' && count === 2) throw new Error('not now');
        if (operation !== hanging || !hangs) return undefined;
        hangs = false;
        return never();
      };
      await clock.until(() => !hangs);
      run.stop();
      await clock.until(() => run.result !== undefined, { withinMs: 1 });
      expect([run.result, leases.spec.holderIdentity]).toEqual(['stopped', '']);
      expect(events).toEqual(['baz became leader', 'baz stopped leading']);
    });
  }

  it('does not write to the Lease of another candidate', async () => {
    const run = start();
    await clock.until(() => run.elector.isLeader);
    leases.put(heldBy('bing'));
    run.stop();
    await run.outcome;
    expect(leases.spec.holderIdentity).toBe('bing');
  });
});

describe('the health of an election', () => {
  it('[S271] fails for a leader that goes on long after its Lease has expired', async () => {
    const health = new LeaderElectionHealth({ toleranceMs: 20_000 });
    expect([health.name, health.check()]).toEqual(['leaderElection', undefined]);
    let finish = (): void => {};
    const run = start({}, () => new Promise((resolve) => (finish = resolve)));
    health.elector = run.elector;
    await clock.until(() => run.elector.isLeader);
    expect(health.check()).toBeUndefined();
    leases.before = never;
    await clock.advance(16_000);
    expect(run.signals[0]?.aborted).toBe(true);
    expect(run.elector.check()).toBe('failed election to renew leadership on lease boss');
    expect(health.check()).toBeUndefined();
    await clock.advance(19_000);
    expect(health.check()).toBeUndefined();
    await clock.advance(1);
    expect(health.check()).toBe('failed election to renew leadership on lease boss');
    finish();
    await clock.runUntilIdle();
    expect(health.check()).toBeUndefined();
    expect(() => new LeaderElectionHealth({ toleranceMs: -1 })).toThrow(/toleranceMs/);
  });

  it('[S271] passes with an expired Lease of another candidate', async () => {
    leases.put(heldBy('bing'));
    const run = start();
    await clock.runUntilIdle();
    leases.before = never;
    await clock.advance(100_000);
    expect(run.elector.leader).toBe('bing');
    expect(run.elector.check()).toBeUndefined();
  });

  it('[S270] can be checked at any moment of a renewal', async () => {
    const answers = new Set<unknown>();
    const run = start();
    leases.before = async () => {
      answers.add(run.elector.check());
      await clock.yield();
      answers.add(run.elector.check());
    };
    for (let i = 0; i < 100; i++) {
      await clock.advance(500);
      answers.add(run.elector.check());
    }
    expect(run.elector.isLeader).toBe(true);
    expect([...answers]).toEqual([undefined]);
  });
});

describe('what electors report', () => {
  it('is when they start, are elected and stop leading', async () => {
    const messages: unknown[] = [];
    undos.push(
      listen(channels.electionStarted, (message) => messages.push(['started', message])),
      listen(channels.electionAcquired, (message) => messages.push(['acquired', message])),
      listen(channels.electionLost, (message) => messages.push(['lost', message])),
    );
    leases.put(heldBy('', 15, 2));
    const run = start();
    await clock.until(() => run.elector.isLeader);
    run.stop();
    await run.outcome;
    const source = { lease: 'system/boss', identity: 'baz' };
    expect(messages).toEqual([
      ['started', source],
      ['acquired', { ...source, transitions: 3 }],
      ['lost', source],
    ]);
  });

  it('is why an attempt failed, and why leadership was lost', async () => {
    const errors: unknown[] = [];
    leases.before = () => {
      throw new Error('no route');
    };
    const run = start({ onError: (error) => errors.push(error) });
    await clock.until(() => errors.length === 2);
    expect(errors[0]).toMatchObject({ message: 'no route' });
    leases.before = undefined;
    await clock.until(() => run.elector.isLeader);
    leases.before = () => {
      throw new Error('no route');
    };
    await expect(clock.until(() => run.result !== undefined).then(() => run.result)).resolves.toBe('lost');
    expect(errors.at(-1)).toBeInstanceOf(LeadershipLostError);
    expect(errors.at(-1)).toMatchObject({ cause: { message: 'no route' } });
  });

  it('is no error when another candidate was faster, or when they are stopped', async () => {
    const errors: unknown[] = [];
    leases.before = (operation) => {
      if (operation === 'create') leases.put(heldBy('other'));
    };
    const run = start({ onError: (error) => errors.push(error) });
    await clock.until(() => run.elector.leader === 'other');
    leases.before = never;
    const asked = leases.operations.length;
    await clock.until(() => leases.operations.length > asked);
    run.stop();
    await run.outcome;
    expect(errors).toEqual([]);
  });

  it('is a warning by default, once per message until an attempt succeeds; an onError that throws ends nothing', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    undos.push(() => warn.mockRestore());
    const refuse = () => {
      throw new StatusError(forbidden(leaseResource, 'boss', 'not yours'));
    };
    leases.before = refuse;
    const run = start({ onError: undefined });
    await clock.advance(30_000);
    leases.before = undefined;
    await clock.until(() => run.elector.isLeader);
    leases.before = refuse;
    await clock.until(() => run.result === 'lost');
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(/^baz could not acquire or renew the Lease system\/boss: .*forbidden.*not yours/),
        'KubeflectElectionWarning',
      ],
      [
        expect.stringMatching(/^baz could not acquire or renew the Lease system\/boss: .*forbidden.*not yours/),
        'KubeflectElectionWarning',
      ],
      [expect.stringMatching(/^baz does not lead system\/boss: /), 'KubeflectElectionWarning'],
    ]);

    warn.mockClear();
    const broken = start({
      identity: 'other',
      onError: () => {
        throw new Error('reporter');
      },
    });
    await clock.until(() => warn.mock.calls.length > 0);
    expect(warn.mock.calls[0]).toEqual(['onError of the election of system/boss failed: reporter']);
    leases.before = undefined;
    await clock.until(() => broken.elector.isLeader);
  });
});

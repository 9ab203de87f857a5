import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControllerRig, controllerRig, gate, type Widget, widgets } from '../../test/support/controller-rig.js';
import { resources, StatusError, TerminalError } from '../index.js';
import type { Result } from './types.js';

let rig: ControllerRig;
beforeEach(async () => {
  rig = await controllerRig();
});
afterEach(() => rig.stop());

const key = 'default/a';
const { configMaps } = resources.core.v1;

describe('runs of a controller', () => {
  it('[C1] an object that changes a hundred times while it waits has one run; one that changes while it runs has one more', async () => {
    const { clock, create, widgets: client, start } = rig;
    const open = gate();
    const sizes: unknown[] = [];
    await create('a');
    await create('blocker');
    start({
      name: 'widgets',
      for: widgets,
      workers: 1,
      everyMs: 0,
      async reconcile({ metadata: { name }, spec }) {
        if (name === 'a') sizes.push(spec.size);
        if (sizes.length !== 2 && name === 'blocker') await open.promise;
      },
    });
    await clock.advance(100);
    for (let size = 1; size <= 100; size++) await client.patch('a', { spec: { size } });
    await clock.advance(100);
    open.resolve();
    await clock.advance(100);
    // The first run may have come before the blocker.
    expect(sizes.filter((size) => size !== undefined)).toEqual([100]);
  });

  it('begin when the caches of owned objects have synced too: an empty one would look as if they were gone', async () => {
    const { api, clock, create, start } = rig;
    await create('a');
    api.faults.inject({ resource: 'configmaps', times: Number.POSITIVE_INFINITY, delayMs: 1e9 });
    const { instance, keys } = start({ name: 'widgets', for: widgets, owns: [configMaps], async reconcile() {} });
    await clock.advance(15_000);
    expect(instance.hasSynced).toBe(false);
    expect(keys()).toEqual([]);
    api.faults.clear();
    await clock.until(() => instance.hasSynced, { withinMs: 300_000 });
    await clock.advance(1000);
    expect(keys()).toEqual([key]);
  });

  it('are not caused by a relist that finds owned objects unchanged', async () => {
    const { api, client, clock, create, start } = rig;
    await create('a');
    const { keys } = start<Widget>({
      name: 'widgets',
      for: widgets,
      owns: [configMaps],
      everyMs: 0,
      async reconcile({ metadata: { name } }, { apply }) {
        await apply(configMaps, { metadata: { name } });
      },
    });
    await clock.advance(5000);
    const before = keys().length;
    expect(before).toBeGreaterThan(0);
    let lists = 0;
    const isRead = (): boolean => ++lists > 0;
    api.faults.inject({ resource: 'configmaps', errorEvent: { status: 410, reason: 'Expired' } });
    api.faults.inject({ resource: 'configmaps', verb: ['list', 'watch'], when: isRead, delayMs: 1 });
    await client.core.v1.configMaps('default').create({ metadata: { name: 'unrelated' } });
    await clock.advance(120_000);
    expect(lists).toBeGreaterThan(0);
    expect(keys().length).toBe(before);
  });

  it('[C1] changed while it runs: one more run, afterwards', async () => {
    const { clock, create, widgets: client, start } = rig;
    const open = gate();
    const sizes: unknown[] = [];
    await create('a', { size: 0 });
    start({
      name: 'widgets',
      for: widgets,
      async reconcile({ spec }) {
        sizes.push(spec.size);
        await open.promise;
      },
    });
    await clock.advance(100);
    for (let size = 1; size <= 10; size++) await client.patch('a', { spec: { size } });
    await clock.advance(100);
    expect(sizes).toEqual([0]);
    open.resolve();
    await clock.advance(100);
    expect(sizes).toEqual([0, 10]);
  });

  it('[C2] runs up to `workers` objects at once, and never one object twice', async () => {
    const { clock, create, widgets: client, start } = rig;
    const running = new Set<string>();
    let most = 0;
    let twice = 0;
    for (let i = 0; i < 10; i++) await create(`w${i}`);
    start({
      name: 'widgets',
      for: widgets,
      workers: 3,
      async reconcile(_, { key: name, clock: time }) {
        if (running.has(name)) twice++;
        running.add(name);
        most = Math.max(most, running.size);
        await time.sleep(50);
        running.delete(name);
      },
    });
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 10; i++) await client.patch(`w${i}`, { spec: { size: round } });
      await clock.advance(70);
    }
    await clock.advance(1000);
    expect([most, twice]).toEqual([3, 0]);
  });

  it('[C3] a result replaces the date of the run before, and an earlier wake cancels it', async () => {
    const { clock, create, widgets: client, start } = rig;
    const results: Result[] = [{ requeueAfterMs: 10_000 }, { requeueAfterMs: 60_000 }, undefined];
    await create('a');
    const { records } = start({
      name: 'widgets',
      for: widgets,
      reconcile: () => results.shift(),
    });
    await clock.advance(5000);
    await client.patch('a', { spec: { size: 1 } }); // cancels the date at 10 s, and leaves one at 65 s
    await clock.advance(55_000);
    expect(records).toHaveLength(2);
    await clock.advance(6000);
    expect(records.map(({ outcome }) => outcome)).toEqual(['requeued', 'requeued', 'done']);
  });

  it('[C4] failures wait 5, 10, 20 ms …; done, requeueAfterMs and waiting forget them', async () => {
    const { clock, create, widgets: client, start } = rig;
    const plan = ['x', 'x', 'x', undefined, 'x', 'x', { requeueAfterMs: 50_000 }, 'x', { waiting: 'w' }, 'x'] as const;
    let i = 0;
    await create('a');
    const { records } = start({
      name: 'widgets',
      for: widgets,
      reconcile() {
        const step = plan[i++];
        if (step === 'x') throw new Error('not yet');
        return step as Result;
      },
    });
    await clock.advance(1000);
    for (let change = 0; change < 3; change++) {
      await client.patch('a', { spec: { size: change } });
      await clock.advance(100);
    }
    const waits = records.filter(({ outcome }) => outcome === 'failed').map(({ againInMs }) => againInMs);
    expect(waits.slice(0, 7)).toEqual([5, 10, 20, 5, 10, 5, 5]);
  });

  it('[C5] a failure that a change brought forward keeps the date of the failure before', async () => {
    const { clock, create, widgets: client, start } = rig;
    const startedAt: number[] = [];
    const begun = clock.now();
    await create('a');
    const { records } = start({
      name: 'widgets',
      for: widgets,
      reconcile() {
        startedAt.push(clock.now() - begun);
        throw new Error('never');
      },
    });
    await clock.advance(5 * (2 ** 11 - 1)); // eleven retries were due; the next one is due 5 · 2^11 ms later
    const [due] = startedAt.slice(-1) as [number];
    const next = due + 5 * 2 ** 11;
    const before = records.length;
    for (let change = 0; change < 20; change++) await client.patch('a', { spec: { size: change } });
    await clock.advance(10);
    expect(records.length).toBeGreaterThan(before);
    await clock.advance(next - due - 11);
    expect(startedAt.at(-1)).toBeLessThan(next);
    await clock.advance(1);
    expect(startedAt.at(-1)).toBe(next);
    expect(records.at(-1)?.againInMs).toBe(5 * 2 ** 12);
  });

  it('[C6] the retryAfterMs of an error is the least wait: of a 429, of a cause, and of an error of one’s own', async () => {
    const { clock, create, start } = rig;
    const busy = StatusError.fromResponse(429, '', { retryAfterMs: 7000 });
    const errors = [busy, new Error('outer', { cause: busy }), Object.assign(new Error('own'), { retryAfterMs: 3000 })];
    await create('a');
    const { records } = start({
      name: 'widgets',
      for: widgets,
      reconcile() {
        const error = errors.shift();
        if (error !== undefined) throw error;
      },
    });
    await clock.advance(20_000);
    expect(records.map(({ againInMs }) => againInMs)).toEqual([7000, 7000, 3000, undefined]);
  });

  it('[C7] waiting looks again after 1 s doubled up to 5 min, on a count of its own, and is no failure', async () => {
    const { clock, create, widgets: client, start } = rig;
    await create('a');
    const { records, failures, instance } = start({
      name: 'widgets',
      for: widgets,
      reconcile: () => ({ waiting: 'for the others' }),
    });
    await clock.advance(511_000 + 700_000);
    const waits = records.map(({ againInMs }) => againInMs);
    expect(waits.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((s) => s * 1000));
    expect(failures).toEqual([]);
    expect(instance.status.failing).toEqual([]);
    const runs = records.length;
    await client.patch('a', { spec: { size: 1 } });
    await clock.advance(10);
    expect(records).toHaveLength(runs + 1);
  });

  it('[C8] a TerminalError is not retried and forgets failures; the next change runs', async () => {
    const { clock, create, widgets: client, start } = rig;
    await create('a');
    let runs = 0;
    const { records, failures } = start({
      name: 'widgets',
      for: widgets,
      reconcile() {
        runs++;
        if (runs <= 2 || runs === 4) throw new Error('not yet');
        if (runs === 3) throw new TerminalError('never');
      },
    });
    await clock.advance(3_600_000);
    expect(records.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'terminal']);
    expect(failures).toHaveLength(3);
    await client.patch('a', { spec: { size: 1 } });
    await clock.advance(100);
    expect(records.map(({ againInMs }) => againInMs)).toEqual([5, 10, undefined, 5, undefined]);
  });

  it('[C9] a synchronous throw, a rejection, and a rejection without an Error are reported and retried; no other key notices', async () => {
    const { clock, create, start } = rig;
    for (const name of ['a', 'b', 'c', 'd']) await create(name);
    const seen = new Map<string, number>();
    const { records, failures } = start({
      name: 'widgets',
      for: widgets,
      reconcile({ metadata: { name } }) {
        const run = (seen.get(name) ?? 0) + 1;
        seen.set(name, run);
        if (run > 1 || name === 'd') return undefined;
        if (name === 'a') throw new Error('thrown');
        return Promise.reject(name === 'b' ? new Error('rejected') : undefined);
      },
    });
    await clock.advance(100);
    expect(failures.map((failure) => failure.key).sort()).toEqual(['default/a', 'default/b', 'default/c']);
    expect(records.filter(({ threwSynchronously }) => threwSynchronously).map((record) => record.key)).toEqual([key]);
    expect([...seen]).toEqual([
      ['a', 2],
      ['b', 2],
      ['c', 2],
      ['d', 1],
    ]);
  });

  it('[C9] an onError that throws ends nothing', async () => {
    const { clock, create, start } = rig;
    await create('a');
    const { records } = start({
      name: 'widgets',
      for: widgets,
      onError() {
        throw new Error('in onError');
      },
      reconcile({ spec }, { attempt }) {
        if (attempt < 3) throw new Error(`size ${spec.size}`);
      },
    });
    await clock.advance(100);
    expect(records.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'done']);
  });

  it.each([[null], [true], [{ requeue: true }], [{ requeueAfterMs: Number.NaN }], [{ waiting: '' }], ['later']])(
    '[C10] %j as a result is a failure that says what a result is',
    async (result) => {
      const { clock, create, start } = rig;
      await create('a');
      const { failures } = start({
        name: 'widgets',
        for: widgets,
        reconcile: () => result as never,
      });
      await clock.advance(1);
      expect(String(failures[0]?.error)).toMatch(/must return nothing, \{ requeueAfterMs: a number \} or \{ waiting/);
    },
  );

  it('[C11] after timeoutMs the signal aborts with a TimeoutError, and the run has failed', async () => {
    const { clock, create, start } = rig;
    await create('a');
    const { records, failures } = start({
      name: 'widgets',
      for: widgets,
      timeoutMs: 2000,
      reconcile: (_, { signal, clock: time }) => time.sleep(60_000, { signal }),
    });
    await clock.advance(2000);
    expect(records[0]).toMatchObject({ outcome: 'failed', timedOut: true, durationMs: 2000, againInMs: 5 });
    expect(failures[0]?.error).toMatchObject({ name: 'TimeoutError', message: expect.stringContaining(key) });
  });

  it('[C11] a run that ends well after its time has failed, too', async () => {
    const { clock, create, start } = rig;
    await create('a');
    const { records } = start({
      name: 'widgets',
      for: widgets,
      timeoutMs: 2000,
      reconcile: (_, { clock: time }) => time.sleep(3000),
    });
    await clock.advance(3000);
    expect(records[0]).toMatchObject({ outcome: 'failed', timedOut: true, durationMs: 3000 });
  });

  it('[C12] a run that ignores its signal keeps its key but not its worker; liveness fails after as long again', async () => {
    const { clock, create, widgets: client, start } = rig;
    const open = gate();
    const others: string[] = [];
    let runsOfA = 0;
    await create('a');
    const { instance } = start({
      name: 'widgets',
      for: widgets,
      workers: 1,
      timeoutMs: 2000,
      async reconcile({ metadata: { name } }) {
        if (name === 'a') {
          runsOfA++;
          await open.promise;
        } else others.push(name);
      },
    });
    await clock.advance(10);
    await create('b');
    await clock.advance(1000);
    expect(others).toEqual([]);
    await clock.advance(1000);
    expect(others).toEqual(['b']);
    expect(instance.activity).toMatchObject({ running: 0, withoutWorker: 1 });
    await client.patch('a', { spec: { size: 1 } });
    await clock.advance(1900);
    expect([runsOfA, instance.livenessProblem]).toEqual([1, undefined]);
    await clock.advance(200);
    expect(instance.livenessProblem).toMatch(/default\/a by widgets has ignored its aborted signal for 2\d\d\d ms/);
    open.resolve();
    await clock.advance(100);
    expect([runsOfA, instance.livenessProblem]).toEqual([2, undefined]);
  });

  it('[C13] a change overtakes a first list of hundreds', async () => {
    const { clock, create, widgets: client, start } = rig;
    for (let i = 0; i < 300; i++) await create(`w${i}`);
    const order: string[] = [];
    start({
      name: 'widgets',
      for: widgets,
      workers: 1,
      async reconcile({ metadata: { name }, spec }, { clock: time }) {
        order.push(`${name} ${spec.size ?? ''}`);
        await time.sleep(10);
      },
    });
    await clock.advance(200);
    await client.patch('w299', { spec: { size: 1 } });
    await clock.advance(10);
    const handled = order.length;
    await clock.advance(20);
    expect(order.slice(handled - 2)).toContain('w299 1');
    expect(handled).toBeLessThan(30);
  });

  it('[C14] what has waited for 30 s has its turn although changes keep coming', async () => {
    const { clock, create, widgets: client, start } = rig;
    await create('busy');
    await create('idle');
    const order: string[] = [];
    const { instance } = start({
      name: 'widgets',
      for: widgets,
      workers: 1,
      everyMs: 0,
      async reconcile({ metadata: { name } }, { clock: time }) {
        order.push(name);
        await time.sleep(1000);
      },
    });
    await clock.advance(2500);
    order.length = 0;
    // The busy one changes all the time, by two names, so that one always waits.
    await create('busy2');
    await clock.advance(10);
    instance.enqueue();
    for (let second = 0; second < 40; second++) {
      await client.patch('busy', { spec: { size: second } });
      await client.patch('busy2', { spec: { size: second } });
      await clock.advance(1000);
      if (second < 28) expect(order).not.toContain('idle');
    }
    expect(order).toContain('idle');
    expect(order.filter((name) => name !== 'idle').length).toBeGreaterThan(30);
  });

  it('[C15] gone is called once, after a running run, and dates and failures are dropped', async () => {
    const { clock, create, widgets: client, start } = rig;
    const story: string[] = [];
    const open = gate();
    let block = false;
    await create('a');
    const { instance } = start({
      name: 'widgets',
      for: widgets,
      async reconcile() {
        story.push('run');
        if (block) await open.promise;
        story.push('end');
        throw new Error('fails');
      },
      gone: (name) => void story.push(`gone ${name}`),
    });
    await clock.advance(1);
    block = true;
    await client.patch('a', { spec: { size: 1 } });
    await clock.advance(20);
    await client.delete('a');
    await clock.advance(100);
    expect(story.at(-1)).toBe('run');
    open.resolve();
    await clock.advance(3_600_000);
    expect(story.slice(-2)).toEqual(['end', 'gone default/a']);
    expect(story.filter((line) => line.startsWith('gone'))).toHaveLength(1);
    expect(instance.status).toEqual({ waiting: 0, running: 0, failing: [] });
    expect(instance.activity.nextDueInMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('[C15] made anew under its name: gone, then reconcile', async () => {
    const { clock, create, widgets: client, start } = rig;
    const story: string[] = [];
    const open = gate();
    await create('a', { size: 1 });
    const { records } = start({
      name: 'widgets',
      for: widgets,
      async reconcile({ spec }) {
        story.push(`run ${spec.size}`);
        if (spec.size === 1) await open.promise;
        throw new Error('fails');
      },
      gone: (name) => void story.push(`gone ${name}`),
    });
    await clock.advance(1);
    await client.delete('a');
    await create('a', { size: 2 });
    await clock.advance(1);
    open.resolve();
    await clock.advance(2);
    expect(story).toEqual(['run 1', 'gone default/a', 'run 2']);
    expect(records.at(-1)).toMatchObject({ attempt: 1, againInMs: 5 });
  });

  it('[C15] a gone that throws is reported', async () => {
    const { clock, create, widgets: client, start } = rig;
    await create('a');
    const { errors } = start({
      name: 'widgets',
      for: widgets,
      reconcile() {},
      gone() {
        throw new Error('in gone');
      },
    });
    await clock.advance(10);
    await client.delete('a');
    await clock.advance(10);
    expect(errors).toEqual(['widgets: gone threw on default/a: in gone']);
  });

  it('[C16] every object is looked at everyMs after its last run, give or take a tenth, by one timer for all', async () => {
    const { clock, create, start } = rig;
    for (let i = 0; i < 50; i++) await create(`w${i}`);
    const { records, instance } = start({ name: 'widgets', for: widgets, everyMs: 100_000, reconcile() {} });
    await clock.advance(80_000);
    expect(records).toHaveLength(50);
    const timers = clock.pendingTimers.length;
    expect(timers).toBeLessThan(20);
    await clock.advance(35_000);
    const again = records.slice(50).map(({ startedAt }) => startedAt);
    expect(again).toHaveLength(50);
    expect(Math.max(...again) - Math.min(...again)).toBeGreaterThan(10_000);
    expect(instance.activity.nextDueInMs).toBeGreaterThan(60_000);
  });

  it('[C16] everyMs 0 sets no date at all', async () => {
    const { clock, create, start } = rig;
    await create('a');
    const { instance } = start({ name: 'widgets', for: widgets, everyMs: 0, reconcile() {} });
    await clock.advance(10);
    expect(instance.activity.nextDueInMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('the functions of a context throw after the run', async () => {
    const { clock, create, start } = rig;
    await create('a');
    let leaked: (() => void) | undefined;
    start({
      name: 'widgets',
      for: widgets,
      reconcile(_, { status }) {
        leaked = () => status({ size: 1 } as Widget['status'] & object);
      },
    });
    await clock.advance(10);
    expect(leaked).toThrow(/the run .* of default\/a has ended/);
  });
});

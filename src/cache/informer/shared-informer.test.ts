import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { thing } from '../../../test/support/forms.js';
import { informerRig } from '../../../test/support/informer-rig.js';
import { informerForms } from '../../../test/support/informers.js';
import { StatusError } from '../../meta/errors/errors.js';
import { forbidden } from '../../meta/errors/status.js';
import { schedulerOf } from '../../time/scheduler.js';
import { InformerStoppedError } from './shared-informer.js';
import type { Subscription } from './subscription.js';

const things = { group: 'example.com', resource: 'things' };

describe.each(informerForms)('SharedInformer of $name', (form) => {
  const { setup } = informerRig(form);

  it('[S181] a refused list is reported within a second, and retried', async () => {
    const { clock, source, informer, errors, stop } = setup({ source: { watchList: 'no' } });
    source.add(thing('a', 1));
    const { list } = source;
    source.list = () => ({
      resume() {},
      done: Promise.reject(new StatusError(forbidden(things, '', 'Access Denied'))),
    });
    const running = informer.run(stop.signal);
    await clock.advance(1000);
    expect(errors[0]).toMatch(/^list: failed to list .*Access Denied/);
    expect(informer.status).toMatchObject({ state: 'backingOff', lastError: expect.any(Error) });
    expect(informer.hasSynced).toBe(false);
    source.list = list;
    await clock.until(() => informer.hasSynced);
    expect(informer.lister.keys()).toEqual(['a']);
    stop.abort();
    await running;
  });

  it('a refused watch-list is reported, and followed by a list', async () => {
    const { informer, errors, start, end } = setup({ source: { watchList: 'refuse' }, useWatchList: true });
    await start();
    expect(errors).toEqual([expect.stringMatching(/^stream: /)]);
    expect(informer.status).toMatchObject({ state: 'watching', lastError: expect.any(Error) });
    expect(informer.hasSynced).toBe(true);
    await end();
  });

  it('[S189] an informer runs once', async () => {
    const { informer, start, end, stop } = setup();
    expect([informer.isStarted, informer.isStopped, informer.status.state]).toEqual([false, false, 'idle']);
    await start();
    expect([informer.isStarted, informer.isStopped, informer.status.state]).toEqual([true, false, 'watching']);
    await end();
    expect([informer.isStarted, informer.isStopped, informer.status.state]).toEqual([true, true, 'stopped']);
    await expect(informer.run(stop.signal)).rejects.toThrow('was started before');
  });

  it('[S190] a stopped informer refuses handlers', async () => {
    const { informer, start, end } = setup();
    await start();
    await end();
    const refusal = (name: string) =>
      `the handler ${name} was not added to shared informer because it has stopped already`;
    expect(() => informer.subscribe(() => {}, { name: 'first' })).toThrow(refusal('first'));
    expect(() => informer.addEventHandler({ onAdd() {} }, { name: 'second' })).toThrow(refusal('second'));
    expect(() => informer.enqueueInto({ add() {} }, { name: 'third' })).toThrow(refusal('third'));
    expect(() => informer.events({ name: 'fourth' })).toThrow(refusal('fourth'));
    expect(() => informer.subscribe(() => {})).toThrow(InformerStoppedError);
  });

  it.each([
    ['is never run', ['add', 'remove']],
    ['is never run, with its handler', ['add']],
    ['is run after its handler joined and left', ['add', 'remove', 'run', 'stop']],
    ['is run after its handler joined', ['add', 'run', 'remove', 'stop']],
    ['is stopped with its handler', ['add', 'run', 'stop', 'remove']],
    ['is run before its handler joins', ['run', 'add', 'stop', 'remove']],
    ['is stopped before it is run', ['add', 'stop', 'run', 'remove']],
  ])('[S194] an informer that %s leaves nothing running', async (_, steps) => {
    const { clock, source, informer, stop } = setup({ resyncMs: 1000 });
    source.add(thing('a', 1));
    const own = new AbortController();
    const joined: Subscription[] = [];
    const runs: Promise<void>[] = [];
    for (const step of steps) {
      if (step === 'add') joined.push(informer.subscribe(() => clock.sleep(10), { signal: own.signal }));
      else if (step === 'run') runs.push(informer.run(stop.signal));
      else if (step === 'stop') stop.abort();
      else for (const subscription of joined) await Promise.all([subscription.remove(), clock.advance(100)]);
      await clock.advance(5);
    }
    await clock.advance(100);
    await Promise.all(runs);
    if (steps.includes('remove') || steps.includes('stop')) expect(getEventListeners(own.signal, 'abort')).toEqual([]);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect([source.openWatches, clock.pendingTimers]).toEqual([0, []]);
  });

  it('waitForResourceVersion resolves at the version, and names it after a timeout', async () => {
    const { clock, source, informer, start, end } = setup();
    source.add(thing('a', 1));
    await start();
    await informer.waitForResourceVersion('1');
    let reached = false;
    const waiting = informer.waitForResourceVersion('3').then(() => {
      reached = true;
    });
    source.add(thing('b', 1));
    await clock.runUntilIdle();
    expect(reached).toBe(false);
    source.add(thing('c', 1));
    await clock.runUntilIdle();
    await waiting;
    const late = informer.waitForResourceVersion('99', { timeoutMs: 100 });
    late.catch(() => {});
    await clock.advance(100);
    await expect(late).rejects.toThrow(/waiting for things.* to reach version 99 took more than 100 ms/);
    const never = informer.waitForResourceVersion('99', { timeoutMs: 60_000 });
    never.catch(() => {});
    await end();
    await expect(never).rejects.toThrow('was stopped before it had that version');
    await expect(informer.waitForResourceVersion('99')).rejects.toThrow('has stopped before it reached version 99');
    expect(clock.pendingTimers).toEqual([]);
  });

  it('onStatus is called with each state', async () => {
    const { informer, start, end } = setup();
    const states: string[] = [];
    const undo = informer.onStatus(({ state }) => states.push(state));
    informer.onStatus(() => {
      throw new Error('a listener that throws');
    });
    await start();
    await end();
    expect(states.filter((state, i) => state !== states[i - 1])).toEqual(['listing', 'watching', 'stopped']);
    undo[Symbol.dispose]();
  });

  it('whenSynced resolves when synced, and rejects if the informer stops before', async () => {
    const good = setup();
    const waiting = good.informer.whenSynced();
    await good.start();
    await waiting;
    await good.end();
    const bad = setup();
    const never = bad.informer.whenSynced();
    never.catch(() => {});
    bad.stop.abort();
    await bad.informer.run(bad.stop.signal);
    await expect(never).rejects.toThrow('was stopped before it had synced');
    const impatient = setup();
    const stop = new AbortController();
    const aborted = impatient.informer.whenSynced({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
  });

  it('[S57] checkConsistency reports the objects that a cache has missed', async () => {
    const { clock, source, informer, errors, start, end } = setup({ consistencyCheckMs: 60_000 });
    expect(await informer.checkConsistency()).toMatchObject({ outcome: 'skipped' });
    source.add(thing('a', 1));
    source.add(thing('b', 1));
    await start();
    await clock.advance(200_000);
    expect(await informer.checkConsistency()).toEqual({ outcome: 'consistent', compared: 2 });
    expect(errors.filter((text) => text.includes('differs'))).toEqual([]);
    source.add(thing('missed', 1), { dropWatch: true });
    source.delete(thing('a', 1), { dropWatch: true });
    source.modify(thing('b', 2), { dropWatch: true });
    source.bookmark();
    await clock.advance(60_000);
    expect(await informer.checkConsistency()).toMatchObject({
      outcome: 'inconsistent',
      missing: ['missed'],
      extra: ['a'],
      different: [{ key: 'b' }],
    });
    await clock.advance(60_000);
    expect(errors.some((text) => text.includes('differs from the server: 1 missing, 1 extra, 1 different'))).toBe(true);
    await end();
  });

  it('a consistency check that waits for the end of a list ends with the informer', async () => {
    const { clock, source, informer, stop } = setup();
    schedulerOf(clock, { sliceItems: 1 });
    for (let i = 0; i < 20; i++) source.add(thing(`p${i}`, 1));
    let checked = false;
    informer.subscribe((event) => {
      if (event.key !== 'p1') return;
      void informer.checkConsistency().finally(() => {
        checked = true;
      });
      stop.abort();
    });
    await Promise.all([informer.run(stop.signal), clock.runUntilIdle()]);
    await clock.runUntilIdle();
    expect(checked).toBe(true);
  });

  it('an informer of an empty collection syncs', async () => {
    const { start, end, log, informer } = setup();
    const { seen, subscription } = log();
    await start();
    expect(informer.hasSynced && subscription.hasSynced).toBe(true);
    expect(seen).toEqual([]);
    await end();
  });
});

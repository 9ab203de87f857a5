import { describe, expect, it } from 'vitest';
import { thing } from '../../../test/support/forms.js';
import { informerRig } from '../../../test/support/informer-rig.js';
import { informerForms } from '../../../test/support/informers.js';

describe.each(informerForms)('SharedInformer of $name', (form) => {
  const { setup } = informerRig(form);

  it('[S181] what fails is told, and tried again', async () => {
    const { clock, informer, errors, stop } = setup({ source: { watchList: 'refuse' }, useWatchList: true });
    const failing = informer as unknown as { readonly status: unknown };
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    expect(errors.some((text) => text.startsWith('stream:'))).toBe(true);
    expect(failing.status).toMatchObject({ state: 'watching', lastError: expect.any(Error) });
    expect(informer.hasSynced).toBe(true);
    stop.abort();
    await running;
  });

  it('[S189] [S190] started, then stopped, and never again', async () => {
    const { informer, start, end, stop } = setup();
    expect([informer.isStarted, informer.isStopped, informer.status.state]).toEqual([false, false, 'idle']);
    await start();
    expect([informer.isStarted, informer.isStopped, informer.status.state]).toEqual([true, false, 'watching']);
    await end();
    expect([informer.isStarted, informer.isStopped, informer.status.state]).toEqual([true, true, 'stopped']);
    await expect(informer.run(stop.signal)).rejects.toThrow('was started before');
  });

  it('[S194] an informer that was never run leaves nothing, whatever was done to it', async () => {
    const { log } = setup();
    const { subscription } = log();
    await subscription.remove();
    expect(subscription.hasSynced).toBe(false);
  });

  it('waits for a version, and says what it waited for when that takes too long', async () => {
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
    await expect(informer.waitForResourceVersion('99')).rejects.toThrow('has stopped short of 99');
    expect(clock.pendingTimers).toEqual([]);
  });

  it('tells its state as it changes', async () => {
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

  it('whenSynced resolves when synced, and rejects when that will never be', async () => {
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

  it('[S57] a cache that has missed something is found out, and says what', async () => {
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

  it('works on a DeltaFIFO as well', async () => {
    const { clock, source, start, end, log, informer } = setup({ queue: 'delta' });
    const { seen } = log();
    source.add(thing('a', 1));
    await start();
    source.modify(thing('a', 2));
    await clock.runUntilIdle();
    source.delete(thing('a', 2), { dropWatch: true });
    source.add(thing('b', 1), { dropWatch: true });
    source.resetWatch();
    await clock.advance(10_000);
    expect(seen).toEqual(['add a=1 initial', 'update a=1>2', 'add b=1', 'delete a=2 unknown']);
    expect(informer.lister.keys()).toEqual(['b']);
    await end();
  });

  it.each(['delta', 'real'] as const)('an empty collection is synced, on a queue of the kind %s', async (queue) => {
    const { start, end, log, informer } = setup({ queue });
    const { seen, subscription } = log();
    await start();
    expect(informer.hasSynced && subscription.hasSynced).toBe(true);
    expect(seen).toEqual([]);
    await end();
  });
});

import { describe, expect, it } from 'vitest';
import { type Form, forms } from '../../../test/support/forms.js';
import { reflectorRig } from '../../../test/support/reflector-rig.js';

const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

describe.each(forms)('Reflector, silent watches, on $name', (form: Form<unknown>) => {
  const { pod, list, setup } = reflectorRig(form);

  it('reopens a watch that received nothing for 15 s at its last resourceVersion, within 20 s, every time', async () => {
    const { clock, source, reflector, stop, errors } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.added(pod('a', '7'));
    await clock.advance(14_999);
    expect(source.watches).toHaveLength(1);
    await clock.advance(5_001);
    expect(source.watches).toHaveLength(2);
    expect(source.lastWatch.options.resourceVersion).toBe('7');
    await clock.advance(100_000);
    expect(source.watches.length).toBeGreaterThanOrEqual(7);
    expect(source.lists).toHaveLength(1);
    // Silence is no failure: no report and no backoff.
    expect(errors).toEqual([]);
    expect(reflector.status).toMatchObject({ state: 'watching', consecutiveFailures: 0, stalenessMs: 0 });
    stop.abort();
    await running;
  });

  it('counts a bookmark as received', async () => {
    const { clock, source, reflector, stop, errors } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    for (const version of ['10', '11', '12', '13']) {
      source.lastWatch.bookmark(version);
      await clock.advance(14_000);
    }
    expect(source.watches).toHaveLength(1);
    await clock.advance(6_000);
    expect(source.watches).toHaveLength(2);
    expect(source.lastWatch.options.resourceVersion).toBe('13');
    expect([source.lists.length, errors]).toEqual([1, []]);
    stop.abort();
    await running;
  });

  it('asks for short watches after silence, which end with a bookmark, and for long ones after an event', async () => {
    const { clock, source, reflector, stop, errors } = setup();
    const lengths = () => source.watches.map(({ options }) => options.timeoutSeconds ?? 0);
    const running = reflector.run(stop.signal);
    await clock.until(() => source.watches.length === 2, { withinMs: 20_000 });
    expect(lengths()[0]).toBeGreaterThanOrEqual(300);
    expect(lengths()[1]).toBe(15);
    // kube-apiserver sends a bookmark two seconds before the timeout.
    await clock.advance(13_000);
    source.lastWatch.bookmark('20');
    await clock.advance(2_000);
    source.lastWatch.close();
    await clock.runUntilIdle();
    expect(source.lastWatch.options).toMatchObject({ resourceVersion: '20', timeoutSeconds: 15 });
    source.lastWatch.added(pod('a', '21'));
    source.lastWatch.close();
    await clock.runUntilIdle();
    expect(lengths()[3]).toBeGreaterThanOrEqual(300);
    expect([source.lists.length, errors]).toEqual([1, []]);
    stop.abort();
    await running;
  });

  it('counts bytes that are not decoded yet: a large event on a slow connection is no silence', async () => {
    const { clock, source, reflector, stop } = setup();
    source.onWatch = (watch) => {
      watch.received = 1;
    };
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    for (let i = 2; i < 20; i++) {
      await clock.advance(10_000);
      source.lastWatch.received = i;
    }
    expect(source.watches).toHaveLength(1);
    stop.abort();
    await running;
  });

  it('reopens a watch that was not answered; two in a row are a failure, without a list', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    source.onWatch = (watch, count) => {
      watch.received = count === 4 ? 1 : 0;
    };
    const running = reflector.run(stop.signal);
    await clock.advance(20_000);
    expect(source.watches).toHaveLength(2);
    expect(reasons()).toEqual([]);
    await clock.until(() => source.watches.length === 3, { withinMs: 25_000 });
    expect(reasons()).toEqual(['unavailable']);
    await clock.until(() => source.watches.length === 4, { withinMs: 25_000 });
    expect(reasons()).toEqual(['unavailable', 'unavailable']);
    // An answer resets the count.
    await clock.until(() => source.watches.length === 6, { withinMs: 40_000 });
    expect(reasons()).toHaveLength(2);
    expect(source.lists).toHaveLength(1);
    stop.abort();
    await running;
  });

  it('reopens a silent watch-list within 20 s, and lists after the second', async () => {
    const { clock, source, reflector, stop, store, reasons } = setup({ supportsWatchList: true });
    source.onList = () => list('5', pod('a', '1'));
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.added(pod('a', '1'));
    await clock.advance(20_000);
    expect(source.watches).toHaveLength(2);
    expect(source.lastWatch.options).toMatchObject({ sendInitialEvents: true, resourceVersion: '' });
    expect(source.lists).toHaveLength(0);
    await clock.advance(20_000);
    expect(source.lists).toHaveLength(1);
    expect(reasons().filter((reason) => reason !== 'stream')).toEqual([]);
    expect(store.list()).toHaveLength(1);
    stop.abort();
    await running;
  });

  it('reads silenceMs of the transport at every check', async () => {
    let silenceMs = 15_000;
    const { clock, source, reflector, stop } = setup({ silenceMs: () => silenceMs });
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    // The connection turns out to be HTTP/2, where pings find dead connections.
    silenceMs = 75_000;
    await clock.advance(74_000);
    expect(source.watches).toHaveLength(1);
    await clock.advance(21_000);
    expect(source.watches).toHaveLength(2);
    stop.abort();
    await running;
  });

  it('reopens a watch whose connection breaks after events at once, without a failure', async () => {
    const { clock, source, reflector, stop, errors } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    for (let i = 2; i < 5; i++) {
      source.lastWatch.added(pod(`p${i}`, String(i)));
      await clock.advance(5_000);
      source.lastWatch.fail(lost());
      await clock.runUntilIdle();
      expect(source.watches).toHaveLength(i);
      expect(source.lastWatch.options.resourceVersion).toBe(String(i));
    }
    expect([source.lists.length, errors]).toEqual([1, []]);
    stop.abort();
    await running;
  });

  it('reopens a watch whose connection breaks without events once, and relists after the second', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    const running = reflector.run(stop.signal);
    await clock.advance(10_000);
    source.lastWatch.fail(lost());
    await clock.advance(10_000);
    expect(source.watches).toHaveLength(2);
    expect(source.lists).toHaveLength(1);
    source.lastWatch.fail(lost());
    await clock.advance(10_000);
    expect(source.lists).toHaveLength(2);
    expect(reasons()).toEqual(['silent', 'silent']);
    stop.abort();
    await running;
  });
});

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Form, forms } from '../../../test/support/forms.js';
import { busy, internal, nullStore, reflectorRig, refused } from '../../../test/support/reflector-rig.js';
import { StatusError } from '../../meta/errors.js';
import * as status from '../../meta/status.js';
import { channels, listen } from '../../observe/channels.js';
import { RealFIFO } from '../queue/real-fifo.js';
import { Reflector, type ReflectorOptions } from './reflector.js';
import { VeryShortWatchError } from './reflector-errors.js';

describe.each(forms)('Reflector on $name', (form: Form<unknown>) => {
  const { list, pod, setup } = reflectorRig(form);

  it('[S1] an ERROR event without a Status ends the watch, not the reflector', async () => {
    const { source, round } = setup();
    source.onWatch = (watch) => void watch.error(form.read(pod('x', '1')));
    await round();
    expect(source.lastWatch.stopped).toBe(true);
  });

  it('[S2] run ends with its signal, and so does the watch', async () => {
    const { clock, source, reflector, stop, contents } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.added(pod('foo', '2'));
    expect(contents()).toEqual({ foo: '2' });
    stop.abort();
    await running;
    expect(source.lastWatch.stopped).toBe(true);
    expect(reflector.status.state).toBe('stopped');
    await expect(reflector.run(stop.signal)).rejects.toThrow('cannot run twice');
  });

  it('[S3] resyncs every period while it watches, if it should', async () => {
    let resyncs = 0;
    let wanted = true;
    const store = { ...nullStore(), resync: () => void resyncs++ };
    const { clock, reflector, stop } = setup({ resyncMs: 1000, store, shouldResync: () => wanted });
    const running = reflector.run(stop.signal);
    await clock.advance(3500);
    expect(resyncs).toBe(3);
    wanted = false;
    await clock.advance(3000);
    expect(resyncs).toBe(3);
    stop.abort();
    await running;
  });

  it('[S4] aborted before it begins, it asks for nothing', async () => {
    const { source, reflector } = setup();
    await reflector.listAndWatch(AbortSignal.abort());
    expect(source.lists).toEqual([]);
    expect(source.watches).toEqual([]);
  });

  it('[S5] [S7] [S8] [S12] aborted while a watch is silent, it stops that watch and resolves', async () => {
    const { clock, source, reflector, stop } = setup();
    const round = reflector.listAndWatch(stop.signal);
    await clock.advance(10);
    stop.abort();
    await round;
    expect(source.watches).toHaveLength(1);
    expect(source.lastWatch.stopped).toBe(true);
  });

  it.each([
    ['[S9] at once', 0],
    ['[S10] after 10 ms', 10],
  ])('a watch that the server closes %s, with nothing to show, is an error of its own', async (_, closesAfterMs) => {
    const { clock, source, errors, reflector, stop } = setup();
    source.onWatch = (watch) => {
      if (closesAfterMs === 0) watch.close();
      else clock.setTimer(closesAfterMs, () => watch.close());
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.advance(closesAfterMs);
    await round;
    const { message } = new VeryShortWatchError('test');
    expect(message).toContain('test');
    expect(errors).toEqual([{ reason: 'broken', message }]);
    expect(source.watches).toHaveLength(1);
    // Released, so that nothing holds on to a watch that has ended.
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('a watch that lasted for a second is opened again without a word', async () => {
    const later = setup();
    later.source.onWatch = (watch, count) => {
      if (count === 1) later.clock.setTimer(1000, () => watch.close());
    };
    const running = later.reflector.listAndWatch(later.stop.signal);
    await later.clock.advance(1000);
    expect(later.errors).toEqual([]);
    expect(later.source.watches).toHaveLength(2);
    later.stop.abort();
    await running;
  });

  it('[S9] a watch is very short up to a second', async () => {
    for (const [openMs, isShort] of [
      [500, true],
      [999, true],
      [1_000, false],
    ] as const) {
      const { clock, source, errors, reflector, stop } = setup();
      source.onWatch = (watch, count) => {
        if (count === 1) clock.setTimer(openMs, () => watch.close());
      };
      const running = reflector.listAndWatch(stop.signal);
      await clock.advance(openMs);
      const error = { reason: 'broken', message: new VeryShortWatchError('test').message };
      expect(errors, `${openMs} ms`).toEqual(isShort ? [error] : []);
      stop.abort();
      await running;
    }
  });

  it('an object without a version leaves the last one as it was', async () => {
    const { clock, source, reflector, stop, contents } = setup();
    source.onList = () => list('5');
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.added(pod('a', '6'));
    source.lastWatch.modified(pod('a', ''));
    source.lastWatch.deleted(pod('b', ''));
    expect(contents()).toEqual({ a: '' });
    expect(reflector.lastSyncResourceVersion).toBe('6');
    await clock.advance(2_000);
    source.lastWatch.close();
    await clock.runUntilIdle();
    expect(source.lastWatch.options.resourceVersion).toBe('6');
    stop.abort();
    await running;
  });

  it.each(['', '0'])('what exists at the beginning of a watch from version %j is no progress', async (version) => {
    const { clock, source, reflector, stop, contents } = setup();
    source.onList = () => list(version);
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    expect(source.lastWatch.options.resourceVersion).toBe(version);
    // Synthetic: sent in no order, each with the version of its last change.
    source.lastWatch.added(pod('new', '9'));
    source.lastWatch.added(pod('old', '3'));
    expect(contents()).toEqual({ new: '9', old: '3' });
    expect(reflector.lastSyncResourceVersion).toBe(version);
    // The first change or bookmark says that they are over.
    source.lastWatch.modified(pod('old', '10'));
    expect(reflector.lastSyncResourceVersion).toBe('10');
    source.lastWatch.added(pod('newer', '11'));
    expect(reflector.lastSyncResourceVersion).toBe('11');
    stop.abort();
    await running;
  });

  it('says for how long nothing has confirmed what it knows', async () => {
    const { clock, source, reflector, stop } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    await clock.advance(10_000);
    expect(reflector.status).toMatchObject({ state: 'watching', stalenessMs: 0 });
    source.onList = () => {
      throw internal();
    };
    source.lastWatch.error(status.expired('too old'));
    await clock.advance(7_000);
    expect(reflector.status.stalenessMs).toBe(7_000);
    source.onList = () => list('2');
    await clock.until(() => reflector.status.state === 'watching', { withinMs: 120_000 });
    expect(reflector.status.stalenessMs).toBe(0);
    stop.abort();
    await running;
  });

  it('[S11] events reach the store, other kinds do not, and the version follows even backwards', async () => {
    const { source, reflector, contents, errors, round } = setup({
      expected: { apiVersion: 'example.com/v1', kind: 'Thing' },
    });
    source.onList = () => list('10', pod('foo', '1'), pod('bar', '2'));
    source.onWatch = (watch) => {
      watch.added(
        form.make({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'rejected', resourceVersion: '50' } }),
      );
      watch.deleted(pod('foo', '51'));
      watch.modified(pod('bar', '55'));
      watch.added(pod('baz', '32'));
      watch.error(status.internal('end'));
    };
    await round();
    expect(contents()).toEqual({ bar: '55', baz: '32' });
    expect(reflector.lastSyncResourceVersion).toBe('32');
    expect(errors[0]).toMatchObject({ reason: 'skipped', message: expect.stringContaining('v1 Service') });
  });

  it('[S15] whatever fails, each round begins with what was listed', async () => {
    const { source, round, contents, stop } = setup();
    const failing = new Error('no list today');
    source.onWatch = (watch) => {
      watch.added(pod('extra', '100'));
      watch.error(status.internal('end'));
    };
    source.onList = () => list('1', pod('foo', '1'));
    await round();
    expect(contents()).toEqual({ foo: '1', extra: '100' });
    source.onList = () => list('3', pod('foo', '2'), pod('bar', '3'));
    await round();
    expect(contents()).toEqual({ foo: '2', bar: '3', extra: '100' });
    source.onList = () => {
      throw failing;
    };
    await expect(round()).rejects.toMatchObject({
      cause: failing,
      message: 'failed to list <unspecified>: no list today',
    });
    source.onList = () => list('5', pod('bar', '3'));
    source.onWatch = () => {
      throw new Error('no watch today');
    };
    await expect(round()).rejects.toThrow('no watch today');
    expect(contents()).toEqual({ bar: '3' });
    stop.abort();
  });

  it.each([
    [5, 32, 64],
    [40, 35 * 50, 40 * 100],
  ])('[S16] %i refused watches take what their backoff says', async (refusals, least, most) => {
    const { clock, source, stop, reflector } = setup({
      backoff: { initialMs: 1, factor: 2, capMs: 50, jitter: 1 },
    });
    source.onWatch = (_, count) => {
      if (count <= refusals) throw refused();
    };
    const began = clock.monotonicNow();
    const ended = reflector.listAndWatch(stop.signal);
    await clock.until(() => source.watches.length === refusals + 1, { withinMs: 60_000 });
    const elapsed = clock.monotonicNow() - began;
    expect(elapsed).toBeGreaterThanOrEqual(least - 1);
    expect(elapsed).toBeLessThanOrEqual(most);
    expect(source.lists).toHaveLength(1);
    expect(reflector.status).toMatchObject({ consecutiveFailures: refusals, lastError: expect.any(Error) });
    stop.abort();
    await ended;
  });

  it('[S17] default and custom backoff', async () => {
    const custom = setup({ backoff: { initialMs: 10, factor: 2, capMs: 100, jitter: 0 } });
    custom.source.onWatch = (_, count) => {
      if (count <= 5) throw refused();
    };
    const began = custom.clock.monotonicNow();
    const customEnded = custom.reflector.listAndWatch(custom.stop.signal);
    await custom.clock.until(() => custom.source.watches.length === 6, { withinMs: 1000 });
    expect(custom.clock.monotonicNow() - began).toBe(10 + 20 + 40 + 80 + 100);
    custom.stop.abort();
    await customEnded;

    const standard = setup();
    standard.source.onWatch = (_, count) => {
      if (count <= 2) throw refused();
    };
    const standardBegan = standard.clock.monotonicNow();
    const standardEnded = standard.reflector.listAndWatch(standard.stop.signal);
    await standard.clock.until(() => standard.source.watches.length === 3, { withinMs: 10_000 });
    // 800 ms and 1.6 s, each with up to as much again.
    expect(standard.clock.monotonicNow() - standardBegan).toBeGreaterThanOrEqual(2400);
    expect(standard.clock.monotonicNow() - standardBegan).toBeLessThanOrEqual(4800);
    expect(standard.source.lists).toHaveLength(1);
    standard.stop.abort();
    await standardEnded;
  });

  it('[S17] half of a backoff has the cap, the jitter and the reset of the default', async () => {
    const { clock, source, reflector, stop } = setup({ backoff: { initialMs: 100, factor: undefined } });
    const waits: number[] = [];
    const undo = listen(channels.reflectorBackoff, ({ delayMs }) => waits.push(delayMs));
    source.onWatch = () => {
      throw refused();
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => waits.length === 30, { withinMs: 3_600_000 });
    expect(
      waits.every((ms, i) => ms >= Math.min(100 * 2 ** i, 30_000) && ms < 2 * Math.min(100 * 2 ** i, 30_000)),
    ).toBe(true);
    expect(new Set(waits).size).toBe(30);
    source.onWatch = () => {};
    await clock.until(() => reflector.status.state === 'watching', { withinMs: 60_000 });
    await clock.advance(120_001);
    const { length } = waits;
    source.onWatch = () => {
      throw refused();
    };
    source.lastWatch.close();
    await clock.until(() => waits.length > length, { withinMs: 1_000 });
    expect(waits[length]).toBeLessThan(200);
    undo();
    stop.abort();
    await running;
  });

  it('[S18] [S19] 429 backs off and never lists again', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    source.onWatch = (watch, count) => {
      if (count === 1) throw busy();
      if (count === 2) watch.error(status.tooManyRequests('later', 1));
      if (count === 3) throw busy();
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => source.watches.length === 4, { withinMs: 60_000 });
    expect(reasons()).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect(source.lists).toHaveLength(1);
    stop.abort();
    await running;
  });

  it.each([
    [0, 0, 0],
    [30_000, 0, 31],
    [30_000, 10, 40],
  ])(
    '[S20] internal errors within %i ms (a minute passes at %i) are retried %i times',
    async (window, jumpAt, retries) => {
      const { clock, source, reflector, stop } = setup({ maxInternalErrorRetryMs: window, silenceMs: () => 120_000 });
      source.onWatch = (watch, count) => {
        if (count === jumpAt) void clock.setTimer(60_000, () => watch.error(status.internal('oops')));
        else void clock.setTimer(1000, () => watch.error(status.internal('oops')));
      };
      const round = reflector.listAndWatch(stop.signal);
      let ended = false;
      void round.then(() => {
        ended = true;
      });
      await clock.until(() => ended, { withinMs: 600_000 });
      expect(source.watches.length - 1).toBe(retries);
      expect(source.lists).toHaveLength(1);
      stop.abort();
      await clock.advance(60_000);
    },
  );

  it('[S21] a resync that fails ends the round without an error', async () => {
    let resyncs = 0;
    const store = {
      ...nullStore(),
      resync: () => {
        if (++resyncs === 2) throw new Error('resync failed');
      },
    };
    const { clock, reflector, stop, errors } = setup({ resyncMs: 1, store });
    const round = reflector.listAndWatch(stop.signal);
    await clock.advance(10);
    await round;
    expect(resyncs).toBe(2);
    expect(errors).toEqual([{ reason: 'resync', message: 'resync failed' }]);
  });

  it('[S29] [S30] is called by what it expects', () => {
    const make = (options: Partial<ReflectorOptions<unknown>>) => setup(options).reflector;
    expect(make({}).typeDescription).toBe('<unspecified>');
    expect(make({ expected: { apiVersion: 'apps/v1', kind: 'Deployment' } }).typeDescription).toBe(
      'apps/v1 Deployment',
    );
    expect(make({ typeDescription: 'things' }).typeDescription).toBe('things');
    const nameless = { listWatch: setup().source, store: nullStore(), accessor: form.accessor };
    expect(new Reflector<unknown>(nameless).name).toMatch(/^reflector\.test\.ts:\d+$/);
  });

  it.each([
    [undefined, 300, 600],
    [1_000, 300, 600],
    [1_800_000, 1800, 3600],
  ])('[S31] a least watch timeout of %s ms asks for %i to %i s', async (minWatchTimeoutMs, least, most) => {
    const { clock, source, reflector, stop } = setup({ minWatchTimeoutMs });
    const seen = new Set<number>();
    source.onWatch = (watch, count) => {
      seen.add(watch.options.timeoutSeconds ?? 0);
      watch.bookmark(String(count + 1));
      if (count < 30) clock.setTimer(1_000, () => watch.close());
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.advance(30_000);
    stop.abort();
    await round;
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...seen)).toBeLessThanOrEqual(most);
    expect(seen.size).toBeGreaterThan(10);
  });

  it('[S32] a store that wants versions hears of each', async () => {
    const versions: string[] = [];
    const store = { ...nullStore(), updateResourceVersion: (version: string) => void versions.push(version) };
    const { source, round } = setup({ store });
    source.onList = () => list('10');
    source.onWatch = (watch) => {
      watch.added(pod('a', '10'));
      watch.modified(pod('a', '20'));
      watch.bookmark('30');
      watch.deleted(pod('a', '40'));
      watch.error(status.internal('end'));
    };
    await round();
    expect(versions).toEqual(['10', '10', '20', '30', '40']);
  });

  it('a listener of states that throws changes nothing', async () => {
    const { clock, reflector, stop } = setup({
      onState: () => {
        throw new Error('broken');
      },
    });
    const warnings: string[] = [];
    const { emitWarning } = process;
    process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
    try {
      const running = reflector.run(stop.signal);
      await clock.runUntilIdle();
      expect(reflector.status.state).toBe('watching');
      stop.abort();
      await running;
    } finally {
      process.emitWarning = emitWarning;
    }
    expect(warnings[0]).toContain('the state listener failed: broken');
  });

  it('pauses its source while the queue is full, and does not call that silence', async () => {
    const queue = new RealFIFO<unknown>({ accessor: form.accessor });
    const { clock, source, reflector, stop, reasons } = setup({ store: queue });
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    let sent = 0;
    while (source.lastWatch.added(pod(`p${sent}`, String(10 + sent)))) sent++;
    expect(queue.length).toBe(2000);
    await clock.advance(200_000);
    expect(reasons()).toEqual([]);
    expect(source.lastWatch.resumed).toBe(0);
    for (let taken = queue.take(1000); taken !== undefined; taken = queue.take(1000)) taken.finish();
    expect(source.lastWatch.resumed).toBe(1);
    stop.abort();
    await running;
  });

  it('a store that is full and cannot say when it no longer is stops nothing', async () => {
    const store = { ...nullStore(), isFull: true };
    const { clock, source, reflector, stop } = setup({ store });
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    expect(source.lastWatch.added(pod('a', '5'))).toBe(true);
    stop.abort();
    await running;
  });

  it('an object that cannot be read, or be stored, is left out and told', async () => {
    const picky = {
      ...nullStore(),
      add: () => {
        throw new Error('cannot store');
      },
    };
    const { source, round, reasons, reflector } = setup({ store: picky });
    source.onWatch = (watch) => {
      watch.added(pod('a', '5'));
      watch.send({ type: 'STRANGE' as never, object: pod('b', '6') as never });
      watch.error(status.internal('end'));
    };
    await round();
    expect(reasons()).toEqual(['skipped', 'skipped', 'broken']);
    expect(reflector.lastSyncResourceVersion).toBe('6');
  });

  it('tells what it does on the channels', async () => {
    const heard: string[] = [];
    const stops = [
      listen(channels.reflectorList, ({ how, items, error }) =>
        heard.push(`${how} ${items}${error === undefined ? '' : ' failed'}`),
      ),
      listen(channels.reflectorWatch, ({ events }) => heard.push(`watch ${events}`)),
      listen(channels.reflectorBackoff, ({ failures }) => heard.push(`backoff ${failures}`)),
      listen(channels.reflectorStatus, ({ state }) => heard.push(state)),
      listen(channels.reflectorRelist, ({ reason, resourceVersion }) =>
        heard.push(`relist ${reason} ${resourceVersion}`),
      ),
    ];
    const states: string[] = [];
    const { clock, source, reflector, stop } = setup({ onState: (state) => states.push(state) });
    source.onList = (_, count) => {
      if (count === 1) throw new Error('not yet');
      return list('1', pod('a', '1'));
    };
    source.onWatch = (watch, count) => {
      watch.added(pod('b', '2'));
      if (count === 1) watch.error(status.expired('too old'));
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => source.watches.length === 2, { withinMs: 60_000 });
    await clock.runUntilIdle();
    stop.abort();
    await running;
    for (const undo of stops) undo();
    expect(heard).toEqual([
      ...['listing', 'list 0 failed', 'backingOff', 'backoff 1', 'listing', 'list 1', 'watching', 'watch 1'],
      ...['backingOff', 'backoff 1', 'relist expired 2', 'listing', 'list 1', 'watching', 'watch 1', 'stopped'],
    ]);
    expect(states).toEqual([
      'listing',
      'backingOff',
      'listing',
      'watching',
      'backingOff',
      'listing',
      'watching',
      'stopped',
    ]);
  });

  it('a bookmark without a version is left out, and what was known stays known', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.added(pod('a', '5'));
    for (const object of [undefined, {}, { metadata: {} }]) {
      source.lastWatch.send({ type: 'BOOKMARK', object: object as never });
      expect(reflector.lastSyncResourceVersion).toBe('5');
    }
    expect(reasons()).toEqual(['skipped', 'skipped', 'skipped']);
    source.lastWatch.added(pod('b', '6'));
    expect(reflector.lastSyncResourceVersion).toBe('6');
    stop.abort();
    await running;
  });

  it('a store that throws when it hears of a version disturbs no watch', async () => {
    const fail = () => {
      throw new Error('not now');
    };
    const store = { ...nullStore(), progress: fail, updateResourceVersion: fail };
    const { clock, source, reflector, stop, reasons } = setup({ store });
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.bookmark('9');
    expect(reasons()).toEqual(['skipped', 'skipped', 'skipped']);
    expect(reflector.status).toMatchObject({ state: 'watching', resourceVersion: '9' });
    stop.abort();
    await running;
  });

  it('has no failures any more once a watch stays open, be it ever so quiet', async () => {
    const { clock, source, reflector, stop } = setup();
    source.onList = (_, count) => {
      if (count <= 3) throw internal();
      return list('1');
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => reflector.status.state === 'watching');
    expect(reflector.status.consecutiveFailures).toBe(3);
    await clock.advance(1_000);
    expect(reflector.status.consecutiveFailures).toBe(0);
    source.lastWatch.close();
    await clock.runUntilIdle();
    source.lastWatch.fail(internal());
    await clock.runUntilIdle();
    expect(reflector.status).toMatchObject({ state: 'backingOff', consecutiveFailures: 1 });
    stop.abort();
    await running;
  });

  it('is deaf as long as every watch is refused, though every list succeeds', async () => {
    const { clock, source, reflector, stop } = setup();
    source.onWatch = () => {
      throw new StatusError(status.forbidden({ group: '', resource: 'pods' }, '', 'no watching'));
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => source.watches.length === 6, { withinMs: 200_000 });
    await clock.runUntilIdle();
    expect(reflector.status.consecutiveFailures).toBe(6);
    stop.abort();
    await running;
  });
});

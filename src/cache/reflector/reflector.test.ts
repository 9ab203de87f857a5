import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Form, forms } from '../../../test/support/forms.js';
import { busy, internal, nullStore, reflectorRig, refused } from '../../../test/support/reflector-rig.js';
import { StatusError } from '../../meta/errors/errors.js';
import * as status from '../../meta/errors/status.js';
import { channels, listen } from '../../observe/channels.js';
import { RealFIFO } from '../queue/real-fifo.js';
import { Reflector, type ReflectorOptions } from './reflector.js';
import { VeryShortWatchError } from './reflector-errors.js';

describe.each(forms)('Reflector on $name', (form: Form<unknown>) => {
  const { list, pod, setup } = reflectorRig(form);

  it('[S1] ends the watch, and not the reflector, on an ERROR event without a Status', async () => {
    const { source, round } = setup();
    source.onWatch = (watch) => void watch.error(form.read(pod('x', '1')));
    await round();
    expect(source.lastWatch.stopped).toBe(true);
  });

  it('ignores the events behind an ERROR event of the same batch', async () => {
    const { source, round, contents, reflector } = setup();
    const object = status.expired('too old resource version') as never;
    source.onWatch = (watch) =>
      void watch.send(
        { type: 'ADDED', object: pod('before', '2') },
        { type: 'ERROR', object },
        { type: 'ADDED', object: pod('behind', '3') },
      );
    await round();
    expect(contents()).toEqual({ before: '2' });
    expect(reflector.lastSyncResourceVersion).toBe('2');
  });

  it('[S2] run resolves and the watch is closed when the signal aborts', async () => {
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

  it('[S3] resyncs every resyncMs while it watches, unless shouldResync returns false', async () => {
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

  it('[S4] sends no request if the signal is aborted before', async () => {
    const { source, reflector } = setup();
    await reflector.listAndWatch(AbortSignal.abort());
    expect(source.lists).toEqual([]);
    expect(source.watches).toEqual([]);
  });

  it('[S5] [S7] [S8] [S12] closes a silent watch and resolves when the signal aborts', async () => {
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
  ])('reports a VeryShortWatchError for a watch without events that the server closes %s', async (_, closesAfterMs) => {
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
    // Removed, so that the signal does not keep the session alive.
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('reopens a watch that lasted for a second without a report', async () => {
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

  it('[S9] a watch is very short if it lasts less than a second', async () => {
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

  it('keeps the last resourceVersion on an object without one', async () => {
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

  it.each(['', '0'])('ignores the resourceVersion of synthetic ADDED events of a watch from %j', async (version) => {
    const { clock, source, reflector, stop, contents } = setup();
    source.onList = () => list(version);
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    expect(source.lastWatch.options.resourceVersion).toBe(version);
    // Synthetic events come in no order, each with the resourceVersion of the last change of its object.
    source.lastWatch.added(pod('new', '9'));
    source.lastWatch.added(pod('old', '3'));
    expect(contents()).toEqual({ new: '9', old: '3' });
    expect(reflector.lastSyncResourceVersion).toBe(version);
    // The first change or bookmark ends them.
    source.lastWatch.modified(pod('old', '10'));
    expect(reflector.lastSyncResourceVersion).toBe('10');
    source.lastWatch.added(pod('newer', '11'));
    expect(reflector.lastSyncResourceVersion).toBe('11');
    stop.abort();
    await running;
  });

  it('stalenessMs is the time since the store was last known to be complete', async () => {
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

  it('[S11] writes events to the store, leaves out other kinds, and takes a smaller resourceVersion too', async () => {
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

  it('[S15] each round replaces the store with the list, whatever failed in the round before', async () => {
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
  ])('[S16] waits for the backoff after each of %i refused connections', async (refusals, least, most) => {
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
    // 800 ms and 1.6 s, each plus up to as much at random.
    expect(standard.clock.monotonicNow() - standardBegan).toBeGreaterThanOrEqual(2400);
    expect(standard.clock.monotonicNow() - standardBegan).toBeLessThanOrEqual(4800);
    expect(standard.source.lists).toHaveLength(1);
    standard.stop.abort();
    await standardEnded;
  });

  it('[S17] a backoff option with some fields keeps the other defaults', async () => {
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

  it('[S18] [S19] backs off on 429 and does not relist', async () => {
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
    '[S20] with maxInternalErrorRetryMs %i (a minute passes at watch %i) reopens a watch after 500 %i times',
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

  it('[S21] a failed resync ends the round, which does not reject', async () => {
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

  it('[S29] [S30] typeDescription and name have defaults', () => {
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
  ])('[S31] with minWatchTimeoutMs %s, timeoutSeconds is %i to %i', async (minWatchTimeoutMs, least, most) => {
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

  it('[S32] calls updateResourceVersion of the store with each resourceVersion', async () => {
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

  it('turns an error of onState into a warning', async () => {
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

  it('pauses its source while the queue is full, which is not silence', async () => {
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

  it('does not pause for a full store without onDrain', async () => {
    const store = { ...nullStore(), isFull: true };
    const { clock, source, reflector, stop } = setup({ store });
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    expect(source.lastWatch.added(pod('a', '5'))).toBe(true);
    stop.abort();
    await running;
  });

  it('leaves out and reports an object that the store rejects and an event of unknown type', async () => {
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

  it('publishes lists, watches, backoffs, states and relists on the channels', async () => {
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

  it('leaves out a bookmark without a resourceVersion', async () => {
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

  it('reports an error of progress and updateResourceVersion and keeps the watch', async () => {
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

  it('consecutiveFailures is 0 once a watch has stayed open for a second', async () => {
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

  it('counts failures while every watch is refused, although every list succeeds', async () => {
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

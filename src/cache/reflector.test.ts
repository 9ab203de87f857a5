import { afterEach, describe, expect, it } from 'vitest';
import { type Form, forms, thing } from '../../test/support/forms.js';
import { type ScriptedList, ScriptedListWatch } from '../../test/support/scripted-list-watch.js';
import { StatusError } from '../meta/errors.js';
import * as status from '../meta/status.js';
import { channels, listen } from '../observe/channels.js';
import { FakeClock } from '../time/fake-clock.js';
import { Indexer } from './indexer.js';
import { RealFIFO } from './real-fifo.js';
import { type FailureReason, Reflector, type ReflectorOptions, VeryShortWatchError } from './reflector.js';
import type { ReflectorStore } from './store.js';

const clocks: FakeClock[] = [];
afterEach(() => {
  // Nothing is left running: that is part of what every test here must show.
  for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
});

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const busy = () => new StatusError(status.tooManyRequests('slow down', 1));
const internal = () => new StatusError(status.internal('oops'));
const expired = () => new StatusError(status.expired('too old resource version'));

describe.each(forms)('Reflector on $name', (form: Form<unknown>) => {
  const pod = (name: string, resourceVersion: string, more = {}) =>
    form.make(thing(name, undefined, { resourceVersion, ...more }));
  const list = (resourceVersion: string, ...items: unknown[]): ScriptedList<unknown> => ({
    items,
    metadata: { resourceVersion },
  });

  function setup(options: Partial<ReflectorOptions<unknown>> & { supportsWatchList?: boolean } = {}) {
    const clock = new FakeClock({ seed: 7 });
    clocks.push(clock);
    const source = new ScriptedListWatch<unknown>({ supportsWatchList: options.supportsWatchList ?? false });
    const store = new Indexer<unknown>({ accessor: form.accessor });
    const errors: { reason: FailureReason; message: string }[] = [];
    const reflector = new Reflector<unknown>({
      listWatch: source,
      store,
      accessor: form.accessor,
      clock,
      name: 'test',
      onError: (error, { reason }) => errors.push({ reason, message: error.message }),
      ...options,
    });
    const stop = new AbortController();
    const contents = () =>
      Object.fromEntries(
        store.list().map((item) => [form.read(item).metadata.name, form.read(item).metadata.resourceVersion]),
      );
    /** One round, to its end; the signal is aborted for good measure once it has ended. */
    const round = async () => {
      const ended = reflector.listAndWatch(stop.signal);
      ended.catch(() => {});
      await clock.runUntilIdle();
      return ended;
    };
    return {
      clock,
      source,
      store,
      errors,
      reflector,
      stop,
      contents,
      round,
      reasons: () => errors.map(({ reason }) => reason),
    };
  }

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

  it('[S9] [S10] a watch that ends within a second with nothing to show is an error of its own', async () => {
    const { clock, source, errors, round } = setup();
    source.onWatch = (watch) => watch.close();
    await round();
    expect(errors).toEqual([{ reason: 'broken', message: new VeryShortWatchError('test').message }]);
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
    await clock.runUntilIdle();
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

  it('[S13] streams the collection and goes on with the same watch', async () => {
    const { clock, source, reflector, stop, contents } = setup({ supportsWatchList: true });
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    expect(reflector.status.state).toBe('streaming');
    const [watch] = source.watches;
    watch?.added(pod('foo', '1'));
    watch?.bookmark('1', 'true');
    watch?.modified(pod('foo', '2'));
    for (const [name, version] of [
      ['bar', '3'],
      ['baz', '4'],
      ['qux', '5'],
      ['zoo', '6'],
    ] as const)
      watch?.added(pod(name, version));
    await clock.runUntilIdle();
    expect(contents()).toEqual({ foo: '2', bar: '3', baz: '4', qux: '5', zoo: '6' });
    expect(source.lists).toEqual([]);
    expect(source.watches.map(({ options: { timeoutSeconds, ...rest } }) => rest)).toEqual([
      { resourceVersion: '', allowWatchBookmarks: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
    ]);
    expect(reflector.status).toMatchObject({ state: 'watching', resourceVersion: '6' });
    stop.abort();
    await running;
  });

  it('[S14] [S47] lists, then watches from there', async () => {
    const { clock, source, reflector, stop, contents } = setup();
    source.onList = () => list('1', pod('foo', '1'));
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.modified(pod('foo', '2'));
    source.lastWatch.added(pod('bar', '3'));
    expect(contents()).toEqual({ foo: '2', bar: '3' });
    expect(source.lists).toEqual([{ resourceVersion: '0', limit: 500 }]);
    expect(source.lastWatch.options).toMatchObject({ resourceVersion: '1', allowWatchBookmarks: true });
    expect(source.lastWatch.options).not.toHaveProperty('sendInitialEvents');
    stop.abort();
    await running;
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
    const standardEnded = standard.reflector.listAndWatch(standard.stop.signal);
    await standard.clock.until(() => standard.source.watches.length === 3, { withinMs: 5_000 });
    standard.stop.abort();
    await standardEnded;
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
    [30_000, 0, 30],
    [30_000, 10, 40],
  ])(
    '[S20] internal errors within %i ms (a minute passes at %i) are retried %i times',
    async (window, jumpAt, retries) => {
      const { clock, source, reflector, stop } = setup({ maxInternalErrorRetryMs: window });
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
      // The first failure opens the window; the spec counts the attempts inside of it, this the retries after the first.
      expect(source.watches.length - 1).toBeGreaterThanOrEqual(retries);
      expect(source.watches.length - 1).toBeLessThanOrEqual(retries + 1);
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

  /** Answers pages of `size` items named by their number. */
  const paged =
    (total: number, version: string) => (options: { limit?: number | undefined; continue?: string | undefined }) => {
      const from = Number(options.continue ?? 0);
      const to = options.limit ? Math.min(total, from + options.limit) : total;
      const items = Array.from({ length: to - from }, (_, i) => pod(`p${from + i}`, version));
      return {
        items,
        metadata: to < total ? { resourceVersion: version, continue: String(to) } : { resourceVersion: version },
      };
    };
  const failingWatch = () => {
    throw new Error('no watch');
  };

  it('[S22] a page size is used for every page', async () => {
    const { source, round, store } = setup({ pageSize: 4 });
    source.onList = paged(10, '10');
    source.onWatch = failingWatch;
    await round().catch(() => {});
    expect(source.lists.map(({ limit }) => limit)).toEqual([4, 4, 4]);
    expect(store.size).toBe(10);
  });

  it('[S23] [S25] the second list is at the last version, and not in pages', async () => {
    const { source, round, store } = setup();
    source.onWatch = failingWatch;
    source.onList = () => paged(4, '10')({});
    await round().catch(() => {});
    expect(store.size).toBe(4);
    source.onList = () => paged(8, '12')({});
    await round().catch(() => {});
    expect(store.size).toBe(8);
    expect(source.lists).toEqual([
      { resourceVersion: '0', limit: 500 },
      { resourceVersion: '10', limit: 0 },
    ]);
  });

  it('[S24] pages stay once the cache of the server answered in pages', async () => {
    const { source, round, store } = setup();
    source.onWatch = failingWatch;
    source.onList = paged(510, '10');
    await round().catch(() => {});
    await round().catch(() => {});
    expect(source.lists.map(({ limit, resourceVersion }) => [limit, resourceVersion])).toEqual([
      [500, '0'],
      [500, undefined],
      [500, '10'],
      [500, undefined],
    ]);
    expect(store.size).toBe(510);
  });

  it('[S26] an expired version falls back to the newest state', async () => {
    const { source, round, store } = setup();
    source.onWatch = failingWatch;
    source.onList = ({ resourceVersion }) => {
      if (resourceVersion === '0') return list('10', pod('a', '1'));
      if (resourceVersion === '10') throw expired();
      return list('11', pod('a', '1'), pod('b', '11'));
    };
    await round().catch(() => {});
    await round().catch(() => {});
    expect(source.lists.map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '10', '']);
    expect(store.size).toBe(2);
  });

  it('[S27] an expired page falls back to a full list', async () => {
    const { source, round, store } = setup({ pageSize: 4 });
    source.onWatch = failingWatch;
    source.onList = (options) => {
      if (options.resourceVersion === '0') return list('10', pod('p0', '1'));
      if (options.continue !== undefined) throw expired();
      return paged(8, '11')(options);
    };
    await round().catch(() => {});
    await round().catch(() => {});
    expect(source.lists.map((each) => [each.resourceVersion, each.limit, each.continue])).toEqual([
      ['0', 4, undefined],
      ['10', 4, undefined],
      [undefined, 4, '4'],
      ['10', 0, undefined],
    ]);
    expect(store.size).toBe(8);
  });

  it('[S28] a version that is too large falls back, in all three forms', async () => {
    const { source, round } = setup();
    source.onWatch = failingWatch;
    const timeout = (details: object, message = 'Timeout') =>
      new StatusError({ ...status.timeout(message), details: details as never, message });
    const tooLarge: Record<string, StatusError> = {
      '20': new StatusError(status.tooLargeResourceVersion('20', '10')),
      '30': timeout({ causes: [{ message: 'Too large resource version' }] }),
      '40': timeout({ causes: [{ message: '' }] }, 'Too large resource version: 40, current: 10'),
    };
    let next = 10;
    source.onList = ({ resourceVersion }) => {
      const error = tooLarge[resourceVersion ?? ''];
      if (error !== undefined) throw error;
      next += 10;
      return list(String(next));
    };
    for (let i = 0; i < 4; i++) await round().catch(() => {});
    expect(source.lists.map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '20', '', '30', '', '40', '']);
  });

  it('[S29] [S30] is called by what it expects', () => {
    const make = (options: Partial<ReflectorOptions<unknown>>) => setup(options).reflector;
    expect(make({}).typeDescription).toBe('<unspecified>');
    expect(make({ expected: { apiVersion: 'apps/v1', kind: 'Deployment' } }).typeDescription).toBe(
      'apps/v1 Deployment',
    );
    expect(make({ typeDescription: 'things' }).typeDescription).toBe('things');
    expect(make({ name: undefined }).name).toMatch(/^reflector\.test\.ts:\d+$/);
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

  it('[S33] a kept object does not keep its page alive', async () => {
    const { source, round, store } = setup({ pageSize: 100 });
    const references: WeakRef<object>[] = [];
    source.onWatch = failingWatch;
    source.onList = (options) => {
      const page = paged(500, '10')(options);
      references.push(new WeakRef(page.items[0] as object));
      return page;
    };
    await round().catch(() => {});
    for (const [index, key] of store.listKeys().entries()) if (index % 100 !== 50) store.delete(form.make(thing(key)));
    for (let i = 0; i < 30 && references.some((reference) => reference.deref() !== undefined); i++) {
      await new Promise((resolve) => setImmediate(resolve));
      (globalThis as { gc?: () => void }).gc?.();
    }
    expect(store.size).toBe(5);
    expect(references.map((reference) => reference.deref())).toEqual(Array(5).fill(undefined));
  });

  it('[S34] an object that the server cannot read any more goes with the next list', async () => {
    const { clock, source, reflector, stop, contents } = setup();
    source.onList = (_, count) =>
      count === 1
        ? list('3', pod('foo', '1'), pod('a', '1'), pod('b', '2'), pod('c', '3'))
        : list('5', pod('a', '1'), pod('b', '2'), pod('c', '3'));
    source.onWatch = (watch, count) => {
      if (count > 1) return;
      watch.added(pod('foo', '4'));
      watch.error({ ...status.internal('data from the storage is not transformable'), reason: 'StorageReadError' });
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => source.watches.length === 2, { withinMs: 60_000 });
    expect(contents()).toEqual({ a: '1', b: '2', c: '3' });
    expect(reflector.lastSyncResourceVersion).toBe('5');
    stop.abort();
    await running;
  });

  it('[S35] transforms each object once, the initial ones too', async () => {
    let calls = 0;
    const queue = new RealFIFO<unknown>({ accessor: form.accessor, transform: (item) => (calls++, item) });
    const { source, reflector, stop, clock } = setup({ store: queue, supportsWatchList: true });
    source.onWatch = (watch) => {
      watch.added(pod('a', '1'));
      watch.added(pod('b', '2'));
      watch.bookmark('3', 'true');
      watch.added(pod('c', '4'));
    };
    const ended = reflector.listAndWatch(stop.signal);
    await clock.runUntilIdle();
    // client-go transforms what a stream begins with twice, and so counts 5.
    expect(calls).toBe(3);
    expect(source.lists).toEqual([]);
    stop.abort();
    await ended;
  });

  it.each([
    ['meta.k8s.io/v1', true],
    ['meta.k8s.io/v1beta1', true],
    ['custom.group/v1', false],
  ])('[S36] a Table of %s is no object: %s', async (apiVersion, rejected) => {
    const { source, round, contents, errors } = setup();
    source.onWatch = (watch) => {
      watch.added(form.make({ apiVersion, kind: 'Table', metadata: { name: 't', resourceVersion: '2' } }));
      watch.error(status.internal('end'));
    };
    await round();
    expect(contents()).toEqual(rejected ? {} : { t: '2' });
    expect(errors.some(({ message }) => message.includes('a table'))).toBe(rejected);
    source.onList = () => ({ items: [], metadata: { resourceVersion: '1' }, kind: 'Table', apiVersion });
    if (rejected) await expect(round()).rejects.toThrow('unsupported list gvk');
    else await round();
  });

  it('[S42] [S62] streams where the source can, unless told not to', async () => {
    const streams = async (
      options: Parameters<typeof setup>[0],
      prepare?: (source: ScriptedListWatch<unknown>, now: number) => void,
    ) => {
      const { clock, source, reflector, stop } = setup(options);
      prepare?.(source, clock.monotonicNow());
      const round = reflector.listAndWatch(stop.signal);
      await clock.runUntilIdle();
      stop.abort();
      await round;
      return source.watches[0]?.options.sendInitialEvents ?? false;
    };
    expect(await streams({ supportsWatchList: false })).toBe(false);
    expect(await streams({ supportsWatchList: true })).toBe(true);
    expect(await streams({ supportsWatchList: true, useWatchList: false })).toBe(false);
    expect(await streams({ supportsWatchList: true }, (source, now) => source.traits.noteStreamRefused(now))).toBe(
      false,
    );
  });

  it.each([
    [[], ''],
    [['added'], ''],
    [['added', 'bookmark'], '2'],
  ])('[S45] a stream of %j leaves the version %j', async (script, version) => {
    const { clock, source, reflector, stop } = setup({ supportsWatchList: true });
    source.onWatch = (watch) => {
      if (script.includes('added')) watch.added(pod('a', '1'));
      if (script.includes('bookmark')) watch.bookmark('2', 'true');
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.runUntilIdle();
    expect(reflector.lastSyncResourceVersion).toBe(version);
    stop.abort();
    await round;
  });

  it('[S46] [S56] without the bookmark, or with another value in it, nothing is synced', async () => {
    const { clock, source, reflector, stop, contents } = setup({ supportsWatchList: true });
    source.onWatch = (watch) => {
      watch.added(pod('a', '1'));
      watch.bookmark('2', 'false');
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.runUntilIdle();
    expect(contents()).toEqual({});
    stop.abort();
    await round;
    expect(source.watches).toHaveLength(1);
  });

  it.each([
    ['any error', () => new Error('whatever'), true],
    ['an internal error', internal, true],
    ['a rejection', () => new StatusError(status.invalid({ group: '', kind: 'ListOptions' }, '', [])), false],
  ])('[S48] [S49] %s falls back to a list', async (_, error, streamsAgain) => {
    const { clock, source, reflector, stop, contents, reasons } = setup({ supportsWatchList: true });
    source.onList = () => list('1', pod('a', '1'), pod('b', '1'));
    source.onWatch = (watch) => {
      if (watch.options.sendInitialEvents === true) throw error();
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.runUntilIdle();
    expect(contents()).toEqual({ a: '1', b: '1' });
    expect(source.lists).toEqual([{ resourceVersion: '0', limit: 500 }]);
    expect(source.watches.map(({ options }) => options.sendInitialEvents ?? false)).toEqual([true, false]);
    expect(reasons()).toEqual(['stream']);
    expect(source.traits.mayStream(clock.monotonicNow())).toBe(streamsAgain);
    expect(source.traits.mayStream(clock.monotonicNow() + 600_000)).toBe(true);
    stop.abort();
    await round;
  });

  it('[S50] [S51] is synced after the bookmark, with what changed before it', async () => {
    const { clock, source, reflector, stop, contents } = setup({ supportsWatchList: true });
    source.onWatch = (watch) => {
      watch.added(pod('p1', '1'));
      watch.added(pod('p2', '2'));
      watch.modified(pod('p1', '3'));
      watch.added(pod('p3', '4'));
      watch.deleted(pod('p3', '5'));
      watch.bookmark('5', 'true');
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.runUntilIdle();
    expect(contents()).toEqual({ p1: '3', p2: '2' });
    expect(source.watches).toHaveLength(1);
    stop.abort();
    await round;
  });

  it('[S52] 429 is answered by streaming again', async () => {
    const { clock, source, reflector, stop, contents } = setup({ supportsWatchList: true });
    source.onWatch = (watch, count) => {
      if (count < 3) throw busy();
      watch.added(pod('p1', '1'));
      watch.bookmark('2', 'true');
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.until(() => source.watches.length === 3, { withinMs: 60_000 });
    await clock.runUntilIdle();
    expect(source.watches.every(({ options }) => options.sendInitialEvents === true)).toBe(true);
    expect(contents()).toEqual({ p1: '1' });
    expect(source.lists).toEqual([]);
    stop.abort();
    await round;
  });

  it('[S53] [S54] a stream that closes too early starts anew; one that closes later is resumed', async () => {
    const { clock, source, reflector, stop, contents } = setup({ supportsWatchList: true });
    source.onWatch = (watch, count) => {
      if (count === 1) {
        watch.added(pod('lost', '1'));
        watch.close();
      } else if (count === 2) {
        watch.added(pod('p1', '1'));
        watch.bookmark('2', 'true');
        watch.added(pod('p3', '3'));
        watch.close();
      } else {
        watch.added(pod('p4', '4'));
      }
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.runUntilIdle();
    expect(contents()).toEqual({ p1: '1', p3: '3', p4: '4' });
    expect(source.watches.map(({ options }) => [options.sendInitialEvents ?? false, options.resourceVersion])).toEqual([
      [true, ''],
      [true, ''],
      [false, '3'],
    ]);
    stop.abort();
    await round;
  });

  it('[S55] an expired resume is an error of the round', async () => {
    const { clock, source, reflector, stop, contents } = setup({ supportsWatchList: true });
    source.onWatch = (watch, count) => {
      if (count === 2) throw expired();
      watch.added(pod('p1', '1'));
      watch.bookmark('2', 'true');
      watch.added(pod('p3', '3'));
      watch.close();
    };
    const round = reflector.listAndWatch(stop.signal);
    round.catch(() => {});
    await clock.runUntilIdle();
    await expect(round).rejects.toMatchObject({ reason: 'Expired' });
    expect(contents()).toEqual({ p1: '1', p3: '3' });
    expect(source.watches).toHaveLength(2);
  });

  it('a version the server does not know any more makes a stream begin at the newest', async () => {
    const { clock, source, reflector, stop, contents } = setup({ supportsWatchList: true });
    source.onWatch = (watch, count) => {
      if (count === 1) {
        watch.bookmark('9', 'true');
        watch.error(status.expired('too old'));
      } else if (watch.options.resourceVersion === '9') {
        throw expired();
      } else {
        watch.added(pod('a', '12'));
        watch.bookmark('12', 'true');
      }
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => reflector.lastSyncResourceVersion === '12', { withinMs: 60_000 });
    expect(source.watches.map(({ options }) => options.resourceVersion)).toEqual(['', '9', '']);
    expect(contents()).toEqual({ a: '12' });
    expect(source.lists).toEqual([]);
    stop.abort();
    await running;
  });

  it('an in-stream 410 leads to a list at the last version', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    source.onList = (_, count) => list(String(count * 10));
    source.onWatch = (watch, count) => {
      if (count === 1) {
        watch.bookmark('15');
        watch.error(status.expired('too old'));
      }
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => source.lists.length === 2, { withinMs: 60_000 });
    expect(source.lists.map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '15']);
    expect(reasons()).toEqual(['expired']);
    stop.abort();
    await running;
  });

  it('a watch that says nothing is replaced, and after two that brought nothing everything is listed', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    const running = reflector.run(stop.signal);
    await clock.advance(10_000);
    for (let i = 0; i < 4; i++) {
      source.lastWatch.bookmark(String(10 + i));
      await clock.advance(5_000);
    }
    expect(source.traits.idleLimitMs).toBe(15_000);
    expect(reflector.status).toMatchObject({ state: 'watching', lastBookmarkAt: expect.any(Number), stalenessMs: 0 });
    // Bookmarks came every 5 s: the first 75 s of doubt are over, 15 are enough now.
    await clock.advance(75_000);
    expect(reasons()[0]).toBe('silent');
    expect(source.watches[1]?.options.resourceVersion).toBe('13');
    source.lastWatch.added(pod('alive', '14'));
    // What was learnt is in doubt now, so that a wrong lesson cannot end one watch after the other.
    expect(source.traits.idleLimitMs).toBe(75_000);
    expect(source.watches).toHaveLength(2);
    await clock.advance(76_000);
    expect(source.watches).toHaveLength(3);
    expect(source.lists).toHaveLength(1);
    await clock.advance(80_000);
    expect(source.lists).toHaveLength(2);
    stop.abort();
    await running;
  });

  it('a list that ceases to bring anything is given up and asked for again', async () => {
    const { clock, source, reflector, stop, contents, errors } = setup();
    source.onList = (_, count) => (count === 1 ? new Promise(() => {}) : list('2', pod('a', '1')));
    // A request that is called off rejects, even if its server never says a word.
    const answer = source.list.bind(source);
    source.list = (options, sink, signal) => {
      const flow = answer(options, sink, signal);
      const gone = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return { resume() {}, done: Promise.race([flow.done, gone]) };
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => source.watches.length === 1, { withinMs: 150_000 });
    expect(contents()).toEqual({ a: '1' });
    expect(errors).toEqual([{ reason: 'list', message: expect.stringContaining('nothing has come for 90 s') }]);
    stop.abort();
    await running;
  });

  it.each([
    ['watches', false],
    ['streams', true],
  ])(
    '%s that end at once, each with something to show for it, are not taken up at once for ever',
    async (_, streams) => {
      const { clock, source, reflector, stop } = setup({ supportsWatchList: streams });
      source.onWatch = (watch, count) => {
        watch.added(pod(`p${count}`, String(count)));
        watch.close();
      };
      const running = reflector.run(stop.signal);
      await clock.runUntilIdle();
      expect(source.watches).toHaveLength(4);
      await clock.advance(60_000);
      expect(source.watches.length).toBeLessThan(12);
      expect(source.lists.length).toBeLessThan(2);
      stop.abort();
      await running;
    },
  );

  it('a quiet watch whose connection breaks is taken up again once, and then everything is listed', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const running = reflector.run(stop.signal);
    await clock.advance(30_000);
    source.lastWatch.fail(lost());
    await clock.advance(30_000);
    expect(source.watches).toHaveLength(2);
    expect(source.lists).toHaveLength(1);
    source.lastWatch.fail(lost());
    await clock.advance(10_000);
    expect(source.lists).toHaveLength(2);
    expect(reasons()).toEqual(['silent', 'silent']);
    stop.abort();
    await running;
  });

  it('two bookmarks that come close together do not make it believe that more will', async () => {
    const { clock, source, reflector, stop } = setup();
    const running = reflector.run(stop.signal);
    await clock.advance(59_000);
    source.lastWatch.bookmark('10');
    await clock.advance(1_000);
    source.lastWatch.bookmark('11');
    await clock.advance(60_000);
    expect(source.watches).toHaveLength(1);
    source.lastWatch.bookmark('12');
    expect(source.traits.idleLimitMs).toBe(180_000);
    stop.abort();
    await running;
  });

  it('bookmarks that were held up do not make it believe that silence is normal', async () => {
    const { clock, source, reflector, stop } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.bookmark('10');
    await clock.advance(70_000);
    source.lastWatch.added(pod('a', '11'));
    await clock.advance(20_000);
    source.lastWatch.bookmark('12');
    expect(source.traits.idleLimitMs).toBe(75_000);
    stop.abort();
    await running;
  });

  it('a watch that falls silent after its bookmarks is noticed by what they taught, also the first one', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    for (let i = 0; i < 3; i++) {
      await clock.advance(2_000);
      source.lastWatch.bookmark(String(10 + i));
    }
    await clock.advance(5_000);
    expect(reasons()).toEqual([]);
    await clock.advance(2_000);
    expect(reasons()).toEqual(['silent']);
    expect(source.watches).toHaveLength(2);
    stop.abort();
    await running;
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
});

function nullStore(): ReflectorStore<unknown> {
  return { add() {}, update() {}, delete() {}, replace() {}, resync() {} };
}

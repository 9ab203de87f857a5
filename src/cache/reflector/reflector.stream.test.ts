import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Form, forms, show } from '../../../test/support/forms.js';
import { busy, expired, internal, nullStore, reflectorRig, refused } from '../../../test/support/reflector-rig.js';
import type { ScriptedListWatch } from '../../../test/support/scripted-list-watch.js';
import { StatusError } from '../../meta/errors/errors.js';
import * as status from '../../meta/errors/status.js';
import { isObjectDelta } from '../queue/delta.js';
import { DeltaFIFO } from '../queue/delta-fifo.js';
import { RealFIFO, type RealFIFOOptions } from '../queue/real-fifo.js';
import { FailureRecord } from './failure-record.js';
import { StoreWriter } from './store-writer.js';
import { WatchSession } from './watch-session.js';

describe.each(forms)('Reflector, watch-lists, on $name', (form: Form<unknown>) => {
  const { list, pod, setup } = reflectorRig(form);

  it('[S13] reads the collection with a watch-list and continues with the same watch', async () => {
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

  it.each([
    ['RealFIFO', (options: RealFIFOOptions<unknown>) => new RealFIFO<unknown>(options)],
    ['DeltaFIFO', (options: RealFIFOOptions<unknown>) => new DeltaFIFO<unknown>(options)],
  ])('[S35] a %s transforms each object once, initial events included', async (_, make) => {
    let calls = 0;
    const transform = (item: unknown) => {
      calls++;
      return form.make({ ...form.read(item), value: 'transformed' });
    };
    const queue = make({ accessor: form.accessor, transform });
    const { source, reflector, stop, clock } = setup({ store: queue, supportsWatchList: true });
    source.onWatch = (watch) => {
      watch.added(pod('a', '1'));
      watch.added(pod('b', '2'));
      watch.bookmark('3', 'true');
      watch.added(pod('c', '4'));
    };
    const ended = reflector.listAndWatch(stop.signal);
    await clock.runUntilIdle();
    // client-go transforms initial events twice, and counts 5.
    expect(calls).toBe(3);
    const queued: unknown[] = [];
    for (let taken = queue.take(10); taken !== undefined; taken = queue.take(10)) {
      for (const delta of taken.deltas) {
        if (delta.type === 'ReplacedAll') queued.push(...delta.objects);
        else if (isObjectDelta(delta)) queued.push(delta.object);
      }
    }
    expect(queued.map((item) => show(form, item))).toEqual(['a', 'b', 'c'].map((name) => `${name}=transformed`));
    expect(source.lists).toEqual([]);
    stop.abort();
    await ended;
  });

  it('[S42] [S62] uses a watch-list if the source supports it, unless useWatchList is false', async () => {
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
  ])('[S45] after a watch-list of %j lastSyncResourceVersion is %j', async (script, version) => {
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

  it('[S43] warns of a silent watch only before the end of the initial events', async () => {
    const listed = setup({ supportsWatchList: false });
    const streamed = setup({ supportsWatchList: true });
    streamed.source.onWatch = (watch) => void watch.bookmark('1', 'true');
    for (const { clock, reflector, stop, errors } of [listed, streamed]) {
      const round = reflector.listAndWatch(stop.signal);
      await clock.advance(30_000);
      expect(errors.filter(({ reason }) => reason === 'stream')).toEqual([]);
      stop.abort();
      await round;
    }
    const awaiting = setup({ supportsWatchList: true });
    const round = awaiting.reflector.listAndWatch(awaiting.stop.signal);
    await awaiting.clock.advance(10_000);
    expect(awaiting.errors).toEqual([
      { reason: 'stream', message: expect.stringContaining('no events received for 10s') },
    ]);
    awaiting.stop.abort();
    await round;
    // Stopped: no more warnings.
    await awaiting.clock.advance(30_000);
    expect(awaiting.errors).toHaveLength(1);
  });

  it.each([
    ['[S46] without the bookmark', undefined],
    ['[S56] with another value in the bookmark', 'false'],
  ])('%s the store is not replaced', async (_, end) => {
    const { clock, source, reflector, stop, contents } = setup({ supportsWatchList: true });
    source.onWatch = (watch) => {
      watch.added(pod('a', '1'));
      if (end !== undefined) watch.bookmark('2', end);
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.runUntilIdle();
    stop.abort();
    await round;
    expect(contents()).toEqual({});
    expect(source.lists).toEqual([]);
    expect(source.watches.map(({ options: { timeoutSeconds, ...rest } }) => rest)).toEqual([
      { resourceVersion: '', allowWatchBookmarks: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
    ]);
    expect(reflector.lastSyncResourceVersion).toBe('');
  });

  it.each([
    ['any error', () => new Error('whatever'), true],
    ['an internal error', internal, true],
    ['422 Invalid', () => new StatusError(status.invalid({ group: '', kind: 'ListOptions' }, '', [])), false],
  ])('[S48] [S49] lists after %s', async (_, error, streamsAgain) => {
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

  it('[S50] [S51] replaces the store at the end bookmark, with the changes before it', async () => {
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

  it('[S52] repeats the watch-list after 429', async () => {
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

  it('repeats the watch-list after a refused connection, without a list', async () => {
    const { clock, source, reflector, stop, contents, reasons } = setup({ supportsWatchList: true });
    source.onWatch = (watch, count) => {
      if (count < 3) throw refused();
      watch.added(pod('p1', '1'));
      watch.bookmark('2', 'true');
    };
    const round = reflector.listAndWatch(stop.signal);
    await clock.until(() => source.watches.length === 3, { withinMs: 60_000 });
    await clock.runUntilIdle();
    expect(source.watches.map(({ options }) => options.sendInitialEvents)).toEqual([true, true, true]);
    expect(source.lists).toEqual([]);
    expect(contents()).toEqual({ p1: '1' });
    expect(reasons()).toEqual(['unavailable', 'unavailable']);
    stop.abort();
    await round;
  });

  it('[S53] [S54] repeats a watch-list that closes before its end bookmark, and watches on after one that closes later', async () => {
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

  it('[S55] rejects if 410 is the answer to the watch after a watch-list', async () => {
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

  it('repeats the watch-list at "" after 410 Gone', async () => {
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

  it.each([
    ['watches', false],
    ['watch-lists', true],
  ])('backs off after the fourth of several %s with events that the server closes at once', async (_, streams) => {
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
  });

  it('treats a source whose open throws like a refused watch, and leaves no listener behind', async () => {
    const { clock, source, reflector, stop, reasons } = setup({ supportsWatchList: true });
    source.open = () => {
      throw new Error('a tweak that failed');
    };
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    expect(source.lists).toHaveLength(1);
    expect(reasons()).toEqual(['stream', 'watch']);
    stop.abort();
    await running;
    const { signal } = new AbortController();
    const { accessor } = form;
    const what = 'things';
    const failures = new FailureRecord(
      'test',
      { name: 'test', host: '', group: '', version: '', resource: what },
      undefined,
    );
    const writer = new StoreWriter<unknown>({ store: nullStore(), accessor, clock, what, failures });
    const options = { what, clock, accessor, expected: undefined, listWatch: source, writer, failures, watch: {} };
    const session = new WatchSession<unknown>(options, signal);
    expect(await session.ended).toMatchObject({ error: { message: 'a tweak that failed' }, atStart: true });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

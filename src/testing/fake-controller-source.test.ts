import { describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../test/support/forms.js';
import { Reflector } from '../cache/reflector/reflector.js';
import { Indexer } from '../cache/store/indexer.js';
import { type Accessor, objectAccessor } from '../meta/accessor.js';
import { isExpired, isReason, isTooLargeResourceVersion } from '../meta/errors/error-predicates.js';
import type { ListParameters, WatchParameters } from '../meta/options/parameters.js';
import type { WireEvent } from '../meta/watch-event.js';
import { FakeClock } from '../time/fake-clock.js';
import { FakeControllerSource } from './fake-controller-source.js';

const never = new AbortController().signal;
const accessor = objectAccessor as unknown as Accessor<Thing>;

/** Opens a watch and records its events: `ADDED foo@3`. */
function watch(source: FakeControllerSource<Thing>, options: WatchParameters, signal = never) {
  const seen: string[] = [];
  let room = true;
  const flow = source.open(
    options,
    {
      batch(events: readonly WireEvent<Thing>[]) {
        for (const { type, object } of events) {
          const { name = '', resourceVersion } = (object as Thing).metadata;
          seen.push(`${type} ${name}@${resourceVersion}`);
        }
        return room;
      },
    },
    signal,
  );
  const pause = () => {
    room = false;
  };
  const resume = () => {
    room = true;
    flow.resume();
  };
  return { seen, done: flow.done, pause, resume };
}

async function list(source: FakeControllerSource<Thing>, options: ListParameters = {}) {
  const items: Thing[] = [];
  const sink = { batch: (all: readonly Thing[]) => items.push(...all) > 0 };
  const head = await source.list(options, sink, never).done;
  return { items, head };
}

const settled = () => new FakeClock().runUntilIdle();

describe('FakeControllerSource', () => {
  it('[S229] numbers its changes, and serves watches from any resourceVersion', async () => {
    const source = new FakeControllerSource<Thing>();
    source.add(thing('foo'));
    source.modify(thing('foo', 1));
    source.modify(thing('foo', 2));
    const from1 = watch(source, { resourceVersion: '1' });
    const { items, head } = await list(source);
    expect(head.metadata?.resourceVersion).toBe('3');
    expect(items).toEqual([thing('foo', 2, { resourceVersion: '3' })]);
    const from2 = watch(source, { resourceVersion: '2' });
    const from3 = watch(source, { resourceVersion: '3' });
    await settled();
    expect(from1.seen).toEqual(['MODIFIED foo@2', 'MODIFIED foo@3']);
    expect(from2.seen).toEqual(['MODIFIED foo@3']);
    expect(from3.seen).toEqual([]);
    expect(source.openWatches).toBe(3);
  });

  it('[S230] a reset ends watches and drops the history', async () => {
    const source = new FakeControllerSource<Thing>();
    source.add(thing('foo'));
    const open = watch(source, { resourceVersion: '1' });
    source.modify(thing('foo'));
    source.modify(thing('foo'));
    source.resetWatch();
    await open.done;
    expect(open.seen).toEqual(['MODIFIED foo@2', 'MODIFIED foo@3']);
    expect(source.openWatches).toBe(0);
    await expect(watch(source, { resourceVersion: '1' }).done).rejects.toSatisfy(isExpired);
    const from3 = watch(source, { resourceVersion: '3' });
    expect(source.delete(thing('foo')).metadata.resourceVersion).toBe('4');
    await settled();
    expect(from3.seen).toEqual(['DELETED foo@4']);
  });

  it('rejects a resourceVersion that is too large or not a number', async () => {
    const source = new FakeControllerSource<Thing>();
    source.add(thing('foo'));
    await expect(watch(source, { resourceVersion: '2' }).done).rejects.toSatisfy(isTooLargeResourceVersion);
    await expect(watch(source, { resourceVersion: '' }).done).rejects.toSatisfy((error) =>
      isReason(error, 'BadRequest'),
    );
    await expect(watch(source, { resourceVersion: 'x' }).done).rejects.toSatisfy((error) =>
      isReason(error, 'BadRequest'),
    );
    await expect(list(source, { resourceVersion: '2' })).rejects.toSatisfy(isTooLargeResourceVersion);
    expect((await list(source, { resourceVersion: '0' })).items).toHaveLength(1);
    expect((await list(source, { resourceVersion: '1', resourceVersionMatch: 'Exact' })).items).toHaveLength(1);
    source.modify(thing('foo'));
    const exact = list(source, { resourceVersion: '1', resourceVersionMatch: 'Exact' });
    await expect(exact).rejects.toSatisfy(isExpired);
  });

  it('sends initial events and a bookmark for sendInitialEvents', async () => {
    const source = new FakeControllerSource<Thing>({ apiVersion: 'example.com/v1', kind: 'Thing' });
    source.add(thing('a'));
    source.add(thing('b'));
    const streaming: WatchParameters = {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    };
    const stream = watch(source, streaming);
    const plain = watch(source, { resourceVersion: '2' });
    source.add(thing('c'));
    source.bookmark();
    await settled();
    expect(stream.seen).toEqual(['ADDED a@1', 'ADDED b@2', 'BOOKMARK @2', 'ADDED c@3', 'BOOKMARK @3']);
    expect(plain.seen).toEqual(['ADDED c@3']);
    const refusing = new FakeControllerSource<Thing>({ watchList: 'refuse' });
    expect(refusing.supportsWatchList).toBe(true);
    await expect(watch(refusing, streaming).done).rejects.toSatisfy((error) => isReason(error, 'BadRequest'));
    expect(new FakeControllerSource({ watchList: 'no' }).supportsWatchList).toBe(false);
    expect(() => new FakeControllerSource({ watchList: true as never })).toThrow(/^watchList must be one of/);
  });

  it('pauses, ends when the signal aborts, and leaves no watch open', async () => {
    const source = new FakeControllerSource<Thing>();
    const stop = new AbortController();
    const open = watch(source, { resourceVersion: '0' }, stop.signal);
    open.pause();
    source.add(thing('a'));
    await settled();
    source.add(thing('b'));
    await settled();
    expect(open.seen).toEqual(['ADDED a@1']);
    open.resume();
    await settled();
    expect(open.seen).toEqual(['ADDED a@1', 'ADDED b@2']);
    source.add(thing('c'));
    stop.abort(new Error('enough'));
    await expect(open.done).rejects.toThrow('enough');
    expect(open.seen).toHaveLength(2);
    expect(source.openWatches).toBe(0);
    await expect(watch(source, { resourceVersion: '0' }, stop.signal).done).rejects.toThrow('enough');
  });

  it('returns copies', async () => {
    const source = new FakeControllerSource<Thing>();
    const mine = thing('a', 1, { labels: { app: 'web' } });
    const added = source.add(mine);
    const changeable = added.metadata.labels as Record<string, string>;
    changeable.app = 'changed';
    const first = (await list(source)).items[0]?.metadata.labels as Record<string, string>;
    first.app = 'changed too';
    expect((await list(source)).items).toEqual([{ ...mine, metadata: { ...mine.metadata, resourceVersion: '1' } }]);
    expect(mine.metadata.resourceVersion).toBeUndefined();
  });

  it.each([
    ['yes' as const, ['streaming', 'watching']],
    ['refuse' as const, ['streaming', 'listing', 'watching']],
    ['no' as const, ['listing', 'watching']],
  ])('serves a reflector (watchList: %s), which relists what its watch missed', async (watchList, begins) => {
    const clock = new FakeClock();
    const source = new FakeControllerSource<Thing>({ watchList });
    source.add(thing('a', 1));
    source.add(thing('b', 1));
    const store = new Indexer<Thing>({ accessor });
    const states: string[] = [];
    const reflector = new Reflector<Thing>({
      listWatch: source,
      store,
      accessor,
      clock,
      onState: (state) => states.push(state),
      onError: () => {},
    });
    const stop = new AbortController();
    const run = reflector.run(stop.signal);
    const contents = () => Object.fromEntries(store.list().map((each) => [each.metadata.name, each.value]));
    await clock.until(() => reflector.status.state === 'watching');
    expect(states).toEqual(begins);
    expect(contents()).toEqual({ a: 1, b: 1 });
    source.modify(thing('a', 2));
    source.delete(thing('b'), { dropWatch: true });
    source.add(thing('c', 1), { dropWatch: true });
    await settled();
    expect(contents()).toEqual({ a: 2, b: 1 });
    await clock.advance(5_000);
    source.resetWatch();
    await clock.until(() => store.resourceVersion === '5' && reflector.status.state === 'watching');
    expect(contents()).toEqual({ a: 2, c: 1 });
    stop.abort();
    await run;
    expect(source.openWatches).toBe(0);
    expect(clock.pendingTimers).toEqual([]);
  });
});

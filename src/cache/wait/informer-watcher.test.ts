import { afterEach, describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { ScriptedListWatch } from '../../../test/support/scripted-list-watch.js';
import { objectAccessor } from '../../meta/accessor.js';
import * as status from '../../meta/errors/status.js';
import { FakeControllerSource } from '../../testing/fake-controller-source.js';
import { FakeClock } from '../../time/fake-clock.js';
import type { ListerWatcher } from '../source/list-watch.js';
import { InformerWatcher } from './informer-watcher.js';

const clocks: FakeClock[] = [];
afterEach(() => {
  for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
});

function setup(listWatch: ListerWatcher<Thing>) {
  const clock = new FakeClock({ seed: 5 });
  clocks.push(clock);
  const stop = new AbortController();
  const watcher = new InformerWatcher<Thing>({
    listWatch,
    accessor: objectAccessor as never,
    clock,
    signal: stop.signal,
    onError() {},
  });
  const seen: string[] = [];
  const read = async () => {
    for await (const { type, object } of watcher) {
      seen.push(`${type} ${object.metadata.name} ${object.metadata.resourceVersion}`);
    }
  };
  return { clock, stop, watcher, seen, read };
}

describe('InformerWatcher', () => {
  it.each(['yes', 'no'] as const)(
    '[S290] yields the objects and changes of an informer as events (watch-list: %s)',
    async (watchList) => {
      const source = new FakeControllerSource<Thing>({ watchList });
      for (const name of ['a', 'b', 'c']) source.add(thing(name));
      const { clock, stop, watcher, seen, read } = setup(source);
      const reading = read();
      await clock.runUntilIdle();
      expect(watcher.hasSynced).toBe(true);
      expect([...seen].sort()).toEqual(['ADDED a 1', 'ADDED b 2', 'ADDED c 3']);
      source.add(thing('d'));
      source.bookmark();
      source.modify(thing('d'));
      source.delete(thing('d'));
      await clock.runUntilIdle();
      expect(seen.slice(3)).toEqual(['ADDED d 4', 'MODIFIED d 5', 'DELETED d 6']);
      expect(watcher.store.listKeys().sort()).toEqual(['a', 'b', 'c']);
      stop.abort();
      await reading;
      await watcher.done;
      expect(source.openWatches).toBe(0);
    },
  );

  it('[S290] ends on abort with events that were not read', async () => {
    const source = new FakeControllerSource<Thing>();
    source.add(thing('a'));
    const { clock, stop, watcher, seen, read } = setup(source);
    await clock.runUntilIdle();
    expect(watcher.store.size).toBe(1);
    stop.abort();
    await watcher.done;
    await read();
    expect(seen).toEqual([]);
  });

  it('[S288] ends on abort while its loop waits for an event', async () => {
    const { clock, stop, seen, read } = setup(new FakeControllerSource<Thing>());
    const reading = read();
    await clock.runUntilIdle();
    stop.abort();
    await reading;
    expect(seen).toEqual([]);
  });

  it('[S289] yields a thousand events in their order', async () => {
    const source = new FakeControllerSource<Thing>();
    const { clock, stop, watcher, seen, read } = setup(source);
    await clock.runUntilIdle();
    for (let i = 0; i < 1000; i++) source.add(thing(`thing-${i}`));
    await clock.runUntilIdle();
    const reading = read();
    await clock.runUntilIdle();
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, i) => `ADDED thing-${i} ${i + 1}`));
    stop.abort();
    await reading;
    await watcher.done;
  });

  it('[S291] yields the last known state of an object that a relist found deleted', async () => {
    const secret = thing('secret1', undefined, { resourceVersion: '123' });
    const source = new ScriptedListWatch<Thing>();
    source.onList = (_, count) =>
      count === 1
        ? { items: [secret], metadata: { resourceVersion: '123' } }
        : { items: [], metadata: { resourceVersion: '200' } };
    source.onWatch = (watch, count) => {
      if (count === 1) watch.error(status.gone('too old'));
    };
    const { clock, stop, seen, read } = setup(source);
    const reading = read();
    await clock.advance(5000);
    expect(seen).toEqual(['ADDED secret1 123', 'DELETED secret1 123']);
    expect(source.lists.length).toBeGreaterThanOrEqual(2);
    expect(source.watches.length).toBeGreaterThanOrEqual(1);
    stop.abort();
    await reading;
  });

  it('stops the informer when its loop is left', async () => {
    const source = new FakeControllerSource<Thing>();
    source.add(thing('a'));
    const { watcher } = setup(source);
    for await (const _ of watcher) break;
    await watcher.done;
    expect(source.openWatches).toBe(0);
  });

  it.each([
    ['before the first `next`', false],
    ['during a `next`', true],
  ])('stops the informer when `return` is called %s', async (_, isAsked) => {
    const source = new FakeControllerSource<Thing>();
    const { clock, watcher } = setup(source);
    await clock.runUntilIdle();
    const events = watcher[Symbol.asyncIterator]();
    const asked = isAsked ? events.next() : undefined;
    expect(source.openWatches).toBe(1);
    expect(await events.return()).toEqual({ done: true, value: undefined });
    expect(source.openWatches).toBe(0);
    expect((await asked)?.done ?? true).toBe(true);
    await watcher.done;
  });
});

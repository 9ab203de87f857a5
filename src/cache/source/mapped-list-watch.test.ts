import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ScriptedListWatch } from '../../../test/support/scripted-list-watch.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { FakeClock } from '../../time/fake-clock.js';
import { MappedListWatch } from './mapped-list-watch.js';

function setup(map: (item: number) => string = (item) => `mapped ${item}`) {
  const clock = new FakeClock();
  const source = new ScriptedListWatch<number>();
  const skipped: unknown[] = [];
  const mapped = new MappedListWatch<number, string>({ source, map, clock, onError: (error) => skipped.push(error) });
  const seen: string[] = [];
  let hasRoom = true;
  const sink = {
    batch: (events: readonly WireEvent<string>[]) => {
      seen.push(...events.map(({ object }) => String(object)));
      return hasRoom;
    },
  };
  const stop = new AbortController();
  return {
    clock,
    source,
    mapped,
    seen,
    skipped,
    sink,
    stop,
    setRoom: (value: boolean) => {
      hasRoom = value;
    },
  };
}

describe('MappedListWatch', () => {
  it('hands over every item before the end of a list', async () => {
    const { clock, source, mapped } = setup();
    source.onList = () => ({ items: Array.from({ length: 1_000 }, (_, i) => i), metadata: { resourceVersion: '7' } });
    const items: string[] = [];
    const list = mapped.list({}, { batch: (batch) => items.push(...batch) > 0 }, new AbortController().signal);
    await clock.runUntilIdle();
    expect(await list.done).toMatchObject({ metadata: { resourceVersion: '7' } });
    expect(items).toEqual(Array.from({ length: 1_000 }, (_, i) => `mapped ${i}`));
  });

  it('leaves out an item that cannot be mapped and reports why', async () => {
    const broken = new Error('cannot map');
    const { clock, source, mapped, seen, skipped, sink, stop } = setup((item) => {
      if (item === 2) throw broken;
      return `mapped ${item}`;
    });
    const watch = mapped.open({}, sink, stop.signal);
    for (const item of [1, 2, 3]) source.lastWatch.added(item);
    source.lastWatch.close();
    await clock.runUntilIdle();
    await watch.done;
    expect(seen).toEqual(['mapped 1', 'mapped 3']);
    expect(skipped).toEqual([broken]);
  });

  it('pauses its source while 512 entries wait, and resumes it at half of that', async () => {
    const { clock, source, mapped, seen, sink, stop, setRoom } = setup();
    const watch = mapped.open({}, sink, stop.signal);
    setRoom(false);
    let sent = 0;
    while (source.lastWatch.added(sent)) sent++;
    expect(sent).toBe(511);
    await clock.runUntilIdle();
    expect(seen).toHaveLength(100);
    expect(source.lastWatch.resumed).toBe(0);
    setRoom(true);
    watch.resume();
    await clock.runUntilIdle();
    expect(seen).toHaveLength(512);
    expect(source.lastWatch.resumed).toBe(1);
    source.lastWatch.close();
    await clock.runUntilIdle();
    await watch.done;
  });

  it('hands over the entries that came before an error, then rejects', async () => {
    const { clock, source, mapped, seen, sink, stop } = setup();
    const watch = mapped.open({}, sink, stop.signal);
    const broken = new Error('the connection broke');
    const rejected = expect(watch.done).rejects.toBe(broken);
    source.lastWatch.added(1);
    source.lastWatch.fail(broken);
    await clock.runUntilIdle();
    await rejected;
    expect(seen).toEqual(['mapped 1']);
  });

  it('drops the entries that wait when its signal aborts, even while it is paused', async () => {
    const { clock, source, mapped, seen, sink, stop, setRoom } = setup();
    const watch = mapped.open({}, sink, stop.signal);
    setRoom(false);
    for (let item = 0; item < 300; item++) source.lastWatch.added(item);
    await clock.runUntilIdle();
    stop.abort(new Error('enough'));
    await expect(watch.done).rejects.toThrow('enough');
    await clock.runUntilIdle();
    expect(seen).toHaveLength(100);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('leaves no listener behind if its source throws', () => {
    const { source, mapped, sink, stop } = setup();
    source.open = () => {
      throw new Error('cannot open');
    };
    expect(() => mapped.open({}, sink, stop.signal)).toThrow('cannot open');
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });
});

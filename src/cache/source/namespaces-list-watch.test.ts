import { afterEach, describe, expect, it } from 'vitest';
import { type Form, forms, thing } from '../../../test/support/forms.js';
import { ScriptedListWatch } from '../../../test/support/scripted-list-watch.js';
import * as status from '../../meta/errors/status.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { FakeClock } from '../../time/fake-clock.js';
import { Reflector } from '../reflector/reflector.js';
import { Indexer } from '../store/indexer.js';
import { NamespacesListWatch } from './namespaces-list-watch.js';
import { SilentWatchError } from './open-watch.js';

const clocks: FakeClock[] = [];
afterEach(() => {
  for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
});

describe.each(forms)('NamespacesListWatch on $name', (form: Form<unknown>) => {
  function setup() {
    const clock = new FakeClock();
    clocks.push(clock);
    const blue = new ScriptedListWatch<unknown>({ supportsWatchList: true });
    const green = new ScriptedListWatch<unknown>({ supportsWatchList: true });
    const both = new NamespacesListWatch<unknown>(['blue', 'green'], form.accessor, clock, (namespace) =>
      namespace === 'blue' ? blue : green,
    );
    const events: string[] = [];
    let full = false;
    const sink = {
      batch(batch: readonly WireEvent<unknown>[]) {
        for (const { type, object } of batch) {
          const { metadata } = type === 'BOOKMARK' ? object : form.read(object);
          events.push(`${type} ${metadata.resourceVersion}`);
        }
        return !full;
      },
    };
    const stop = new AbortController();
    const fill = (now: boolean) => {
      full = now;
    };
    return { clock, blue, green, both, events, sink, stop, fill };
  }
  const item = (key: string, resourceVersion: string) => form.make(thing(key, undefined, { resourceVersion }));

  it('sends the initial-events-end bookmark after that of the last namespace, then one bookmark for one of each', async () => {
    const { clock, blue, green, both, events, sink, stop } = setup();
    const { done } = both.open({ resourceVersion: '', sendInitialEvents: true }, sink, stop.signal);
    done.catch(() => {});
    await clock.runUntilIdle();
    blue.lastWatch.added(item('blue/a', '1'));
    blue.lastWatch.bookmark('9', 'true');
    green.lastWatch.added(item('green/b', '2'));
    expect(events).toEqual(['ADDED 1', 'ADDED 2']);
    green.lastWatch.bookmark('8', 'true');
    blue.lastWatch.bookmark('20');
    blue.lastWatch.bookmark('21');
    expect(events.slice(2)).toEqual(['BOOKMARK 8']);
    green.lastWatch.bookmark('22');
    expect(events.slice(3)).toEqual(['BOOKMARK 21']);
    stop.abort();
    await expect(done).rejects.toBe(stop.signal.reason);
  });

  it('lists each namespace with resourceVersionMatch Exact, and watches from where it was before', async () => {
    const { clock, blue, green, both, sink, stop } = setup();
    for (const source of [blue, green]) source.onList = () => ({ items: [], metadata: { resourceVersion: '40' } });
    await both.list({ resourceVersion: '0' }, { batch: () => true }, stop.signal).done;
    const exact = { resourceVersion: '7', resourceVersionMatch: 'Exact' } as const;
    const head = await both.list(exact, { batch: () => true }, stop.signal).done;
    expect(head.metadata?.resourceVersion).toBe('7');
    expect([blue, green].map(({ lists }) => lists.at(-1))).toMatchObject([exact, exact]);
    both.open({ resourceVersion: '40' }, sink, stop.signal).done.catch(() => {});
    expect(blue.lastWatch.options.resourceVersion).toBe('40');
    stop.abort();
    await clock.runUntilIdle();
  });

  it('reopens the watch of each namespace at its own resourceVersion, also after bookmarks', async () => {
    const { clock, blue, green, both, events, sink, stop } = setup();
    const first = both.open({ resourceVersion: '', sendInitialEvents: true }, sink, stop.signal);
    await clock.runUntilIdle();
    blue.lastWatch.bookmark('9', 'true');
    green.lastWatch.bookmark('8', 'true');
    blue.lastWatch.close();
    await first.done;
    const second = both.open({ resourceVersion: '8' }, sink, stop.signal);
    second.done.catch(() => {});
    await clock.runUntilIdle();
    expect([blue, green].map(({ lastWatch }) => lastWatch.options.resourceVersion)).toEqual(['9', '8']);
    green.lastWatch.bookmark('30');
    blue.lastWatch.bookmark('29');
    expect(events.at(-1)).toBe('BOOKMARK 29');
    stop.abort();
    await clock.runUntilIdle();
  });

  it('ends with a SilentWatchError if one namespace is silent while the others receive events', async () => {
    const { clock, blue, green, both, sink, stop, fill } = setup();
    const { done, resume } = both.open({ resourceVersion: '5' }, sink, stop.signal);
    let end: unknown;
    done.catch((error) => {
      end = error;
    });
    const chatter = async (seconds: number) => {
      for (let i = 0; i < seconds; i += 10) {
        blue.lastWatch.modified(item('blue/a', String(100 + i)));
        await clock.advance(10_000);
      }
    };
    await clock.runUntilIdle();
    fill(true);
    await chatter(200);
    expect(end).toBeUndefined();
    fill(false);
    resume();
    await chatter(20);
    expect(end).toBeInstanceOf(SilentWatchError);
    expect(green.lastWatch.stopped && blue.lastWatch.stopped).toBe(true);
  });

  it('does not advance past events that the sink did not take', async () => {
    const { clock, blue, green, both, stop } = setup();
    for (const source of [blue, green]) source.supportsWatchList = false;
    const store = new Indexer<unknown>({ accessor: form.accessor });
    const { accessor } = form;
    const options = { listWatch: both, store, accessor, clock, maxInternalErrorRetryMs: 60_000, onError: () => {} };
    const running = new Reflector<unknown>(options).run(stop.signal);
    await clock.runUntilIdle();
    blue.lastWatch.added(item('blue/a', '5'));
    green.lastWatch.send(
      { type: 'ERROR', object: status.internal('not now') },
      { type: 'ADDED', object: item('green/x', '6') },
    );
    blue.lastWatch.added(item('blue/b', '7'));
    await clock.runUntilIdle();
    expect(store.listKeys()).toEqual(['blue/a']);
    expect(blue.lastWatch.options.resourceVersion).toBe('5');
    expect(green.lastWatch.options.resourceVersion).toBe('1');
    stop.abort();
    await running;
  });

  it('passes events without a resourceVersion on and does not advance', async () => {
    const { clock, blue, green, both, stop } = setup();
    const taken: unknown[] = [];
    const sink = { batch: (events: readonly WireEvent<unknown>[]) => taken.push(...events) > 0 };
    const first = both.open({ resourceVersion: '', sendInitialEvents: true }, sink, stop.signal);
    await clock.runUntilIdle();
    blue.lastWatch.bookmark('9', 'true');
    green.lastWatch.bookmark('8', 'true');
    const strange: WireEvent<unknown>[] = [
      { type: 'BOOKMARK', object: {} as never },
      { type: 'ADDED', object: form.make({ apiVersion: 'example.com/v1', kind: 'Thing' } as never) },
    ];
    blue.lastWatch.send(...strange);
    expect(taken.slice(1)).toEqual(strange);
    blue.lastWatch.close();
    await first.done;
    both.open({ resourceVersion: '8' }, sink, stop.signal).done.catch(() => {});
    expect(blue.lastWatch.options.resourceVersion).toBe('9');
    stop.abort();
    await clock.runUntilIdle();
  });

  it('lists more items than a call can have arguments', async () => {
    const { blue, both, stop } = setup();
    const items = new Array(200_000).fill(item('blue/a', '1'));
    blue.onList = () => ({ items, metadata: { resourceVersion: '9' } });
    let listed = 0;
    const batch = (entries: readonly unknown[]) => {
      listed += entries.length;
      return true;
    };
    await both.list({ resourceVersion: '0' }, { batch }, stop.signal).done;
    expect(listed).toBe(200_000);
  });

  it('aborts the open watches if the source of another namespace throws', async () => {
    const { clock, blue, green, both, sink, stop } = setup();
    green.open = () => {
      throw new Error('a tweak that failed');
    };
    await expect(both.open({ resourceVersion: '5' }, sink, stop.signal).done).rejects.toThrow('a tweak that failed');
    await clock.runUntilIdle();
    expect(blue.lastWatch.stopped).toBe(true);
  });
});

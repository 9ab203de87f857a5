import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { informerForms, thingResource } from '../../../test/support/informers.js';
import { survivors } from '../../../test/support/survivors.js';
import { jsonCodec } from '../../codec/json/json-codec.js';
import type { Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import { FakeControllerSource } from '../../testing/fake-controller-source.js';
import { FakeClock } from '../../time/fake-clock.js';
import { MappedListWatch } from '../source/mapped-list-watch.js';
import { rawView } from '../store/item-view.js';
import type { ItemAdd } from './informer-event.js';
import { SharedInformer } from './shared-informer.js';

async function heapUsed(clock: FakeClock): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await clock.runUntilIdle();
    globalThis.gc?.();
  }
  const { heapUsed: heap, arrayBuffers } = process.memoryUsage();
  return heap + arrayBuffers;
}

describe.each(informerForms)('an informer of $name leaks no memory', ({ make }) => {
  function setup() {
    const clock = new FakeClock();
    const source = new FakeControllerSource<Thing>();
    const stop = new AbortController();
    return { clock, source, stop, informer: make(source, clock) };
  }

  it('of handlers that were removed', async () => {
    const { clock, source, stop, informer } = setup();
    for (let i = 0; i < 20; i++) source.add(thing(`t${i}`, i));
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    const outer = new AbortController();
    const refs: WeakRef<object>[] = [];
    const comeAndGo = (i: number) => {
      const handler = () => (i % 3 === 0 ? clock.yield() : undefined);
      refs.push(new WeakRef(handler));
      const subscription = informer.subscribe(handler, { signal: outer.signal, coalesce: i % 2 === 0 });
      refs.push(new WeakRef(subscription));
      void subscription.remove();
    };
    for (let i = 0; i < 2_000; i++) {
      comeAndGo(i);
      if (i % 100 === 0) source.modify(thing('t1', i));
      if (i % 500 === 0) await clock.runUntilIdle();
    }
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
    expect(await survivors(refs, () => clock.runUntilIdle())).toBe(0);
    stop.abort();
    await running;
  });

  it('of objects that left the store', async () => {
    const { clock, source, stop, informer } = setup();
    const refs: WeakRef<object>[] = [];
    informer.subscribe((event) => {
      if (event.type !== 'add') return;
      refs.push(new WeakRef((event as ItemAdd<object, Thing>).item), new WeakRef(event.object));
    });
    informer.subscribe(() => clock.yield());
    const running = informer.run(stop.signal);
    for (let i = 0; i < 50; i++) source.add(thing(`t${i}`, i));
    await clock.runUntilIdle();
    for (let i = 0; i < 25; i++) source.delete(thing(`t${i}`, i));
    await clock.runUntilIdle();
    // A relist replaces the others, and must release them.
    for (let i = 25; i < 50; i++) source.modify(thing(`t${i}`, i + 1), { dropWatch: true });
    source.resetWatch();
    await clock.advance(5_000);
    expect(refs).toHaveLength(100);
    expect(informer.lister.count()).toBe(25);
    expect(await survivors(refs, () => clock.runUntilIdle())).toBe(0);
    stop.abort();
    await running;
  });

  it('of events that ten handlers have handled', async () => {
    const { clock, source, stop, informer } = setup();
    for (let i = 0; i < 10; i++) informer.subscribe(() => (i < 5 ? undefined : clock.yield()), { coalesce: i === 9 });
    const running = informer.run(stop.signal);
    const rounds = async (count: number) => {
      for (let round = 0; round < count; round++) {
        for (let i = 0; i < 20; i++) source.modify(thing(`t${i}`, round));
        // The source keeps a history for watches that resume, which is not measured here.
        if (round % 50 === 0) {
          await clock.runUntilIdle();
          source.resetWatch();
          await clock.advance(2_000);
        }
      }
      await clock.runUntilIdle();
      source.resetWatch();
      await clock.advance(60_000);
    };
    await rounds(50);
    const before = await heapUsed(clock);
    await rounds(400);
    const grown = (await heapUsed(clock)) - before;
    expect(grown).toBeLessThan(2 * 1024 * 1024);
    stop.abort();
    await running;
  });

  it('after it has stopped', async () => {
    const clock = new FakeClock();
    const source = new FakeControllerSource<Thing>();
    const lived = async (): Promise<WeakRef<object>[]> => {
      const informer = make(source, clock, { resyncMs: 1_000 });
      const stop = new AbortController();
      source.add(thing(`t${source.resourceVersion}`, 1));
      informer.subscribe(() => clock.yield());
      void informer.waitForResourceVersion('9999').catch(() => {});
      const running = informer.run(stop.signal);
      await clock.advance(10_000);
      stop.abort();
      await running;
      return [new WeakRef(informer), new WeakRef(informer.lister)];
    };
    const refs = [...(await lived()), ...(await lived())];
    expect(await survivors(refs, () => clock.runUntilIdle())).toBe(0);
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe('the bytes of an informer', () => {
  it.each([10, 300])('are compacted while %i objects change repeatedly', async (count) => {
    const clock = new FakeClock({ patience: 10_000 });
    const source = new FakeControllerSource<Thing>();
    const arena = new SlabArena({ minSlabBytes: 4_096, maxSlabBytes: 16_384, slackBytes: 32_768 });
    const informer = new SharedInformer<Raw<Thing>, Thing>({
      resource: thingResource,
      clock,
      arena,
      view: rawView<Thing>(),
      listWatch: new MappedListWatch({
        source,
        map: (item: Thing) => jsonCodec.raw<Thing>(jsonCodec.encode(item), { arena }),
        clock,
        onError: (error) => {
          throw error;
        },
      }),
    });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    const put = (i: number, value: string) => source.modify(thing(`t${i}`, value));
    for (let i = 0; i < count; i++) put(i, 'x'.repeat(200));
    // Most objects change, some never do: without compaction every slab would keep a live object.
    for (let round = 0; round < 60; round++) {
      for (let i = 0; i < count; i++) if (i % 7 !== round % 7) put(i, String(round % 10).repeat(200));
      await clock.runUntilIdle();
    }
    const { slabBytes, liveBytes } = arena.usage;
    expect(slabBytes).toBeLessThanOrEqual(liveBytes * 2 + 65_536);
    for (let i = 0; i < count; i++) {
      const held = informer.lister.get(`t${i}`);
      expect(held?.value).toHaveLength(200);
    }
    stop.abort();
    await running;
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { type Form, forms, show, type Thing, thing } from '../../../test/support/forms.js';
import { ScriptedListWatch } from '../../../test/support/scripted-list-watch.js';
import type { Accessor } from '../../meta/accessor.js';
import { expired } from '../../meta/errors/status.js';
import { FakeControllerSource } from '../../testing/fake-controller-source.js';
import { FakeClock } from '../../time/fake-clock.js';
import { DeltaFIFO } from '../queue/delta-fifo.js';
import type { Queue } from '../queue/queue.js';
import { RealFIFO } from '../queue/real-fifo.js';
import type { ListerWatcher } from '../source/list-watch.js';
import { MappedListWatch } from '../source/mapped-list-watch.js';
import { Indexer } from '../store/indexer.js';
import { Controller } from './controller.js';
import { DeltaProcessor } from './delta-processor.js';

/** Informers use the first kind; a Controller works with all of them. */
const kinds: Readonly<Record<string, (accessor: Accessor<unknown>, store: Indexer<unknown>) => Queue<unknown>>> = {
  RealFIFO: (accessor) => new RealFIFO({ accessor }),
  'RealFIFO with atomic: false': (accessor, store) => new RealFIFO({ accessor, atomic: false, knownObjects: store }),
  DeltaFIFO: (accessor, store) => new DeltaFIFO({ accessor, knownObjects: store, emitReplaced: true }),
};
const cases = Object.keys(kinds).flatMap((kind) => forms.map((form) => ({ kind, form, name: form.name })));

describe.each(cases)('Controller on a $kind of $name', ({ kind, form }: { kind: string; form: Form<unknown> }) => {
  const clocks: FakeClock[] = [];
  afterEach(() => {
    for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
  });

  function run(clock: FakeClock, listWatch: ListerWatcher<unknown>, isUnreadable = (_: Thing) => false) {
    clocks.push(clock);
    const accessor: Accessor<unknown> = Object.assign(Object.create(form.accessor) as Accessor<unknown>, {
      unreadable: (item: unknown) => (isUnreadable(form.read(item)) ? new Error('cannot be read') : undefined),
    });
    const store = new Indexer<unknown>({ accessor });
    const seen: string[] = [];
    const controller = new Controller<unknown>({
      listWatch,
      accessor,
      clock,
      resyncMs: 60_000,
      queue: kinds[kind]?.(accessor, store) as Queue<unknown>,
      process: new DeltaProcessor<unknown>({
        store,
        keyOf: (item) => accessor.key(item),
        handler: {
          onAdd: (item, isInInitialList) => seen.push(`add ${show(form, item)}${isInInitialList ? ' initial' : ''}`),
          onUpdate: (old, item) => seen.push(`update ${show(form, old)} ${show(form, item)}`),
          onDelete: (item) => seen.push(`delete ${show(form, item)}`),
        },
      }),
      onError: () => {},
    });
    const stop = new AbortController();
    const running = controller.run(stop.signal);
    const end = async () => {
      stop.abort();
      await running;
    };
    const stored = () => store.list().map((item) => show(form, item));
    /** A DeltaFIFO and a RealFIFO order the events of different objects differently. */
    const take = () => seen.splice(0).sort();
    return { controller, store, seen, take, stored, end };
  }

  function onFake() {
    const clock = new FakeClock({ seed: 7 });
    const fake = new FakeControllerSource<Thing>();
    const map = (item: Thing) => form.make(item);
    return { clock, fake, listWatch: new MappedListWatch<Thing, unknown>({ source: fake, map, clock }) };
  }

  it('applies the first list, watch events, and what a relist found', async () => {
    const { clock, fake, listWatch } = onFake();
    fake.add(thing('a', 1));
    const { controller, seen, take, stored, end } = run(clock, listWatch);
    expect(controller.hasSynced).toBe(false);
    await clock.runUntilIdle();
    expect(controller.hasSynced).toBe(true);
    fake.modify(thing('a', 2));
    await clock.runUntilIdle();
    expect(seen.splice(0)).toEqual(['add a=1 initial', 'update a=1 a=2']);
    fake.delete(thing('a', 2), { dropWatch: true });
    fake.add(thing('b', 1), { dropWatch: true });
    fake.resetWatch();
    await clock.advance(10_000);
    expect(take()).toEqual(['add b=1', 'delete gone a=2']);
    expect(stored()).toEqual(['b=1']);
    await end();
  });

  it('has synced after an empty list', async () => {
    const { clock, listWatch } = onFake();
    const { controller, seen, end } = run(clock, listWatch);
    await clock.runUntilIdle();
    expect(controller.hasSynced).toBe(true);
    expect(seen).toEqual([]);
    await end();
  });

  it('shows every stored object once per resync', async () => {
    const { clock, fake, listWatch } = onFake();
    for (const name of ['a', 'b']) fake.add(thing(name, 1));
    const { take, end } = run(clock, listWatch);
    await clock.runUntilIdle();
    take();
    await clock.advance(60_000);
    expect(take()).toEqual(['update a=1 a=1', 'update b=1 b=1']);
    await end();
  });

  it('makes the store equal to the source after lost events and relists', async () => {
    const { clock, fake, listWatch } = onFake();
    const { stored, end } = run(clock, listWatch);
    const live = new Map<string, Thing>();
    for (let i = 0; i < 200; i++) {
      const name = `n${Math.floor(clock.random() * 12)}`;
      const current = live.get(name);
      const dropWatch = clock.random() < 0.1;
      if (current === undefined) live.set(name, fake.add(thing(name, i), { dropWatch }));
      else if (clock.random() < 0.6) live.set(name, fake.modify(thing(name, i), { dropWatch }));
      else if (live.delete(name)) fake.delete(current, { dropWatch });
      if (clock.random() < 0.05) fake.resetWatch();
      await clock.advance(Math.floor(clock.random() * 20));
    }
    fake.resetWatch();
    await clock.advance(120_000);
    expect(stored().sort()).toEqual([...live].map(([name, { value }]) => `${name}=${value}`).sort());
    await end();
  });

  it('keeps an object that a relist could not read, and deletes one that it does not have', async () => {
    const clock = new FakeClock({ seed: 7 });
    const source = new ScriptedListWatch<unknown>();
    const listOf = (version: string, ...things: Thing[]) => ({
      items: things.map(form.make),
      metadata: { resourceVersion: version },
    });
    source.onList = () => listOf('3', thing('a', 1), thing('b', 1), thing('c', 1));
    const { take, stored, end } = run(clock, source, ({ value }) => value === 'bad');
    await clock.runUntilIdle();
    take();
    source.onList = () => listOf('6', thing('a', 'bad'), thing('b', 2));
    source.lastWatch.error(expired('too old'));
    await clock.until(() => source.watches.length === 2);
    await clock.runUntilIdle();
    expect(take()).toEqual(['delete gone c=1', 'update b=1 b=2']);
    expect(stored().sort()).toEqual(['a=1', 'b=2']);
    await end();
  });
});

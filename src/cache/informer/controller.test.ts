import { afterEach, describe, expect, it } from 'vitest';
import { type Form, forms, plainForm, show, type Thing, thing } from '../../../test/support/forms.js';
import { ScriptedListWatch } from '../../../test/support/scripted-list-watch.js';
import { DeletedFinalStateUnknown, formatKey, splitKey } from '../../meta/key.js';
import { FakeControllerSource } from '../../testing/fake-controller-source.js';
import { FakeClock } from '../../time/fake-clock.js';
import { schedulerOf } from '../../time/scheduler.js';
import { finish } from '../../time/steps.js';
import type { Deltas } from '../queue/delta.js';
import { DeltaFIFO } from '../queue/delta-fifo.js';
import { RealFIFO } from '../queue/real-fifo.js';
import { MappedListWatch } from '../source/mapped-list-watch.js';
import { Indexer } from '../store/indexer.js';
import { itemKey } from '../store/key-of.js';
import { QueueClosedError } from '../store/store-errors.js';
import { Controller, newInformer } from './controller.js';
import { DeltaProcessor } from './delta-processor.js';

const clocks: FakeClock[] = [];
afterEach(() => {
  // [S160] No test leaves a timer behind.
  for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
});
const newClock = () => {
  const clock = new FakeClock({ seed: 3 });
  clocks.push(clock);
  return clock;
};

describe.each(forms)('Controller on $name', (form: Form<unknown>) => {
  const setup = () => {
    const clock = newClock();
    const fake = new FakeControllerSource<Thing>();
    const listWatch = new MappedListWatch<Thing, unknown>({
      source: fake,
      map: (item) => form.make(item),
      clock,
      onError: (error) => {
        throw error;
      },
    });
    return { clock, fake, listWatch, stop: new AbortController() };
  };

  it('closes its queue when it ends', async () => {
    const { clock, listWatch, stop } = setup();
    const queue = new RealFIFO<unknown>({ accessor: form.accessor });
    const { accessor } = form;
    const controller = new Controller<unknown>({ listWatch, accessor, queue, clock, process() {} });
    const running = controller.run(stop.signal);
    await clock.runUntilIdle();
    const waiting = queue.pop(() => {});
    expect(queue.isClosed).toBe(false);
    stop.abort();
    await running;
    expect(queue.isClosed).toBe(true);
    await expect(waiting).rejects.toThrow(QueueClosedError);
  });

  it('[S160] leaves no timer and no watch, and calls no handler after it was stopped', async () => {
    const { clock, fake, listWatch, stop } = setup();
    let calls = 0;
    const { controller } = newInformer<unknown>({
      listWatch,
      clock,
      accessor: form.accessor,
      resyncMs: 1000,
      handler: { onAdd: () => void calls++, onUpdate: () => void calls++ },
    });
    fake.add(thing('a'));
    const running = controller.run(stop.signal);
    await clock.advance(2500);
    expect(calls).toBe(3);
    stop.abort();
    await running;
    fake.add(thing('b'));
    await clock.advance(10_000);
    expect(calls).toBe(3);
    expect(fake.openWatches).toBe(0);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('[S158] runs with a store, a queue and a process function of the caller', async () => {
    const { clock, fake, listWatch, stop } = setup();
    const store = new Indexer<unknown>({ accessor: form.accessor });
    const queue = new DeltaFIFO<unknown>({ accessor: form.accessor, knownObjects: store, emitReplaced: true });
    const deleted: string[] = [];
    const controller = new Controller<unknown>({
      listWatch,
      queue,
      clock,
      accessor: form.accessor,
      name: 'by hand',
      resyncMs: 100,
      process: (deltas) => {
        const newest = deltas[deltas.length - 1];
        if (newest === undefined || !('object' in newest)) return;
        if (newest.type === 'Deleted') {
          const key = queue.keyOf(newest);
          store.delete(newest.object);
          deleted.push(key);
        } else {
          store.add(newest.object);
          fake.delete(form.read(newest.object));
        }
      },
    });
    for (const name of ['a-hello', 'b-controller', 'c-framework']) fake.add(thing(name));
    expect(controller.hasSynced).toBe(false);
    const running = controller.run(stop.signal);
    await clock.until(() => deleted.length === 3, { withinMs: 10_000 });
    expect(deleted.sort()).toEqual(['a-hello', 'b-controller', 'c-framework']);
    expect(controller.hasSynced).toBe(true);
    expect(controller.lastSyncResourceVersion).toBe('6');
    stop.abort();
    await running;
    await expect(controller.run(stop.signal)).rejects.toThrow('cannot run twice');
  });

  it('[S159] newInformer updates a store and calls a handler', async () => {
    const { clock, fake, listWatch, stop } = setup();
    const deleted: string[] = [];
    const { store, controller } = newInformer<unknown>({
      listWatch,
      clock,
      accessor: form.accessor,
      resyncMs: 100,
      handler: {
        onAdd: (item) => void fake.delete(form.read(item)),
        onDelete: (item) => void deleted.push(show(form, item)),
      },
    });
    for (const name of ['a-hello', 'b-controller', 'c-framework']) fake.add(thing(name));
    const running = controller.run(stop.signal);
    await controller.whenSynced();
    await clock.until(() => deleted.length === 3, { withinMs: 10_000 });
    expect(store.size).toBe(0);
    stop.abort();
    await running;
  });

  it('[S161] [S162] after many changes: only allowed transitions, and the store is equal to the source', async () => {
    const { clock, fake, listWatch, stop } = setup();
    const seen = new Map<string, string | number | undefined>();
    const { store, controller } = newInformer<unknown>({
      listWatch,
      clock,
      accessor: form.accessor,
      resyncMs: 100,
      handler: {
        onAdd(item) {
          const { metadata, value } = form.read(item);
          expect(seen.has(metadata.name)).toBe(false);
          seen.set(metadata.name, value);
        },
        onUpdate(old, item) {
          const { metadata, value } = form.read(item);
          expect(form.read(old).value).toBe(seen.get(metadata.name));
          seen.set(metadata.name, value);
        },
        onDelete(item) {
          // Unlike a shared informer, newInformer reports the deletion of an unknown object.
          seen.delete(item instanceof DeletedFinalStateUnknown ? item.key : form.accessor.key(item));
        },
      },
    });
    expect(controller.hasSynced).toBe(false);
    const running = controller.run(stop.signal);
    const live = new Map<string, Thing>();
    for (let i = 0; i < 300; i++) {
      const name = `n${Math.floor(clock.random() * 20)}`;
      const current = live.get(name);
      const dropWatch = clock.random() < 0.05;
      if (current === undefined) live.set(name, fake.add(thing(name, i), { dropWatch }));
      else if (clock.random() < 0.6) live.set(name, fake.modify(thing(name, i), { dropWatch }));
      else {
        fake.delete(current, { dropWatch });
        live.delete(name);
      }
      if (clock.random() < 0.05) fake.resetWatch();
      await clock.advance(Math.floor(clock.random() * 20));
    }
    fake.resetWatch();
    await clock.advance(120_000);
    const expected = Object.fromEntries([...live].map(([name, { value }]) => [name, value]));
    expect(
      Object.fromEntries(store.list().map((item) => [form.read(item).metadata.name, form.read(item).value])),
    ).toEqual(expected);
    expect(Object.fromEntries(seen)).toEqual(expected);
    expect(controller.hasSynced).toBe(true);
    stop.abort();
    await running;
  });

  it('[S163] run rejects with what a handler throws', async () => {
    const { clock, fake, listWatch, stop } = setup();
    fake.add(thing('a'));
    const { controller } = newInformer<unknown>({
      listWatch,
      clock,
      accessor: form.accessor,
      handler: {
        onAdd() {
          throw new Error('just testing');
        },
      },
    });
    const running = controller.run(stop.signal);
    running.catch(() => {});
    await clock.runUntilIdle();
    await expect(running).rejects.toThrow('just testing');
    expect(fake.openWatches).toBe(0);
  });

  it('[S164] [S165] store and handler get transformed objects, each transformed once', async () => {
    const { clock, fake, listWatch, stop } = setup();
    const seen: string[] = [];
    const { store, controller } = newInformer<unknown>({
      listWatch,
      clock,
      accessor: form.accessor,
      resyncMs: 50,
      transform: (item) => {
        const read = form.read(item);
        if (String(read.value).startsWith('t')) throw new Error('transformed twice');
        return form.make({ ...read, value: `t${read.value}` });
      },
      handler: {
        onAdd: (item) => void seen.push(`add ${show(form, item)}`),
        onUpdate: (old, item) => {
          if (old !== item) seen.push(`update ${show(form, old)} ${show(form, item)}`);
        },
        onDelete: (item) => void seen.push(`delete ${show(form, item)}`),
      },
    });
    fake.add(thing('a', 1));
    const running = controller.run(stop.signal);
    await clock.advance(200);
    fake.modify(thing('a', 2));
    await clock.advance(200);
    expect(form.read(store.getByKey('a')).value).toBe('t2');
    fake.delete(thing('a', 3));
    await clock.advance(200);
    expect(seen).toEqual(['add a=t1', 'update a=t1 a=t2', 'delete a=t3']);
    stop.abort();
    await running;
  });

  it('an object on which the transform throws is left out, or stays as it was, and fails no list', async () => {
    const { clock, fake, listWatch, stop } = setup();
    const reports: string[] = [];
    const { store, controller } = newInformer<unknown>({
      listWatch,
      clock,
      accessor: form.accessor,
      transform: (item) => {
        if (form.read(item).value === 'bad') throw new Error('cannot');
        return item;
      },
      handler: {},
      onError: (error, { reason, key }) => reports.push(`${reason} ${key} ${error.message}`),
    });
    fake.add(thing('a', 1));
    fake.add(thing('b', 'bad'));
    fake.add(thing('c', 1));
    const running = controller.run(stop.signal);
    await clock.runUntilIdle();
    expect(controller.hasSynced).toBe(true);
    fake.modify(thing('a', 'bad'));
    fake.modify(thing('c', 2));
    await clock.runUntilIdle();
    expect(Object.fromEntries(store.listKeys().map((key) => [key, form.read(store.getByKey(key)).value]))).toEqual({
      a: 1,
      c: 2,
    });
    expect(controller.reflector.status.skipped).toEqual({ total: 2, keys: ['b', 'a'], withoutKey: 0 });
    expect(reports).toEqual([
      expect.stringMatching(/^skipped b .*cannot/),
      expect.stringMatching(/^skipped a .*cannot/),
    ]);
    fake.delete(thing('a', 'bad'));
    await clock.runUntilIdle();
    expect(store.listKeys()).toEqual(['c']);
    stop.abort();
    await running;
  });

  describe.each([true, false])('with an atomic queue: %s', (atomic) => {
    const contents = (store: Indexer<unknown>) =>
      store
        .list()
        .map((item) => show(form, item))
        .sort();
    const start = () => {
      const { clock, fake, listWatch, stop } = setup();
      const store = new Indexer<unknown>({ accessor: form.accessor });
      const events: string[] = [];
      const tell = (text: string) => events.push(`${text} (store ${store.size}, ${store.resourceVersion})`);
      const queue = new RealFIFO<unknown>({
        accessor: form.accessor,
        ...(atomic ? {} : { atomic, knownObjects: store }),
      });
      const process = new DeltaProcessor<unknown>({
        store,
        keyOf: (item) => form.accessor.key(item),
        handler: {
          onAdd: (item, isInInitialList) => tell(`add ${show(form, item)}${isInInitialList ? ' initial' : ''}`),
          onUpdate: (_, item) => tell(`update ${show(form, item)}`),
          onDelete: (item) => tell(`delete ${show(form, item)}`),
        },
      });
      const controller = new Controller<unknown>({
        listWatch,
        queue,
        process,
        clock,
        accessor: form.accessor,
        name: 'test',
      });
      return { clock, fake, stop, store, queue, events, controller };
    };

    it('[S170] a list into an empty store: additions, after the store has all objects', async () => {
      const { clock, fake, stop, store, events, controller } = start();
      fake.add(thing('pod-1', 'a'));
      const running = controller.run(stop.signal);
      await clock.runUntilIdle();
      expect(events).toEqual(['add pod-1=a initial (store 1, 1)']);
      expect(contents(store)).toEqual(['pod-1=a']);
      stop.abort();
      await running;
    });

    it('[S170] an empty list: deletions, after the store is empty', async () => {
      const { clock, fake, stop, store, events, controller } = start();
      fake.add(thing('pod-1', 'a'));
      fake.add(thing('pod-2', 'a'));
      const running = controller.run(stop.signal);
      await clock.runUntilIdle();
      events.length = 0;
      fake.delete(thing('pod-1'), { dropWatch: true });
      fake.delete(thing('pod-2'), { dropWatch: true });
      fake.resetWatch();
      await clock.advance(10_000);
      // A tombstone has no resourceVersion: without a ReplacedAll the version of the store does not change.
      const version = atomic ? '4' : '2';
      expect(events).toEqual([
        `delete gone pod-1=a (store 0, ${version})`,
        `delete gone pod-2=a (store 0, ${version})`,
      ]);
      expect(contents(store)).toEqual([]);
      stop.abort();
      await running;
    });

    it('[S170] a relist: deletions, then updates and additions, after the store was swapped', async () => {
      const { clock, fake, stop, store, events, controller } = start();
      const running = controller.run(stop.signal);
      fake.add(thing('pod-1', 'a'));
      fake.add(thing('pod-2', 'a'));
      fake.add(thing('pod-3', 'a'));
      await clock.runUntilIdle();
      events.length = 0;
      fake.delete(thing('pod-3'), { dropWatch: true });
      fake.modify(thing('pod-1', 'b'), { dropWatch: true });
      fake.modify(thing('pod-2', 'b'), { dropWatch: true });
      fake.add(thing('pod-4', 'a'), { dropWatch: true });
      fake.resetWatch();
      await clock.advance(10_000);
      // The handler is called after all four changes were applied.
      expect(events).toEqual(
        ['delete gone pod-3=a', 'update pod-1=b', 'update pod-2=b', 'add pod-4=a'].map(
          (event) => `${event} (store 3, 7)`,
        ),
      );
      expect(contents(store)).toEqual(['pod-1=b', 'pod-2=b', 'pod-4=a']);
      expect(store.resourceVersion).toBe('7');
      stop.abort();
      await running;
    });

    it('[S171] after a lost watch: exactly the changes, none with isInInitialList', async () => {
      const { clock, fake, stop, events, controller } = start();
      fake.add(thing('pod-1', 'a'));
      const running = controller.run(stop.signal);
      await clock.runUntilIdle();
      const told = () => events.splice(0).map((event) => event.replace(/ \(.*/, ''));
      expect(told()).toEqual(['add pod-1=a initial']);
      fake.modify(thing('pod-1', 'b'), { dropWatch: true });
      fake.add(thing('pod-2', 'a'), { dropWatch: true });
      fake.resetWatch();
      await clock.advance(10_000);
      expect(told()).toEqual(['update pod-1=b', 'add pod-2=a']);
      stop.abort();
      await running;
    });

    it('[S172] the store has the resourceVersion of the event', async () => {
      const { clock, fake, stop, store, events, controller } = start();
      const running = controller.run(stop.signal);
      fake.add(thing('a', 1));
      await clock.runUntilIdle();
      fake.modify(thing('a', 2));
      await clock.runUntilIdle();
      expect(events.at(-1)).toBe('update a=2 (store 1, 2)');
      fake.delete(thing('a', 2));
      await clock.runUntilIdle();
      expect(events.at(-1)).toBe('delete a=2 (store 0, 3)');
      expect(store.resourceVersion).toBe('3');
      stop.abort();
      await running;
    });
  });

  it('a change that the store refuses is passed to onStoreError, and processing continues', async () => {
    const { clock, fake, listWatch, stop } = setup();
    const errors: string[] = [];
    const store = new Indexer<unknown>({
      accessor: form.accessor,
      indexers: {
        picky: (item: unknown) => {
          if (form.read(item).value === 'bad') throw new Error('cannot index');
          return [];
        },
      },
    });
    const told: string[] = [];
    const process = new DeltaProcessor<unknown>({
      store,
      keyOf: (item) => form.accessor.key(item),
      handler: { onAdd: (item) => void told.push(show(form, item)), onUpdate() {}, onDelete() {} },
      onStoreError: (error) => errors.push((error as Error).message),
    });
    const queue = new RealFIFO<unknown>({ accessor: form.accessor });
    const controller = new Controller<unknown>({
      listWatch,
      queue,
      process,
      clock,
      accessor: form.accessor,
      name: 'test',
    });
    const running = controller.run(stop.signal);
    await clock.runUntilIdle();
    fake.add(thing('a', 'bad'));
    await clock.runUntilIdle();
    fake.add(thing('b', 'good'));
    await clock.runUntilIdle();
    expect(errors).toEqual(['failed to execute (1/1) transactions failed due to: [cannot index]']);
    expect(told).toEqual(['b=good']);
    stop.abort();
    await running;
  });

  it('whenSynced rejects if the controller is stopped before the first list', async () => {
    const { clock, listWatch, stop } = setup();
    const { controller } = newInformer<unknown>({
      listWatch,
      clock,
      accessor: form.accessor,
      name: 'things',
      handler: {},
    });
    const waiting = controller.whenSynced();
    const running = controller.run(stop.signal);
    stop.abort();
    await running;
    await expect(waiting).rejects.toThrow('the controller things was stopped before it had synced');
    await expect(controller.whenSynced()).rejects.toThrow('stopped before it had synced');
  });

  it('an object that was not passed to the process function yet is still in the queue, and a resync skips it', async () => {
    const clock = newClock();
    schedulerOf(clock, { sliceItems: 2 });
    const { accessor } = form;
    const source = new ScriptedListWatch<unknown>();
    const store = new Indexer<unknown>({ accessor });
    const queue = new RealFIFO<unknown>({ accessor, atomic: false, knownObjects: store });
    const handler = { onAdd() {}, onUpdate() {}, onDelete() {} };
    const processor = new DeltaProcessor({ store, handler, keyOf: (item: unknown) => accessor.key(item) });
    const process = (deltas: Deltas<unknown>, isInInitialList: boolean) => {
      const steps = processor.process(deltas, isInInitialList);
      if (steps !== undefined) finish(steps);
    };
    const controller = new Controller<unknown>({ accessor, clock, listWatch: source, queue, process });
    source.onList = () => ({ items: [form.make(thing('z', 'old'))], metadata: { resourceVersion: '1' } });
    const stop = new AbortController();
    const running = controller.run(stop.signal);
    await clock.runUntilIdle();
    for (let i = 0; i < 10; i++) source.lastWatch.added(form.make(thing(`n${i}`)));
    source.lastWatch.modified(form.make(thing('z', 'new')));
    let inBetween = 0;
    clock.defer(() =>
      clock.defer(() => {
        inBetween = queue.length;
        queue.resync();
      }),
    );
    await clock.runUntilIdle();
    expect(inBetween).toBeGreaterThan(0);
    expect(show(form, store.getByKey('z'))).toBe('z=new');
    stop.abort();
    await running;
  });

  it.each([true, false])(
    'newInformer reports a change that its store refuses, and continues (onError: %s)',
    async (own) => {
      const { clock, fake, listWatch, stop } = setup();
      const reports: string[] = [];
      const { emitWarning } = process;
      process.emitWarning = (warning: string | Error) => void reports.push(String(warning));
      try {
        const { store, controller } = newInformer<unknown, 'picky'>({
          listWatch,
          clock,
          accessor: form.accessor,
          name: 'things',
          handler: {},
          indexers: {
            picky: (item) => {
              if (form.read(item).value === 'bad') throw new Error('cannot index');
              return [];
            },
          },
          onError: own
            ? (error, { reason, reflector }) => {
                reports.push(`${reflector}: ${reason}: ${error.message}`);
                throw new Error('nor report');
              }
            : undefined,
        });
        const running = controller.run(stop.signal);
        await clock.runUntilIdle();
        for (const value of ['bad', 'good']) {
          fake.add(thing(value, value));
          await clock.runUntilIdle();
        }
        expect(store.listKeys()).toEqual(['good']);
        const more = own ? ['things: the error handler failed: nor report'] : [];
        expect(reports.filter((report) => !report.includes('stream'))).toEqual([
          'things: skipped: failed to execute (1/1) transactions failed due to: [cannot index]',
          ...more,
        ]);
        stop.abort();
        await running;
      } finally {
        process.emitWarning = emitWarning;
      }
    },
  );
});

describe('deletionAwareKey', () => {
  it.each([
    ['an object', thing('ns/foo', 1), { namespace: 'ns', name: 'foo' }],
    ['a cluster-scoped object', thing('foo', 1), { namespace: '', name: 'foo' }],
    [
      '[S166] a tombstone',
      new DeletedFinalStateUnknown('ns/foo', thing('ns/foo', 1)),
      { namespace: 'ns', name: 'foo' },
    ],
    [
      'a tombstone with a key alone',
      new DeletedFinalStateUnknown<Thing>('ns/foo', undefined),
      { namespace: 'ns', name: 'foo' },
    ],
    ['an empty tombstone', new DeletedFinalStateUnknown<Thing>('', undefined), { namespace: '', name: '' }],
  ])('[S167] [S168] %s that was deleted has a key and a name', (_, deleted, name) => {
    const key = itemKey(plainForm.accessor, undefined)(deleted);
    expect(key).toBe(formatKey(name.namespace, name.name));
    expect(splitKey(key)).toEqual(name);
  });
});

import { describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { informerRig } from '../../../test/support/informer-rig.js';
import { informerForms } from '../../../test/support/informers.js';
import { type ChannelMessage, channels, listen } from '../../observe/channels.js';
import { schedulerOf } from '../../time/scheduler.js';
import type { HandlerSubscription, Subscription } from './subscription.js';

describe.each(informerForms)('handlers of an informer of $name', (form) => {
  const { setup } = informerRig(form);

  it('[S179] handlers that are added while the informer starts miss no object', async () => {
    const { clock, source, informer, stop, log } = setup();
    for (let i = 0; i < 50; i++) source.add(thing(`p${i}`));
    const logs = [log()];
    const running = informer.run(stop.signal);
    for (let i = 0; i < 10; i++) {
      logs.push(log());
      await clock.yield();
    }
    await clock.runUntilIdle();
    for (const { seen } of logs) expect(new Set(seen).size).toBe(50);
    for (const { seen } of logs) expect(seen).toHaveLength(50);
    stop.abort();
    await running;
  });

  it('[S184] [S185] [S186] [S187] [S191] [S192] handlers are added and removed independently', async () => {
    const { clock, source, informer, start, end, log } = setup();
    const seen: string[] = [];
    const handler = { onAdd: (object: { metadata: { name: string } }) => void seen.push(object.metadata.name) };
    const first = informer.addEventHandler(handler);
    const second = informer.addEventHandler(handler);
    const other = setup();
    const foreign = other.log().subscription;
    source.add(thing('a'));
    await start();
    expect(seen).toEqual(['a', 'a']);
    await first.remove();
    await first.remove();
    await foreign.remove();
    source.add(thing('b'));
    await clock.runUntilIdle();
    expect(seen).toEqual(['a', 'a', 'b']);
    const third = log();
    await end();
    await second.remove();
    await third.subscription.remove();
    expect(() => log()).toThrow('was not added to shared informer because it has stopped already');
  });

  it('[S188] a hundred handlers are added and removed during ten thousand events, and the informer stops half-way', async () => {
    const { clock, source, informer, start, end } = setup();
    for (let i = 0; i < 20; i++) source.add(thing(`p${i}`, 0));
    await start();
    const refusals: unknown[] = [];
    const problems: string[] = [];
    const play = async () => {
      const told = new Map<string, number>();
      for (;;) {
        let subscription: Subscription;
        let removed = false;
        told.clear();
        try {
          subscription = informer.subscribe(({ type, key, object }) => {
            const value = Number(object.value);
            if (removed) problems.push(`${key} after the removal`);
            if ((type === 'add') === told.has(key)) problems.push(`${type} of ${key}`);
            if (type === 'update' && value !== Number(told.get(key)) + 1) problems.push(`${key} jumped to ${value}`);
            told.set(key, value);
          });
        } catch (error) {
          refusals.push(error);
          return;
        }
        for (let turns = Math.floor(clock.random() * 20); turns >= 0; turns--) await clock.yield();
        await subscription.remove();
        removed = true;
      }
    };
    const players = Array.from({ length: 100 }, play);
    for (let i = 0; i < 10_000; i++) {
      source.modify(thing(`p${i % 20}`, 1 + Math.floor(i / 20)));
      if (i % 20 === 0) await clock.yield();
      if (i === 5_000) await end();
    }
    await Promise.all([...players, clock.runUntilIdle()]);
    expect(problems).toEqual([]);
    expect(refusals).toHaveLength(100);
    for (const refusal of refusals)
      expect(String(refusal)).toMatch(/was not added to shared informer because it has stopped already$/);
  });

  it('[S193] a handler that is added later has synced when its own calls have ended', async () => {
    const { clock, source, informer, start, end } = setup();
    source.add(thing('pod1'));
    let release: (() => void) | undefined;
    const first = informer.subscribe(() => {});
    expect(first.hasSynced).toBe(false);
    await start();
    expect(first.hasSynced).toBe(true);
    const late = informer.subscribe(() => new Promise<void>((resolve) => (release = resolve)));
    expect(late.hasSynced).toBe(false);
    await clock.runUntilIdle();
    expect(late.hasSynced).toBe(false);
    let synced = false;
    void late.whenSynced().then(() => {
      synced = true;
    });
    release?.();
    await clock.runUntilIdle();
    expect([late.hasSynced, synced]).toEqual([true, true]);
    await end();
    release?.();
  });

  it('a handler that is added later gets the cached objects as its first list', async () => {
    const { clock, source, start, end, log } = setup();
    source.add(thing('a', 1));
    await start();
    source.modify(thing('a', 2));
    source.add(thing('b', 1));
    await clock.runUntilIdle();
    const { seen } = log();
    source.add(thing('c', 1));
    await clock.runUntilIdle();
    expect(seen).toEqual(['add a=2 initial', 'add b=1 initial', 'add c=1']);
    await end();
  });

  it('a handler that is added while a list is applied gets each object once', async () => {
    const { clock, source, informer, start, end, log } = setup();
    // One item per turn, so that the list is applied over many turns with calls of handlers in between.
    schedulerOf(clock, { sliceItems: 1 });
    for (let i = 0; i < 5; i++) source.add(thing(`p${i}`, 1));
    const joined: ReturnType<typeof log>[] = [];
    const told: string[] = [];
    informer.subscribe((event) => {
      told.push(event.key);
      if (event.key === 'p1') joined.push(log());
    });
    await start();
    const [first] = joined;
    expect(first?.seen.splice(0)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4'].map((key) => `add ${key}=1 initial`));
    for (let i = 0; i < 5; i++) source.modify(thing(`p${i}`, 2), { dropWatch: true });
    source.resetWatch();
    await clock.until(() => told.length === 10);
    await clock.runUntilIdle();
    expect(first?.seen).toEqual(['p0', 'p1', 'p2', 'p3', 'p4'].map((key) => `update ${key}=1>2`));
    expect(joined[1]?.seen).toEqual(['p0', 'p1', 'p2', 'p3', 'p4'].map((key) => `add ${key}=2 initial`));
    expect(joined.map(({ subscription }) => subscription.hasSynced)).toEqual([true, true]);
    await end();
  });

  it('[S195] [S196] an error of a handler is reported, the event counts as delivered, and other handlers are not affected', async () => {
    const { clock, source, informer, errors, start, end, log } = setup();
    for (let i = 0; i < 5; i++) source.add(thing(`p${i}`));
    const throwing = informer.subscribe(
      () => {
        throw new Error('sync');
      },
      { name: 'bad' },
    );
    const rejecting = informer.subscribe(async () => Promise.reject(new Error('async')), { name: 'worse' });
    const stopping = informer.subscribe(
      () => {
        throw new Error('once');
      },
      { name: 'last', onError: 'stop' },
    );
    const { seen } = log();
    const began = clock.monotonicNow();
    await start();
    await clock.runUntilIdle();
    expect(seen).toHaveLength(5);
    expect(informer.hasSynced).toBe(true);
    // client-go waits a second after each error; here the next event follows at once.
    expect(clock.monotonicNow()).toBe(began);
    expect(errors.filter((text) => text === 'bad: sync')).toHaveLength(5);
    expect(errors.filter((text) => text === 'worse: async')).toHaveLength(5);
    expect(errors.filter((text) => text === 'last: once')).toHaveLength(1);
    expect([throwing.hasSynced, rejecting.hasSynced, stopping.hasSynced]).toEqual([true, true, false]);
    await end();
  });

  it('[S197] [S198] remove() returns at once; its promise waits for the running call', async () => {
    const { clock, source, informer, start, end } = setup();
    let release: (() => void) | undefined;
    let calls = 0;
    const subscription = informer.subscribe(() => {
      calls++;
      return new Promise<void>((resolve) => (release = resolve));
    });
    source.add(thing('a'));
    source.add(thing('b'));
    await start();
    expect(calls).toBe(1);
    let removed = false;
    const removal = subscription.remove().then(() => {
      removed = true;
    });
    await clock.runUntilIdle();
    expect(removed).toBe(false);
    // Its waiting events are dropped at once, not when the running call ends.
    expect((subscription as HandlerSubscription<object, Thing>).pending).toBe(0);
    release?.();
    await removal;
    source.add(thing('c'));
    await clock.runUntilIdle();
    expect(calls).toBe(1);
    await end();
  });

  it.each([
    ['of an informer that is never run', ['add', 'remove']],
    ['that joined a running informer', ['run', 'add', 'remove']],
    ['that joined before the informer ran', ['add', 'run', 'remove']],
    ['of an informer that has stopped', ['add', 'run', 'stop', 'remove']],
  ])('[S199] a handler %s can be removed, and gets no further event', async (_, steps) => {
    const { clock, source, informer, start, end } = setup();
    source.add(thing('a', 1));
    const seen: string[] = [];
    let subscription: Subscription | undefined;
    for (const step of steps) {
      if (step === 'add') subscription = informer.subscribe(({ key }) => void seen.push(key));
      else if (step === 'run') await start();
      else if (step === 'stop') await end();
      else await subscription?.remove();
      await clock.runUntilIdle();
    }
    expect(seen).toEqual(steps.includes('run') ? ['a'] : []);
    source.add(thing('b', 1));
    await clock.runUntilIdle();
    expect(seen).not.toContain('b');
    await end();
  });

  it('[S202] [S203] [S205] addEventHandler with missing callbacks, isInInitialList and finalStateKnown', async () => {
    const { clock, source, informer, start, end } = setup();
    const seen: unknown[] = [];
    informer.addEventHandler({});
    informer.addEventHandler({
      onAdd: (object, { isInInitialList }) => void seen.push(['add', object.metadata.name, isInInitialList]),
      onUpdate: (old, object, { isResync }) => void seen.push(['update', old.value, object.value, isResync]),
      onDelete: (object, { finalStateKnown }) => void seen.push(['delete', object.metadata.name, finalStateKnown]),
    });
    source.add(thing('a', 1));
    await start();
    source.modify(thing('a', 2));
    source.add(thing('b', 1));
    source.delete(thing('a', 2));
    await clock.runUntilIdle();
    source.delete(thing('b', 1), { dropWatch: true });
    source.resetWatch();
    await clock.advance(10_000);
    // No handler got an addition of this object, so no handler gets its deletion.
    source.add(thing('ghost', 1), { dropWatch: true });
    source.delete(thing('ghost', 1));
    await clock.runUntilIdle();
    expect(seen).toEqual([
      ['add', 'a', true],
      ['update', 1, 2, false],
      ['add', 'b', false],
      ['delete', 'a', true],
      ['delete', 'b', false],
    ]);
    expect(() => informer.addEventHandler({ onAdd: 1 as never })).toThrow('onAdd must be a function, got 1');
    await end();
  });

  it('[S204] a filter on the old and the new state shows objects that enter or leave a selection', async () => {
    const { clock, source, informer, start, end } = setup();
    const seen: string[] = [];
    const passes = (object: { readonly value?: unknown }) => Number(object.value) > 10;
    informer.subscribe(
      (event) => {
        const { value } = event.object;
        if (event.type === 'add') seen.push(`add ${value} ${event.isInInitialList}`);
        else if (event.type === 'delete') seen.push(`delete ${value} ${event.finalStateKnown}`);
        else if (!passes(event.old)) seen.push(`enter ${value}`);
        else if (!passes(event.object)) seen.push(`leave ${event.old.value}`);
        else seen.push(`update ${event.old.value} ${value}`);
      },
      { filter: (event) => passes(event.object) || (event.type === 'update' && passes(event.old)) },
    );
    source.add(thing('a', 1));
    source.add(thing('b', 20));
    await start();
    for (const value of [5, 11, 12, 3]) source.modify(thing('a', value));
    source.delete(thing('a', 3));
    source.delete(thing('b', 20));
    await clock.runUntilIdle();
    expect(seen).toEqual(['add 20 true', 'enter 11', 'update 11 12', 'leave 12', 'delete 20 true']);
    await end();
  });

  it('enqueueInto adds keys, or the results of items, with the cause of the event', async () => {
    const { clock, source, informer, start, end } = setup();
    const keys: string[] = [];
    informer.enqueueInto({ add: (key: string) => void keys.push(key) });
    const values: number[] = [];
    informer.enqueueInto(
      { add: (item: number) => void values.push(item) },
      { items: (event) => [Number(event.object.value)], filter: (event) => event.type !== 'delete' },
    );
    source.add(thing('ns/a', 1));
    await start();
    source.modify(thing('ns/a', 2));
    source.delete(thing('ns/a', 2));
    await clock.runUntilIdle();
    expect(keys).toEqual(['ns/a', 'ns/a', 'ns/a']);
    expect(values).toEqual([1, 2]);
    await end();
  });

  it('no handler is called for the deletion of an object that was never cached', async () => {
    const { clock, source, start, end, log } = setup();
    const { seen } = log();
    await start();
    source.add(thing('ghost', 1), { dropWatch: true });
    source.delete(thing('ghost', 1));
    await clock.runUntilIdle();
    expect(seen).toEqual([]);
    await end();
  });

  it('publishes the number of waiting events and their lag', async () => {
    const { clock, source, informer, start, end } = setup();
    const lags: number[] = [];
    const pending: number[] = [];
    const undos = [
      listen(channels.handlerLag, ({ lagMs }) => lags.push(lagMs)),
      listen(channels.handlerPending, (message) => pending.push(message.pending)),
    ];
    informer.subscribe(() => clock.sleep(100));
    source.add(thing('a', 1));
    await start();
    source.modify(thing('a', 2));
    source.modify(thing('a', 3));
    await clock.advance(300);
    for (const undo of undos) undo();
    expect(lags).toEqual([0, 100, 200]);
    expect(Math.max(...pending)).toBeGreaterThanOrEqual(0);
    await end();
  });

  it('publishes each change of the store, and each call of a handler when it has ended', async () => {
    const { clock, source, informer, start, end } = setup();
    const changes: string[] = [];
    const calls: ChannelMessage<'handlerCall'>[] = [];
    const undos = [
      listen(channels.storeChange, ({ event: { type, key, facts } }) =>
        changes.push(`${type} ${key} ${facts.resourceVersion}`),
      ),
      listen(channels.handlerCall, (call) => calls.push(call)),
    ];
    source.add(thing('a', 1));
    await start();
    const failing = () => {
      throw new Error('no');
    };
    const slow = informer.subscribe(() => clock.sleep(100), { name: 'slow' });
    informer.subscribe(failing, { name: 'failing', filter: ({ type }) => type !== 'add' });
    await clock.advance(1000);
    calls.length = 0;
    const began = clock.now();
    source.modify(thing('a', 2));
    source.delete(thing('a', 3));
    await clock.advance(1000);
    for (const undo of undos) undo();
    source.add(thing('b', 4));
    await clock.advance(1000);
    expect(changes.map((change) => change.split(' ')[0])).toEqual(['add', 'update', 'delete']);
    const of = (name: string) => calls.filter(({ handler }) => handler === name);
    expect(
      of('slow').map(({ event, startedAt, lagMs, busyMs, durationMs }) => ({
        type: event.type,
        startedAt,
        lagMs,
        busyMs,
        durationMs,
      })),
    ).toEqual([
      { type: 'update', startedAt: began, lagMs: 0, busyMs: 0, durationMs: 100 },
      { type: 'delete', startedAt: began + 100, lagMs: 100, busyMs: 0, durationMs: 100 },
    ]);
    expect(of('slow').every(({ subscription }) => (subscription as unknown) === slow)).toBe(true);
    expect(of('failing').map(({ error }) => (error as Error).message)).toEqual(['no', 'no']);
    await end();
  });
});

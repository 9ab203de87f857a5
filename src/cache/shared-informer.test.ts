import { afterEach, describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../test/support/forms.js';
import { type InformerTestOptions, informerForms } from '../../test/support/informers.js';
import { channels, listen } from '../observe/channels.js';
import { FakeControllerSource, type FakeControllerSourceOptions } from '../testing/fake-controller-source.js';
import { FakeClock } from '../time/fake-clock.js';
import { filteringHandler } from './event-handler.js';
import { byLabel } from './index-functions.js';
import type { InformerEvent } from './informer-event.js';
import type { SubscribeOptions } from './listener.js';
import type { SharedIndexInformer } from './shared-informer.js';

const clocks: FakeClock[] = [];
afterEach(() => {
  for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
});

describe.each(informerForms)('SharedInformer of $name', (form) => {
  function setup(options: InformerTestOptions & { source?: FakeControllerSourceOptions } = {}) {
    const clock = new FakeClock({ seed: 5 });
    clocks.push(clock);
    const source = new FakeControllerSource<Thing>(options.source);
    const errors: string[] = [];
    const { source: _, ...rest } = options;
    const informer = form.make(source, clock, {
      onError: (error, { subscription, reason }) => errors.push([subscription ?? reason, error.message].join(': ')),
      ...rest,
    });
    const stop = new AbortController();
    let running: Promise<void> | undefined;
    const start = async () => {
      running = informer.run(stop.signal);
      await clock.runUntilIdle();
    };
    const end = async () => {
      stop.abort();
      await running;
    };
    const log = (options?: SubscribeOptions<Thing>) => {
      const seen: string[] = [];
      const subscription = informer.subscribe((event) => void seen.push(show(event)), options);
      return { seen, subscription };
    };
    return { clock, source, errors, informer, stop, start, end, log };
  }

  const show = (event: InformerEvent<Thing>): string => {
    const { name } = event.facts;
    const value = event.object.value ?? '';
    if (event.type === 'add') return `add ${name}=${value}${event.isInInitialList ? ' initial' : ''}`;
    if (event.type === 'update')
      return `update ${name}=${event.old.value ?? ''}>${value}${event.isResync ? ' resync' : ''}`;
    return `delete ${name}=${value}${event.finalStateKnown ? '' : ' unknown'}`;
  };

  it('[S175] indexes before the start and on the running informer', async () => {
    const { clock, source, informer, start, end } = setup();
    const byValue = informer.addIndex('value', (object) => [String(object.value)]);
    source.add(thing('ns/one', 'a'));
    source.add(thing('ns/two', 'b'));
    await start();
    expect(byValue.keys('a')).toEqual(['ns/one']);
    source.add(thing('ns/three', 'b'));
    await clock.runUntilIdle();
    expect(byValue.keys('b')).toEqual(['ns/three', 'ns/two']);
    expect(byValue.list('a').map((object) => object.metadata.name)).toEqual(['one']);
    expect(byValue.values().sort()).toEqual(['a', 'b']);
    const late = informer.addIndex('late', ['value']);
    expect(() => late.count('b')).toThrow('still being built');
    await late.whenReady();
    expect(late.count('b')).toBe(2);
    expect(() => informer.addIndex('late', ['value'])).toThrow('indexer conflict');
    await end();
    expect(() => informer.addIndex('more', ['value'])).toThrow('has stopped');
  });

  it('an index function that throws is reported, and the object is in the cache all the same', async () => {
    const { source, informer, errors, start, end } = setup();
    const index = informer.addIndex('picky', (object) => {
      if (object.value === 'bad') throw new Error('cannot');
      return [object.value === 'none' ? (undefined as never) : 'ok'];
    });
    source.add(thing('a', 'bad'));
    source.add(thing('b', 'good'));
    source.add(thing('c', 'none'));
    await start();
    expect(informer.lister.keys().sort()).toEqual(['a', 'b', 'c']);
    expect(index.keys('ok')).toEqual(['b']);
    expect(errors).toEqual([
      expect.stringContaining('the index picky failed on a: cannot'),
      expect.stringContaining('the index picky failed on c: an index function returns a list of strings'),
    ]);
    await end();
  });

  it('[S176] each handler is shown everything in its own period', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 1000 });
    source.add(thing('pod1'));
    source.add(thing('pod2'));
    const never = log({ resyncMs: 0 });
    const every2 = log({ resyncMs: 2000 });
    const every3 = log({ resyncMs: 3000 });
    await start();
    for (const { seen } of [never, every2, every3])
      expect(seen.splice(0).sort()).toEqual(['add pod1= initial', 'add pod2= initial']);
    await clock.advance(2000);
    expect([never.seen.length, every2.seen.splice(0).length, every3.seen.length]).toEqual([0, 2, 0]);
    await clock.advance(1000);
    expect([never.seen.length, every2.seen.length, every3.seen.splice(0).length]).toEqual([0, 0, 2]);
    await clock.advance(1000);
    expect(every2.seen).toEqual(['update pod1=> resync', 'update pod2=> resync']);
    await end();
  });

  it('[S177] the same when it starts a second after the handlers joined', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 1000 });
    source.add(thing('pod1'));
    source.add(thing('pod2'));
    const never = log({ resyncMs: 0 });
    const every2 = log({ resyncMs: 2000 });
    const every3 = log({ resyncMs: 3000 });
    await clock.advance(1000);
    await start();
    for (const { seen } of [never, every2, every3]) expect(seen.splice(0)).toHaveLength(2);
    // Periods count from when a handler joined, looks from the start: due at 2 s and 3 s, met at 2 s and 3 s.
    await clock.advance(1000);
    expect([never.seen.length, every2.seen.splice(0).length, every3.seen.length]).toEqual([0, 2, 0]);
    await clock.advance(1000);
    expect([never.seen.length, every2.seen.length, every3.seen.splice(0).length]).toEqual([0, 0, 2]);
    await end();
  });

  it('[S178] the informer looks as often as the most eager handler wants, before it starts', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 43_200_000 });
    source.add(thing('a'));
    const minute = log({ resyncMs: 60_000 });
    const fast = log({ resyncMs: 5_000 });
    const tooFast = log({ resyncMs: 1 });
    await start();
    for (const { seen } of [minute, fast, tooFast]) seen.length = 0;
    await clock.advance(10_000);
    expect([minute.seen.length, fast.seen.length, tooFast.seen.length]).toEqual([0, 2, 10]);
    const late = log({ resyncMs: 500 });
    await clock.runUntilIdle();
    late.seen.length = 0;
    await clock.advance(4_000);
    expect(late.seen.length).toBeLessThanOrEqual(4);
    await end();
  });

  it('[S179] [S182] handlers that are added while it starts miss nothing', async () => {
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

  it('[S180] after a disruption: what changed for all, everything for those whose resync is due', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 1000 });
    source.add(thing('pod1', 1));
    source.add(thing('pod2', 1));
    const plain = log({ resyncMs: 0 });
    const resyncing = log({ resyncMs: 1000 });
    await start();
    await clock.advance(500);
    plain.seen.length = 0;
    resyncing.seen.length = 0;
    source.add(thing('pod3', 1), { dropWatch: true });
    source.modify(thing('pod2', 2), { dropWatch: true });
    await clock.advance(600);
    plain.seen.length = 0;
    resyncing.seen.length = 0;
    source.resetWatch();
    await clock.until(() => plain.seen.length > 0, { withinMs: 10_000 });
    await clock.runUntilIdle();
    expect(plain.seen).toEqual(['update pod2=1>2', 'add pod3=1']);
    expect(resyncing.seen).toEqual(expect.arrayContaining(['update pod2=1>2', 'add pod3=1']));
    await end();
  });

  it('[S181] what fails is told, and tried again', async () => {
    const { clock, informer, errors, stop } = setup({ source: { watchList: 'refuse' }, useWatchList: true });
    const failing = informer as unknown as { readonly status: unknown };
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    expect(errors.some((text) => text.startsWith('stream:'))).toBe(true);
    expect(failing.status).toMatchObject({ state: 'watching', lastError: expect.any(Error) });
    expect(informer.hasSynced).toBe(true);
    stop.abort();
    await running;
  });

  it('[S184] [S185] [S186] [S187] [S191] [S192] handlers come and go, each for itself', async () => {
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

  it('[S188] a hundred handlers come and go while events flow', async () => {
    const { clock, source, start, end, log } = setup();
    await start();
    const logs = Array.from({ length: 20 }, () => log());
    for (let i = 0; i < 200; i++) {
      source.add(thing(`p${i}`));
      const gone = logs[Math.floor(clock.random() * logs.length)];
      await gone?.subscription.remove();
      const joined = log();
      logs.push(joined);
      if (i % 10 === 0) await clock.runUntilIdle();
    }
    await clock.runUntilIdle();
    const last = logs.at(-1);
    expect(last?.seen).toHaveLength(200);
    expect(last?.subscription.hasSynced).toBe(true);
    await end();
  });

  it('[S189] [S190] started, then stopped, and never again', async () => {
    const { informer, start, end, stop } = setup();
    expect([informer.isStarted, informer.isStopped, informer.status.state]).toEqual([false, false, 'idle']);
    await start();
    expect([informer.isStarted, informer.isStopped, informer.status.state]).toEqual([true, false, 'watching']);
    await end();
    expect([informer.isStarted, informer.isStopped, informer.status.state]).toEqual([true, true, 'stopped']);
    await expect(informer.run(stop.signal)).rejects.toThrow('was started before');
  });

  it('[S193] a late handler has its own sync, when its calls have ended', async () => {
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

  it('[S194] an informer that was never run leaves nothing, whatever was done to it', async () => {
    const { log } = setup();
    const { subscription } = log();
    await subscription.remove();
    expect(subscription.hasSynced).toBe(false);
  });

  it('[S195] [S196] a handler that throws is reported each time, counts as delivered, and disturbs nobody', async () => {
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
    await start();
    await clock.runUntilIdle();
    expect(seen).toHaveLength(5);
    expect(errors.filter((text) => text === 'bad: sync')).toHaveLength(5);
    expect(errors.filter((text) => text === 'worse: async')).toHaveLength(5);
    expect(errors.filter((text) => text === 'last: once')).toHaveLength(1);
    expect([throwing.hasSynced, rejecting.hasSynced, stopping.hasSynced]).toEqual([true, true, false]);
    await end();
  });

  it('[S197] [S198] [S199] removal returns at once; its promise waits for the call under way', async () => {
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
    release?.();
    await removal;
    source.add(thing('c'));
    await clock.runUntilIdle();
    expect(calls).toBe(1);
    await end();
  });

  it('[S202] [S203] [S205] handlers of objects, with missing callbacks, flags and deletions of both kinds', async () => {
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

  it('[S204] a filtering handler sees what comes into and goes out of its selection', async () => {
    const { clock, source, informer, start, end } = setup();
    const seen: string[] = [];
    informer.addEventHandler(
      filteringHandler<Thing>({
        filter: (object) => Number(object.value) > 10,
        handler: {
          onAdd: (object, event) => void seen.push(`add ${object.value} ${event.isInInitialList}`),
          onUpdate: (old, object) => void seen.push(`update ${old.value} ${object.value}`),
          onDelete: (object, event) => void seen.push(`delete ${object.value} ${event.finalStateKnown}`),
        },
      }),
    );
    source.add(thing('a', 1));
    source.add(thing('b', 20));
    await start();
    for (const value of [5, 11, 12, 3]) source.modify(thing('a', value));
    source.delete(thing('a', 3));
    source.delete(thing('b', 20));
    await clock.runUntilIdle();
    expect(seen).toEqual(['add 20 true', 'add 11 false', 'update 11 12', 'delete 12 true', 'delete 20 true']);
    await end();
  });

  it('[S206] [S207] [S208] [S209] indexes and options are typed, and checked', async () => {
    const { informer, source, start, end } = setup();
    const typed: SharedIndexInformer<Thing> = informer;
    typed.addIndex('label', byLabel('app'));
    // @ts-expect-error there is no such field
    typed.addIndex('typo', ['valeu']);
    expect(() => informer.subscribe(() => {}, { resyncMs: -1 })).toThrow('resyncMs must be a number');
    expect(() => informer.subscribe(() => {}, { onError: 'ignore' as never })).toThrow(
      "onError must be one of 'continue', 'stop'",
    );
    expect(() => informer.subscribe(undefined as never)).toThrow('listener must be a function');
    expect(() => informer.addIndex('x', 7 as never)).toThrow(TypeError);
    source.add(thing('ns/a', 1, { labels: { app: 'web' } }));
    await start();
    expect(informer.lister.list({ labelSelector: 'app=web' })).toHaveLength(1);
    await end();
  });

  it('the lister reads by key, namespace and selector, and parses only what it must', async () => {
    const { clock, source, informer, start, end } = setup();
    source.add(thing('ns1/a', 1, { labels: { app: 'web', tier: 'front' } }));
    source.add(thing('ns1/b', 2, { labels: { app: 'web' } }));
    source.add(thing('ns2/c', 3, { labels: { app: 'db' } }));
    source.add(thing('d', 4));
    await start();
    const { lister } = informer;
    const names = (objects: readonly { metadata: { name: string } }[]) =>
      objects.map(({ metadata }) => metadata.name).sort();
    expect(lister.get('ns1/a')?.value).toBe(1);
    expect(lister.get({ namespace: 'ns2', name: 'c' })?.value).toBe(3);
    expect(lister.get('nope')).toBeUndefined();
    expect(() => lister.getOrThrow('ns1/x')).toThrow('things.example.com "ns1/x" not found');
    expect(names(lister.list())).toEqual(['a', 'b', 'c', 'd']);
    expect(names(lister.list({ namespace: 'ns1' }))).toEqual(['a', 'b']);
    expect(names(lister.list({ labelSelector: 'app=web' }))).toEqual(['a', 'b']);
    expect(names(lister.list({ labelSelector: { matchLabels: { app: 'web' } }, namespace: 'ns1' }))).toEqual([
      'a',
      'b',
    ]);
    expect(lister.list({ labelSelector: 'app=web', namespace: 'ns2' })).toEqual([]);
    informer.addIndex('app', byLabel('app'));
    await clock.runUntilIdle();
    expect(names(lister.list({ labelSelector: 'app=web,tier' }))).toEqual(['a']);
    expect(lister.list({ labelSelector: 'app=web', namespace: 'ns2' })).toEqual([]);
    expect(lister.keys({ namespace: 'ns1' }).sort()).toEqual(['ns1/a', 'ns1/b']);
    expect(lister.keys({ labelSelector: '!app' })).toEqual(['d']);
    expect([
      lister.count(),
      lister.count({ namespace: 'ns1' }),
      lister.count({ labelSelector: 'app in (db)' }),
    ]).toEqual([4, 2, 1]);
    expect(
      [...lister.entries({ namespace: 'ns2' })].map((entry) => [
        entry.key,
        entry.facts.labels,
        JSON.parse(entry.json()).value,
      ]),
    ).toEqual([['ns2/c', { app: 'db' }, 3]]);
    const scanned: string[] = [];
    for await (const entry of lister.scan()) scanned.push(entry.key);
    expect(scanned.sort()).toEqual(['d', 'ns1/a', 'ns1/b', 'ns2/c']);
    await expect(lister.scan({ signal: AbortSignal.abort(new Error('no')) }).next()).rejects.toThrow('no');
    await end();
  });

  it('[S151] lists by selector out of many, and nothing for a selector that selects nothing', async () => {
    const { source, informer, start, end } = setup();
    for (let i = 0; i < 2000; i++) source.add(thing(`ns/p${i}`, i, { labels: { match: String(i % 10 === 0) } }));
    await start();
    expect(informer.lister.list({ labelSelector: 'match=true' })).toHaveLength(200);
    expect(informer.lister.list({ labelSelector: '' })).toHaveLength(2000);
    expect(informer.lister.list({ labelSelector: 'match=maybe' })).toEqual([]);
    expect(informer.lister.count({ labelSelector: 'match' })).toBe(2000);
    await end();
  });

  it('enqueues keys, what items makes of an event, and the cause of it', async () => {
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

  it('a slow handler that coalesces skips what is outdated', async () => {
    const { clock, source, informer, start, end } = setup();
    const seen: string[] = [];
    let release: () => void = () => {};
    informer.subscribe(
      (event) => {
        seen.push(show(event));
        return new Promise<void>((resolve) => (release = resolve));
      },
      { coalesce: true },
    );
    const drain = async () => {
      for (let before = -1; before !== seen.length; ) {
        before = seen.length;
        release();
        await clock.runUntilIdle();
      }
    };
    source.add(thing('a', 1));
    await start();
    for (let i = 2; i <= 5; i++) source.modify(thing('a', i));
    source.add(thing('b', 1));
    source.delete(thing('b', 1));
    source.add(thing('c', 1));
    source.modify(thing('c', 2));
    await clock.runUntilIdle();
    await drain();
    expect(seen).toEqual(['add a=1 initial', 'update a=1>5', 'add c=2']);
    source.modify(thing('a', 6));
    await clock.runUntilIdle();
    source.modify(thing('c', 3));
    source.delete(thing('c', 3));
    source.add(thing('c', 9));
    source.modify(thing('a', 7));
    source.delete(thing('a', 7));
    await clock.runUntilIdle();
    await drain();
    expect(seen.slice(3)).toEqual(['update a=5>6', 'update c=2>9', 'delete a=7']);
    await end();
  });

  it('a bounded handler holds the informer back until it has caught up', async () => {
    const { clock, source, informer, start, end } = setup();
    let release: () => void = () => {};
    let calls = 0;
    informer.subscribe(
      () => {
        calls++;
        return new Promise<void>((resolve) => (release = resolve));
      },
      { maxPending: 2 },
    );
    await start();
    for (let i = 0; i < 10; i++) {
      source.add(thing(`p${i}`, i));
      await clock.runUntilIdle();
    }
    expect(informer.lister.count()).toBeLessThan(6);
    for (let i = 0; i < 40 && calls < 10; i++) {
      release();
      await clock.runUntilIdle();
    }
    expect(calls).toBe(10);
    expect(informer.lister.count()).toBe(10);
    release();
    await end();
  });

  it('events() yields what happens, with a mark behind the initial list, and ends on abort', async () => {
    const { clock, source, informer, start, end } = setup();
    source.add(thing('a', 1));
    source.add(thing('b', 1));
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of informer.events({ signal: stop.signal })) {
        seen.push(event.type === 'synced' ? `synced ${event.resourceVersion}` : show(event));
      }
      seen.push('end');
    })();
    await start();
    source.modify(thing('b', 2));
    await clock.runUntilIdle();
    expect(seen).toEqual(['add a=1 initial', 'add b=1 initial', 'synced 2', 'update b=1>2']);
    stop.abort();
    await reading;
    expect(seen.at(-1)).toBe('end');
    for await (const event of informer.events()) if (event.type === 'synced') break;
    await end();
  });

  it('waits for a version, and says what it waited for when that takes too long', async () => {
    const { clock, source, informer, start, end } = setup();
    source.add(thing('a', 1));
    await start();
    await informer.waitForResourceVersion('1');
    let reached = false;
    const waiting = informer.waitForResourceVersion('3').then(() => {
      reached = true;
    });
    source.add(thing('b', 1));
    await clock.runUntilIdle();
    expect(reached).toBe(false);
    source.add(thing('c', 1));
    await clock.runUntilIdle();
    await waiting;
    const late = informer.waitForResourceVersion('99', { timeoutMs: 100 });
    late.catch(() => {});
    await clock.advance(100);
    await expect(late).rejects.toThrow(/waiting for things.* to reach version 99 took more than 100 ms/);
    const never = informer.waitForResourceVersion('99', { timeoutMs: 60_000 });
    never.catch(() => {});
    await end();
    await expect(never).rejects.toThrow('was stopped before it had that version');
    await expect(informer.waitForResourceVersion('99')).rejects.toThrow('has stopped short of 99');
    expect(clock.pendingTimers).toEqual([]);
  });

  it('tells its state as it changes', async () => {
    const { informer, start, end } = setup();
    const states: string[] = [];
    const undo = informer.onStatus(({ state }) => states.push(state));
    informer.onStatus(() => {
      throw new Error('a listener that throws');
    });
    await start();
    await end();
    expect(states.filter((state, i) => state !== states[i - 1])).toEqual(['listing', 'watching', 'stopped']);
    undo[Symbol.dispose]();
  });

  it('whenSynced resolves when synced, and rejects when that will never be', async () => {
    const good = setup();
    const waiting = good.informer.whenSynced();
    await good.start();
    await waiting;
    await good.end();
    const bad = setup();
    const never = bad.informer.whenSynced();
    never.catch(() => {});
    bad.stop.abort();
    await bad.informer.run(bad.stop.signal);
    await expect(never).rejects.toThrow('was stopped before it had synced');
    const impatient = setup();
    const stop = new AbortController();
    const aborted = impatient.informer.whenSynced({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
  });

  it('the deletion of what was never seen is not told', async () => {
    const { clock, source, start, end, log } = setup();
    const { seen } = log();
    await start();
    source.add(thing('ghost', 1), { dropWatch: true });
    source.delete(thing('ghost', 1));
    await clock.runUntilIdle();
    expect(seen).toEqual([]);
    await end();
  });

  it('an event stays readable for as long as somebody holds it', async () => {
    const { clock, source, informer, start, end } = setup();
    const kept: InformerEvent<Thing>[] = [];
    informer.subscribe((event) => void kept.push(event));
    source.add(thing('a', 0));
    await start();
    for (let i = 1; i <= 50; i++) source.modify(thing('a', i));
    await clock.runUntilIdle();
    await end();
    expect(kept.map((event) => event.object.value)).toEqual(Array.from({ length: 51 }, (_, i) => i));
    expect(kept.slice(1).map((event) => event.type === 'update' && event.old.value)).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    );
    expect(kept[3]?.object).toBe(kept[3]?.object);
  });

  it('[S218] the mutation detector names the object and the path', async () => {
    const { clock, source, informer, errors, start, end } = setup({ mutationDetector: 'check' });
    source.add(thing('a', 1, { labels: { app: 'web' } }));
    await start();
    const object = informer.lister.getOrThrow('a') as { metadata: { labels: Record<string, string> } };
    await clock.advance(1000);
    expect(errors).toEqual([]);
    object.metadata.labels['app'] = 'changed';
    await clock.advance(1000);
    expect(errors).toEqual([expect.stringContaining('the cached object a was changed at .metadata.labels.app')]);
    await end();
    const frozen = setup({ mutationDetector: 'freeze' });
    frozen.source.add(thing('a', 1, { labels: { app: 'web' } }));
    await frozen.start();
    const cold = frozen.informer.lister.getOrThrow('a') as { metadata: { labels: Record<string, string> } };
    expect(() => {
      cold.metadata.labels['app'] = 'changed';
    }).toThrow(TypeError);
    await frozen.end();
  });

  it('[S57] a cache that has missed something is found out, and says what', async () => {
    const { clock, source, informer, errors, start, end } = setup({ consistencyCheckMs: 60_000 });
    expect(await informer.checkConsistency()).toMatchObject({ outcome: 'skipped' });
    source.add(thing('a', 1));
    source.add(thing('b', 1));
    await start();
    await clock.advance(200_000);
    expect(await informer.checkConsistency()).toEqual({ outcome: 'consistent', compared: 2 });
    expect(errors.filter((text) => text.includes('differs'))).toEqual([]);
    source.add(thing('missed', 1), { dropWatch: true });
    source.delete(thing('a', 1), { dropWatch: true });
    source.modify(thing('b', 2), { dropWatch: true });
    source.bookmark();
    await clock.advance(60_000);
    expect(await informer.checkConsistency()).toMatchObject({
      outcome: 'inconsistent',
      missing: ['missed'],
      extra: ['a'],
      different: [{ key: 'b' }],
    });
    await clock.advance(60_000);
    expect(errors.some((text) => text.includes('differs from the server: 1 missing, 1 extra, 1 different'))).toBe(true);
    await end();
  });

  it('tells on the channels how much waits for a handler, and how old it is when it comes', async () => {
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

  it('works on a DeltaFIFO as well', async () => {
    const { clock, source, start, end, log, informer } = setup({ queue: 'delta' });
    const { seen } = log();
    source.add(thing('a', 1));
    await start();
    source.modify(thing('a', 2));
    await clock.runUntilIdle();
    source.delete(thing('a', 2), { dropWatch: true });
    source.add(thing('b', 1), { dropWatch: true });
    source.resetWatch();
    await clock.advance(10_000);
    expect(seen).toEqual(['add a=1 initial', 'update a=1>2', 'add b=1', 'delete a=2 unknown']);
    expect(informer.lister.keys()).toEqual(['b']);
    await end();
  });

  it.each(['delta', 'real'] as const)('an empty collection is synced, on a queue of the kind %s', async (queue) => {
    const { start, end, log, informer } = setup({ queue });
    const { seen, subscription } = log();
    await start();
    expect(informer.hasSynced && subscription.hasSynced).toBe(true);
    expect(seen).toEqual([]);
    await end();
  });
});

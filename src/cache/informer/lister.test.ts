import { describe, expect, it } from 'vitest';
import { plainForm, type Thing, thing } from '../../../test/support/forms.js';
import { FakeClock } from '../../time/fake-clock.js';
import { DecodedCache } from '../store/decoded-cache.js';
import { byLabel, byNamespace } from '../store/index-functions.js';
import { namespaceIndex, toItemIndexFunction } from '../store/index-spec.js';
import { Indexer } from '../store/indexer.js';
import type { ItemView } from '../store/item-view.js';
import { IndexedLister } from './lister.js';

/** A lister of a hundred things, on a clock that advances by `readMs` with each read. */
function setup({ readMs, labelIndex }: { readMs: number; labelIndex?: boolean }) {
  const clock = new FakeClock();
  const start = clock.monotonicNow();
  let reads = 0;
  let turns = 0;
  clock.monotonicNow = () => start + reads * readMs;
  const defer = clock.defer.bind(clock);
  clock.defer = (callback) => {
    turns++;
    return defer(callback);
  };
  const read = <R>(result: R): R => {
    reads++;
    return result;
  };
  const { accessor } = plainForm;
  const view = {
    accessor: { ...accessor, label: (item: Thing, key: string) => read(accessor.label(item, key)) },
    decode: (item: Thing) => read(item),
    decodedSlot: () => undefined,
  } as unknown as ItemView<Thing, Thing>;
  const indexer = new Indexer<Thing>({
    accessor,
    indexers: {
      [namespaceIndex]: toItemIndexFunction(byNamespace(), accessor),
      app: toItemIndexFunction(byLabel('app'), accessor),
    },
  });
  for (let i = 0; i < 100; i++) indexer.add(thing(`ns/t${i}`, i, { labels: { app: i === 99 ? 'last' : 'other' } }));
  const slow: string[] = [];
  const lister = new IndexedLister<Thing, Thing>({
    clock,
    view,
    indexer,
    decoded: new DecodedCache(view, 0),
    resource: { group: '', resource: 'things' },
    labelIndex: (key) => (labelIndex === true && key === 'app' ? 'app' : undefined),
    onSlowRead: (what, durationMs) => slow.push(`${what} ${durationMs}`),
  });
  const state = () => ({ reads, turns });
  return { clock, lister, slow, state };
}

describe('IndexedLister', () => {
  it('scan() selects in slices of the scheduler, 8 ms each', async () => {
    const { lister, state } = setup({ readMs: 1 });
    const found: string[] = [];
    for await (const { key } of lister.scan({ labelSelector: 'app=last' })) found.push(key);
    expect(found).toEqual(['ns/t99']);
    expect(state()).toEqual({ reads: 100, turns: 13 });
  });

  it('scan() hands out 64 entries per turn of the event loop', async () => {
    const { lister, state } = setup({ readMs: 0 });
    const turnOf: number[] = [];
    for await (const _ of lister.scan()) turnOf.push(state().turns);
    expect(turnOf).toHaveLength(100);
    expect(turnOf[63]).toBe(turnOf[0]);
    expect(turnOf[64]).toBeGreaterThan(turnOf[63] as number);
  });

  it('scan() rejects with the reason of its signal and reads no further', async () => {
    const { clock, lister, state } = setup({ readMs: 1 });
    const stop = new AbortController();
    const next = lister.scan({ labelSelector: 'app=none', signal: stop.signal }).next();
    await clock.yield();
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    expect(state().reads).toBe(8);
  });

  it('entries() reads only what its caller asks for', () => {
    const { lister, state } = setup({ readMs: 1 });
    for (const _ of lister.entries({ labelSelector: 'app=other' })) break;
    expect(state().reads).toBe(1);
  });

  it.each([
    ['app=last', 1],
    ['app==last', 1],
    ['app in (last)', 1],
    ['app!=last', 99],
    ['app notin (last)', 99],
    ['app in (last, other)', 100],
    ['app=last,app!=last', 0],
    ['!app', 0],
  ])('%s selects the same with and without an index over the label', (labelSelector, count) => {
    for (const labelIndex of [false, true]) {
      const { lister } = setup({ readMs: 0, labelIndex });
      expect(lister.keys({ labelSelector })).toHaveLength(count);
      expect(lister.count({ labelSelector, namespace: 'ns' })).toBe(count);
    }
  });

  it('reports every read that took longer than 25 ms, and no other', () => {
    const { lister, slow } = setup({ readMs: 1 });
    lister.list();
    lister.list({ labelSelector: 'app=last' });
    lister.keys({ labelSelector: 'app=other' });
    lister.count({ labelSelector: 'app=other', namespace: 'ns' });
    lister.listIndex('app', 'other');
    expect(slow).toEqual(['list() 100', 'list() 101', 'keys() 100', 'count() 100', 'list() of the index app 99']);
    slow.length = 0;
    lister.listIndex('app', 'last');
    lister.keys();
    lister.count({ namespace: 'ns' });
    lister.get('ns/t1');
    const indexed = setup({ readMs: 1, labelIndex: true });
    indexed.lister.list({ labelSelector: 'app=last' });
    expect([...slow, ...indexed.slow]).toEqual([]);
  });
});

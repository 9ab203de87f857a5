import { describe, expect, it } from 'vitest';
import type { Thing } from '../../../test/support/forms.js';
import { ScriptedListWatch } from '../../../test/support/scripted-list-watch.js';
import { jsonCodec } from '../../codec/json/json-codec.js';
import { MAX_DEPTH } from '../../codec/json/scan-layout.js';
import { type Raw, rawAccessorOf } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import { StatusError } from '../../meta/errors/errors.js';
import * as status from '../../meta/errors/status.js';
import { mutableCopy } from '../../meta/objects.js';
import { defineResource, type Resource } from '../../meta/resource.js';
import { MetricsRegistry } from '../../observe/metrics/metrics-registry.js';
import { startMetrics } from '../../observe/start-metrics.js';
import { FakeClock } from '../../time/fake-clock.js';
import type { MutationDetectorMode } from '../check/mutation-detector.js';
import { MappedListWatch } from '../source/mapped-list-watch.js';
import { rawView } from '../store/item-view.js';
import { type ObjectItem, objectView, toObjectItem, unreadableItem } from '../store/object-item.js';
import { SharedInformer, type SharedInformerOptions } from './shared-informer.js';

const resource = defineResource({
  group: 'example.com',
  version: 'v1',
  resource: 'things',
  kind: 'Thing',
  namespaced: true,
}) as unknown as Resource<Thing>;

/** Decodes the JSON text of one object. */
function read(text: string): Raw<Thing> {
  const decoder = jsonCodec.listDecoder<Thing>({
    arena: new SlabArena(),
    typeMeta: { apiVersion: 'example.com/v1', kind: 'Thing' },
  });
  const found: Raw<Thing>[] = [];
  decoder.push(Buffer.from(`{"items":[${text}]}`));
  while (decoder.read(found));
  return found[0] as Raw<Thing>;
}

const metadata = (name: string, version: string) =>
  `"metadata":{"name":"${name}","namespace":"ns","resourceVersion":"${version}"}`;
const good = (name: string, version: string) => read(`{${metadata(name, version)},"value":"v${version}"}`);
const bad = (name: string, version: string) =>
  read(`{${metadata(name, version)},"value":${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}}`);
const nameless = () => read('null');

type Make = (
  source: ScriptedListWatch<Raw<Thing>>,
  clock: FakeClock,
  options: Partial<SharedInformerOptions<never, Thing>>,
) => SharedInformer<object, Thing>;

const rawInformer: Make = (listWatch, clock, options) =>
  new SharedInformer<Raw<Thing>, Thing>({ resource, clock, listWatch, view: rawView(), ...options } as never) as never;

const objectInformer: Make = (source, clock, options) => {
  const accessor = rawAccessorOf<Thing>();
  const listWatch = new MappedListWatch<Raw<Thing>, ObjectItem<Thing>>({
    source,
    clock,
    map: (raw) => toObjectItem<Raw<Thing>, Thing, Thing>(accessor, raw, undefined),
    unreadable: (raw, error) => unreadableItem(accessor, raw, error),
  });
  return new SharedInformer<ObjectItem<Thing>, Thing>({
    resource,
    clock,
    listWatch,
    view: objectView(),
    ...options,
  } as never) as never;
};

const ways: readonly { readonly name: string; readonly make: Make }[] = [
  { name: 'bytes', make: rawInformer },
  { name: 'objects', make: objectInformer },
];

describe.each(ways)('an informer of $name, with objects that cannot be read,', ({ make }) => {
  const tooDeep = (key: string) => `skipped ${key}: `;

  function setup(onList?: ScriptedListWatch<Raw<Thing>>['onList'], mutationDetector?: MutationDetectorMode) {
    const clock = new FakeClock({ seed: 3 });
    const source = new ScriptedListWatch<Raw<Thing>>({ supportsWatchList: onList === undefined });
    if (onList !== undefined) source.onList = onList;
    const reports: string[] = [];
    const informer = make(source, clock, {
      name: 'things',
      mutationDetector,
      onError: (error, { reason, key }) =>
        reports.push(reason === 'skipped' ? tooDeep(String(key)) : `${reason}: ${error.message}`),
    });
    const told: string[] = [];
    informer.subscribe((event) => {
      const unknown = event.type === 'delete' && !event.finalStateKnown ? ' last known' : '';
      const { value } = event.object;
      told.push(`${event.type} ${event.key} ${typeof value === 'string' ? value : 'deep'}${unknown}`);
    });
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    return {
      clock,
      source,
      reports,
      informer,
      told,
      /** The events since the last call, sorted. */
      take: () => told.splice(0).sort(),
      cached: () => Object.fromEntries(informer.lister.list().map((each) => [each.metadata.name, each.value])),
      async end() {
        stop.abort();
        await running;
        expect(clock.pendingTimers).toEqual([]);
      },
    };
  }

  it('syncs from a list with such objects, and names them', async () => {
    const { clock, informer, cached, reports, told, end } = setup(() => ({
      items: [good('a', '1'), bad('b', '2'), good('c', '3')],
      metadata: { resourceVersion: '9' },
    }));
    await clock.runUntilIdle();
    expect(informer.hasSynced).toBe(true);
    expect(cached()).toEqual({ a: 'v1', c: 'v3' });
    expect(told).toEqual(['add ns/a v1', 'add ns/c v3']);
    expect(informer.status).toMatchObject({
      state: 'watching',
      resourceVersion: '9',
      skipped: { total: 1, keys: ['ns/b'], withoutKey: 0 },
    });
    expect(reports).toEqual([tooDeep('ns/b')]);
    await end();
  });

  it('keeps an object as it was last read, until it can be read again or is deleted', async () => {
    const { clock, source, informer, cached, take, reports, end } = setup(() => ({
      items: [good('a', '1'), good('b', '2')],
      metadata: { resourceVersion: '3' },
    }));
    await clock.runUntilIdle();
    take();
    source.lastWatch.modified(bad('a', '4'));
    source.lastWatch.modified(bad('b', '5'));
    source.lastWatch.added(bad('c', '6'));
    await clock.runUntilIdle();
    expect(take()).toEqual([]);
    expect(cached()).toEqual({ a: 'v1', b: 'v2' });
    expect(informer.status.skipped).toEqual({ total: 3, keys: ['ns/a', 'ns/b', 'ns/c'], withoutKey: 0 });
    // The version follows the events, although their objects cannot be read.
    expect([informer.status.resourceVersion, informer.resourceVersion]).toEqual(['6', '6']);
    await informer.waitForResourceVersion('6');

    source.lastWatch.modified(good('a', '7'));
    source.lastWatch.deleted(bad('b', '8'));
    source.lastWatch.deleted(bad('c', '9'));
    await clock.runUntilIdle();
    expect(take()).toEqual(['delete ns/b v2 last known', 'update ns/a v7']);
    expect(cached()).toEqual({ a: 'v7' });
    expect(informer.status.skipped).toEqual({ total: 5, keys: [], withoutKey: 0 });
    expect(informer.status.resourceVersion).toBe('9');
    expect(reports).toEqual(['a', 'b', 'c', 'b', 'c'].map((name) => tooDeep(`ns/${name}`)));
    expect(source.watches).toHaveLength(1);
    await end();
  });

  it('keeps objects that a relist cannot read, and removes only those it does not have', async () => {
    const { clock, source, informer, cached, take, end } = setup(() => ({
      items: [good('a', '1'), good('b', '2'), good('c', '3')],
      metadata: { resourceVersion: '3' },
    }));
    await clock.runUntilIdle();
    take();
    source.onList = () => ({ items: [bad('a', '4'), good('b', '5')], metadata: { resourceVersion: '6' } });
    source.lastWatch.error(status.expired('too old'));
    await clock.until(() => source.watches.length === 2);
    await clock.runUntilIdle();
    expect(take()).toEqual(['delete ns/c v3 last known', 'update ns/b v5']);
    expect(cached()).toEqual({ a: 'v1', b: 'v5' });
    expect(informer.status.skipped).toEqual({ total: 1, keys: ['ns/a'], withoutKey: 0 });

    source.onList = () => ({ items: [good('b', '5')], metadata: { resourceVersion: '8' } });
    source.lastWatch.error(status.expired('too old'));
    await clock.until(() => source.watches.length === 3);
    await clock.runUntilIdle();
    // A relist delivers an unchanged object again.
    expect(take()).toEqual(['delete ns/a v1 last known', 'update ns/b v5']);
    expect(cached()).toEqual({ b: 'v5' });
    expect(informer.status.skipped).toEqual({ total: 1, keys: [], withoutKey: 0 });
    await end();
  });

  it('removes nothing after a list with objects without a key', async () => {
    const { clock, source, informer, cached, take, end } = setup(() => ({
      items: [good('a', '1'), good('b', '2')],
      metadata: { resourceVersion: '3' },
    }));
    await clock.runUntilIdle();
    take();
    source.onList = () => ({ items: [nameless(), good('b', '5'), good('c', '6')], metadata: { resourceVersion: '6' } });
    source.lastWatch.error(status.expired('too old'));
    await clock.until(() => source.watches.length === 2);
    await clock.runUntilIdle();
    expect(take()).toEqual(['add ns/c v6', 'update ns/b v5']);
    expect(cached()).toEqual({ a: 'v1', b: 'v5', c: 'v6' });
    expect(informer.status.skipped).toEqual({ total: 1, keys: [], withoutKey: 1 });
    source.lastWatch.deleted(good('a', '7'));
    await clock.runUntilIdle();
    expect(take()).toEqual(['delete ns/a v7']);
    await end();
  });

  it('lists again after an event without a key, since any object may have changed', async () => {
    const { clock, source, informer, cached, take, end } = setup(() => ({
      items: [good('a', '1'), good('b', '2')],
      metadata: { resourceVersion: '3' },
    }));
    await clock.runUntilIdle();
    take();
    source.onList = () => ({ items: [nameless(), good('a', '4'), good('b', '2')], metadata: { resourceVersion: '5' } });
    source.lastWatch.modified(nameless());
    await clock.until(() => source.watches.length === 2);
    await clock.runUntilIdle();
    expect(take()).toEqual(['update ns/a v4', 'update ns/b v2']);
    expect(cached()).toEqual({ a: 'v4', b: 'v2' });
    expect(informer.status.skipped).toEqual({ total: 2, keys: [], withoutKey: 1 });
    await end();
  });

  it('a retried list does not count the unreadable objects of the first attempt', async () => {
    const { clock, informer, end } = setup(({ continue: next }, count) => {
      if (next !== undefined) throw new StatusError(status.expired('too old'));
      if (count === 1) return { items: [bad('a', '1')], metadata: { resourceVersion: '1', continue: 'more' } };
      return { items: [good('a', '2')], metadata: { resourceVersion: '3' } };
    });
    await clock.runUntilIdle();
    expect(informer.status.skipped).toEqual({ total: 1, keys: [], withoutKey: 0 });
    await end();
  });

  it('syncs from a watch-list with such objects, and keeps those it had', async () => {
    const { clock, source, informer, cached, take, end } = setup();
    await clock.runUntilIdle();
    for (const object of [good('a', '1'), bad('b', '2'), good('c', '3'), bad('d', '3')]) source.lastWatch.added(object);
    source.lastWatch.modified(bad('c', '4'));
    source.lastWatch.deleted(bad('d', '5'));
    source.lastWatch.bookmark('6', 'true');
    await clock.runUntilIdle();
    expect(informer.hasSynced).toBe(true);
    expect(take()).toEqual(['add ns/a v1', 'add ns/c v3']);
    expect(informer.status.skipped).toEqual({ total: 4, keys: ['ns/b', 'ns/c'], withoutKey: 0 });

    source.lastWatch.error(status.expired('too old'));
    await clock.until(() => source.watches.length === 2);
    source.lastWatch.added(bad('a', '7'));
    source.lastWatch.added(good('b', '8'));
    source.lastWatch.bookmark('9', 'true');
    await clock.runUntilIdle();
    expect(take()).toEqual(['add ns/b v8', 'delete ns/c v3 last known']);
    expect(cached()).toEqual({ a: 'v1', b: 'v8' });
    expect(informer.status.skipped).toEqual({ total: 5, keys: ['ns/a'], withoutKey: 0 });
    expect(source.lists).toEqual([]);
    await end();
  });

  it.each(['off', 'check', 'freeze'] as const)(
    'reads and indexes objects of the maximum depth (mutation detector: %s)',
    async (mode) => {
      const deepest = () =>
        read(`{${metadata('b', '2')},"value":${'['.repeat(MAX_DEPTH - 1)}${']'.repeat(MAX_DEPTH - 1)}}`);
      const items = [good('a', '1'), deepest(), good('c', '3')];
      const { clock, source, informer, reports, told, end } = setup(
        () => ({ items, metadata: { resourceVersion: '3' } }),
        mode,
      );
      const values = informer.addIndex('value', ({ value }) => [typeof value]);
      await clock.runUntilIdle();
      expect(told.map((line) => line.slice(0, 8))).toEqual(['add ns/a', 'add ns/b', 'add ns/c']);
      expect(
        informer.lister.list({ labelSelector: '!missing' }).map((object) => mutableCopy(object).metadata.name),
      ).toEqual(['a', 'b', 'c']);
      expect(values.keys('object')).toEqual(['ns/b']);
      source.lastWatch.modified(deepest());
      source.lastWatch.modified(good('c', '4'));
      await clock.advance(2_000);
      expect(informer.lister.get('ns/c')?.value).toBe('v4');
      expect(reports).toEqual([]);
      await end();
    },
  );

  it('counts such objects in reflector_skipped_objects_total', async () => {
    const registry = new MetricsRegistry();
    const stopMetrics = startMetrics({ registry });
    const { clock, source, end } = setup(() => ({ items: [bad('b', '2')], metadata: { resourceVersion: '9' } }));
    await clock.runUntilIdle();
    source.lastWatch.modified(bad('b', '10'));
    await clock.runUntilIdle();
    expect(registry.text()).toContain('reflector_skipped_objects_total{name="things",host=""} 2');
    await end();
    stopMetrics();
  });
});

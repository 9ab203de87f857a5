import { afterEach, describe, expect, it } from 'vitest';
import { type SeenRequest, sometimesSharding } from '../../../test/support/shard-servers.js';
import { startApiServer } from '../../apiserver/server.js';
import type { Comparison } from '../../cache/check/consistency.js';
import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { SharedInformer } from '../../cache/informer/shared-informer.js';
import type { ConfigMap } from '../../resources/types/core-v1.js';
import { FakeClock } from '../../time/fake-clock.js';
import type { InformerOptions } from '../make-informer.js';
import { SharedInformerFactory } from '../shared-informer-factory.js';
import { ShardSet } from './shard-set.js';
import { shardOf } from './sharded-source.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Gate = 'on' | 'off' | 'mixed';

async function setup(gate: Gate, wire: 'json' | 'protobuf' = 'json') {
  const clock = new FakeClock({ seed: 5 });
  const api = await startApiServer({ clock, listen: false, shardedLists: gate !== 'off' });
  let requests = 0;
  const { client, seen } = sometimesSharding(api, () => gate === 'mixed' && requests++ % 2 === 0, { wire });
  const errors: string[] = [];
  const factory = new SharedInformerFactory(client, { onError: (error) => errors.push(error.message) });
  ends.push(
    () => api.stop(),
    () => client.close(),
    () => factory.stop(),
  );
  const maps = client.core.v1.configMaps('default');
  const uids = new Map<string, string>();
  const create = async (name: string) => {
    const { metadata } = await maps.create({ metadata: { name }, data: { value: '1' } });
    uids.set(`default/${name}`, metadata.uid);
  };
  for (let i = 0; i < 30; i++) await create(`m${i}`);
  const keysOf = (count: number, shards: readonly number[]) =>
    [...uids].filter(([, uid]) => shards.includes(shardOf({ count }, uid))).map(([key]) => key);
  /** Requests for ConfigMaps since the last call. */
  const taken = () =>
    seen.splice(0).filter(({ method, target }) => method === 'GET' && target.includes('/configmaps?'));
  return { clock, api, client, factory, errors, maps, create, uids, keysOf, taken, seen };
}

const lists = (requests: readonly SeenRequest[]) => requests.filter(({ target }) => !target.includes('watch=true'));
const inNamespace: InformerOptions<ConfigMap> = { namespace: 'default' };

describe.each(['on', 'off', 'mixed'] as const)('shards of an informer, with the feature gate %s', (gate) => {
  it('a shard that is gained while the watch-list of another namespace is not complete stays in the cache', async () => {
    const { clock, api, client, factory, keysOf } = await setup(gate);
    await client.core.v1.namespaces().create({ metadata: { name: 'slow' } });
    const shards = new ShardSet({ count: 2, by: 'uid' });
    void shards.gain([0]);
    api.faults.inject({ resource: 'configmaps', verb: 'watch', namespace: 'slow', delayMs: 500 });
    const informer = factory.core.v1.configMaps({ namespace: ['default', 'slow'], shard: shards.of('uid') });
    factory.start();
    await clock.advance(100);
    expect(informer.hasSynced).toBe(false);
    const gained = shards.gain([1]);
    await clock.advance(60_000);
    await gained;
    expect([...informer.lister.keys()].sort()).toEqual(keysOf(2, [0, 1]).sort());
  });

  it.each(['json', 'protobuf'] as const)('each object is in one of three informers, in %s', async (wire) => {
    const { clock, factory, maps, create, uids, keysOf } = await setup(gate, wire);
    const informers = [0, 1, 2].map((index) =>
      factory.core.v1.configMaps({ ...inNamespace, shard: { index, of: 3 }, useWatchList: index !== 1 }),
    );
    factory.start();
    await clock.until(() => informers.every(({ hasSynced }) => hasSynced));
    const check = () => {
      informers.forEach(({ lister }, index) => {
        expect(lister.keys().sort()).toEqual(keysOf(3, [index]).sort());
      });
    };
    check();
    for (const name of ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']) await create(name);
    await maps.delete('m3');
    uids.delete('default/m3');
    await maps.patch('m4', { data: { value: '2' } });
    await clock.runUntilIdle();
    check();
    expect(informers.map(({ lister }) => lister.get('default/m4')?.data?.['value']).filter((value) => value)).toEqual([
      '2',
    ]);
  });

  it.each([{}, { storage: 'objects' }, { useWatchList: false }] as const)(
    'shards are gained and released while it runs: %j',
    async (options) => {
      const { clock, factory, create, maps, uids, keysOf, taken, errors } = await setup(gate);
      const shards = new ShardSet({ count: 8, by: 'uid' });
      const informer = factory.core.v1.configMaps({ ...inNamespace, ...options, shard: shards.of('uid') });
      const events: InformerEvent<ConfigMap>[] = [];
      informer.subscribe((event) => void events.push(event));
      factory.start();
      await clock.until(() => informer.hasSynced);
      expect(informer.lister.count()).toBe(0);
      expect(taken()).toEqual([]);

      const keys = () => informer.lister.keys().sort();
      const gain = async (...gained: number[]) => {
        let isDone = false;
        const done = shards.gain(gained).then(() => (isDone = true));
        await clock.until(() => isDone);
        await done;
      };
      await gain(0, 1, 2);
      expect(keys()).toEqual(keysOf(8, [0, 1, 2]).sort());
      await clock.advance(3_000);
      expect(lists(taken())).toHaveLength(1);
      await gain(5, 7);
      expect(keys()).toEqual(keysOf(8, [0, 1, 2, 5, 7]).sort());
      expect(shards.held).toEqual([0, 1, 2, 5, 7]);
      await clock.advance(3_000);
      // Nothing is listed twice, and one watch goes on with all of them.
      const requests = taken();
      expect(lists(requests)).toHaveLength(1);
      expect(requests.filter(({ target }) => target.includes('watch=true'))).toHaveLength(1);
      for (let i = 0; i < 20; i++) await create(`later-${i}`);
      await clock.runUntilIdle();
      expect(keys()).toEqual(keysOf(8, [0, 1, 2, 5, 7]).sort());

      const before = events.length;
      const left = keysOf(8, [1, 5]).sort();
      let isReleased = false;
      void shards.release([1, 5]).then(() => (isReleased = true));
      expect(shards.held).toEqual([0, 2, 7]);
      await clock.until(() => isReleased);
      expect(keys()).toEqual(keysOf(8, [0, 2, 7]).sort());
      const gone = events.slice(before);
      expect(gone.map(({ key }) => key).sort()).toEqual(left);
      expect(gone.every((event) => event.type === 'delete' && event.isReleased)).toBe(true);
      for (const name of ['later-1', 'later-2', 'later-3', 'later-4']) {
        await maps.delete(name);
        uids.delete(`default/${name}`);
      }
      await clock.runUntilIdle();
      expect(keys()).toEqual(keysOf(8, [0, 2, 7]).sort());
      expect(
        events
          .filter((event) => event.type === 'delete' && !event.isReleased)
          .map(({ key }) => key)
          .sort(),
      ).toEqual(
        ['later-1', 'later-2', 'later-3', 'later-4']
          .map((name) => `default/${name}`)
          .filter((key) => events.some((event) => event.key === key && event.type === 'add'))
          .filter((key) => !left.includes(key)),
      );
      expect(errors).toEqual([]);
    },
  );

  it('a shard that is released while its events wait to be transformed stays out of the cache', async () => {
    const { clock, api, factory, maps, keysOf } = await setup(gate);
    const shards = new ShardSet({ count: 2, by: 'uid' }, [0, 1]);
    let mapped = 0;
    const transform = (map: ConfigMap) => {
      // The first of the events; the others wait behind it.
      if (map.data?.['value'] === '2' && mapped++ === 0) void shards.release([0]);
      return map;
    };
    const informer = factory.core.v1.configMaps({ ...inNamespace, shard: shards.of('uid'), transform });
    factory.start();
    await clock.until(() => informer.hasSynced);
    api.faults.inject({ resource: 'configmaps', verb: 'watch', stallMs: 1_000 });
    for (let i = 0; i < 30; i++) await maps.patch(`m${i}`, { data: { value: '2' } });
    await clock.advance(10_000);
    expect(mapped).toBeGreaterThan(keysOf(2, [1]).length);
    expect(informer.lister.keys().sort()).toEqual(keysOf(2, [1]).sort());
  });

  it('is compared with the same shards on the server, but not while they change', async () => {
    const { clock, factory, maps } = await setup(gate);
    const shards = new ShardSet({ count: 4, by: 'uid' }, [0, 1]);
    const informers = [{}, { storage: 'objects' }].map((options) =>
      factory.core.v1.configMaps({ ...inNamespace, ...options, shard: shards.of('uid') } as InformerOptions<ConfigMap>),
    ) as unknown as SharedInformer<object, ConfigMap>[];
    factory.start();
    await clock.until(() => informers.every(({ hasSynced }) => hasSynced));
    await maps.patch('m1', { data: { value: '2' } });
    await clock.runUntilIdle();
    const compared = async () => {
      const results: Comparison[] = [];
      for (const informer of informers) void informer.checkConsistency().then((result) => results.push(result));
      await clock.until(() => results.length === informers.length);
      return results.map((result) => (result.outcome === 'consistent' ? result.compared : result.outcome));
    };
    const counts = () => informers.map(({ lister }) => lister.count());
    expect(await compared()).toEqual(counts());
    void shards.gain([2]);
    expect(await compared()).toEqual(['skipped', 'skipped']);
    await clock.advance(2_000);
    // The watch passes the version of the list.
    for (let i = 0; i < 30; i++) await maps.patch(`m${i}`, { data: { value: '3' } });
    await clock.runUntilIdle();
    expect(await compared()).toEqual(counts());
  });
});

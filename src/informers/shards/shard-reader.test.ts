import { describe, expect, it, onTestFinished } from 'vitest';
import { startApiServer } from '../../apiserver/server.js';
import { FakeClock } from '../../time/fake-clock.js';
import { SharedInformerFactory } from '../shared-informer-factory.js';
import { ShardSet } from './shard-set.js';
import { shardOf } from './sharded-source.js';

const count = 4;
/** A uid of each shard. */
const ownerOf = (shard: number): string => {
  for (let i = 0; ; i++) if (shardOf({ count }, `owner-${i}`) === shard) return `owner-${i}`;
};

async function rigOf(wire: 'json' | 'protobuf') {
  const clock = new FakeClock({ seed: 5 });
  const api = await startApiServer({ clock, listen: false, shardedLists: true, controllers: 'none' });
  const client = api.client({ wire });
  const factory = new SharedInformerFactory(client);
  onTestFinished(async () => {
    await factory.stop();
    await client.close();
    await api.stop();
  });
  return { clock, api, client, factory };
}

describe.each([
  ['json', 'raw'],
  ['protobuf', 'raw'],
  ['json', 'objects'],
] as const)('[C62] objects go with their controller, in %s and stored as %s', (wire, storage) => {
  it('into the cache, out of it, and from one shard to another', async () => {
    const { clock, client, factory } = await rigOf(wire);
    await client.core.v1.namespaces().create({ metadata: { name: 'default' } });
    const maps = client.core.v1.configMaps('default');
    const ownedBy = (shard: number | undefined) => [
      { apiVersion: 'v1', kind: 'Pod', name: 'other', uid: ownerOf(3) },
      ...(shard === undefined
        ? []
        : [{ apiVersion: 'v1', kind: 'Pod', name: 'owner', uid: ownerOf(shard), controller: true }]),
    ];
    const create = (name: string, shard: number | undefined) =>
      maps.create({ metadata: { name, ownerReferences: ownedBy(shard) } });
    const give = (name: string, shard: number | undefined) =>
      maps.patch(name, { metadata: { ownerReferences: ownedBy(shard) } });

    const shards = new ShardSet({ count, by: 'uid' }, [0, 1]);
    const informer = factory.core.v1.configMaps({ shard: shards.of('controllerUid'), storage });
    const events: string[] = [];
    informer.subscribe((event) => void events.push(`${event.type} ${event.facts.name}`));
    for (let shard = 0; shard < count; shard++) await create(`a${shard}`, shard);
    await create('ownerless', undefined);
    factory.start();
    await clock.until(() => informer.hasSynced);
    const names = () =>
      informer.lister
        .list()
        .map(({ metadata }) => metadata.name)
        .sort();
    expect(names()).toEqual(['a0', 'a1']);

    await give('a0', 2);
    await give('a1', 0);
    await give('a3', 1);
    await give('ownerless', 1);
    await clock.runUntilIdle();
    expect(names()).toEqual(['a1', 'a3', 'ownerless']);
    expect(events.splice(0)).toEqual(['add a0', 'add a1', 'delete a0', 'update a1', 'add a3', 'add ownerless']);

    let isDone = false;
    void shards
      .gain([2])
      .then(() => shards.release([1]))
      .then(() => (isDone = true));
    await clock.until(() => isDone);
    expect(names()).toEqual(['a0', 'a1', 'a2']);
    await clock.advance(2_000);
    await give('a2', undefined);
    await give('a1', 3);
    await maps.delete('a0');
    await clock.runUntilIdle();
    expect(names()).toEqual([]);
  });

  it('out of the cache if they come and go in events that are read at once', async () => {
    const { clock, api, factory } = await rigOf(wire);
    const shards = new ShardSet({ count, by: 'uid' }, [0]);
    const informer = factory.core.v1.configMaps({ shard: shards.of('controllerUid'), storage });
    const events: string[] = [];
    informer.subscribe((event) => void events.push(`${event.type} ${event.facts.name}`));
    factory.start();
    await clock.until(() => informer.hasSynced);
    const put = (name: string, shard: number): void => {
      const owner = { apiVersion: 'v1', kind: 'Pod', name: 'owner', uid: ownerOf(shard), controller: true };
      const metadata = { name, namespace: 'default', uid: name, ownerReferences: [owner] };
      const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata };
      api.storage.collection('configmaps').put({ namespace: 'default', name, object, fields: {} });
    };
    // The server sends what happened while the client was away in one piece.
    api.faults.dropConnections();
    put('a', 0);
    put('a', 1);
    put('b', 0);
    await clock.advance(10_000);
    expect(informer.lister.list().map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(events).toEqual(['add a', 'delete a', 'add b']);
  });
});

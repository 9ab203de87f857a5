import { afterAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../apiserver/server.js';
import { drop } from '../../codec/codec.js';
import { FakeClock } from '../../time/fake-clock.js';
import { SharedInformerFactory } from '../shared-informer-factory.js';
import { ShardSet } from './shard-set.js';

const clock = new FakeClock();
const api = await startApiServer({ clock, listen: false });
const client = api.client();
const factory = new SharedInformerFactory(client);
afterAll(async () => {
  await factory.stop();
  await client.close();
  await api.stop();
});

describe('the option shard', () => {
  it.each([
    [{ index: 3, of: 3 }, 'shard.index must be a whole number from 0 to 2, as shard.of is 3, got 3'],
    [{ index: -1, of: 3 }, 'shard.index must be a whole number from 0 to 2'],
    [{ index: 0.5, of: 3 }, 'shard.index must be a whole number'],
    [{ index: 0, of: 257 }, 'shard.of must be a whole number from 1 to 256, got 257'],
    [{ index: 0, of: 0 }, 'shard.of must be a whole number from 1 to 256, got 0'],
    [{ index: 0, of: 3, by: 'name' }, "shard.by must be one of 'uid', 'namespace', got \"name\""],
    [{ index: 0, count: 3 }, 'shard has no option "count"'],
  ])('%j is refused', (shard, message) => {
    expect(() => factory.core.v1.pods({ shard: shard as never })).toThrow(message);
  });

  it('objects without a namespace have no shard by namespace', () => {
    expect(() => factory.core.v1.nodes({ shard: { index: 0, of: 2, by: 'namespace' } })).toThrow(
      "shard.by must be 'uid' for nodes",
    );
  });

  it.each([[['metadata', 'uid']], [['metadata']]])('refuses to drop %j, which decides about the shard', (path) => {
    expect(() => factory.core.v1.pods({ shard: { index: 0, of: 2 }, transform: drop(path) })).toThrow(
      'the transform must not drop metadata.uid',
    );
  });

  it('is part of the name of the informer; one part of one is everything', () => {
    expect(factory.core.v1.pods({ shard: { index: 1, of: 3 } })).toMatchObject({ name: 'pods.v1 shard=1/3' });
    expect(factory.core.v1.pods({ shard: { index: 0, of: 1 } })).toMatchObject({ name: 'pods.v1 shard=0/1' });
  });
});

describe('a set of shards', () => {
  it('refuses wrong numbers', async () => {
    expect(() => new ShardSet({ count: 1, by: 'uid' })).toThrow('shards must be a whole number from 2 to 256, got 1');
    const shards = new ShardSet({ count: 4, by: 'namespace' });
    expect(() => shards.of('uid')).toThrow("by must be one of 'namespace'");
    expect(() => shards.gain([4])).toThrow('a shard must be a whole number from 0 to 3, got 4');
  });

  it('holds its shards at once while there is no informer, and forgets an aborted gain', async () => {
    const shards = new ShardSet({ count: 4, by: 'uid' }, [1]);
    await shards.gain([2, 1]);
    expect(shards.held).toEqual([1, 2]);
    await shards.release([1, 3]);
    expect(shards.held).toEqual([2]);
    const aborted = AbortSignal.abort(new Error('no more'));
    await expect(shards.gain([0], { signal: aborted })).rejects.toThrow('no more');
    expect(shards.held).toEqual([2]);
  });

  it('a gain that is aborted or released leaves nothing in the cache', async () => {
    const own = new SharedInformerFactory(client, { onError: () => {} });
    const shards = new ShardSet({ count: 4, by: 'uid' });
    const informer = own.core.v1.namespaces({ shard: shards.of('uid') });
    own.start();
    await clock.until(() => informer.hasSynced);
    api.faults.inject({ verb: 'list', resource: 'namespaces', stallMs: 5_000, times: 10 });
    const stop = new AbortController();
    const first = expect(shards.gain([0, 1], { signal: stop.signal })).rejects.toThrow('given up');
    const second = expect(shards.gain([2, 3])).rejects.toThrow(
      'the shards 2, 3 were released before their objects were read',
    );
    await clock.advance(1_000);
    stop.abort(new Error('given up'));
    void shards.release([2, 3]);
    await Promise.all([first, second]);
    api.faults.clear();
    await clock.advance(10_000);
    expect(informer.lister.count()).toBe(0);
    let isHeld = false;
    void shards.gain([0, 1, 2, 3]).then(() => (isHeld = true));
    await clock.until(() => isHeld);
    expect(informer.lister.count()).toBe((await client.core.v1.namespaces().list()).items.length);
    await own.stop();
  });
});

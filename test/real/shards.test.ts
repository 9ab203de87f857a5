import { describe, expect, it } from 'vitest';
import type { SharedIndexInformer } from '../../src/cache/informer/shared-informer.js';
import { Client } from '../../src/client/client.js';
import { shardSelector } from '../../src/informers/shards/shard-selector.js';
import { ShardSet } from '../../src/informers/shards/shard-set.js';
import { shardOf } from '../../src/informers/shards/sharded-source.js';
import { SharedInformerFactory } from '../../src/informers/shared-informer-factory.js';
import type { ConfigMapList } from '../../src/resources/types/core-v1.js';
import { eventually } from '../support/eventually.js';
import { isSince } from './build.mjs';
import { startRealApiServer } from './real-api-server.mjs';

const bitsOf = (count: number, ...shards: number[]) => {
  const bits = new Uint8Array(count);
  for (const shard of shards) bits[shard] = 1;
  return bits;
};

/** Older releases do not know the feature gate, and answer as with `false`. */
const canShard = isSince('1.36');

describe.each(canShard ? [true, false] : [false])(
  'shards on kube-apiserver, with ShardedListAndWatch=%s',
  (ShardedListAndWatch) => {
    it.each(['json', 'protobuf'] as const)('are disjoint, complete, and move, in %s', async (wire) => {
      await using server = await startRealApiServer({ featureGates: canShard ? { ShardedListAndWatch } : {} });
      await using client = await Client.fromKubeconfig({ text: server.kubeconfig }, { wire });
      const maps = client.core.v1.configMaps('default');
      const uids = new Map<string, string>();
      const create = async (name: string) => {
        const { metadata } = await maps.create({ metadata: { name }, data: { round: '1' } });
        uids.set(`default/${name}`, metadata.uid);
      };
      await Promise.all(Array.from({ length: 300 }, (_, i) => create(`map-${i}`)));
      const keysOf = (count: number, ...shards: number[]) =>
        [...uids]
          .filter(([, uid]) => shards.includes(shardOf({ count }, uid)))
          .map(([key]) => key)
          .sort();

      // Hashes, bounds and the syntax of the selector, for shards in one piece and in many.
      for (const bits of [
        bitsOf(3, 1),
        bitsOf(256, 0, 2, 3, 255),
        Uint8Array.from({ length: 256 }, (_, i) => 1 - (i % 2)),
      ]) {
        const query = new URLSearchParams({
          shardSelector: shardSelector('uid', bits)!,
          fieldSelector: 'metadata.name!=kube-root-ca.crt',
        });
        const { status, body } = await server.request<ConfigMapList>(
          'GET',
          `/api/v1/namespaces/default/configmaps?${query}`,
        );
        expect(status).toBe(200);
        const listed = body.items.map(({ metadata }) => `default/${metadata.name}`).sort();
        expect('shardInfo' in body.metadata).toBe(ShardedListAndWatch);
        if (!ShardedListAndWatch) expect(listed).toEqual([...uids.keys()].sort());
        // More than 48 ranges are joined: then the server sends some objects more.
        else if (bits.filter((bit) => bit === 1).length > 48)
          expect(listed).toEqual(expect.arrayContaining(keysOf(256, ...[...bits.keys()].filter((i) => bits[i] === 1))));
        else expect(listed).toEqual(keysOf(bits.length, ...[...bits.keys()].filter((i) => bits[i] === 1)));
      }

      const errors: unknown[] = [];
      await using factory = new SharedInformerFactory(client, {
        namespace: 'default',
        onError: (error) => errors.push(error),
      });
      const informers = [0, 1, 2].map((index) =>
        factory.core.v1.configMaps({
          shard: { index, of: 3 },
          useWatchList: index !== 1,
          fieldSelector: 'metadata.name!=kube-root-ca.crt',
        }),
      );
      const shards = new ShardSet({ count: 32, by: 'uid' }, [1, 2, 3]);
      const moving = factory.core.v1.configMaps({
        shard: shards.of('uid'),
        fieldSelector: 'metadata.name!=kube-root-ca.crt',
      });
      factory.start();
      await factory.waitForCacheSync();
      const holds = (informer: SharedIndexInformer<unknown>, keys: readonly string[]) => {
        const cached = informer.lister.keys().sort();
        return cached.length === keys.length && cached.every((key, i) => key === keys[i]);
      };
      const settled = () =>
        holds(moving, keysOf(32, ...shards.held)) && informers.every((informer, i) => holds(informer, keysOf(3, i)));
      expect(settled()).toBe(true);

      await shards.gain([7, 8, 20]);
      expect(holds(moving, keysOf(32, 1, 2, 3, 7, 8, 20))).toBe(true);
      for (let i = 0; i < 60; i++) {
        await create(`later-${i}`);
        await maps.delete(`map-${i}`);
        uids.delete(`default/map-${i}`);
        if (i % 20 === 10) await shards.gain([25 + Math.floor(i / 20)]);
      }
      await shards.release([2, 8]);
      await eventually('each informer has its shards', settled, {
        explain: () => [moving.lister.count(), keysOf(32, ...shards.held).length],
      });
      expect(shards.held).toEqual([1, 3, 7, 20, 25, 26, 27]);
      await maps.patch('later-1', { data: { round: '2' } });
      const round = () =>
        informers.map(({ lister }) => lister.get('default/later-1')?.data?.['round']).filter((one) => one);
      await eventually('one informer has the change', () => round().join() === '2');
      for (const informer of [...informers, moving]) {
        await eventually('it is equal to the server', async () => {
          const comparison = await (
            informer as unknown as { checkConsistency(): Promise<{ outcome: string }> }
          ).checkConsistency();
          expect(comparison.outcome).not.toBe('inconsistent');
          return comparison.outcome === 'consistent';
        });
      }
      expect(errors).toEqual([]);
    });
  },
);

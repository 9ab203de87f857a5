import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { sometimesSharding } from '../../../test/support/shard-servers.js';
import { startApiServer } from '../../apiserver/server.js';
import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { DeepReadonly, ObjectMeta } from '../../meta/objects.js';
import { FakeClock } from '../../time/fake-clock.js';
import { schedulerOf } from '../../time/scheduler.js';
import { seededRandom } from '../../time/seeded-random.js';
import { SharedInformerFactory } from '../shared-informer-factory.js';
import { ShardSet } from './shard-set.js';
import { shardOf } from './sharded-source.js';

const count = 6;
const replicaCount = 3;

/** A handler that keeps what events say, and checks that the events of an object are in order. */
class Mirror {
  readonly versions = new Map<string, number>();
  readonly problems: string[] = [];

  take(event: InformerEvent<unknown>): void {
    const { key, facts, type } = event;
    const version = Number(facts.resourceVersion);
    const known = this.versions.get(key);
    if (type === 'add' ? known !== undefined : known === undefined) this.problems.push(`${type} of ${key} at ${known}`);
    if (known !== undefined && version < known) this.problems.push(`${key} goes from ${known} back to ${version}`);
    if (type === 'delete') this.versions.delete(key);
    else this.versions.set(key, version);
  }
}

/**
 * Replicas hand shards to each other at random, while names are created, changed, deleted and given to objects of other shards.
 * When a move has ended, the cache has exactly the objects of its shards.
 */
async function play(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const by = seed % 3 === 0 ? 'controllerUid' : 'uid';
  const below = (limit: number) => Math.floor(random() * limit);
  const clock = new FakeClock({ seed });
  schedulerOf(clock, { sliceItems: 16 });
  const api = await startApiServer({ clock, listen: false, controllers: 'none', shardedLists: below(3) > 0 });
  const isMixed = below(2) === 0;
  const { client } = sometimesSharding(api, () => isMixed && below(2) === 0);
  const errors: Error[] = [];
  const factory = new SharedInformerFactory(client, { onError: (error) => errors.push(error) });
  const owners: number[] = [0, 0, 1, 1, 2, 2];
  const replicas = Array.from({ length: replicaCount }, (_, replica) => {
    const shards = new ShardSet(
      { count, by: 'uid' },
      owners.flatMap((owner, shard) => (owner === replica ? [shard] : [])),
    );
    const informer = factory.core.v1.configMaps({
      shard: shards.of(by),
      storage: replica === 1 ? 'objects' : 'raw',
      useWatchList: replica !== 2,
    });
    const mirror = new Mirror();
    informer.subscribe((event) => mirror.take(event), { coalesce: replica === 0 });
    return { shards, informer, mirror };
  });
  await client.core.v1.namespaces().create({ metadata: { name: 'default' } });
  const maps = client.core.v1.configMaps('default');
  const objects = new Map<string, { text: string | undefined; version: number }>();
  const write = async (name: string): Promise<void> => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'owner', uid: `owner-${below(9)}`, controller: true };
    const ownerReferences = below(10) === 0 ? [] : [owner];
    const object = {
      metadata: { name, namespace: 'default', ...(by === 'controllerUid' && { ownerReferences }) },
      data: { value: String(random()) },
    };
    const key = `default/${name}`;
    const { metadata } = await (objects.has(key) ? maps.update(object as never) : maps.create(object));
    objects.set(key, { text: textOf(metadata), version: Number(metadata.resourceVersion) });
  };
  const remove = async (name: string): Promise<void> => {
    if (objects.delete(`default/${name}`)) await maps.delete(name);
  };
  const textOf = ({ uid, ownerReferences: [owner] = [] }: DeepReadonly<ObjectMeta>) =>
    by === 'uid' ? uid : (owner?.uid ?? '');
  const shardIn = (text: string | undefined) => (text ? shardOf({ count }, text) : -1);
  let moving = 0;
  const move = async (): Promise<void> => {
    const shard = below(count);
    const from = owners[shard]!;
    if (from < 0) return;
    const to = below(replicaCount);
    owners[shard] = -1;
    moving++;
    await replicas[from]!.shards.release([shard]);
    if (replicas[from]!.informer.lister.list().some(({ metadata }) => shardIn(textOf(metadata)) === shard)) {
      errors.push(new Error(`replica ${from} has objects of the released shard ${shard}`));
    }
    await replicas[to]!.shards.gain([shard]);
    owners[shard] = to;
    moving--;
  };

  for (let i = 0; i < 12; i++) await write(`n${below(20)}`);
  factory.start();
  for (let step = 0; step < 60; step++) {
    const name = `n${below(20)}`;
    const choice = below(8);
    if (choice < 3) await write(name);
    else if (choice === 3) await remove(name);
    else if (choice === 4) {
      await remove(name);
      await write(name);
    } else if (choice < 7) void move();
    else await clock.advance(below(3) === 0 ? 70_000 : below(1_500));
  }
  const states = () => replicas.map(({ informer }) => contents(informer.lister.entries()));
  const wanted = () =>
    replicas.map((_, replica) =>
      [...objects]
        .filter(([, { text }]) => owners[shardIn(text)] === replica)
        .map(([key, { version }]) => `${key}@${version}`)
        .sort(),
    );
  await clock.until(() => moving === 0 && JSON.stringify(states()) === JSON.stringify(wanted()), {
    withinMs: 120_000,
  });
  await clock.runUntilIdle();
  for (const { mirror, informer } of replicas) {
    expect(mirror.problems).toEqual([]);
    const seen = [...mirror.versions].map(([key, version]) => `${key}@${version}`).sort();
    expect(seen).toEqual(contents(informer.lister.entries()));
  }
  expect(errors).toEqual([]);
  await factory.stop();
  await client.close();
  await api.stop();
}

function contents(entries: Iterable<{ readonly key: string; readonly facts: { readonly resourceVersion: string } }>) {
  return [...entries].map(({ key, facts }) => `${key}@${facts.resourceVersion}`).sort();
}

describe('replicas that hand shards to each other', () => {
  it('[C60] have each object exactly once, whatever changes meanwhile', async () => {
    for (let seed = 1; seed <= runs(15); seed++) {
      await play(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      });
    }
  });
});

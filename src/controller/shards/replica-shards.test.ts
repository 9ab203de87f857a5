import { describe, expect, it } from 'vitest';
import { resources } from '../../index.js';
import { createWorld, type Run } from '../../testing/index.js';
import { createController, type ManagerOptions } from '../index.js';

const { configMaps, secrets } = resources.core.v1;

const labels = { copy: 'yes' };
const map = (i: number) => ({ kind: 'ConfigMap', metadata: { name: `map-${i}`, namespace: 'default', labels } });
const maps = (count: number) => Array.from({ length: count }, (_, i) => map(i));

function operator(sharding: ManagerOptions['sharding'] = {}, more: Partial<ManagerOptions> = {}): ManagerOptions {
  const copies = createController({
    name: 'copies',
    for: configMaps,
    cache: { labelSelector: 'copy=yes' },
    owns: [secrets],
    async reconcile({ metadata: { name }, data = {} }, { apply }) {
      await apply(secrets, { metadata: { name }, stringData: { ...data } });
    },
  });
  return { name: 'copier', controllers: [copies], sharding, ...more };
}

/** Two runs of one object at the same time, if there were any. */
function overlap(runs: readonly Run[]): readonly [Run, Run] | undefined {
  const lastOf = new Map<string, Run>();
  for (const run of [...runs].sort((a, b) => a.startedAt - b.startedAt)) {
    const last = lastOf.get(run.key);
    if (last !== undefined && last.endedAt > run.startedAt) return [last, run];
    lastOf.set(run.key, run);
  }
  return undefined;
}

describe.each([true, false])('a manager with sharding, on a server that lists by shard: %s', (shardedLists) => {
  it('[C53] [C55] shares the objects, and moves shards to a replica that starts while they are worked on', async () => {
    await using world = await createWorld(() => operator(), { replicas: 3, objects: maps(60), shardedLists });
    await world.settle();
    const held = () => [...world.managers.values()].map(({ shards }) => shards.length).sort((a, b) => b - a);
    expect(held()).toEqual([11, 11, 10]);
    const all = [...world.managers.values()].flatMap(({ shards }) => shards);
    expect(new Set(all).size).toBe(32);
    expect([...world.managers.values()].filter(({ isLeader }) => isLeader)).toHaveLength(1);
    await world.start();
    for (let i = 0; i < 60; i++) {
      await world.client.core.v1.configMaps('default').patch(`map-${i}`, { data: { round: '2' } });
    }
    await world.settle();
    expect(held()).toEqual([8, 8, 8, 8]);
    await world.stop(0);
    await world.settle();
    expect(held()).toEqual([11, 11, 10]);
    expect(overlap(world.runs)).toBeUndefined();
    expect((await world.client.core.v1.secrets('default').list()).items).toHaveLength(60);
    expect(await world.again()).toEqual([]);
  });

  it('[C56] takes the shards of a crashed replica over in time', async () => {
    await using world = await createWorld(() => operator(), { replicas: 3, objects: maps(60), shardedLists });
    await world.settle();
    const crashedAt = world.clock.now();
    world.crash(1);
    for (let i = 0; i < 60; i++) {
      await world.client.core.v1.configMaps('default').patch(`map-${i}`, { data: { round: '2' } });
    }
    await world.settle();
    // leaseDurationMs, 2.2 times retryPeriodMs, and the list.
    const late = world.runs.filter((run) => run.startedAt > crashedAt + 15_000 + 4400 + 1000);
    expect(late).toEqual([]);
    expect(overlap(world.runs)).toBeUndefined();
    const { items } = await world.client.core.v1.secrets('default').list();
    expect(items.filter(({ data }) => data?.['round'] === undefined)).toEqual([]);

    const leases = () => world.stored(resources.coordination.v1.leases).length;
    const before = leases();
    await world.clock.advance(10 * 15_000);
    expect(leases(), 'the Lease of the crashed replica is removed').toBe(before - 1);
  });

  it('reports requests for Leases that fail, and goes on', async () => {
    const errors: string[] = [];
    const onError = ({ message }: Error): void => void errors.push(message);
    await using world = await createWorld(() => operator({}, { onError }), { replicas: 2, shardedLists });
    await world.settle();
    world.api.faults.inject({ verb: 'update', resource: 'leases', times: 1, respond: { status: 500 } });
    await world.clock.advance(5000);
    expect(errors).toEqual([expect.stringMatching(/ failed at renewing the Lease of this replica: /)]);
    expect([...world.managers.values()].map(({ shards }) => shards.length)).toEqual([16, 16]);
  });
});

import { describe, expect, it } from 'vitest';
import { resources } from '../../index.js';
import { createWorld } from '../../testing/index.js';
import { createController, createManager, type ManagerOptions, manifests } from '../index.js';

const { configMaps, namespaces, secrets } = resources.core.v1;

const labels = { copy: 'yes' };
const map = (i: number) => ({ kind: 'ConfigMap', metadata: { name: `map-${i}`, namespace: `team-${i % 5}`, labels } });
const maps = (count: number) => Array.from({ length: count }, (_, i) => map(i));

/** Copies the stage of its namespace to a Secret. */
const staged = createController({
  name: 'staged',
  for: configMaps,
  // Without the ConfigMaps of the server's own certificates.
  cache: { labelSelector: 'copy=yes' },
  owns: [secrets],
  watches: (watch) => [
    watch(namespaces, { metadataOnly: true, references: ({ metadata }) => [metadata.namespace ?? ''] }),
  ],
  async reconcile({ metadata: { name, namespace = '' } }, { apply, lister }) {
    const stage = lister(namespaces).get(namespace)?.metadata.labels?.['stage'] ?? 'none';
    await apply(secrets, { metadata: { name, labels: { stage } } });
  },
});

describe('a controller of a manager that shards', () => {
  it.each(['uid', 'namespace'] as const)(
    '[C62] reads owned objects in part and other watches whole, by %s',
    async (by) => {
      const operator: ManagerOptions = {
        name: 'stages',
        controllers: [staged],
        sharding: { shards: 4, by },
      };
      await using world = await createWorld(() => operator, { replicas: 2, objects: maps(20) });
      await world.settle();
      const before = world.runs.length;
      await world.client.core.v1.namespaces().patch('team-1', { metadata: { labels: { stage: 'live' } } });
      await world.settle();
      const runs = world.runs.slice(before).filter(({ writes }) => writes.length > 0);
      // Every object of that namespace once, wherever it is; the others not at all.
      expect(runs.map(({ key }) => key).sort()).toEqual([
        'team-1/map-1',
        'team-1/map-11',
        'team-1/map-16',
        'team-1/map-6',
      ]);
      for (const manager of world.managers.values()) expect(manager.shards).toHaveLength(2);
    },
  );

  it('[C63] runs where shard 0 is, with runsOn: leader', async () => {
    const leading = createController({ name: 'leading', for: configMaps, runsOn: 'leader', reconcile: () => {} });
    const operator: ManagerOptions = { name: 'leads', controllers: [leading], sharding: { shards: 4 } };
    await using world = await createWorld(() => operator, { replicas: 2, objects: maps(6) });
    await world.settle();
    const [leader = -1] = [...world.managers].find(([, { shards }]) => shards.includes(0)) ?? [];
    const other = [...world.managers.keys()].find((number) => number !== leader);
    const from = world.runs.length;
    await world.again();
    expect(new Set(world.runs.slice(from).map(({ replica }) => replica))).toEqual(new Set([leader]));
    await world.stop(leader);
    await world.settle();
    const next = world.runs.length;
    await world.again();
    expect(new Set(world.runs.slice(next).map(({ replica }) => replica))).toEqual(new Set([other]));
  });

  it('[C63] cannot be of a kind of the cluster, with by: namespace', () => {
    const ofCluster = createController({ name: 'all', for: namespaces, reconcile: () => {} });
    const options: ManagerOptions = { name: 'x', controllers: [ofCluster], sharding: { by: 'namespace' } };
    expect(() => manifests(options)).toThrow(
      "the controller all cannot be sharded by namespace, because namespaces has none: use sharding: { by: 'uid' }",
    );
  });
});

describe('the option sharding', () => {
  const refused = (options: object) => () => manifests({ name: 'x', ...options } as ManagerOptions);

  it('refuses what cannot work', () => {
    expect(refused({ sharding: { shards: 1 } })).toThrow(/sharding\.shards/);
    expect(refused({ sharding: { shards: 257 } })).toThrow(/sharding\.shards/);
    expect(refused({ sharding: { by: 'name' } })).toThrow(/sharding\.by/);
    expect(refused({ sharding: { renewDeadlineMs: 20_000 } })).toThrow(/sharding\.leaseDurationMs/);
    expect(refused({ sharding: { retryPeriodMs: 9000 } })).toThrow(/sharding\.renewDeadlineMs/);
    expect(refused({ sharding: { shard: 3 } })).toThrow(/shard/);
    expect(refused({ sharding: {}, election: true })).toThrow(/sharding and election exclude each other/);
    const sharded = createController({ name: 'parts', for: configMaps, runsOn: 'shards', reconcile: () => {} });
    expect(refused({ controllers: [sharded] })).toThrow(/no option sharding/);
    expect(() => createManager(undefined as never, { name: 'x', sharding: {} })).toThrow(TypeError);
  });

  it('grants the rights on Leases that replicas need, and makes three of them', () => {
    const objects = manifests({ name: 'x', sharding: {} }, { image: 'x:1' });
    expect(objects.find(({ kind }) => kind === 'Role')).toMatchObject({
      rules: [
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          verbs: expect.arrayContaining(['get', 'list', 'watch', 'create', 'update', 'delete']),
        },
      ],
    });
    expect(objects.find(({ kind }) => kind === 'Deployment')).toMatchObject({ spec: { replicas: 3 } });
  });
});

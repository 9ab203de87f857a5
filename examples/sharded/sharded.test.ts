// Three replicas share the work. Each object has one writer at a time, also when a replica crashes, starts or stops.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from 'kubeflect';
import { createController, type ManagerOptions } from 'kubeflect/controller';
import { createWorld, type Run } from 'kubeflect/testing';

const { configMaps, namespaces, secrets } = resources.core.v1;
const copies = createController({
  name: 'copies',
  for: configMaps,
  cache: { labelSelector: 'copy=yes' },
  owns: [secrets],
  watches: (watch) => [
    watch(namespaces, { metadataOnly: true, references: (map) => [map.metadata.namespace ?? 'default'] }),
  ],
  async reconcile({ metadata: { name, namespace = '' }, data = {} }, { apply, lister }) {
    const stage = lister(namespaces).get(namespace)?.metadata.labels?.['stage'] ?? 'none';
    await apply(secrets, { metadata: { name, labels: { stage } }, stringData: { ...data } });
  },
});
const operator: ManagerOptions = { name: 'copier', controllers: [copies], sharding: { by: 'uid' } };

test('no object has two writers', async () => {
  const labels = { copy: 'yes' };
  const mapOf = (i: number) => ({ kind: 'ConfigMap', metadata: { name: `map-${i}`, namespace: 'default', labels } });
  const objects = Array.from({ length: 300 }, (_, i) => mapOf(i));
  await using world = await createWorld(() => operator, { replicas: 3, objects });
  const maps = world.client.core.v1.configMaps('default');
  await world.settle();
  const held = [...world.managers.values()].map((manager) => manager.shards.length);
  assert.deepEqual(held.sort(), [10, 11, 11]); // of 32 shards

  const crashedAt = world.clock.now();
  world.crash(1);
  for (let i = 0; i < 300; i++) await maps.patch(`map-${i}`, { data: { round: '2' } });
  await world.settle();
  const late = world.runs.filter((run) => run.startedAt > crashedAt + 25_000);
  assert.deepEqual(late, [], 'its shards were taken over in time');

  await world.start(); // shards move to it while they are worked on
  for (let i = 0; i < 300; i++) await maps.patch(`map-${i}`, { data: { round: '3' } });
  await world.settle();
  await world.stop(0);
  await world.settle();
  assert.equal(overlap(world.runs), undefined);
  assert.equal((await world.client.core.v1.secrets('default').list()).items.length, 300);
});

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

import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../../test/apiserver/memory-client.js';
import { startWorld, type TestWorld, template } from '../../../../../test/apiserver/test-world.js';

let world: TestWorld;
afterEach(() => world.stop());

const PODS = '/api/v1/namespaces/default/pods';
const SETS = '/apis/apps/v1/namespaces/default/statefulsets';
const DB = `${SETS}/db`;

const statefulSet = (replicas: number, spec: object = {}): Doc => ({
  metadata: { name: 'db' },
  spec: { replicas, serviceName: 'db', selector: { matchLabels: { app: 'db' } }, template: template('db'), ...spec },
});

const images = async (): Promise<string[]> =>
  (await world.list(PODS)).map(({ metadata, spec }) => `${metadata.name}=${spec.containers[0].image}`);

describe('a StatefulSet', () => {
  it('creates its pods one after another, with stable names and claims', async () => {
    world = await startWorld();
    const volumeClaimTemplates = [
      { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    ];
    await world.create(SETS, statefulSet(3, { volumeClaimTemplates }));
    expect(await images()).toEqual(['db-0=app:1']);
    await world.settle(1000);
    expect(await images()).toEqual(['db-0=app:1', 'db-1=app:1']);
    await world.settle(2000);
    const { status } = await world.get(DB);
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, currentReplicas: 3, updatedReplicas: 3, availableReplicas: 3 });
    expect(status.currentRevision).toBe(status.updateRevision);
    const pod = await world.get(`${PODS}/db-1`);
    expect(pod.metadata.labels).toEqual({
      app: 'db',
      'apps.kubernetes.io/pod-index': '1',
      'controller-revision-hash': status.updateRevision,
      'statefulset.kubernetes.io/pod-name': 'db-1',
    });
    expect(pod.spec).toMatchObject({ hostname: 'db-1', subdomain: 'db' });
    expect(pod.spec.volumes).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }]);
    const claims = await world.list('/api/v1/namespaces/default/persistentvolumeclaims');
    expect(claims.map(({ metadata }) => metadata.name)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
  });

  it('of the policy Parallel creates them at once', async () => {
    world = await startWorld();
    await world.create(SETS, statefulSet(3, { podManagementPolicy: 'Parallel' }));
    expect(await images()).toHaveLength(3);
  });

  it('scales down from the last ordinal, one by one', async () => {
    world = await startWorld({ stopAfterMs: 1000 });
    await world.create(SETS, statefulSet(3));
    await world.settle(3000);
    await world.patch(DB, { spec: { replicas: 1 } });
    const leaving = async (): Promise<string[]> =>
      (await world.list(PODS)).filter(({ metadata }) => metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
    expect(await leaving()).toEqual(['db-2']);
    await world.settle(1000);
    expect(await leaving()).toEqual(['db-1']);
    await world.settle(1000);
    expect(await images()).toEqual(['db-0=app:1']);
  });

  it('updates pods from the last ordinal down to its partition', async () => {
    world = await startWorld();
    await world.create(SETS, statefulSet(3, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }));
    await world.settle(3000);
    await world.patch(DB, { spec: { template: template('db', 'app:2') } });
    await world.settle();
    expect(await images()).toEqual(['db-0=app:1', 'db-1=app:1', 'db-2=app:2']);
    await world.settle(5000);
    expect(await images()).toEqual(['db-0=app:1', 'db-1=app:2', 'db-2=app:2']);
    expect((await world.get(DB)).status).toMatchObject({ currentReplicas: 1, updatedReplicas: 2 });
    await world.delete(`${PODS}/db-0`);
    await world.settle(2000);
    expect(await images()).toContain('db-0=app:1');
    await world.patch(DB, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await world.settle(5000);
    expect(await images()).toEqual(['db-0=app:2', 'db-1=app:2', 'db-2=app:2']);
    const { status } = await world.get(DB);
    expect(status.currentRevision).toBe(status.updateRevision);
  });

  it('keeps a revision for each template, and makes the old one the newest after a rollback', async () => {
    world = await startWorld();
    await world.create(SETS, statefulSet(1));
    for (const image of ['app:2', 'app:1']) {
      await world.settle(3000);
      await world.patch(DB, { spec: { template: template('db', image) } });
    }
    await world.settle(3000);
    const revisions = await world.list('/apis/apps/v1/namespaces/default/controllerrevisions');
    const numbers = revisions.map(({ data, revision }) => [data.spec.template.spec.containers[0].image, revision]);
    expect(numbers.sort()).toEqual([
      ['app:1', 3],
      ['app:2', 2],
    ]);
  });

  it('stops at a pod that does not become ready', async () => {
    world = await startWorld({ failures: [{ fails: 'readiness', labels: { 'apps.kubernetes.io/pod-index': '1' } }] });
    await world.create(SETS, statefulSet(3));
    await world.settle(60_000);
    expect(await images()).toEqual(['db-0=app:1', 'db-1=app:1']);
    expect((await world.get(DB)).status).toMatchObject({ replicas: 2, readyReplicas: 1, availableReplicas: 1 });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { deployment, startWorld, type TestWorld } from '../../../../../test/apiserver/test-world.js';

let world: TestWorld;
afterEach(() => world.stop());

const PODS = '/api/v1/namespaces/default/pods';
const SETS = '/apis/apps/v1/namespaces/default/replicasets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

describe('a Deployment', () => {
  it('is available after a virtual second', async () => {
    world = await startWorld();
    await world.create(DEPLOYMENTS, deployment('web', 3));
    await world.settle(999);
    expect((await world.get(`${DEPLOYMENTS}/web`)).status).toMatchObject({ replicas: 3, unavailableReplicas: 3 });
    await world.settle(1);
    const { status, metadata } = await world.get(`${DEPLOYMENTS}/web`);
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(status.conditions.map((one: any) => [one.type, one.status, one.reason])).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ]);
    expect(metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
    const pods = await world.list(PODS);
    expect(pods.map(({ status }) => status.phase)).toEqual(['Running', 'Running', 'Running']);
    expect(new Set(pods.map(({ spec }) => spec.nodeName)).size).toBe(3);
  });
});

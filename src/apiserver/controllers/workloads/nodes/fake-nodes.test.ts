import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../../test/apiserver/memory-client.js';
import { deployment, startWorld, type TestWorld } from '../../../../../test/apiserver/test-world.js';

let world: TestWorld;
afterEach(() => world.stop());

const PODS = '/api/v1/namespaces/default/pods';
const NODES = '/api/v1/nodes';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const ready = ({ status }: Doc): string => status.conditions.find((one: Doc) => one.type === 'Ready').status;
const taintsOf = ({ spec }: Doc): string[] => (spec.taints ?? []).map((one: Doc) => `${one.key}:${one.effect}`);
const placesOf = (pods: readonly Doc[]): string[] => pods.map(({ spec }) => spec.nodeName).sort();

describe('a node', () => {
  it('registers, is ready, and renews its lease every ten seconds', async () => {
    world = await startWorld({ nodes: [{ name: 'a', labels: { zone: 'x' }, capacity: { cpu: '4' } }] });
    const node = await world.get(`${NODES}/a`);
    expect(node.metadata.labels).toMatchObject({ 'kubernetes.io/hostname': 'a', zone: 'x' });
    expect(node.status.allocatable).toMatchObject({ cpu: '4', memory: '128Gi', pods: '1000' });
    expect(node.status.nodeInfo.kubeletVersion).toBe('v1.36.0');
    expect([ready(node), taintsOf(node)]).toEqual(['True', []]);
    const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a';
    const before = (await world.get(LEASE)).spec.renewTime;
    await world.settle(9999);
    expect((await world.get(LEASE)).spec.renewTime).toBe(before);
    await world.settle(1);
    expect((await world.get(LEASE)).spec.renewTime).not.toBe(before);
  });

  it('keeps the conditions that it was created with', async () => {
    const status = { conditions: [{ type: 'Ready', status: 'False', reason: 'Broken' }] };
    world = await startWorld(
      { nodes: 0 },
      { objects: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'bad' }, status } as never] },
    );
    await world.settle(60_000);
    const node = await world.get(`${NODES}/bad`);
    expect(ready(node)).toBe('False');
    expect(taintsOf(node)).toContain('node.kubernetes.io/not-ready:NoSchedule');
  });

  it('whose kubelet stops is unreachable after 50 seconds, and its pods move after five minutes more', async () => {
    world = await startWorld({ nodes: 2 });
    await world.create(DEPLOYMENTS, deployment('web', 2));
    await world.settle(1000);
    world.api.workloads!.stopNode('node-1');
    await world.settle(49_000);
    expect(ready(await world.get(`${NODES}/node-1`))).toBe('True');
    await world.settle(1000);
    const lost = await world.get(`${NODES}/node-1`);
    expect(ready(lost)).toBe('Unknown');
    expect(taintsOf(lost)).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ]);
    expect((await world.get(`${DEPLOYMENTS}/web`)).status).toMatchObject({ availableReplicas: 1 });
    await world.settle(302_000);
    expect((await world.get(`${DEPLOYMENTS}/web`)).status).toMatchObject({ availableReplicas: 2 });
    expect(placesOf(await world.list(PODS))).toEqual(['node-1', 'node-2', 'node-2']);
    world.api.workloads!.startNode('node-1');
    await world.settle(1000);
    const back = await world.get(`${NODES}/node-1`);
    expect([ready(back), taintsOf(back)]).toEqual(['True', []]);
    expect(placesOf(await world.list(PODS))).toEqual(['node-2', 'node-2']);
    expect(() => world.api.workloads!.stopNode('none')).toThrow('there is no node "none"');
  });

  it('that is deleted takes its pods with it after 40 seconds', async () => {
    world = await startWorld({ nodes: 2 });
    await world.create(DEPLOYMENTS, deployment('web', 2));
    await world.settle(1000);
    await world.delete(`${NODES}/node-1`);
    await world.settle(39_000);
    expect(placesOf(await world.list(PODS))).toEqual(['node-1', 'node-2']);
    await world.settle(2000);
    expect(placesOf(await world.list(PODS))).toEqual(['node-2', 'node-2']);
  });

  it('that is cordoned gets a taint and no more pods', async () => {
    world = await startWorld({ nodes: 2 });
    await world.patch(`${NODES}/node-1`, { spec: { unschedulable: true } });
    await world.create(DEPLOYMENTS, deployment('web', 4));
    expect(new Set(placesOf(await world.list(PODS)))).toEqual(new Set(['node-2']));
    expect(taintsOf(await world.get(`${NODES}/node-1`))).toEqual(['node.kubernetes.io/unschedulable:NoSchedule']);
    await world.patch(`${NODES}/node-1`, { spec: { unschedulable: null } });
    expect(taintsOf(await world.get(`${NODES}/node-1`))).toEqual([]);
  });

  it('is drained as fast as a budget allows', async () => {
    world = await startWorld({ nodes: 2 });
    const selector = { matchLabels: { app: 'web' } };
    const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    await world.create(DEPLOYMENTS, deployment('web', 4));
    await world.create(BUDGETS, { metadata: { name: 'web' }, spec: { maxUnavailable: 1, selector } });
    await world.settle(1000);
    expect((await world.get(`${BUDGETS}/web`)).status).toMatchObject({
      disruptionsAllowed: 1,
      currentHealthy: 4,
      desiredHealthy: 3,
      expectedPods: 4,
    });
    world.api.workloads!.drainNode('node-1');
    await world.settle();
    expect((await world.list(PODS)).filter(({ spec }) => spec.nodeName === 'node-1')).toHaveLength(1);
    for (let step = 0; step < 20; step++) {
      await world.settle(500);
      expect((await world.get(`${DEPLOYMENTS}/web`)).status.availableReplicas).toBeGreaterThanOrEqual(3);
    }
    expect(new Set(placesOf(await world.list(PODS)))).toEqual(new Set(['node-2']));
  });
});

describe('an eviction', () => {
  it('that a budget forbids is a 429 that says why', async () => {
    world = await startWorld();
    const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    await world.create(BUDGETS, {
      metadata: { name: 'web' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    });
    await world.create(DEPLOYMENTS, deployment('web', 2));
    await world.settle(1000);
    const [pod] = await world.list(PODS);
    const { name } = pod.metadata;
    const refused = await world.client.post(`${PODS}/${name}/eviction`, { metadata: { name } });
    expect(refused.json).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          { reason: 'DisruptionBudget', message: 'The disruption budget web needs 2 healthy pods and has 2 currently' },
        ],
      },
    });
    await world.patch(`${BUDGETS}/web`, { spec: { minAvailable: 1 } });
    expect((await world.client.post(`${PODS}/${name}/eviction`, { metadata: { name } })).status).toBe(201);
  });
});

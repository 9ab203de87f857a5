import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../../test/apiserver/memory-client.js';
import { deployment, startWorld, type TestWorld, template } from '../../../../../test/apiserver/test-world.js';

let world: TestWorld;
afterEach(() => world.stop());

const PODS = '/api/v1/namespaces/default/pods';
const NODES = '/api/v1/nodes';

const pod = (name: string, spec: object): Doc => ({ metadata: { name }, spec: { ...template(name).spec, ...spec } });
const nodeOf = async (name: string): Promise<string | undefined> => (await world.get(`${PODS}/${name}`)).spec.nodeName;
const requesting = (cpu: string): object => ({
  containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu } } }],
});

describe('the scheduler', () => {
  it('spreads pods over the nodes', async () => {
    world = await startWorld({ nodes: 4 });
    await world.create('/apis/apps/v1/namespaces/default/deployments', deployment('web', 8));
    const perNode = new Map<string, number>();
    for (const { spec } of await world.list(PODS)) perNode.set(spec.nodeName, (perNode.get(spec.nodeName) ?? 0) + 1);
    expect([...perNode.values()]).toEqual([2, 2, 2, 2]);
  });

  it('obeys node selectors, affinity and taints', async () => {
    const taints = [{ key: 'gpu', value: 'a', effect: 'NoSchedule' as const }];
    world = await startWorld({
      nodes: [{ name: 'plain' }, { name: 'fast', labels: { disk: 'ssd' } }, { name: 'gpu', taints }],
    });
    const required = (operator: string): object => ({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator }] }],
        },
      },
    });
    const tolerations = [{ key: 'gpu', operator: 'Equal', value: 'a', effect: 'NoSchedule' }];
    await world.create(PODS, pod('selected', { nodeSelector: { disk: 'ssd' } }));
    await world.create(PODS, pod('averse', { affinity: required('DoesNotExist') }));
    await world.create(PODS, pod('tolerant', { tolerations, nodeSelector: { 'kubernetes.io/hostname': 'gpu' } }));
    expect([await nodeOf('selected'), await nodeOf('averse'), await nodeOf('tolerant')]).toEqual([
      'fast',
      'plain',
      'gpu',
    ]);
  });

  it('keeps a pod that fits nowhere until resources or nodes are there', async () => {
    world = await startWorld({ nodes: [{ name: 'small', capacity: { cpu: '2', memory: '1Gi', pods: '10' } }] });
    await world.create(PODS, pod('first', requesting('1500m')));
    await world.create(PODS, pod('second', requesting('1')));
    await world.create(PODS, pod('third', requesting('1')));
    const waiting = await world.get(`${PODS}/second`);
    expect(waiting.status.conditions).toMatchObject([
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/1 nodes are available: 1 Insufficient cpu.',
      },
    ]);
    await world.delete(`${PODS}/first`);
    await world.settle(1000);
    expect([await nodeOf('second'), await nodeOf('third')]).toEqual(['small', 'small']);
    await world.create(PODS, pod('fourth', requesting('4')));
    expect(await nodeOf('fourth')).toBeUndefined();
    await world.create(NODES, { metadata: { name: 'big' } });
    await world.settle();
    expect(await nodeOf('fourth')).toBe('big');
  });

  it('leaves pods of other schedulers and gated pods alone', async () => {
    world = await startWorld();
    await world.create(PODS, pod('other', { schedulerName: 'mine' }));
    await world.create(PODS, pod('gated', { schedulingGates: [{ name: 'example.com/wait' }] }));
    expect([await nodeOf('other'), await nodeOf('gated')]).toEqual([undefined, undefined]);
    await world.patch(`${PODS}/gated`, { spec: { schedulingGates: [] } });
    expect(await nodeOf('gated')).toBeDefined();
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../../test/apiserver/memory-client.js';
import { startWorld, type TestWorld, template } from '../../../../../test/apiserver/test-world.js';

let world: TestWorld;
afterEach(() => world.stop());

const PODS = '/api/v1/namespaces/default/pods';
const NODES = '/api/v1/nodes';
const SETS = '/apis/apps/v1/namespaces/default/daemonsets';
const AGENT = `${SETS}/agent`;

const daemonSet = (spec: object = {}): Doc => ({
  metadata: { name: 'agent' },
  spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent'), ...spec },
});

const places = async (): Promise<string[]> =>
  (await world.list(PODS)).map(({ spec }) => `${spec.nodeName}=${spec.containers[0].image}`).sort();

describe('a DaemonSet', () => {
  it('has a pod on each node that its template tolerates', async () => {
    const taints = [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' as const }];
    world = await startWorld({ nodes: [{ name: 'a' }, { name: 'b' }, { name: 'tainted', taints }] });
    await world.create(SETS, daemonSet());
    await world.settle(1000);
    expect(await places()).toEqual(['a=app:1', 'b=app:1']);
    expect((await world.get(AGENT)).status).toEqual({
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      desiredNumberScheduled: 2,
      numberReady: 2,
      observedGeneration: 1,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
    });
    const [{ spec }] = (await world.list(PODS)) as [Doc];
    expect(spec.tolerations).toHaveLength(6);
    const [term] = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
    expect(term).toEqual({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [spec.nodeName] }] });
  });

  it('follows nodes that come and go, and stays on cordoned ones', async () => {
    world = await startWorld({ nodes: 1 });
    await world.create(SETS, daemonSet());
    await world.create(NODES, { metadata: { name: 'later' } });
    await world.settle(1000);
    expect(await places()).toEqual(['later=app:1', 'node-1=app:1']);
    await world.patch(`${NODES}/node-1`, { spec: { unschedulable: true } });
    await world.settle(1000);
    expect(await places()).toEqual(['later=app:1', 'node-1=app:1']);
    await world.delete(`${NODES}/later`);
    await world.settle(31_000);
    expect((await world.get(AGENT)).status).toMatchObject({ desiredNumberScheduled: 1, numberReady: 1 });
  });

  it('updates as many pods at a time as may be unavailable', async () => {
    world = await startWorld({ nodes: 4 });
    await world.create(SETS, daemonSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }));
    await world.settle(1000);
    await world.patch(AGENT, { spec: { template: template('agent', 'app:2') } });
    const updated = async (): Promise<number> => (await places()).filter((place) => place.endsWith('app:2')).length;
    expect(await updated()).toBe(2);
    await world.settle(1000);
    expect(await updated()).toBe(4);
    await world.settle(1000);
    expect((await world.get(AGENT)).status).toMatchObject({ updatedNumberScheduled: 4, numberAvailable: 4 });
  });

  it('with maxSurge starts the new pod before it ends the old one', async () => {
    world = await startWorld({ nodes: 2 });
    await world.create(SETS, daemonSet({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }));
    await world.settle(1000);
    await world.patch(AGENT, { spec: { template: template('agent', 'app:2') } });
    expect(await places()).toEqual(['node-1=app:1', 'node-1=app:2', 'node-2=app:1']);
    await world.settle(3000);
    expect(await places()).toEqual(['node-1=app:2', 'node-2=app:2']);
  });
});

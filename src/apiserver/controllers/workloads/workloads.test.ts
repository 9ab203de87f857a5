import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../test/apiserver/memory-client.js';
import { deployment, startWorld, type TestWorld } from '../../../../test/apiserver/test-world.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { startApiServer } from '../../index.js';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

describe('simulated workloads', () => {
  let world: TestWorld;
  afterEach(() => world.stop());

  it.each([1, 2, 3])('are the same in every run with seed %i', async (seed) => {
    const run = async (): Promise<string> => {
      world = await startWorld({ failures: [{ fails: 'crash', afterMs: 2000, probability: 0.4 }] }, { seed });
      await world.create(DEPLOYMENTS, deployment('web', 6));
      await world.settle(60_000);
      const pods = (await world.client.get('/api/v1/pods')).json;
      await world.stop();
      return JSON.stringify(pods);
    };
    const first = await run();
    expect(await run()).toBe(first);
    const restarted = JSON.parse(first).items.filter((pod: Doc) => pod.status.containerStatuses[0].restartCount > 0);
    expect(restarted.length).toBeGreaterThan(0);
    expect(restarted.length).toBeLessThan(6);
  });

  it('write nothing but leases while nothing changes', async () => {
    world = await startWorld({ nodes: 2 });
    await world.create(DEPLOYMENTS, deployment('web', 3));
    await world.settle(1000);
    const before = Number((await world.client.get('/api/v1/pods')).json.metadata.resourceVersion);
    await world.settle(600_000);
    const after = Number((await world.client.get('/api/v1/pods')).json.metadata.resourceVersion);
    expect(after - before).toBe(2 * 60);
  });

  it('begin with the objects of the server', async () => {
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', ...deployment('web', 2) };
    world = await startWorld(true, { objects: [object] });
    await world.settle(1000);
    expect((await world.get(`${DEPLOYMENTS}/web`)).status.availableReplicas).toBe(2);
  });

  it('end with their namespace', async () => {
    world = await startWorld();
    await world.create('/api/v1/namespaces', { metadata: { name: 'web' } });
    await world.create('/apis/apps/v1/namespaces/web/deployments', deployment('web', 3));
    await world.settle(1000);
    await world.delete('/api/v1/namespaces/web');
    await world.settle(2000);
    expect((await world.client.get('/api/v1/namespaces/web')).status).toBe(404);
    expect(await world.list('/api/v1/pods')).toEqual([]);
  });

  it('are not there without the option', async () => {
    world = await startWorld(false);
    expect(world.api.workloads).toBeUndefined();
    await world.create(DEPLOYMENTS, deployment('web', 1));
    await world.settle(1000);
    expect(await world.list('/apis/apps/v1/replicasets')).toEqual([]);
  });
});

describe('the option workloads', () => {
  it.each([
    [{ nodes: -1 }, 'workloads.nodes must be a whole number from 0 to 10000, got -1'],
    [{ nodes: [{ nam: 'a' }] }, 'workloads.nodes[0] has no option "nam"'],
    [{ readyAfterMs: 'soon' }, 'workloads.readyAfterMs must be a number of at least 0, got "soon"'],
    [{ failure: [] }, 'workloads has no option "failure"; did you mean \'failures\'?'],
    [
      { failures: [{ fails: 'badly' }] },
      "workloads.failures[0].fails must be 'crash', 'imagePull', 'readiness' or 'termination'",
    ],
    ['yes', 'workloads must be a boolean or an object, got "yes"'],
  ])('%j is refused', async (workloads, message) => {
    const start = startApiServer({ clock: new FakeClock(), listen: false, workloads: workloads as never });
    await expect(start).rejects.toThrow(message);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../../test/apiserver/memory-client.js';
import { deployment, startWorld, type TestWorld, template } from '../../../../../test/apiserver/test-world.js';

let world: TestWorld;
afterEach(() => world.stop());

const SERVICES = '/api/v1/namespaces/default/services';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const ENDPOINTS = '/api/v1/namespaces/default/endpoints';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const service = (spec: object = {}): Doc => ({
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
});

describe('a Service', () => {
  it('has the ready pods of its selector as endpoints', async () => {
    world = await startWorld();
    await world.create(SERVICES, service());
    expect((await world.list(SLICES))[0].endpoints ?? []).toEqual([]);
    await world.create(DEPLOYMENTS, deployment('web', 2));
    await world.settle(1000);
    const [slice] = await world.list(SLICES);
    expect(slice.endpoints.map((one: Doc) => one.conditions)).toEqual([
      { ready: true, serving: true, terminating: false },
      { ready: true, serving: true, terminating: false },
    ]);
    expect(slice.metadata.labels).toMatchObject({ 'kubernetes.io/service-name': 'web' });
    expect((await world.get(`${ENDPOINTS}/web`)).subsets[0].addresses).toHaveLength(2);
    await world.patch(`${DEPLOYMENTS}/web`, { spec: { replicas: 0 } });
    await world.settle(1000);
    expect((await world.list(SLICES))[0].endpoints ?? []).toEqual([]);
    expect((await world.get(`${ENDPOINTS}/web`)).subsets).toBeUndefined();
  });

  it('shows pods that are not ready, and those that end', async () => {
    world = await startWorld({ stopAfterMs: 5000, failures: [{ fails: 'readiness', labels: { app: 'web' } }] });
    await world.create(SERVICES, service({ publishNotReadyAddresses: false }));
    await world.create(DEPLOYMENTS, deployment('web', 1));
    await world.settle(1000);
    expect((await world.list(SLICES))[0].endpoints[0].conditions).toEqual({
      ready: false,
      serving: false,
      terminating: false,
    });
    await world.patch(`${DEPLOYMENTS}/web`, { spec: { replicas: 0 } });
    expect((await world.list(SLICES))[0].endpoints[0].conditions).toEqual({
      ready: false,
      serving: false,
      terminating: true,
    });
  });

  it('resolves named ports, and cuts many endpoints into slices of 100', async () => {
    world = await startWorld();
    await world.create(SERVICES, service({ ports: [{ name: 'http', port: 80, targetPort: 'web' }] }));
    const containers = [{ name: 'app', image: 'app:1', ports: [{ name: 'web', containerPort: 8080 }] }];
    await world.create(DEPLOYMENTS, deployment('web', 120, { template: template('web', 'app:1', { containers }) }));
    await world.settle(1000);
    const slices = await world.list(SLICES);
    expect(slices.map(({ endpoints }) => endpoints.length).sort()).toEqual([100, 20]);
    expect(slices[0].ports).toEqual([{ name: 'http', protocol: 'TCP', port: 8080 }]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/server.js';
import { isNotFound } from '../../meta/errors/error-predicates.js';
import { FakeClock } from '../../time/fake-clock.js';
import type { Client } from '../client.js';
import { metricsResources } from './metrics-resources.js';

let api: ApiServer;
let client: Client;
beforeEach(async () => {
  api = await startApiServer({ clock: new FakeClock(), listen: false });
  client = api.client();
});
afterEach(async () => {
  await client.close();
  await api.stop();
});

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Serves `metrics.k8s.io` by definitions, as metrics-server would. */
async function defineMetrics(): Promise<void> {
  const kinds = [
    ['pods', 'PodMetrics', 'Namespaced'],
    ['nodes', 'NodeMetrics', 'Cluster'],
  ] as const;
  for (const [plural, kind, scope] of kinds) {
    await client.apiextensions.v1.customResourceDefinitions().create({
      metadata: {
        name: `${plural}.metrics.k8s.io`,
        annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
      },
      spec: {
        group: 'metrics.k8s.io',
        scope,
        names: { plural, kind, listKind: `${kind}List`, singular: plural.slice(0, -1) },
        versions: [{ name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: anything } }],
      },
    });
  }
}

const measured = { timestamp: '2026-01-01T00:00:00Z', window: '30s' };

describe('top', () => {
  it('sums the containers of each pod, in cores and bytes', async () => {
    await defineMetrics();
    const pods = client.forResource(metricsResources.pods, 'default');
    await pods.create({
      ...measured,
      metadata: { name: 'web', labels: { app: 'web' } },
      containers: [
        { name: 'app', usage: { cpu: '250m', memory: '64Mi' } },
        { name: 'proxy', usage: { cpu: '1234567n', memory: '1000Ki' } },
      ],
    });
    await pods.create({ ...measured, metadata: { name: 'idle' }, containers: [] });
    expect(await client.topPods({ namespace: 'default', labelSelector: 'app=web' })).toEqual([
      {
        namespace: 'default',
        name: 'web',
        cpu: 0.251234567,
        memory: 68_132_864,
        containers: [
          { name: 'app', cpu: 0.25, memory: 67_108_864 },
          { name: 'proxy', cpu: 0.001234567, memory: 1_024_000 },
        ],
      },
    ]);
    expect(await client.topPods()).toMatchObject([{ name: 'idle', cpu: 0, memory: 0 }, { name: 'web' }]);
  });

  it('compares the use of nodes with what they may allocate', async () => {
    await defineMetrics();
    const nodes = client.forResource(metricsResources.nodes);
    for (const name of ['n1', 'n2']) {
      await nodes.create({ ...measured, metadata: { name }, usage: { cpu: '500m', memory: '1Gi' } });
    }
    await client.core.v1.nodes().create({ metadata: { name: 'n1' } });
    await client.core.v1.nodes().patchStatus('n1', { allocatable: { cpu: '2', memory: '4Gi' } });
    expect(await client.topNodes()).toEqual([
      { name: 'n1', cpu: 0.5, memory: 2 ** 30, cpuPart: 0.25, memoryPart: 0.25 },
      { name: 'n2', cpu: 0.5, memory: 2 ** 30, cpuPart: undefined, memoryPart: undefined },
    ]);
  });

  it('says what is missing in a cluster without metrics', async () => {
    const failure = client.topPods().catch((error: unknown) => error);
    expect(await failure).toSatisfy(isNotFound);
    expect(((await failure) as Error).message).toContain('is metrics-server installed in the cluster?');
  });
});

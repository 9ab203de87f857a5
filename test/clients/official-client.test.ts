import { CoreV1Api, type Informer, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/apiserver/index.js';
import { Journal } from '../support/journal.js';

let api: ApiServer;

beforeEach(async () => {
  api = await startApiServer();
});

afterEach(() => api.stop());

describe("the official client's informer", () => {
  it('lists and watches the embedded server, through 410 Gone and restarts', async () => {
    const config = new KubeConfig();
    config.loadFromString(api.kubeconfig);
    const core = config.makeApiClient(CoreV1Api);
    const put = async (name: string, value: string): Promise<void> => {
      const response = await fetch(`${api.url}/api/v1/namespaces/default/configmaps/${name}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ data: { value } }),
      });
      expect(response.status).toBe(200);
    };
    await core.createNamespacedConfigMap({
      namespace: 'default',
      body: { metadata: { name: 'a' }, data: { value: '1' } },
    });

    const journal = new Journal();
    const informer: Informer<V1ConfigMap> = makeInformer(config, '/api/v1/namespaces/default/configmaps', () =>
      core.listNamespacedConfigMap({ namespace: 'default' }),
    );
    const describeMap = (map: V1ConfigMap): string => `${map.metadata?.name} ${map.data?.['value']}`;
    informer.on('add', (map) => journal.write(`add ${describeMap(map)}`));
    informer.on('update', (map) => journal.write(`update ${describeMap(map)}`));
    informer.on('delete', (map) => journal.write(`delete ${describeMap(map)}`));
    // It stops at the first error; its user has to start it again.
    let isStopping = false;
    informer.on('error', () => {
      if (!isStopping) void informer.start();
    });
    await informer.start();
    await journal.until('add a 1');
    await put('a', '2');
    await journal.until('update a 2');

    api.compact();
    api.faults.dropConnections();
    await put('a', '3').catch(() => put('a', '3'));
    await journal.until('update a 3');

    await api.restart();
    await put('a', '4').catch(() => put('a', '4'));
    await journal.until('update a 4');
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'a' });
    await journal.until('delete a 4');
    isStopping = true;
    await informer.stop();
  });
});

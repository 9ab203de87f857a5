import * as official from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/apiserver/index.js';
import * as compat from '../../src/compat/index.js';

let api: ApiServer;

beforeAll(async () => {
  api = await startApiServer({ tls: true, tokens: { secret: { name: 'ada' } } });
});
afterAll(() => api.stop());

/** Programs are typed by this library and run with both: what compiles here must mean the same there. */
type K8s = typeof compat;

const clients: readonly (readonly [string, K8s])[] = [
  ['@kubernetes/client-node', official as unknown as K8s],
  ['kubeflect/compat', compat],
];

/** Without what the server makes anew each time. */
function plain(object: unknown): unknown {
  return JSON.parse(
    JSON.stringify(object, (name, value) =>
      ['uid', 'resourceVersion', 'creationTimestamp', 'time', 'selfLink', 'managedFields'].includes(name)
        ? undefined
        : value,
    ),
  );
}

/** What a program does with the API classes; the answers must not depend on the client. */
async function program(k8s: K8s, namespace: string): Promise<unknown[]> {
  const kc = new k8s.KubeConfig();
  kc.loadFromString(api.kubeconfig);
  const core = kc.makeApiClient(k8s.CoreV1Api);
  const apps = kc.makeApiClient(k8s.AppsV1Api);
  const networking = kc.makeApiClient(k8s.NetworkingV1Api);
  const story: unknown[] = [];
  const tell = async (answer: Promise<unknown>): Promise<void> => {
    story.push(
      await answer.then(plain, (error: { code?: unknown; body?: string }) => [
        error.code,
        JSON.parse(error.body ?? '{}').message,
      ]),
    );
  };
  await tell(core.createNamespace({ body: { metadata: { name: namespace } } }));
  await tell(core.readNamespace({ name: namespace }));
  await tell(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' }, data: { from: 'x' } } }));
  await tell(core.readNamespacedConfigMap({ namespace, name: 'none' }));
  await tell(
    core.patchNamespacedConfigMap({ namespace, name: 'a', body: [{ op: 'add', path: '/data/n', value: '1' }] }),
  );
  await tell(core.listNamespacedConfigMap({ namespace, labelSelector: 'x=y' }));
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  await tell(apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'web' }, spec } }));
  const deployment = await apps.readNamespacedDeployment({ name: 'web', namespace });
  story.push(deployment.metadata?.creationTimestamp instanceof Date);
  deployment.spec!.replicas = 3;
  await tell(apps.replaceNamespacedDeployment({ name: 'web', namespace, body: deployment }));
  await tell(apps.readNamespacedDeploymentScale({ name: 'web', namespace }));
  const from = [{ podSelector: { matchLabels: { from: 'a' } } }];
  const body = { metadata: { name: 'np' }, spec: { podSelector: {}, ingress: [{ _from: from }] } };
  await tell(networking.createNamespacedNetworkPolicy({ namespace, body }));
  await tell(networking.readNamespacedNetworkPolicy({ namespace, name: 'np' }));
  await tell(core.deleteNamespacedConfigMap({ namespace, name: 'a' }));
  await tell(core.deleteNamespacedConfigMap({ namespace, name: 'a' }));
  const objects = k8s.KubernetesObjectApi.makeApiClient(kc);
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace }, stringData: { a: 'b' } };
  await tell(objects.create(secret));
  await tell(objects.patch({ ...secret, metadata: { ...secret.metadata, labels } }));
  await tell(objects.read({ ...secret, metadata: { name: 's', namespace } }));
  await tell(objects.list('v1', 'Secret', namespace));
  await tell(objects.delete(secret));
  return story;
}

describe('the API classes', () => {
  it('answer as those of the official client', async () => {
    const stories = [];
    for (const [index, [, k8s]] of clients.entries()) {
      const story = await program(k8s, `stories-${index}`);
      stories.push(JSON.parse(JSON.stringify(story).replaceAll(`stories-${index}`, 'stories')));
    }
    expect(stories[1]).toEqual(stories[0]);
  });

  it('have every method of the official classes, except streams, proxies and those with HTTP details', () => {
    const missing: string[] = [];
    let compared = 0;
    for (const name of Object.keys(compat)) {
      const theirs = (official as unknown as Record<string, unknown>)[name];
      if (!/Api$/.test(name) || name === 'KubernetesObjectApi' || typeof theirs !== 'function') continue;
      const Ours = (compat as unknown as Record<string, new (config: object) => object>)[name]!;
      const own = new Ours({ getCurrentCluster: () => null });
      for (const method of Object.getOwnPropertyNames(theirs.prototype)) {
        if (method === 'constructor' || /^connect|WithHttpInfo$/.test(method)) continue;
        compared++;
        if (!(method in own)) missing.push(`${name}.${method}`);
      }
    }
    expect(missing).toEqual([]);
    expect(compared).toBeGreaterThan(500);
  });
});

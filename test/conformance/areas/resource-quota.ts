import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import type { Answer } from '../http.js';
import { configMaps } from '../objects.js';

type Amounts = Readonly<Record<string, string>>;

/** Creates a quota and writes its status, as a controller does: from then on it counts. */
async function addQuota(api: Api, namespace: string, hard: Amounts, spec: object = {}): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  const name = api.unique('quota');
  await api.create(path, { metadata: { name }, spec: { hard, ...spec } });
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
  await api.patch(`${path}/${name}/status`, 'merge', { status: { hard, used } });
  return `${path}/${name}`;
}

/** Creates an object until the server refuses it: a kube-apiserver knows a quota a moment later. */
async function refusal(
  api: Api,
  path: string,
  body: { readonly metadata?: object; readonly [field: string]: unknown },
): Promise<string> {
  const deadline = AbortSignal.timeout(10_000);
  for (;;) {
    const given = { ...body, metadata: { name: 'over', ...body.metadata } };
    const answer: Answer = await api.request('POST', path, { body: given, query: { dryRun: 'All' } });
    if (answer.status === 403) return answer.json.message;
    if (deadline.aborted) throw new Error(`${path} still answers ${answer.status}`);
  }
}

/** `status.used` of a quota. */
async function usedOf(api: Api, quota: string): Promise<unknown> {
  return ((await api.get(quota)).status as Record<string, unknown>)['used'];
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const container = (resources: object = {}): object => ({ name: 'c', image: 'i', resources });

export const area: Area = defineArea('resource quota', (rule) => {
  rule('objects are counted, and refused beyond the limit', async (api) => {
    const namespace = await api.namespace();
    const quota = await addQuota(api, namespace, { 'count/configmaps': '2', secrets: '0' });
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    expect(await refusal(api, secrets, {})).toBe(
      `secrets "over" is forbidden: exceeded quota: ${nameOf(quota)}, requested: secrets=1, used: secrets=0, limited: secrets=0`,
    );
    for (const name of ['a', 'b']) await api.create(configMaps(namespace), { metadata: { name } });
    expect(await refusal(api, configMaps(namespace), {})).toBe(
      `configmaps "over" is forbidden: exceeded quota: ${nameOf(quota)}, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2`,
    );
    expect(await usedOf(api, quota)).toEqual({ 'count/configmaps': '2', secrets: '0' });
    await api.patch(`${configMaps(namespace)}/a`, 'merge', { data: { x: '1' } });
  });

  rule('a dry run uses nothing', async (api) => {
    const namespace = await api.namespace();
    const quota = await addQuota(api, namespace, { 'count/configmaps': '1', secrets: '0' });
    await refusal(api, `/api/v1/namespaces/${namespace}/secrets`, {});
    await api.create(configMaps(namespace), { metadata: { name: 'a' } }, { dryRun: 'All' });
    expect(await usedOf(api, quota)).toEqual({ 'count/configmaps': '0', secrets: '0' });
  });

  rule('pods have to say what a quota limits, and are added up', async (api) => {
    const namespace = await api.namespace();
    const hard = { pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi', cpu: '1' };
    const quota = await addQuota(api, namespace, hard);
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const silent = [container(), { name: 'd', image: 'i', resources: { requests: { cpu: '100m' } } }];
    expect(await refusal(api, pods, { spec: { containers: silent } })).toBe(
      `pods "over" is forbidden: failed quota: ${nameOf(quota)}: must specify cpu for: c; limits.memory for: c,d; requests.cpu for: c`,
    );
    const resources = { requests: { cpu: '600m' }, limits: { memory: '100Mi' } };
    await api.create(pods, { metadata: { name: 'a' }, spec: { containers: [container(resources)] } });
    const large = { requests: { cpu: '600m' }, limits: { memory: '1Gi' } };
    expect(await refusal(api, pods, { spec: { containers: [container(large)] } })).toBe(
      `pods "over" is forbidden: exceeded quota: ${nameOf(quota)}, requested: cpu=600m,limits.memory=1Gi,requests.cpu=600m, used: cpu=600m,limits.memory=100Mi,requests.cpu=600m, limited: cpu=1,limits.memory=1Gi,requests.cpu=1`,
    );
    expect(await usedOf(api, quota)).toEqual({
      cpu: '600m',
      'limits.memory': '100Mi',
      pods: '1',
      'requests.cpu': '600m',
    });
  });

  rule('a scope limits a quota to some pods', async (api) => {
    const namespace = await api.namespace();
    const quota = await addQuota(api, namespace, { pods: '0' }, { scopes: ['BestEffort'] });
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    expect(await refusal(api, pods, { spec: { containers: [container()] } })).toBe(
      `pods "over" is forbidden: exceeded quota: ${nameOf(quota)}, requested: pods=1, used: pods=0, limited: pods=0`,
    );
    const spec = { containers: [container({ requests: { cpu: '1' } })] };
    await api.create(pods, { metadata: { name: 'a' }, spec });
  });

  rule('services and claims have amounts of their own', async (api) => {
    const namespace = await api.namespace();
    const gold = 'gold.storageclass.storage.k8s.io/requests.storage';
    const hard = { 'services.loadbalancers': '0', services: '1', 'requests.storage': '5Gi', [gold]: '1Gi' };
    const quota = await addQuota(api, namespace, hard);
    const over = `exceeded quota: ${nameOf(quota)}, requested: `;
    const services = `/api/v1/namespaces/${namespace}/services`;
    const ports = [{ port: 80 }];
    expect(await refusal(api, services, { spec: { type: 'LoadBalancer', ports } })).toBe(
      `services "over" is forbidden: ${over}services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0`,
    );
    const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    const claim = (storage: string, storageClassName: string): { spec: object } => ({
      spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } },
    });
    await api.create(claims, { metadata: { name: 'a' }, ...claim('2Gi', '') });
    expect(await refusal(api, claims, claim('2Gi', 'gold'))).toBe(
      `persistentvolumeclaims "over" is forbidden: ${over}${gold}=2Gi, used: ${gold}=0, limited: ${gold}=1Gi`,
    );
    expect(await refusal(api, claims, claim('4Gi', ''))).toBe(
      `persistentvolumeclaims "over" is forbidden: ${over}requests.storage=4Gi, used: requests.storage=2Gi, limited: requests.storage=5Gi`,
    );
  });
});

import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { deployments } from '../bodies.js';
import { at } from '../doc.js';
import type { RequestOptions } from '../http.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1';

/** What somebody without rights tries, what the message must say that they cannot, and of what. */
interface Attempt {
  readonly title: string;
  readonly method: string;
  readonly path: (namespace: string) => string;
  readonly options?: RequestOptions;
  readonly says: (namespace: string) => string;
  readonly details: { readonly name?: string; readonly group?: string; readonly kind?: string };
}

const attempts: readonly Attempt[] = [
  {
    title: 'get',
    method: 'GET',
    path: (namespace) => `${configMaps(namespace)}/one`,
    says: (namespace) =>
      `configmaps "one" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { name: 'one', kind: 'configmaps' },
  },
  {
    title: 'list',
    method: 'GET',
    path: configMaps,
    says: (namespace) =>
      `configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'configmaps' },
  },
  {
    title: 'watch',
    method: 'GET',
    path: configMaps,
    options: { query: { watch: true } },
    says: (namespace) =>
      `configmaps is forbidden: User "jane" cannot watch resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'configmaps' },
  },
  {
    title: 'list across namespaces',
    method: 'GET',
    path: () => '/api/v1/configmaps',
    says: () =>
      'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" at the cluster scope',
    details: { kind: 'configmaps' },
  },
  {
    title: 'list of a cluster-wide resource',
    method: 'GET',
    path: () => '/api/v1/nodes',
    says: () => 'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    details: { kind: 'nodes' },
  },
  {
    title: 'create',
    method: 'POST',
    path: configMaps,
    options: { body: { metadata: { name: 'one' } } },
    says: (namespace) =>
      `configmaps is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'configmaps' },
  },
  {
    title: 'update',
    method: 'PUT',
    path: (namespace) => `${configMaps(namespace)}/one`,
    options: { body: { metadata: { name: 'one' } } },
    says: (namespace) =>
      `configmaps "one" is forbidden: User "jane" cannot update resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { name: 'one', kind: 'configmaps' },
  },
  {
    title: 'patch',
    method: 'PATCH',
    path: (namespace) => `${configMaps(namespace)}/one`,
    options: { body: {}, headers: { 'content-type': 'application/merge-patch+json' } },
    says: (namespace) =>
      `configmaps "one" is forbidden: User "jane" cannot patch resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { name: 'one', kind: 'configmaps' },
  },
  {
    title: 'delete',
    method: 'DELETE',
    path: (namespace) => `${configMaps(namespace)}/one`,
    says: (namespace) =>
      `configmaps "one" is forbidden: User "jane" cannot delete resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { name: 'one', kind: 'configmaps' },
  },
  {
    title: 'deletecollection',
    method: 'DELETE',
    path: configMaps,
    says: (namespace) =>
      `configmaps is forbidden: User "jane" cannot deletecollection resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'configmaps' },
  },
  {
    title: 'get of a resource in a group',
    method: 'GET',
    path: (namespace) => `${deployments(namespace)}/web`,
    says: (namespace) =>
      `deployments.apps "web" is forbidden: User "jane" cannot get resource "deployments" in API group "apps" in the namespace "${namespace}"`,
    details: { name: 'web', group: 'apps', kind: 'deployments' },
  },
  {
    title: 'update of a subresource',
    method: 'PUT',
    path: (namespace) => `${deployments(namespace)}/web/scale`,
    options: { body: {} },
    says: (namespace) =>
      `deployments.apps "web" is forbidden: User "jane" cannot update resource "deployments/scale" in API group "apps" in the namespace "${namespace}"`,
    details: { name: 'web', group: 'apps', kind: 'deployments' },
  },
  {
    title: 'get of a namespace',
    method: 'GET',
    path: (namespace) => `/api/v1/namespaces/${namespace}`,
    says: (namespace) =>
      `namespaces "${namespace}" is forbidden: User "jane" cannot get resource "namespaces" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'namespaces' },
  },
  {
    title: 'a path that is no resource',
    method: 'GET',
    path: () => '/metrics',
    says: () => 'forbidden: User "jane" cannot get path "/metrics"',
    details: {},
  },
];

/** A user name of this case's own, to whom a role in the namespace is given. */
async function grant(api: Api, namespace: string, rules: readonly object[]): Promise<string> {
  const name = api.unique('user');
  const roles = `${RBAC}/namespaces/${namespace}`;
  await api.create(`${roles}/roles`, { metadata: { name }, rules });
  await api.create(`${roles}/rolebindings`, {
    metadata: { name },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }],
    roleRef: { kind: 'Role', apiGroup: 'rbac.authorization.k8s.io', name },
  });
  return name;
}

/** Roles take a moment to become known. */
function whenAllowed(api: Api, path: string, user: string): Promise<void> {
  return api.whenAnswer(path, (status) => status === 200, { headers: { 'impersonate-user': user } });
}

export const area: Area = defineArea('authorization', (rule) => {
  for (const { title, method, path, options, says, details } of attempts) {
    rule(`Forbidden says who cannot do what with which resource: ${title}`, async (api) => {
      const namespace = await api.namespace();
      const headers = { ...options?.headers, 'impersonate-user': 'jane' };
      const answer = await api.request(method, path(namespace), { ...options, headers });
      expectStatus(answer, { code: 403, reason: 'Forbidden', message: says(namespace), details });
    });
  }

  rule('a user without rights may still discover what there is', async (api) => {
    for (const path of ['/api', '/apis', '/api/v1', '/apis/apps/v1', '/version', '/healthz']) {
      const answer = await api.request('GET', path, { headers: { 'impersonate-user': 'jane' } });
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  rule('Forbidden comes before NotFound: what does not exist is not told', async (api) => {
    const path = `${configMaps(await api.namespace())}/absent`;
    const answer = await api.request('GET', path, { headers: { 'impersonate-user': 'jane' } });
    expectStatus(answer, { code: 403, reason: 'Forbidden' });
  });

  rule(
    'a user without rights is Forbidden by their own token',
    async (api) => {
      const { name, token } = api.powerless;
      const namespace = await api.namespace();
      expectStatus(await api.request('GET', configMaps(namespace), { token }), {
        code: 403,
        reason: 'Forbidden',
        message: `configmaps is forbidden: User "${name}" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
        details: { kind: 'configmaps' },
      });
    },
    { needs: ['powerless'] },
  );

  rule('a role allows what it names and nothing else', async (api) => {
    const namespace = await api.namespace();
    const path = configMaps(namespace);
    await api.create(path, { metadata: { name: 'one' } });
    const user = await grant(api, namespace, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
    await whenAllowed(api, `${path}/one`, user);
    expect((await api.request('GET', path, { headers: { 'impersonate-user': user } })).status).toBe(403);
    expect((await api.request('DELETE', `${path}/one`, { headers: { 'impersonate-user': user } })).status).toBe(403);
  });

  rule('a role in one namespace does not count in another', async (api) => {
    const [here, there] = await Promise.all([api.namespace(), api.namespace()]);
    const user = await grant(api, here, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }]);
    await whenAllowed(api, configMaps(here), user);
    expect((await api.request('GET', configMaps(there), { headers: { 'impersonate-user': user } })).status).toBe(403);
  });

  rule('SelfSubjectAccessReview tells what somebody may do', async (api) => {
    const namespace = await api.namespace();
    const body = { spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace } } };
    const own = await api.create(`${REVIEWS}/selfsubjectaccessreviews`, body);
    expect(own).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: true } });
    const others = await api.request('POST', `${REVIEWS}/selfsubjectaccessreviews`, {
      body,
      headers: { 'impersonate-user': 'jane' },
    });
    expect(at(others.json, 'status.allowed')).toBe(false);
  });
});

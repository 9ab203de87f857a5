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

/** Requests of a user without rights, and the verb and resource that the message must name. */
interface Attempt {
  readonly title: string;
  readonly method: string;
  readonly path: (namespace: string) => string;
  readonly options?: RequestOptions;
  readonly says: (user: string, namespace: string) => string;
  readonly details: { readonly name?: string; readonly group?: string; readonly kind?: string };
}

const attempts: readonly Attempt[] = [
  {
    title: 'get',
    method: 'GET',
    path: (namespace) => `${configMaps(namespace)}/one`,
    says: (user, namespace) =>
      `configmaps "one" is forbidden: User "${user}" cannot get resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { name: 'one', kind: 'configmaps' },
  },
  {
    title: 'list',
    method: 'GET',
    path: configMaps,
    says: (user, namespace) =>
      `configmaps is forbidden: User "${user}" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'configmaps' },
  },
  {
    title: 'watch',
    method: 'GET',
    path: configMaps,
    options: { query: { watch: true, timeoutSeconds: 1 } },
    says: (user, namespace) =>
      `configmaps is forbidden: User "${user}" cannot watch resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'configmaps' },
  },
  {
    title: 'list across namespaces',
    method: 'GET',
    path: () => '/api/v1/configmaps',
    says: (user) =>
      `configmaps is forbidden: User "${user}" cannot list resource "configmaps" in API group "" at the cluster scope`,
    details: { kind: 'configmaps' },
  },
  {
    title: 'list of a cluster-wide resource',
    method: 'GET',
    path: () => '/api/v1/nodes',
    says: (user) =>
      `nodes is forbidden: User "${user}" cannot list resource "nodes" in API group "" at the cluster scope`,
    details: { kind: 'nodes' },
  },
  {
    title: 'create',
    method: 'POST',
    path: configMaps,
    options: { body: { metadata: { name: 'one' } } },
    says: (user, namespace) =>
      `configmaps is forbidden: User "${user}" cannot create resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'configmaps' },
  },
  {
    title: 'update',
    method: 'PUT',
    path: (namespace) => `${configMaps(namespace)}/one`,
    options: { body: { metadata: { name: 'one' } } },
    says: (user, namespace) =>
      `configmaps "one" is forbidden: User "${user}" cannot update resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { name: 'one', kind: 'configmaps' },
  },
  {
    title: 'patch',
    method: 'PATCH',
    path: (namespace) => `${configMaps(namespace)}/one`,
    options: { body: {}, headers: { 'content-type': 'application/merge-patch+json' } },
    says: (user, namespace) =>
      `configmaps "one" is forbidden: User "${user}" cannot patch resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { name: 'one', kind: 'configmaps' },
  },
  {
    title: 'delete',
    method: 'DELETE',
    path: (namespace) => `${configMaps(namespace)}/one`,
    says: (user, namespace) =>
      `configmaps "one" is forbidden: User "${user}" cannot delete resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { name: 'one', kind: 'configmaps' },
  },
  {
    title: 'deletecollection',
    method: 'DELETE',
    path: configMaps,
    says: (user, namespace) =>
      `configmaps is forbidden: User "${user}" cannot deletecollection resource "configmaps" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'configmaps' },
  },
  {
    title: 'get of a resource in a group',
    method: 'GET',
    path: (namespace) => `${deployments(namespace)}/web`,
    says: (user, namespace) =>
      `deployments.apps "web" is forbidden: User "${user}" cannot get resource "deployments" in API group "apps" in the namespace "${namespace}"`,
    details: { name: 'web', group: 'apps', kind: 'deployments' },
  },
  {
    title: 'update of a subresource',
    method: 'PUT',
    path: (namespace) => `${deployments(namespace)}/web/scale`,
    options: { body: {} },
    says: (user, namespace) =>
      `deployments.apps "web" is forbidden: User "${user}" cannot update resource "deployments/scale" in API group "apps" in the namespace "${namespace}"`,
    details: { name: 'web', group: 'apps', kind: 'deployments' },
  },
  {
    title: 'get of a namespace',
    method: 'GET',
    path: (namespace) => `/api/v1/namespaces/${namespace}`,
    says: (user, namespace) =>
      `namespaces "${namespace}" is forbidden: User "${user}" cannot get resource "namespaces" in API group "" in the namespace "${namespace}"`,
    details: { kind: 'namespaces' },
  },
  {
    title: 'a path that is no resource',
    method: 'GET',
    path: () => '/metrics',
    says: (user) => `forbidden: User "${user}" cannot get path "/metrics"`,
    details: {},
  },
];

/** Binds a role to the stranger in the namespace of this case, and waits until the server applies it. */
async function grant(api: Api, namespace: string, rules: readonly object[], proof: string): Promise<void> {
  const path = `${RBAC}/namespaces/${namespace}`;
  await api.create(`${path}/roles`, { metadata: { name: 'granted' }, rules });
  await api.create(`${path}/rolebindings`, {
    metadata: { name: 'granted' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: api.stranger.name }],
    roleRef: { kind: 'Role', apiGroup: 'rbac.authorization.k8s.io', name: 'granted' },
  });
  await api.whenAnswer(proof, (status) => status === 200, api.stranger.as());
}

export const area: Area = defineArea('authorization', (rule) => {
  for (const { title, method, path, options, says, details } of attempts) {
    rule(`Forbidden says who cannot do what with which resource: ${title}`, async (api) => {
      const namespace = await api.namespace();
      const { name, as } = api.stranger;
      const answer = await api.request(method, path(namespace), as(options));
      expectStatus(answer, { code: 403, reason: 'Forbidden', message: says(name, namespace), details });
    });
  }

  rule('a user without rights may read discovery', async (api) => {
    for (const path of ['/api', '/apis', '/api/v1', '/apis/apps/v1', '/version', '/healthz']) {
      const answer = await api.request('GET', path, api.stranger.as());
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  rule('Forbidden comes before NotFound, so that it does not reveal whether an object exists', async (api) => {
    const path = `${configMaps(await api.namespace())}/absent`;
    const answer = await api.request('GET', path, api.stranger.as());
    expectStatus(answer, { code: 403, reason: 'Forbidden' });
  });

  rule('a role allows what it names and nothing else', async (api) => {
    const namespace = await api.namespace();
    const path = configMaps(namespace);
    await api.create(path, { metadata: { name: 'one' } });
    await grant(api, namespace, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }], `${path}/one`);
    expect((await api.request('GET', path, api.stranger.as())).status).toBe(403);
    expect((await api.request('DELETE', `${path}/one`, api.stranger.as())).status).toBe(403);
    expect((await api.request('GET', `/api/v1/namespaces/${namespace}/secrets/one`, api.stranger.as())).status).toBe(
      403,
    );
  });

  rule('a role may name single objects', async (api) => {
    const namespace = await api.namespace();
    const path = configMaps(namespace);
    await api.create(path, { metadata: { name: 'one' } });
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['one'] }];
    await grant(api, namespace, rules, `${path}/one`);
    expect((await api.request('GET', `${path}/two`, api.stranger.as())).status).toBe(403);
  });

  rule('a role may allow everything', async (api) => {
    const namespace = await api.namespace();
    const path = configMaps(namespace);
    await grant(api, namespace, [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], path);
    const body = { metadata: { name: 'one' } };
    expect((await api.request('POST', path, api.stranger.as({ body }))).status).toBe(201);
    expect((await api.request('GET', '/api/v1/configmaps', api.stranger.as())).status).toBe(403);
  });

  rule('a role in one namespace does not count in another', async (api) => {
    const [here, there] = await Promise.all([api.namespace(), api.namespace()]);
    await grant(api, here, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }], configMaps(here));
    expect((await api.request('GET', configMaps(there), api.stranger.as())).status).toBe(403);
  });

  rule('a PUT that would create is Forbidden without the right to create', async (api) => {
    const namespace = await api.namespace();
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    await grant(
      api,
      namespace,
      [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list', 'update'] }],
      path,
    );
    const body = { metadata: { name: 'one' }, spec: {} };
    const answer = await api.request('PUT', `${path}/one`, api.stranger.as({ body }));
    expectStatus(answer, {
      code: 403,
      reason: 'Forbidden',
      message: /^leases\.coordination\.k8s\.io "one" is forbidden: /,
    });
  });

  const ofRoles = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'] };
  const notHeld =
    /is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get"\]\}$/;
  const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };

  rule('a role cannot grant rights that its author does not have', async (api) => {
    const namespace = await api.namespace();
    const path = `${RBAC}/namespaces/${namespace}/roles`;
    await grant(api, namespace, [{ ...ofRoles, verbs: ['list', 'create'] }], path);
    const body = { metadata: { name: 'one' }, rules: [secrets] };
    const answer = await api.request('POST', path, api.stranger.as({ body }));
    expectStatus(answer, { code: 403, reason: 'Forbidden', message: notHeld });
  });

  rule('a role is bound only by a user that has all its rights or may bind it', async (api) => {
    const namespace = await api.namespace();
    const path = `${RBAC}/namespaces/${namespace}`;
    await api.create(`${path}/roles`, { metadata: { name: 'reader' }, rules: [secrets] });
    await grant(api, namespace, [{ ...ofRoles, verbs: ['list', 'create'] }], `${path}/rolebindings`);
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: api.stranger.name }];
    const roleRef = { kind: 'Role', apiGroup: 'rbac.authorization.k8s.io', name: 'reader' };
    const body = { metadata: { name: 'one' }, subjects, roleRef };
    const answer = await api.request('POST', `${path}/rolebindings`, api.stranger.as({ body }));
    expectStatus(answer, { code: 403, reason: 'Forbidden', message: notHeld });
  });

  rule('a binding to a role that does not exist is NotFound for a user who may not bind it', async (api) => {
    const namespace = await api.namespace();
    const path = `${RBAC}/namespaces/${namespace}/rolebindings`;
    await grant(api, namespace, [{ ...ofRoles, verbs: ['list', 'create'] }], path);
    const roleRef = { kind: 'Role', apiGroup: 'rbac.authorization.k8s.io', name: 'none' };
    const body = { metadata: { name: 'one' }, roleRef };
    expectStatus(await api.request('POST', path, api.stranger.as({ body })), {
      code: 404,
      reason: 'NotFound',
      message: 'rolebindings.rbac.authorization.k8s.io "none" not found',
    });
  });

  rule('a role with an aggregationRule comes only from an administrator', async (api) => {
    const user = api.unique('author');
    const name = api.unique('aggregates');
    const rules = [
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create', 'list'] },
    ];
    await api.create(`${RBAC}/clusterroles`, { metadata: { name }, rules });
    api.remove(`${RBAC}/clusterroles/${name}`);
    await api.create(`${RBAC}/clusterrolebindings`, {
      metadata: { name },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
      roleRef: { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name },
    });
    api.remove(`${RBAC}/clusterrolebindings/${name}`);
    const headers = { 'impersonate-user': user };
    await api.whenAnswer(`${RBAC}/clusterroles`, (status) => status === 200, { headers });
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const body = { metadata: { name: `${name}-2` }, aggregationRule, rules: [] };
    expectStatus(await api.request('POST', `${RBAC}/clusterroles`, { body, headers }), {
      code: 403,
      reason: 'Forbidden',
      message: `clusterroles.rbac.authorization.k8s.io "${name}-2" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    });
  });

  rule('a binding needs valid subjects and a valid role', async (api) => {
    const path = `${RBAC}/namespaces/${await api.namespace()}/rolebindings`;
    const body = { metadata: { name: 'one' }, subjects: [null], roleRef: { kind: 'Pod', name: 'one' } };
    expectStatus(await api.request('POST', path, { body }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        { field: 'subjects[0].name', reason: 'FieldValueRequired' },
        { field: 'subjects[0].kind', reason: 'FieldValueNotSupported' },
        { field: 'roleRef.kind', reason: 'FieldValueNotSupported' },
      ],
    });
  });

  rule('SelfSubjectAccessReview answers whether the user may do something', async (api) => {
    const namespace = await api.namespace();
    const body = { spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace } } };
    const own = await api.create(`${REVIEWS}/selfsubjectaccessreviews`, body);
    expect(own).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: true } });
    const others = await api.request('POST', `${REVIEWS}/selfsubjectaccessreviews`, api.stranger.as({ body }));
    expect(at(others.json, 'status.allowed')).toBe(false);
  });
});

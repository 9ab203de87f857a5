import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { at } from '../doc.js';
import { expectStatus } from '../status.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SELF_REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

export const area: Area = defineArea('impersonation', (rule) => {
  rule('an administrator may impersonate another user', async (api) => {
    const answer = await api.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: {},
      headers: { 'impersonate-user': 'jane', 'impersonate-group': 'readers' },
    });
    expect(at(answer.json, 'status.userInfo')).toMatchObject({
      username: 'jane',
      groups: ['readers', 'system:authenticated'],
    });
  });

  rule(
    'impersonation needs the right to impersonate',
    async (api) => {
      const { name, token } = api.powerless;
      const answer = await api.request('GET', '/api/v1/namespaces', { token, headers: { 'impersonate-user': 'jane' } });
      expectStatus(answer, {
        code: 403,
        reason: 'Forbidden',
        message: new RegExp(`is forbidden: User "${name}" cannot impersonate`),
      });
    },
    { needs: ['powerless'] },
  );

  rule('a group without a user is a BadRequest', async (api) => {
    expectStatus(await api.request('GET', '/api/v1/namespaces', { headers: { 'impersonate-group': 'readers' } }), {
      code: 400,
      reason: 'BadRequest',
      message: /without impersonating a user name$/,
    });
  });

  rule('an impersonated user has only its own rights', async (api) => {
    expectStatus(await api.request('GET', '/api/v1/nodes', { headers: { 'impersonate-user': 'jane' } }), {
      code: 403,
      reason: 'Forbidden',
      message: 'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    });
  });

  rule('a uid and extra values can be impersonated too', async (api) => {
    const answer = await api.request('POST', SELF_REVIEWS, {
      body: {},
      headers: {
        'impersonate-user': 'jane',
        'impersonate-uid': 'u1',
        'impersonate-extra-scopes': 'a',
        'impersonate-extra-acme.com%2fproject': 'b',
      },
    });
    expect(at(answer.json, 'status.userInfo')).toEqual({
      username: 'jane',
      uid: 'u1',
      groups: ['system:authenticated'],
      extra: { 'acme.com/project': ['b'], scopes: ['a'] },
    });
  });

  for (const [headers, groups] of [
    [
      { 'impersonate-user': 'system:serviceaccount:n:a' },
      ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
    ],
    [{ 'impersonate-user': 'system:serviceaccount:n:a', 'impersonate-group': 'g' }, ['g', 'system:authenticated']],
    [{ 'impersonate-user': 'system:serviceaccount:N:a' }, ['system:authenticated']],
  ] as const) {
    rule(`an impersonated user has the groups of its name: ${Object.values(headers).join(', ')}`, async (api) => {
      const answer = await api.request('POST', SELF_REVIEWS, { body: {}, headers });
      expect(at(answer.json, 'status.userInfo.groups')).toEqual(groups);
    });
  }

  rule('system:unauthenticated is not authenticated', async (api) => {
    for (const headers of [
      { 'impersonate-user': 'system:anonymous' },
      { 'impersonate-user': 'x', 'impersonate-group': 'system:unauthenticated' },
    ]) {
      expectStatus(await api.request('POST', SELF_REVIEWS, { body: {}, headers }), { code: 403, reason: 'Forbidden' });
    }
  });

  for (const [headers, printed] of [
    [{ 'impersonate-uid': 'u1' }, 'UID:"u1", Groups:[]string(nil), Extra:map[string][]string(nil)'],
    [{ 'impersonate-group': 'a' }, 'UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)'],
    [{ 'impersonate-extra-s': 'a' }, 'UID:"", Groups:[]string(nil), Extra:map[string][]string{"s":[]string{"a"}}'],
  ] as const) {
    rule(`headers without a user are printed as Go prints them: ${Object.keys(headers)[0]}`, async (api) => {
      expectStatus(await api.request('GET', '/api/v1/namespaces', { headers }), {
        code: 400,
        reason: 'BadRequest',
        message: `requested &user.DefaultInfo{Name:"", ${printed}} without impersonating a user name`,
      });
    });
  }

  for (const [user, mode] of [
    ['jane', 'user-info'],
    ['system:node:n1', 'arbitrary-node'],
    ['system:serviceaccount:n:a', 'serviceaccount'],
  ] as const) {
    rule(
      `a refused impersonation names the verb of its kind of user: ${user}`,
      async (api) => {
        const { name, token } = api.powerless;
        expectStatus(await api.request('GET', '/api/v1/nodes', { token, headers: { 'impersonate-user': user } }), {
          code: 403,
          reason: 'Forbidden',
          message: `nodes is forbidden: User "${name}" cannot impersonate-on:${mode}:list resource "nodes" in API group "" at the cluster scope`,
          details: { kind: 'nodes' },
        });
      },
      { needs: ['powerless'] },
    );
  }

  /** Gives rules to a ServiceAccount of the case, whose token is returned once the rules apply to an impersonation. */
  async function agent(api: Api, rules: readonly object[], headers: Record<string, string>): Promise<string> {
    const namespace = await api.namespace();
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await api.create(accounts, { metadata: { name: 'agent' } });
    const name = api.unique('agent');
    await api.create(`${RBAC}/clusterroles`, { metadata: { name }, rules });
    api.remove(`${RBAC}/clusterroles/${name}`);
    await api.create(`${RBAC}/clusterrolebindings`, {
      metadata: { name },
      subjects: [{ kind: 'ServiceAccount', namespace, name: 'agent' }],
      roleRef: { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name },
    });
    api.remove(`${RBAC}/clusterrolebindings/${name}`);
    const token = String(at(await api.create(`${accounts}/agent/token`, {}), 'status.token'));
    await api.whenAnswer('/version', (status) => status === 200, { token, headers });
    return token;
  }

  rule('the verb impersonate is needed for the name, the uid, each group and each extra value', async (api) => {
    const rules = [
      {
        verbs: ['impersonate'],
        apiGroups: ['authentication.k8s.io'],
        resources: ['userextras/scopes'],
        resourceNames: ['a'],
      },
      { verbs: ['impersonate'], apiGroups: [''], resources: ['users', 'groups'], resourceNames: ['jane', 'g'] },
    ];
    const allowed = { 'impersonate-user': 'jane', 'impersonate-group': 'g', 'impersonate-extra-scopes': 'a' };
    const token = await agent(api, rules, allowed);
    const ask = (headers: Record<string, string>) =>
      api.request('POST', SELF_REVIEWS, { body: {}, token, headers: { ...allowed, ...headers } });
    expect(at((await ask({})).json, 'status.userInfo.username')).toBe('jane');
    for (const [headers, message] of [
      [{ 'impersonate-uid': 'u' }, /^uids\.authentication\.k8s\.io "u" is forbidden: .* resource "uids" in API group/],
      [
        { 'impersonate-group': 'h' },
        /^groups "h" is forbidden: .* cannot impersonate resource "groups" in API group "" /,
      ],
      [
        { 'impersonate-extra-scopes': 'b' },
        /^userextras\.authentication\.k8s\.io "b" .* resource "userextras\/scopes" /,
      ],
    ] as const) {
      const answer = await ask(headers);
      expectStatus(answer, { code: 403, reason: 'Forbidden', message });
    }
  });

  rule('a constrained impersonation is for what it names only', async (api) => {
    const rules = [
      { verbs: ['impersonate:user-info'], apiGroups: ['authentication.k8s.io'], resources: ['users'] },
      { verbs: ['impersonate-on:user-info:get'], nonResourceURLs: ['/version'] },
      { verbs: ['impersonate-on:user-info:list'], apiGroups: [''], resources: ['nodes'] },
    ];
    const headers = { 'impersonate-user': 'jane' };
    const token = await agent(api, rules, headers);
    expectStatus(await api.request('GET', '/api/v1/nodes', { token, headers }), {
      code: 403,
      reason: 'Forbidden',
      message: 'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    });
    expectStatus(await api.request('GET', '/api/v1/pods', { token, headers }), {
      code: 403,
      reason: 'Forbidden',
      message:
        /^pods is forbidden: User "system:serviceaccount:.*:agent" cannot impersonate-on:user-info:list resource/,
    });
  });
});

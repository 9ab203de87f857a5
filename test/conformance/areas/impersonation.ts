import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { at } from '../doc.js';
import { expectStatus } from '../status.js';

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
});

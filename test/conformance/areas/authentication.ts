import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { at } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

const UNAUTHORIZED = { code: 401, reason: 'Unauthorized', message: 'Unauthorized' } as const;

export const area: Area = defineArea('authentication', (rule) => {
  rule('an unknown token is Unauthorized', async (api) => {
    expectStatus(await api.request('GET', '/api/v1/namespaces', { token: 'no-such-token' }), UNAUTHORIZED);
  });

  rule('an unknown token is Unauthorized for writes, before anything of the body is looked at', async (api) => {
    const options = { token: 'no-such-token', rawBody: 'not json' };
    expectStatus(await api.request('POST', configMaps('default'), options), UNAUTHORIZED);
  });

  rule('an unknown token is Unauthorized for a watch: a status, not a stream', async (api) => {
    const options = { token: 'no-such-token', query: { watch: true, timeoutSeconds: 1 } };
    expectStatus(await api.request('GET', configMaps('default'), options), UNAUTHORIZED);
  });

  rule('an unknown token is Unauthorized for discovery too', async (api) => {
    expectStatus(await api.request('GET', '/apis', { token: 'no-such-token' }), UNAUTHORIZED);
  });

  rule('an unknown token is Unauthorized also where the path does not exist', async (api) => {
    expectStatus(await api.request('GET', '/api/v1/nosuchthings', { token: 'no-such-token' }), UNAUTHORIZED);
  });

  rule('SelfSubjectReview names the user of the request', async (api) => {
    const review = await api.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(review).toMatchObject({ kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' });
    expect(at(review, 'status.userInfo.groups')).toContain('system:authenticated');
  });

  rule(
    'a user is known by the token',
    async (api) => {
      const answer = await api.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        body: {},
        token: api.powerless.token,
      });
      expect(answer.status).toBe(201);
      expect(at(answer.json, 'status.userInfo.username')).toBe(api.powerless.name);
    },
    { needs: ['powerless'] },
  );
});

import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

const NOT_FOUND = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
} as const;

const NO_METHOD = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
} as const;

export const area: Area = defineArea('paths and methods', (rule) => {
  rule('a path outside of the API is 404', async (api) => {
    for (const method of ['GET', 'POST']) {
      const answer = await api.request(method, '/no/such/path');
      expect([answer.status, answer.text]).toEqual([404, '404 page not found\n']);
    }
  });

  for (const path of [
    '/api/v1/nosuchthings',
    '/api/v1/namespaces/default/nosuchthings',
    '/api/v1/namespaces/default/nosuchthings/one',
    '/api/v1/namespaces/default/deployments',
    '/apis/apps/v1/nosuchthings',
    '/api/v99/pods',
    '/apis/apps/v99/deployments',
  ]) {
    rule(`${path} is NotFound: there is no such resource`, async (api) => {
      expectStatus(await api.request('GET', path), NOT_FOUND);
    });
  }

  rule('a group that does not exist is 404', async (api) => {
    expect((await api.request('GET', '/apis/nosuch.example.com/v1/namespaces/default/things')).status).toBe(404);
  });

  rule('a POST to a resource that does not exist is NotFound', async (api) => {
    expectStatus(await api.request('POST', '/apis/apps/v1/nosuchthings', { body: {} }), NOT_FOUND);
  });

  rule('a path below a subresource that does not exist is NotFound', async (api) => {
    expectStatus(await api.request('GET', `${configMaps('default')}/one/two/three`), NOT_FOUND);
  });

  rule('a slash at the end of a collection makes no difference', async (api) => {
    const path = configMaps(await api.namespace());
    expect((await api.get(`${path}/`)).kind).toBe('ConfigMapList');
  });

  rule('a cluster-wide resource is not found in a namespace', async (api) => {
    for (const resource of ['nodes', 'namespaces', 'namespaces/default', 'namespaces/default/status']) {
      expectStatus(await api.request('GET', `/api/v1/namespaces/default/${resource}`), NOT_FOUND);
    }
  });

  for (const [method, path, what] of [
    ['PUT', '/api/v1/namespaces/default/configmaps', 'a collection cannot be replaced'],
    ['POST', '/api/v1/namespaces/default/configmaps/one', 'nothing is created at the path of an object'],
    ['POST', '/api/v1/configmaps', 'nothing is created across namespaces'],
    ['OPTIONS', '/api/v1/namespaces/default/configmaps', 'OPTIONS has no meaning'],
    ['PUT', '/api/v1/namespaces', 'the collection of namespaces cannot be replaced'],
    ['GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'a review cannot be listed'],
  ] as const) {
    rule(`${what}: MethodNotAllowed`, async (api) => {
      const body = method === 'OPTIONS' || method === 'GET' ? {} : { body: { metadata: { name: 'one' } } };
      expectStatus(await api.request(method, path, body), NO_METHOD);
    });
  }

  rule('HEAD is not allowed on resources, but on health', async (api) => {
    const path = configMaps(await api.namespace());
    expect([(await api.request('HEAD', path)).status, (await api.request('HEAD', '/readyz')).status]).toEqual([
      405, 200,
    ]);
  });

  rule('a name may be written with percent escapes', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'a.b' } });
    expect((await api.get(`${path}/a%2Eb`)).metadata.name).toBe('a.b');
  });

  rule('a path traversal as a name is refused', async (api) => {
    const answer = await api.request('GET', `${configMaps(await api.namespace())}/..%2f`);
    expectStatus(answer, { code: 400, reason: 'BadRequest', message: /^Name parameter invalid: "\.\."/ });
  });

  rule('unknown parameters of the query are ignored', async (api) => {
    expect((await api.get(configMaps(await api.namespace()), { nosuch: 'thing' })).kind).toBe('ConfigMapList');
  });
});

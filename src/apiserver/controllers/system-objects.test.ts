import { describe, expect, it } from 'vitest';
import { type Doc, MemoryClient } from '../../../test/apiserver/memory-client.js';
import { FakeClock } from '../../time/fake-clock.js';
import { type ApiServerOptions, startApiServer } from '../index.js';

const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

async function start(options: ApiServerOptions = {}): Promise<{ client: MemoryClient } & AsyncDisposable> {
  const api = await startApiServer({ clock: new FakeClock(), listen: false, ...options });
  return { client: new MemoryClient(api), [Symbol.asyncDispose]: () => api.stop() };
}

describe('system objects', () => {
  it.each([
    '/api/v1/namespaces',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    '/apis/networking.k8s.io/v1/servicecidrs',
    '/api/v1/namespaces/default/services',
    '/apis/apiregistration.k8s.io/v1/apiservices',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  ])('of %s are stored as an update without changes would store them', async (path) => {
    await using server = await start();
    const { client } = server;
    const { items } = (await client.get(path)).json;
    expect(items.length).toBeGreaterThan(0);
    for (const { metadata } of items.slice(0, 5)) {
      const object = (await client.get(`${path}/${metadata.name}`)).json;
      const updated = await client.put(`${path}/${metadata.name}`, object);
      // The text that is stored is compared: an update that changes nothing keeps the version.
      expect([updated.status, updated.json]).toEqual([200, object]);
    }
  });

  it('can be selected by their fields', async () => {
    await using server = await start();
    const count = async (path: string): Promise<number> => (await server.client.get(path)).json.items.length;
    expect(await count('/api/v1/namespaces?fieldSelector=status.phase=Active')).toBe(4);
    expect(await count('/api/v1/services?fieldSelector=spec.clusterIP=10.0.0.1')).toBe(1);
  });

  it('take the address of the Service, so that no other one gets it', async () => {
    await using server = await start();
    const spec = { clusterIP: '10.0.0.1', ports: [{ port: 80 }] };
    const answer = await server.client.post('/api/v1/namespaces/default/services', { metadata: { name: 'a' }, spec });
    expect([answer.status, answer.json.message]).toEqual([
      422,
      'Service "a" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: provided IP is already allocated',
    ]);
  });

  it('give rights to users only while their bindings are stored', async () => {
    const clock = new FakeClock();
    const tokens = { ada: { name: 'ada' }, root: { name: 'root', groups: ['system:masters'] } };
    await using server = await start({ clock, authorization: 'rbac', controllers: 'none', tokens });
    const as = (user: string) => ({ authorization: `Bearer ${user}` });
    const discovers = async (): Promise<number> =>
      (await server.client.request('GET', '/api', undefined, as('ada'))).status;
    expect(await discovers()).toBe(200);
    await server.client.request('DELETE', `${BINDINGS}/system:discovery`, undefined, as('root'));
    expect(await discovers()).toBe(403);
  });

  it('are replaced by objects of the same name that the server starts with', async () => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    const view = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'view' }, rules };
    const own = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { mine: 'yes' } } };
    await using server = await start({ objects: [view, own] });
    const { json }: { json: Doc } = await server.client.get('/apis/rbac.authorization.k8s.io/v1/clusterroles/view');
    expect(json.rules).toEqual(rules);
    expect((await server.client.get('/api/v1/namespaces/default')).json.metadata.labels['mine']).toBe('yes');
    await expect(start({ objects: [view, view] })).rejects.toThrow('objects[1]: ');
  });
});

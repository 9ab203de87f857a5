import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Doc, MemoryClient } from '../../../test/apiserver/memory-client.js';
import { FakeClock } from '../../time/fake-clock.js';
import { type ApiServer, startApiServer } from '../index.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let clock: FakeClock;
let api: ApiServer;
let client: MemoryClient;

beforeEach(async () => {
  clock = new FakeClock();
  api = await startApiServer({ clock, listen: false, onError: (error) => expect.fail(String(error)) });
  client = new MemoryClient(api);
});

afterEach(() => api.stop());

async function make(name: string, owners: readonly Doc[] = [], rest: object = {}): Promise<Doc> {
  const ownerReferences = owners.map(({ apiVersion, kind, metadata }) => ({
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    blockOwnerDeletion: true,
  }));
  const answer = await client.post(CONFIG_MAPS, { metadata: { name, ownerReferences, ...rest } });
  expect(answer.status).toBe(201);
  return answer.json;
}

async function names(path = CONFIG_MAPS): Promise<string[]> {
  await clock.runUntilIdle();
  return (await client.get(path)).json.items.map((item: Doc) => item.metadata.name);
}

describe('the garbage collector', () => {
  it('deletes an object without remaining owners, and its dependents', async () => {
    const owner = await make('owner');
    const child = await make('child', [owner]);
    await make('grandchild', [child]);
    await client.delete(`${CONFIG_MAPS}/owner`);
    expect(await names()).toEqual([]);
  });

  it('keeps an object with another owner, and removes the reference to the lost one', async () => {
    const [one, two] = [await make('one'), await make('two')];
    await make('child', [one, two]);
    await client.delete(`${CONFIG_MAPS}/one`);
    expect(await names()).toEqual(['child', 'two']);
    const child = (await client.get(`${CONFIG_MAPS}/child`)).json;
    expect(child.metadata.ownerReferences.map((owner: Doc) => owner.name)).toEqual(['two']);
  });

  it('treats an owner of the same name with another uid as gone', async () => {
    const owner = await make('owner');
    await client.delete(`${CONFIG_MAPS}/owner`);
    await make('owner');
    await make('child', [owner]);
    expect(await names()).toEqual(['owner']);
  });

  it('keeps an object whose owner is of a kind that is not served', async () => {
    await make('child', [{ apiVersion: 'example.com/v1', kind: 'Unknown', metadata: { name: 'x', uid: 'u' } }]);
    expect(await names()).toEqual(['child']);
  });

  it('orphans dependents with the policy Orphan', async () => {
    const owner = await make('owner');
    await make('child', [owner]);
    await client.delete(`${CONFIG_MAPS}/owner`, { propagationPolicy: 'Orphan' });
    expect(await names()).toEqual(['child']);
    expect((await client.get(`${CONFIG_MAPS}/child`)).json.metadata.ownerReferences).toBeUndefined();
  });

  it('deletes dependents first with the policy Foreground, and waits for those with finalizers', async () => {
    const owner = await make('owner');
    const child = await make('child', [owner]);
    await make('grandchild', [child], { finalizers: ['example.com/hold'] });
    await client.delete(`${CONFIG_MAPS}/owner`, { propagationPolicy: 'Foreground' });
    expect(await names()).toEqual(['child', 'grandchild', 'owner']);
    expect((await client.get(`${CONFIG_MAPS}/owner`)).json.metadata.finalizers).toEqual(['foregroundDeletion']);
    await client.patch(`${CONFIG_MAPS}/grandchild`, { metadata: { finalizers: null } });
    expect(await names()).toEqual([]);
  });

  it('deletes before a Foreground owner only dependents without another owner', async () => {
    const [one, two] = [await make('one'), await make('two')];
    await make('child', [one, two]);
    await client.delete(`${CONFIG_MAPS}/one`, { propagationPolicy: 'Foreground' });
    expect(await names()).toEqual(['child', 'two']);
    const child = (await client.get(`${CONFIG_MAPS}/child`)).json;
    expect(child.metadata.ownerReferences.map((owner: Doc) => owner.name)).toEqual(['two']);
  });

  it('deletes a dependent whose owners are all in foreground deletion', async () => {
    const hold = { finalizers: ['example.com/hold'] };
    const [one, two] = [await make('one', [], hold), await make('two', [], hold)];
    await make('child', [one, two]);
    for (const { metadata } of [one, two]) {
      await client.delete(`${CONFIG_MAPS}/${metadata.name}`, { propagationPolicy: 'Foreground' });
    }
    expect(await names()).toEqual(['one', 'two']);
  });

  it.each([
    ['is owned no more', { ownerReferences: null }],
    [
      'is waited for no more',
      (owner: Doc) => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid }] }),
    ],
  ])('lets an owner in the foreground go once its last dependent %s', async (_what, change) => {
    const owner = await make('owner');
    await make('child', [owner], { finalizers: ['example.com/hold'] });
    await client.delete(`${CONFIG_MAPS}/owner`, { propagationPolicy: 'Foreground' });
    expect(await names()).toEqual(['child', 'owner']);
    const metadata = typeof change === 'function' ? change(owner.metadata) : change;
    expect((await client.patch(`${CONFIG_MAPS}/child`, { metadata })).status).toBe(200);
    expect(await names()).toEqual(['child']);
  });

  it('ignores a namespaced owner of a cluster-scoped object', async () => {
    const { apiVersion, kind, metadata } = await make('owner');
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
    const path = '/api/v1/nodes';
    expect((await client.post(path, { metadata: { name: 'n', ownerReferences } })).status).toBe(201);
    expect(await names(path)).toEqual(['n']);
  });

  it('finds roles whatever their names', async () => {
    const { apiVersion, kind, metadata } = await make('owner');
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
    const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
    expect((await client.post(path, { metadata: { name: 'a b', ownerReferences }, rules: [] })).status).toBe(201);
    await client.delete(`${CONFIG_MAPS}/owner`);
    expect(await names(path)).toEqual([]);
  });

  it('follows owners of custom kinds', async () => {
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    await clock.runUntilIdle();
    const path = '/apis/example.com/v1/namespaces/default/widgets';
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
    const { json: widget } = await client.post(path, body);
    await make('child', [widget]);
    expect(await names()).toEqual(['child']);
    await client.delete(`${path}/w`);
    expect(await names()).toEqual([]);
  });
});

describe('the life of a namespace', () => {
  it('ends after all its objects are deleted', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'web' } });
    const path = '/api/v1/namespaces/web/configmaps';
    await client.post(path, { metadata: { name: 'a' } });
    await client.post(path, { metadata: { name: 'b', finalizers: ['example.com/hold'] } });
    const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };
    await client.post('/api/v1/namespaces/web/pods', pod);
    await client.delete('/api/v1/namespaces/web/pods/p');
    expect(await names('/api/v1/namespaces/web/pods')).toEqual(['p']);
    await client.delete('/api/v1/namespaces/web');
    expect(await names(path)).toEqual(['b']);
    expect((await client.get('/api/v1/namespaces/web')).json.status.phase).toBe('Terminating');
    expect((await client.post(path, { metadata: { name: 'c' } })).status).toBe(403);
    await client.patch(`${path}/b`, { metadata: { finalizers: null } });
    await clock.runUntilIdle();
    expect((await client.get('/api/v1/namespaces/web')).status).toBe(404);
    expect((await client.get('/api/v1/pods')).json.items).toEqual([]);
  });

  it('ends however many objects there are', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'web' } });
    const path = '/api/v1/namespaces/web/configmaps';
    for (let n = 0; n < 450; n++) await client.post(path, { metadata: { name: `c-${n}` } });
    await client.delete('/api/v1/namespaces/web');
    await clock.runUntilIdle();
    expect((await client.get('/api/v1/namespaces/web')).status).toBe(404);
    expect((await client.get('/api/v1/configmaps')).json.items).toEqual([]);
  });

  it('does not end before its other finalizers are removed', async () => {
    const path = '/api/v1/namespaces/web';
    await client.post('/api/v1/namespaces', { metadata: { name: 'web' }, spec: { finalizers: ['example.com/hold'] } });
    await client.delete(path);
    await clock.runUntilIdle();
    const { json } = await client.get(path);
    expect(json.spec.finalizers).toEqual(['example.com/hold']);
    await client.put(`${path}/finalize`, { ...json, spec: { finalizers: [] } });
    expect((await client.get(path)).status).toBe(404);
  });

  it('does not end for the system namespaces', async () => {
    expect((await client.delete('/api/v1/namespaces/default')).status).toBe(403);
  });
});

describe('volume protection', () => {
  const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
  const PODS = '/api/v1/namespaces/default/pods';
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const containers = [{ name: 'app', image: 'app:1' }];

  it('lets a deleted claim go when no pod uses it any more', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await client.post(CLAIMS, { metadata: { name: 'data' }, spec });
    await client.post(PODS, { metadata: { name: 'app' }, spec: { containers, volumes } });
    await client.delete(`${CLAIMS}/data`);
    expect(await names(CLAIMS)).toEqual(['data']);
    await client.delete(`${PODS}/app`);
    expect(await names(PODS)).toEqual([]);
    expect(await names(CLAIMS)).toEqual([]);
  });

  it('lets a deleted volume go when it is not bound', async () => {
    const path = '/api/v1/persistentvolumes';
    const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } };
    await client.post(path, { metadata: { name: 'free' }, spec });
    await client.delete(`${path}/free`);
    expect(await names(path)).toEqual([]);
  });
});

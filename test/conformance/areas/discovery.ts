import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { at, type Doc } from '../doc.js';
import type { Answer } from '../http.js';
import { expectStatus } from '../status.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Resource {
  name: string;
  kind: string;
  verbs: string[];
  [field: string]: unknown;
}

async function resources(api: Api, path: string): Promise<Resource[]> {
  return (await api.get(path))['resources'] as Resource[];
}

async function resource(api: Api, path: string, name: string): Promise<Resource | undefined> {
  return (await resources(api, path)).find((one) => one.name === name);
}

function aggregated(api: Api, path: string, headers = {}): Promise<Answer> {
  return api.request('GET', path, { headers: { accept: AGGREGATED, ...headers } });
}

/** A resource as aggregated discovery describes it. */
function find(list: Doc, group: string | undefined, version: string, name: string): unknown {
  const versions = list.items.find((item) => item.metadata.name === group)?.['versions'] as Doc[] | undefined;
  const found = versions?.find((one) => one['version'] === version)?.['resources'] as Doc[] | undefined;
  return found?.find((one) => one['resource'] === name);
}

const EVERYTHING = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export const area: Area = defineArea('discovery', (rule) => {
  rule('/api lists the versions of the core group', async (api) => {
    expect(await api.get('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  });

  rule('/apis lists the groups with their versions and the preferred one', async (api) => {
    const list = await api.get('/apis');
    expect(list).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
    expect(list['groups']).toEqual(
      expect.arrayContaining([
        {
          name: 'apps',
          versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
          preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
        },
      ]),
    );
  });

  rule('/apis does not list the core group', async (api) => {
    const groups = (await api.get('/apis'))['groups'] as { name: string }[];
    expect(groups.map((group) => group.name)).not.toContain('');
  });

  rule('of several versions the preferred one comes first', async (api) => {
    const groups = (await api.get('/apis'))['groups'] as { name: string }[];
    expect(groups.find((group) => group.name === 'autoscaling')).toMatchObject({
      versions: [
        { groupVersion: 'autoscaling/v2', version: 'v2' },
        { groupVersion: 'autoscaling/v1', version: 'v1' },
      ],
      preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
    });
  });

  rule('/apis/<group> describes one group', async (api) => {
    expect(await api.get('/apis/apps')).toMatchObject({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
  });

  rule('/api/v1 lists the core resources', async (api) => {
    const list = await api.get('/api/v1');
    expect(list).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect((list['resources'] as Resource[]).map((one) => one.name)).toEqual(
      expect.arrayContaining(['configmaps', 'events', 'namespaces', 'nodes', 'pods', 'secrets', 'services']),
    );
  });

  rule('/apis/<group>/<version> lists the resources of a group version', async (api) => {
    expect(await api.get('/apis/apps/v1')).toMatchObject({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'apps/v1',
    });
  });

  rule('a resource has its singular, kind, scope, verbs and short names', async (api) => {
    expect(await resource(api, '/api/v1', 'configmaps')).toMatchObject({
      name: 'configmaps',
      singularName: 'configmap',
      namespaced: true,
      kind: 'ConfigMap',
      verbs: EVERYTHING,
      shortNames: ['cm'],
    });
  });

  rule('a cluster-wide resource says so, and that namespaces cannot be deleted as a collection', async (api) => {
    expect(await resource(api, '/api/v1', 'namespaces')).toMatchObject({
      namespaced: false,
      kind: 'Namespace',
      verbs: EVERYTHING.filter((verb) => verb !== 'deletecollection'),
      shortNames: ['ns'],
    });
  });

  rule('a resource names its categories', async (api) => {
    expect(await resource(api, '/apis/apps/v1', 'deployments')).toMatchObject({ categories: ['all'] });
  });

  rule('a subresource is listed as resource/subresource with its own verbs', async (api) => {
    expect(await resource(api, '/apis/apps/v1', 'deployments/status')).toMatchObject({
      singularName: '',
      namespaced: true,
      kind: 'Deployment',
      verbs: ['get', 'patch', 'update'],
    });
  });

  rule('a subresource of another kind names group, version and kind', async (api) => {
    expect(await resource(api, '/apis/apps/v1', 'deployments/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  });

  rule('a resource that can only be created has only that verb', async (api) => {
    expect(await resource(api, '/apis/authorization.k8s.io/v1', 'subjectaccessreviews')).toMatchObject({
      verbs: ['create'],
    });
    expect(await resource(api, '/api/v1', 'bindings')).toMatchObject({ kind: 'Binding', verbs: ['create'] });
  });

  rule('resources are listed in the order of their names', async (api) => {
    const listed = (await resources(api, '/apis/apps/v1')).map((one) => one.name);
    expect(listed).toEqual([...listed].sort());
  });

  rule('every resource of every listed version can be listed or says that it cannot', async (api) => {
    const groups = (await api.get('/apis'))['groups'] as { versions: { groupVersion: string }[] }[];
    for (const { groupVersion } of groups.flatMap((group) => group.versions)) {
      if (!groupVersion.includes('.k8s.io') && groupVersion.includes('.')) continue;
      for (const { name, verbs } of await resources(api, `/apis/${groupVersion}`)) {
        if (name.includes('/') || !verbs.includes('list')) continue;
        const answer = await api.request('GET', `/apis/${groupVersion}/${name}`, { query: { limit: 1 } });
        expect([answer.asked, answer.status]).toEqual([answer.asked, 200]);
      }
    }
  });

  rule('an unknown version of a known group is NotFound as a Status', async (api) => {
    expectStatus(await api.request('GET', '/apis/apps/v99'), {
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    });
  });

  rule('an unknown group is 404', async (api) => {
    expect((await api.request('GET', '/apis/no-such-group.example.com')).status).toBe(404);
    expect((await api.request('GET', '/apis/no-such-group.example.com/v1')).status).toBe(404);
  });

  rule('aggregated /api describes the core group without a name', async (api) => {
    const { json } = await aggregated(api, '/api');
    expect(json).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    expect(json.items).toHaveLength(1);
    expect(json.items[0]!.metadata.name).toBeUndefined();
    expect(find(json, undefined, 'v1', 'configmaps')).toMatchObject({
      responseKind: { kind: 'ConfigMap' },
      scope: 'Namespaced',
      singularResource: 'configmap',
      shortNames: ['cm'],
      verbs: EVERYTHING,
    });
  });

  rule('aggregated /apis describes every group at once', async (api) => {
    const { json } = await aggregated(api, '/apis');
    const groups = (await api.get('/apis'))['groups'] as { name: string }[];
    expect(json.items.map((item) => item.metadata.name)).toEqual(groups.map((group) => group.name));
  });

  rule('an aggregated resource lists its subresources inside', async (api) => {
    const { json } = await aggregated(api, '/apis');
    expect(find(json, 'apps', 'v1', 'deployments')).toMatchObject({
      scope: 'Namespaced',
      categories: ['all'],
      subresources: [
        { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
        { subresource: 'status', responseKind: { kind: 'Deployment' }, verbs: ['get', 'patch', 'update'] },
      ],
    });
  });

  rule('an aggregated cluster-wide resource has the scope Cluster', async (api) => {
    const { json } = await aggregated(api, '/api');
    expect(find(json, undefined, 'v1', 'namespaces')).toMatchObject({ scope: 'Cluster' });
  });

  rule('an aggregated version says how fresh it is', async (api) => {
    const { json } = await aggregated(api, '/apis');
    const apps = json.items.find((item) => item.metadata.name === 'apps');
    expect(at(apps, 'versions.0')).toMatchObject({ version: 'v1', freshness: 'Current' });
  });

  rule('the content type of an aggregated answer repeats what it is', async (api) => {
    const { headers } = await aggregated(api, '/apis');
    expect(headers['content-type']).toBe(AGGREGATED);
    expect(headers['vary']).toBe('Accept');
  });

  rule('an aggregated answer has an ETag, and If-None-Match with it gives 304 without a body', async (api) => {
    const first = await aggregated(api, '/api');
    expect(first.headers['etag']).toMatch(/^"[0-9A-F]+"$/);
    const second = await aggregated(api, '/api', { 'if-none-match': first.headers['etag'] });
    expect([second.status, second.text]).toEqual([304, '']);
  });

  rule('a client that also accepts plain JSON gets the aggregated form if the server has it', async (api) => {
    const answer = await api.request('GET', '/apis', { headers: { accept: `${AGGREGATED},application/json` } });
    expect(answer.json.kind).toBe('APIGroupDiscoveryList');
  });

  rule('an unknown version of the aggregated form falls back to the next accepted one', async (api) => {
    const unknown = AGGREGATED.replace('v=v2', 'v=v99');
    const answer = await api.request('GET', '/apis', { headers: { accept: `${unknown},application/json` } });
    expect([answer.status, answer.json.kind]).toEqual([200, 'APIGroupList']);
  });

  rule('an unknown version of the aggregated form alone is NotAcceptable', async (api) => {
    const answer = await api.request('GET', '/apis', { headers: { accept: AGGREGATED.replace('v=v2', 'v=v99') } });
    expectStatus(answer, {
      code: 406,
      reason: 'NotAcceptable',
      message: /^only the following media types are accepted: application\/json/,
    });
  });

  rule('the root lists the paths there are', async (api) => {
    expect((await api.get('/'))['paths']).toEqual(
      expect.arrayContaining(['/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/healthz', '/version']),
    );
  });

  rule('/api takes no other method', async (api) => {
    expectStatus(await api.request('POST', '/api', { body: {} }), { code: 405, reason: 'MethodNotAllowed' });
  });
});

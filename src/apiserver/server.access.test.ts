import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, MemoryClient } from '../../test/apiserver/memory-client.js';
import { FakeClock } from '../time/fake-clock.js';
import { seededRandom } from '../time/seeded-random.js';
import { type ApiServer, type ApiServerOptions, startApiServer } from './index.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const API_GROUP = 'rbac.authorization.k8s.io';
const ADA = { kind: 'User', apiGroup: API_GROUP, name: 'ada' };

let clock: FakeClock;
let api: ApiServer;
let client: MemoryClient;

async function start(options: ApiServerOptions = {}): Promise<void> {
  clock = new FakeClock();
  api = await startApiServer({
    clock,
    listen: false,
    authorization: 'rbac',
    tokens: { ada: { name: 'ada', groups: ['dev'] } },
    onError: (error) => expect.fail(String(error)),
    ...options,
  });
  client = new MemoryClient(api);
}

beforeEach(() => start());
afterEach(() => api.stop());

function asAdmin(method: string, target: string, body?: unknown): Promise<Answer> {
  return client.request(method, target, body, { authorization: `Bearer ${api.token}` });
}

function asAda(method: string, target: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return client.request(method, target, body, { authorization: 'Bearer ada', ...headers });
}

async function create(path: string, body: unknown): Promise<void> {
  expect((await asAdmin('POST', path, body)).json).toMatchObject(body as object);
}

/** Grants the user ada a rule in the namespace, or in the whole cluster. */
async function grant(name: string, rules: readonly object[], namespace?: string): Promise<void> {
  const [path, kind] = namespace === undefined ? [RBAC, 'Cluster'] : [`${RBAC}/namespaces/${namespace}`, ''];
  await create(`${path}/${kind.toLowerCase()}roles`, { metadata: { name }, rules });
  await create(`${path}/${kind.toLowerCase()}rolebindings`, {
    metadata: { name },
    subjects: [ADA],
    roleRef: { apiGroup: API_GROUP, kind: `${kind}Role`, name },
  });
}

describe('the token of the administrator', () => {
  it('is not repeated by a seed or by a fake clock', async () => {
    const tokens = new Set([api.token]);
    for (const seed of [undefined, 7, 7]) {
      const other = await startApiServer({ clock: new FakeClock(), listen: false, authorization: 'rbac', seed });
      tokens.add(other.token);
      await other.stop();
    }
    expect(tokens.size).toBe(4);
  });

  it('takes nothing from the source of uids and audit-ids, so that these cannot give it away', async () => {
    // The server draws the first numbers of this source; answers to strangers show the following ones.
    const words = seededRandom(7);
    const drawn = Array.from({ length: 4 }, () =>
      Math.floor(words() * 2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
    const other = await startApiServer({
      clock: new FakeClock(),
      listen: false,
      tokens: {},
      anonymous: false,
      seed: 7,
      controllers: 'none',
    });
    const { status, headers } = await new MemoryClient(other).get('/api/v1/secrets');
    expect(status).toBe(401);
    expect(headers['audit-id']?.replaceAll('-', '').slice(0, 12)).toBe(drawn.slice(0, 12));
    expect(other.token).toMatch(/^[\w-]{43}$/);
    await other.stop();
  });
});

describe('a path is authorized for what is done', () => {
  const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };

  beforeEach(async () => {
    await create('/api/v1/namespaces', { metadata: { name: 'foo' } });
    await create('/api/v1/namespaces', { metadata: { name: 'bar' } });
    await grant('owner', [everything], 'foo');
  });

  const namespace = (name: string): object => ({ metadata: { name, labels: { owned: 'by-ada' } } });

  it.each([
    ['GET', '/api/v1/namespaces/foo/namespaces'],
    ['GET', '/api/v1/namespaces/foo/namespaces?watch=1'],
    ['GET', '/api/v1/watch/namespaces/foo/namespaces'],
    ['GET', '/api/v1/watch/namespaces/foo/namespaces/bar'],
    ['GET', '/api/v1/namespaces/foo/namespaces/bar'],
    ['GET', '/api/v1/namespaces/foo/namespaces/foo'],
    ['GET', '/api/v1/namespaces/foo%2Fnamespaces/bar'],
    ['GET', '/api/v1/%6eamespaces/foo/namespaces/bar'],
    ['GET', 'http://server/api/v1/namespaces/foo/namespaces/bar'],
    ['GET', '/api/v1/namespaces/foo/namespaces/bar/status'],
    ['POST', '/api/v1/namespaces/foo/namespaces'],
    ['PUT', '/api/v1/namespaces/foo/namespaces/bar'],
    ['PUT', '/api/v1/namespaces/foo/namespaces/bar/finalize'],
    ['PATCH', '/api/v1/namespaces/foo/namespaces/bar'],
    ['DELETE', '/api/v1/namespaces/foo/namespaces/bar'],
    ['DELETE', '/api/v1/namespaces/foo/namespaces'],
    ['GET', '/api/v1/namespaces/foo/nodes'],
    ['POST', '/api/v1/namespaces/foo/nodes'],
    ['GET', `${RBAC}/namespaces/foo/clusterroles`],
    ['POST', `${RBAC}/namespaces/foo/clusterrolebindings`],
    ['POST', '/api/v1/namespaces/foo/pods//binding'],
    ['GET', '/api/v1/namespaces/foo/pods//status'],
  ])('%s %s is not found, by an owner of the namespace foo and by the administrator', async (method, target) => {
    const body = method === 'GET' ? undefined : namespace(target.includes('bar') ? 'bar' : 'new');
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    for (const token of ['ada', api.token]) {
      const { status, json } = await client.request(method, target, body, {
        authorization: `Bearer ${token}`,
        'content-type': type,
      });
      expect([status, json.message]).toEqual([404, 'the server could not find the requested resource']);
    }
    const { items } = (await asAdmin('GET', '/api/v1/namespaces')).json;
    const untouched = ({ metadata }: { metadata: { labels: object; deletionTimestamp?: string } }): boolean =>
      !('owned' in metadata.labels) && metadata.deletionTimestamp === undefined;
    expect(items.every(untouched)).toBe(true);
    expect(items).toHaveLength(6);
  });

  it.each([
    '/api/v1/namespaces/bar',
    '/api/v1/namespaces/bar/status',
    '/api/v1/namespaces/bar/configmaps',
    '/api/v1/namespaces//configmaps',
    '/api/v1/configmaps',
    '/api/v1/namespaces',
    '/api/v1/watch/namespaces/bar',
    '/api/v1/namespaces/foo%2F..%2Fbar/configmaps/../../..',
  ])('an owner of the namespace foo gets nothing from %s', async (target) => {
    expect((await asAda('GET', target)).status).toBeGreaterThanOrEqual(403);
  });

  it('a namespace is authorized in itself', async () => {
    expect((await asAda('GET', '/api/v1/namespaces/foo')).status).toBe(200);
    expect((await asAda('PUT', '/api/v1/namespaces/foo', namespace('foo'))).status).toBe(200);
  });

  it('a cluster-scoped custom resource called namespaces is not authorized as a namespace', async () => {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'namespaces.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'namespaces', kind: 'Namespace' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await clock.runUntilIdle();
    const object = { apiVersion: 'example.com/v1', kind: 'Namespace', metadata: { name: 'foo' } };
    await create('/apis/example.com/v1/namespaces', object);
    expect((await asAda('GET', '/apis/example.com/v1/namespaces/foo')).status).toBe(404);
  });

  it('a role for one name does not list others by a field selector that only looks like that name', async () => {
    await create('/api/v1/namespaces/bar/configmaps', { metadata: { name: 'secret' } });
    await create('/api/v1/namespaces/bar/configmaps', { metadata: { name: 'mine' } });
    const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['list', 'watch'] };
    await grant('one', [rule], 'bar');
    const list = (selector: string): Promise<Answer> =>
      asAda('GET', `/api/v1/namespaces/bar/configmaps?fieldSelector=${encodeURIComponent(selector)}`);
    expect((await list('metadata.name=mine')).json.items).toHaveLength(1);
    expect((await list('metadata.name!=x\\,metadata.name=mine')).status).toBe(403);
    expect((await list('metadata.name=mine\\')).status).toBe(403);
    expect((await list('metadata.name=secret')).status).toBe(403);
  });
});

describe('what a user may grant', () => {
  const pods = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
  const manage = { apiGroups: [API_GROUP], resources: ['*'], verbs: ['get', 'create', 'update', 'patch'] };
  const ROLES = `${RBAC}/namespaces/default/roles`;
  const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
  const MERGE = { 'content-type': 'application/merge-patch+json' };

  function binding(name: string, role: string, kind = 'ClusterRole'): object {
    return { metadata: { name }, subjects: [ADA], roleRef: { apiGroup: API_GROUP, kind, name: role } };
  }

  it('a PUT creates only for a user who may create', async () => {
    const update = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['update'] };
    await grant('updater', [update], 'default');
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/a';
    const lease = { metadata: { name: 'a' }, spec: {} };
    const { status, json } = await asAda('PUT', path, lease);
    expect([status, json.message]).toEqual([
      403,
      'leases.coordination.k8s.io "a" is forbidden: User "ada" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default"',
    ]);
    await grant('creator', [{ ...update, verbs: ['create'] }], 'default');
    const created = await asAda('PUT', path, lease);
    expect(created.status).toBe(201);
    expect((await asAda('PUT', path, created.json)).status).toBe(200);
  });

  it('a role is bound only by a user who holds all of it, or may bind it', async () => {
    await grant('manager', [manage], 'default');
    await create(`${RBAC}/clusterroles`, { metadata: { name: 'pod-reader' }, rules: [pods] });
    for (const role of ['pod-reader', 'cluster-admin']) {
      for (const send of [
        () => asAda('POST', BINDINGS, binding('mine', role)),
        () => asAda('PUT', `${BINDINGS}/mine`, binding('mine', role)),
      ]) {
        const { status, json } = await send();
        expect(status).toBe(403);
        expect(json.message).toMatch(
          /^rolebindings.rbac.authorization.k8s.io "mine" is forbidden: user "ada" \(groups=\["dev" "system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:\n\{APIGroups:/,
        );
      }
    }
    expect((await asAda('POST', BINDINGS, binding('mine', 'missing'))).json).toMatchObject({
      code: 404,
      message: 'rolebindings.rbac.authorization.k8s.io "missing" not found',
    });
    expect((await asAda('GET', '/api/v1/namespaces/default/pods')).status).toBe(403);
    await grant(
      'binder',
      [{ ...manage, verbs: ['bind'], resources: ['clusterroles'], resourceNames: ['pod-reader'] }],
      'default',
    );
    expect((await asAda('POST', BINDINGS, binding('admin', 'cluster-admin'))).status).toBe(403);
    expect((await asAda('POST', BINDINGS, binding('mine', 'pod-reader'))).status).toBe(201);
    expect((await asAda('GET', '/api/v1/namespaces/default/pods')).status).toBe(200);
    // Now ada has the permissions that she grants.
    await asAdmin('DELETE', `${BINDINGS}/binder`);
    expect((await asAda('POST', BINDINGS, binding('again', 'pod-reader'))).status).toBe(201);
  });

  it('a binding takes other subjects only from a user who holds what it grants', async () => {
    await grant('manager', [manage], 'default');
    const bob = { ...ADA, name: 'bob' };
    await create(`${RBAC}/clusterroles`, { metadata: { name: 'pod-reader' }, rules: [pods] });
    await create(BINDINGS, { ...binding('bobs', 'pod-reader'), subjects: [bob] });
    expect((await asAda('PATCH', `${BINDINGS}/bobs`, { subjects: [bob, ADA] }, MERGE)).status).toBe(403);
    expect((await asAda('PATCH', `${BINDINGS}/bobs`, { metadata: { finalizers: ['a.b/c'] } }, MERGE)).status).toBe(200);
    await asAdmin('PATCH', `${BINDINGS}/bobs`, { metadata: { finalizers: null } });
  });

  it('a role gets only rules that its author holds, or may escalate to', async () => {
    await grant('manager', [manage, pods], 'default');
    const secrets = { ...pods, resources: ['secrets'] };
    expect((await asAda('POST', ROLES, { metadata: { name: 'p' }, rules: [pods] })).status).toBe(201);
    const { status, json } = await asAda('POST', ROLES, { metadata: { name: 's' }, rules: [pods, secrets] });
    expect(status).toBe(403);
    expect(json.message).toMatch(
      /not currently held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get" "list"\]\}$/,
    );
    expect((await asAda('PUT', `${ROLES}/s`, { metadata: { name: 's' }, rules: [secrets] })).status).toBe(403);
    expect((await asAda('PATCH', `${ROLES}/p`, { rules: [secrets] }, MERGE)).status).toBe(403);
    for (const rule of [
      { ...pods, verbs: ['*'] },
      { ...pods, resources: ['*'] },
      { ...pods, resources: ['pods/log'] },
      { ...pods, apiGroups: ['*'] },
      { ...pods, verbs: ['get', 'watch'] },
    ]) {
      expect((await asAda('POST', ROLES, { metadata: { name: 'wide' }, rules: [rule] })).status).toBe(403);
    }
    expect(
      (await asAda('POST', ROLES, { metadata: { name: 'one' }, rules: [{ ...pods, resourceNames: ['a'] }] })).status,
    ).toBe(201);
    await grant('escalator', [{ ...manage, verbs: ['escalate'] }], 'default');
    expect((await asAda('PATCH', `${ROLES}/p`, { rules: [secrets] }, MERGE)).status).toBe(200);
  });

  it('a rule for one name does not make a rule for all names', async () => {
    await grant('manager', [manage, { ...pods, resourceNames: ['a', ''] }], 'default');
    const role = (rule: object): Promise<Answer> =>
      asAda('POST', ROLES, { metadata: { generateName: 'r-' }, rules: [rule] });
    expect((await role({ ...pods, resourceNames: ['a'] })).status).toBe(201);
    expect((await role({ ...pods, resourceNames: ['a', 'b'] })).status).toBe(403);
    expect((await role(pods)).status).toBe(403);
  });

  it('a cluster role with paths or an aggregation rule comes only from a user who holds them', async () => {
    await grant('manager', [manage, { verbs: ['get'], nonResourceURLs: ['/metrics/*'] }]);
    const role = (body: object): Promise<Answer> =>
      asAda('POST', `${RBAC}/clusterroles`, { metadata: { generateName: 'r-' }, ...body });
    expect((await role({ rules: [{ verbs: ['get'], nonResourceURLs: ['/metrics/a'] }] })).status).toBe(201);
    expect((await role({ rules: [{ verbs: ['get'], nonResourceURLs: ['/*'] }] })).status).toBe(403);
    expect((await role({ aggregationRule: { clusterRoleSelectors: [{}] } })).json.message).toMatch(
      /must have cluster-admin privileges to use the aggregationRule/,
    );
  });

  it('rules that multiply beyond counting are refused before they are compared', async () => {
    await grant('manager', [manage], 'default');
    const many = Array.from({ length: 300 }, (_, at) => `x${at}`);
    const rule = { apiGroups: many, resources: many, verbs: many };
    const { status, json } = await asAda('POST', ROLES, { metadata: { name: 'many' }, rules: [rule] });
    expect([status, json.message]).toEqual([403, expect.stringContaining('27000000 permissions')]);
  });

  it('the administrator grants everything', async () => {
    expect((await asAdmin('POST', BINDINGS, binding('a', 'cluster-admin'))).status).toBe(201);
    expect((await asAda('GET', '/api/v1/namespaces/default/secrets')).status).toBe(200);
  });

  it.each([
    [{ subjects: [null] }, 'subjects[0].name: Required value'],
    [{ subjects: [{ kind: 'Robot', name: 'a' }] }, 'subjects[0].kind: Unsupported value: "Robot"'],
    [{ subjects: [{ ...ADA, apiGroup: 'x' }] }, 'subjects[0].apiGroup: Unsupported value: "x"'],
    [{ subjects: [{ kind: 'ServiceAccount', name: 'A' }] }, 'subjects[0].name: Invalid value: "A"'],
    [{ roleRef: null }, 'roleRef.name: Required value'],
    [{ roleRef: { kind: 'Pod', name: 'x' } }, 'roleRef.kind: Unsupported value: "Pod"'],
  ])('a binding with %j is refused', async (part, message) => {
    const { status, json } = await asAdmin('POST', BINDINGS, { ...binding('a', 'cluster-admin'), ...part });
    expect([status, json.message]).toEqual([422, expect.stringContaining(message)]);
    expect((await asAda('GET', '/api/v1/namespaces/default/pods')).status).toBe(403);
  });

  it('a binding keeps its role', async () => {
    await create(BINDINGS, binding('a', 'view'));
    const roleRef = { apiGroup: API_GROUP, kind: 'ClusterRole', name: 'cluster-admin' };
    const { status, json } = await client.request(
      'PATCH',
      `${BINDINGS}/a`,
      { roleRef },
      {
        ...MERGE,
        authorization: `Bearer ${api.token}`,
      },
    );
    expect([status, json.message]).toEqual([422, expect.stringContaining('cannot change roleRef')]);
  });

  it.each([
    [{ verbs: [] }, 'rules[0].verbs: Required value: verbs must contain at least one value'],
    [{ resources: [] }, 'rules[0].resources: Required value'],
    [{ apiGroups: [] }, 'rules[0].apiGroups: Required value'],
    [{ nonResourceURLs: ['/a'] }, 'namespaced rules cannot apply to non-resource URLs'],
  ])('a role whose rule has %j is refused', async (part, message) => {
    const { status, json } = await asAdmin('POST', ROLES, { metadata: { name: 'a' }, rules: [{ ...pods, ...part }] });
    expect([status, json.message]).toEqual([422, expect.stringContaining(message)]);
  });
});

describe('a review of access in one namespace', () => {
  const REVIEWS = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews';

  it.each([
    [
      { resourceAttributes: { namespace: 'kube-system', verb: 'get', resource: 'secrets' } },
      'must match metadata.namespace',
    ],
    [{ resourceAttributes: { verb: 'get', resource: 'secrets' } }, 'must match metadata.namespace'],
    [{ nonResourceAttributes: { verb: 'get', path: '/' } }, 'disallowed on this kind of request'],
  ])('does not answer for %j', async (attributes, message) => {
    const { status, json } = await asAdmin('POST', REVIEWS, { metadata: {}, spec: { user: 'bob', ...attributes } });
    expect([status, json.message]).toEqual([422, expect.stringContaining(message)]);
  });

  it('answers for its own namespace', async () => {
    const resourceAttributes = { namespace: 'default', verb: 'get', resource: 'secrets' };
    const { json } = await asAdmin('POST', REVIEWS, { metadata: {}, spec: { user: 'bob', resourceAttributes } });
    expect(json.status).toEqual({ allowed: false });
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryClient } from '../../test/apiserver/memory-client.js';
import { FakeClock } from '../time/fake-clock.js';
import { type ApiServer, type ApiServerOptions, startApiServer } from './index.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const POD = { containers: [{ name: 'c', image: 'i' }] };
const labels = { app: 'a' };
const DEPLOYMENT = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: POD } };

let clock: FakeClock;
let api: ApiServer;
let client: MemoryClient;

async function start(options: ApiServerOptions = {}): Promise<void> {
  clock = new FakeClock({ seed: 1 });
  api = await startApiServer({ clock, listen: false, onError: (error) => expect.fail(String(error)), ...options });
  client = new MemoryClient(api);
}

afterEach(async () => {
  await api.stop();
  await clock.runUntilIdle();
  expect(clock.pendingTimers).toEqual([]);
});

describe('a server in memory', () => {
  beforeEach(() => start());

  it('stores a created object, lists it and sends it to watches', async () => {
    const watch = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=0`);
    const created = await client.post(CONFIG_MAPS, { metadata: { name: 'a' }, data: { k: 'v' } });
    expect(created.status).toBe(201);
    await clock.runUntilIdle();
    expect(watch.events).toEqual([{ type: 'ADDED', object: created.json }]);
    const { kind: _kind, apiVersion: _apiVersion, ...item } = created.json;
    expect((await client.get(CONFIG_MAPS)).json).toMatchObject({
      kind: 'ConfigMapList',
      metadata: { resourceVersion: created.json.metadata.resourceVersion },
      items: [item],
    });
  });

  it('creates the system namespaces and seeds uids from the clock, so that every run is the same', async () => {
    const { json } = await client.get('/api/v1/namespaces');
    const names = json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(names).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    const other = await startApiServer({ clock: new FakeClock({ seed: 1 }), listen: false });
    const again = await new MemoryClient(other).get('/api/v1/namespaces');
    expect(again.json).toEqual(json);
    await other.stop();
  });

  it('waits three seconds for a resourceVersion of the future, then answers 504', async () => {
    let answer: Awaited<ReturnType<MemoryClient['get']>> | undefined;
    void client.get(`${CONFIG_MAPS}?resourceVersion=1000`).then((got) => (answer = got));
    await clock.advance(2999);
    expect(answer).toBeUndefined();
    await clock.advance(1);
    expect(answer?.status).toBe(504);
    expect(answer?.headers['retry-after']).toBe('1');
    expect(answer?.json.details.causes[0].reason).toBe('ResourceVersionTooLarge');
  });

  it('answers as soon as the storage has reached that version', async () => {
    const now = Number((await client.get(CONFIG_MAPS)).json.metadata.resourceVersion);
    const waiting = client.get(`${CONFIG_MAPS}?resourceVersion=${now + 1}`);
    await clock.advance(1000);
    await client.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    expect((await waiting).json.items).toHaveLength(1);
    expect(clock.monotonicNow()).toBe(1000);
  });

  it('sends bookmarks at intervals and one shortly before the timeout', async () => {
    const watch = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=9`);
    await clock.runUntilIdle();
    expect(watch.events.map((event) => event.type)).toEqual(['BOOKMARK']);
    expect(watch.events[0]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    await client.post('/api/v1/namespaces', { metadata: { name: 'elsewhere' } });
    const version = (await client.get(CONFIG_MAPS)).json.metadata.resourceVersion;
    await clock.advance(5000);
    expect(watch.events[1]).toEqual({
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: version } },
    });
    await clock.advance(2000);
    expect(watch.events).toHaveLength(3);
    await clock.advance(1999);
    expect([watch.events.length, watch.end]).toEqual([3, 'open']);
    await clock.advance(1);
    expect(watch.end).toBe('ended');
  });

  it('sends the same bytes to every watch', async () => {
    const watches = Array.from({ length: 3 }, () => client.watch(`/api/v1/configmaps?watch=1&resourceVersion=0`));
    await client.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    await clock.runUntilIdle();
    const buffers = watches.map((watch) => watch.chunks.at(-1)?.buffer);
    expect(buffers[0]).toBeInstanceOf(ArrayBuffer);
    expect(new Set(buffers).size).toBe(1);
  });

  it('ends watches when it stops, and refuses later requests', async () => {
    const watch = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=0&allowWatchBookmarks=1`);
    await clock.runUntilIdle();
    await api.stop();
    await clock.runUntilIdle();
    expect(watch.end).toBe('ended');
    await expect(client.get(CONFIG_MAPS)).rejects.toThrow('refused');
  });

  it('ends a watch whose client has closed the connection', async () => {
    const watch = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=0&allowWatchBookmarks=1`);
    await clock.runUntilIdle();
    watch.abort();
    await clock.runUntilIdle();
    expect(clock.pendingTimers).toEqual([]);
  });

  it('drops history when compacted: watches and lists of older versions are Expired', async () => {
    const version = (await client.get(CONFIG_MAPS)).json.metadata.resourceVersion;
    for (const name of ['a', 'b']) await client.post(CONFIG_MAPS, { metadata: { name } });
    const { continue: token } = (await client.get(`${CONFIG_MAPS}?limit=1`)).json.metadata;
    await client.delete(`${CONFIG_MAPS}/b`);
    api.compact();
    const watch = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
    await clock.runUntilIdle();
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    expect((await client.get(`${CONFIG_MAPS}?resourceVersion=${version}&resourceVersionMatch=Exact`)).status).toBe(410);
    const expired = await client.get(`${CONFIG_MAPS}?limit=1&continue=${token}`);
    expect(expired.status).toBe(410);
    const rest = await client.get(`${CONFIG_MAPS}?limit=1&continue=${expired.json.metadata.continue}`);
    expect([rest.status, rest.json.items]).toEqual([200, []]);
  });

  it('answers 410 Gone to a watch from before firstResourceVersion', async () => {
    await api.stop();
    await start({ firstResourceVersion: 1000 });
    const { resourceVersion } = (await client.post(CONFIG_MAPS, { metadata: { name: 'a' } })).json.metadata;
    expect(Number(resourceVersion)).toBeGreaterThan(1000);
    const watch = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=9`);
    await clock.runUntilIdle();
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    await expect(startApiServer({ listen: false, firstResourceVersion: 0 })).rejects.toThrow('firstResourceVersion');
  });

  it('restarts with the history of lists but not of watches, unless keepHistory is set', async () => {
    const version = (await client.get(CONFIG_MAPS)).json.metadata.resourceVersion;
    await client.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    const before = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
    await clock.runUntilIdle();
    await api.restart({ keepHistory: true });
    expect(before.end).not.toBe('open');
    const kept = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
    await clock.runUntilIdle();
    expect(kept.events.map((event) => event.type)).toEqual(['ADDED']);
    await api.restart();
    const lost = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
    await clock.runUntilIdle();
    expect(lost.events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
    expect(
      (await client.get(`${CONFIG_MAPS}?resourceVersion=${version}&resourceVersionMatch=Exact`)).json.items,
    ).toEqual([]);
  });

  it('can have a skewed clock', async () => {
    api.skewClock(3_600_000);
    const { json } = await client.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    expect(json.metadata.creationTimestamp).toBe('2026-01-01T01:00:00Z');
  });

  it('applies injected faults', async () => {
    const fault = api.faults.inject({ verb: 'create', resource: 'configmaps', respond: { status: 503 } });
    expect((await client.post(CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(503);
    expect((await client.post(CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
    expect(fault.hits).toBe(1);
  });

  it('answers 400 instead of 410 for an expired continue token that is malformed', async () => {
    api.faults.inject({ expireContinue: true });
    const { json } = await client.get(`${CONFIG_MAPS}?limit=1&continue=none`);
    expect(json).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  it('binds pods by the subresource or by the resource bindings', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    for (const name of ['a', 'b']) await client.post(pods, { metadata: { name }, spec: POD });
    const target = { kind: 'Node', name: 'n' };
    const [a, other] = [{ name: 'a' }, { name: 'a', uid: 'other' }];
    expect((await client.post(`${pods}/a/binding`, { target })).status).toBe(400);
    expect((await client.post(`${pods}/a/binding`, { metadata: other, target })).status).toBe(409);
    expect((await client.post(`${pods}/a/binding`, { metadata: a, target })).status).toBe(201);
    const bindings = '/api/v1/namespaces/default/bindings';
    expect((await client.post(bindings, { metadata: { name: 'b' }, target })).status).toBe(201);
    const { items } = (await client.get(`${pods}?fieldSelector=spec.nodeName=n`)).json;
    expect(items[0].metadata.generation).toBe(1);
    expect(items.map((pod: { metadata: { name: string } }) => pod.metadata.name)).toEqual(['a', 'b']);
    const again = await client.post(`${pods}/a/binding`, { metadata: a, target });
    expect(again.json.message).toContain('already assigned to node "n"');
  });

  it('evicts the pod that path and body name, and none in a dry run', async () => {
    const pod = '/api/v1/namespaces/default/pods/a';
    await client.post('/api/v1/namespaces/default/pods', { metadata: { name: 'a' }, spec: POD });
    expect((await client.post(`${pod}/eviction`, { metadata: { name: 'b' } })).status).toBe(400);
    expect((await client.post(`${pod}/eviction?dryRun=All`, { metadata: { name: 'a' } })).status).toBe(201);
    expect((await client.get(pod)).status).toBe(200);
    expect((await client.post(`${pod}/eviction`, { metadata: { name: 'a' } })).status).toBe(201);
    expect((await client.get(pod)).status).toBe(404);
  });

  it('creates the missing object of a PUT with any resourceVersion, but not with a uid', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/a';
    const put = (metadata: object) => client.put(lease, { metadata: { name: 'a', ...metadata }, spec: {} });
    expect((await put({ uid: 'other' })).json).toMatchObject({ code: 409, reason: 'Conflict' });
    expect((await put({ resourceVersion: 'x' })).status).toBe(500);
    expect((await put({ resourceVersion: '5' })).status).toBe(201);
  });

  it.each([
    ['0', 201],
    ['none', 201],
    ['7', 500],
  ])('takes an object of version %s for new or not: %i', async (resourceVersion, code) => {
    const { status, json } = await client.post(CONFIG_MAPS, { metadata: { name: 'a', resourceVersion } });
    expect(status).toBe(code);
    expect(json.metadata.resourceVersion).not.toBe(resourceVersion);
  });

  it('refuses a patch that changes the kind', async () => {
    await client.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    for (const patch of [{ kind: 'Secret' }, { apiVersion: 'v2' }]) {
      const { json } = await client.patch(`${CONFIG_MAPS}/a`, patch);
      expect(json).toMatchObject({ code: 422, details: { causes: [{ field: 'patch' }] } });
    }
    expect((await client.patch(`${CONFIG_MAPS}/a`, { kind: 'ConfigMap', apiVersion: 'v1' })).status).toBe(200);
  });

  it('does not increment the generation for annotations in a write to the status', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    await client.post(path, { metadata: { name: 'a' }, spec: DEPLOYMENT });
    const metadata = { annotations: { seen: 'yes' } };
    expect((await client.patch(`${path}/a/status`, { metadata })).json.metadata).toMatchObject({
      ...metadata,
      generation: 1,
    });
  });

  it('has no admin endpoint by default', async () => {
    expect((await client.post('/kubeflect/compact', {})).status).toBe(404);
  });
});

describe('options of a server', () => {
  it('stores `objects` with their status, and creates their namespaces', async () => {
    await start({
      objects: [
        { kind: 'Pod', metadata: { name: 'p', namespace: 'web' }, spec: POD, status: { phase: 'Running' } } as never,
        { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: DEPLOYMENT } as never,
      ],
    });
    expect((await client.get('/api/v1/namespaces/web/pods/p')).json.status.phase).toBe('Running');
    expect((await client.get('/apis/apps/v1/namespaces/default/deployments/d')).status).toBe(200);
  });

  it('refuses objects of unknown kinds and invalid options', async () => {
    await start();
    await expect(startApiServer({ listen: false, objects: [{ kind: 'Nonsense', metadata: {} }] })).rejects.toThrow(
      /objects\[0\]: no resource of any version, kind Nonsense/,
    );
    await expect(startApiServer({ listen: false, controllers: ['x'] as never })).rejects.toThrow(
      /^controllers must be/,
    );
    await expect(startApiServer({ listen: false, historyLimit: 0 })).rejects.toThrow(/^historyLimit must be/);
    await expect(startApiServer({ listen: false, authorization: 'x' as never })).rejects.toThrow(
      /^authorization must be/,
    );
  });

  it('ends a watch whose client falls behind the history, instead of buffering for it', async () => {
    await start({ historyLimit: 20 });
    await client.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    const slow = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=0`);
    const quick = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=0`);
    await clock.runUntilIdle();
    slow.pause();
    const text = 'x'.repeat(20_000);
    for (let n = 0; n < 60; n++) await client.patch(`${CONFIG_MAPS}/a`, { data: { n: String(n), text } });
    await clock.runUntilIdle();
    slow.resume();
    await clock.runUntilIdle();
    expect(slow.end).toBe('ended');
    expect(slow.events.length).toBeLessThan(60);
    expect([quick.end, quick.events.length]).toEqual(['open', 61]);
    const versions = slow.events.map((event) => Number(event.object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });

  it('sends a slow client no more than a batch at once', async () => {
    await start();
    const watch = client.watch(`${CONFIG_MAPS}?watch=1`);
    await clock.runUntilIdle();
    const data = { text: 'x'.repeat(800_000) };
    await Promise.all([1, 2, 3, 4, 5].map((n) => client.post(CONFIG_MAPS, { metadata: { name: `c-${n}` }, data })));
    await clock.runUntilIdle();
    expect(watch.events).toHaveLength(5);
    expect(Math.max(...watch.chunks.map((chunk) => chunk.length))).toBeLessThan(2_000_000);
  });

  it('does nothing by itself without controllers', async () => {
    await start({ controllers: 'none' });
    expect((await client.get('/api/v1/namespaces')).json.items).toEqual([]);
    await client.post('/api/v1/namespaces', { metadata: { name: 'web' } });
    await client.delete('/api/v1/namespaces/web');
    await clock.runUntilIdle();
    expect((await client.get('/api/v1/namespaces/web')).json.status.phase).toBe('Terminating');
  });

  it('takes faults, compaction and restarts over HTTP with the option admin', async () => {
    await start({ admin: true });
    const version = (await client.get(CONFIG_MAPS)).json.metadata.resourceVersion;
    await client.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    expect((await client.post('/kubeflect/faults', [{ verb: 'list', respond: { status: 500 } }])).status).toBe(200);
    expect((await client.get(CONFIG_MAPS)).status).toBe(500);
    await client.post('/kubeflect/faults', { verb: 'list', respond: { status: 500 } });
    await client.delete('/kubeflect/faults');
    expect((await client.get(CONFIG_MAPS)).status).toBe(200);
    const faults = [{ verb: 'list', respond: { status: 500 } }, { verb: 'list' }];
    expect((await client.post('/kubeflect/faults', faults)).json.message).toMatch(/exactly one of/);
    expect((await client.get(CONFIG_MAPS)).status).toBe(200);
    await client.post('/kubeflect/compact', {});
    expect((await client.get(`${CONFIG_MAPS}?resourceVersion=${version}&resourceVersionMatch=Exact`)).status).toBe(410);
    const watch = client.watch(`${CONFIG_MAPS}?watch=1`);
    await clock.runUntilIdle();
    await client.post('/kubeflect/restart', {});
    await clock.runUntilIdle();
    expect(watch.end).not.toBe('open');
    expect((await client.get(CONFIG_MAPS)).json.items).toHaveLength(1);
  });
});

describe('a server with sockets', () => {
  it('serves TLS to clients that trust its authority, and leaves no handle behind', async () => {
    const handles = () => process.getActiveResourcesInfo().filter((name) => /TCP|TLS|HTTP/.test(name)).length;
    await start();
    const before = handles();
    const secure = await startApiServer({ tls: true });
    expect(secure.url).toMatch(/^https:/);
    expect(secure.kubeconfig).toContain('client-certificate-data');
    expect(secure.certificateAuthority).toContain('BEGIN CERTIFICATE');
    await secure.stop();
    await secure.stop();
    // Handles of earlier tests may still be closing.
    expect(handles()).toBeLessThanOrEqual(before);
  });

  it('restarts at the same port', async () => {
    await start();
    const plain = await startApiServer();
    const { url } = plain;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await plain.restart();
    expect(plain.url).toBe(url);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await plain.stop();
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
  });
});

describe('restarts of a server with sockets', () => {
  const health = async (): Promise<number | string> =>
    fetch(`${api.url}/readyz`).then(
      ({ status }) => status,
      () => 'refused',
    );

  // Real sockets need real time.
  beforeEach(async () => {
    clock = new FakeClock();
    api = await startApiServer();
  });

  it('do not end a refusal, which can be ended meanwhile', async () => {
    const refusal = api.faults.refuseConnections();
    await api.restart();
    expect(await health()).toBe('refused');
    const restarting = api.restart();
    refusal[Symbol.dispose]();
    await restarting;
    expect(await health()).toBe(200);
  });

  it('come one after the other, and before the end', async () => {
    await Promise.all([api.restart(), api.restart()]);
    expect(await health()).toBe(200);
    const restarting = api.restart();
    await Promise.all([api.stop(), restarting]);
    expect(await health()).toBe('refused');
  });
});

describe('hostile requests', () => {
  beforeEach(() => start());

  it.each([
    ['text that is no JSON', 'not json', 400],
    ['an empty body', '', 400],
    ['a list', '[]', 400],
    ['nesting without end', '['.repeat(100_000), 400],
    ['nesting inside a field', `{"metadata":{"name":"a"},"data":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`, 400],
    ['more than the server reads', JSON.stringify({ data: { a: 'x'.repeat(4_000_000) } }), 413],
  ])('%s gets a Status and harms nothing', async (_what, body, code) => {
    const answer = await client.request('POST', CONFIG_MAPS, body);
    expect(answer.status).toBe(code);
    expect(answer.json).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect((await client.get(CONFIG_MAPS)).json.items).toEqual([]);
  });

  it('keeps fields called __proto__ as fields, and prototypes as they are', async () => {
    const body =
      '{"metadata":{"name":"a","labels":{"__proto__":"x"}},"data":{"__proto__":"y"},"__proto__":{"polluted":true}}';
    expect((await client.request('POST', CONFIG_MAPS, body)).status).toBe(422);
    const fine = '{"metadata":{"name":"a","__proto__":{"polluted":true}},"data":{"__proto__":"y","constructor":"z"}}';
    const { json } = await client.request('POST', CONFIG_MAPS, fine);
    expect(Object.keys(json.data)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect((await client.get(`${CONFIG_MAPS}?labelSelector=constructor`)).json.items).toEqual([]);
    expect((await client.get(`${CONFIG_MAPS}?fieldSelector=constructor=x`)).status).toBe(400);
  });

  it.each([
    '/api/v1/namespaces/default/configmaps/..%2f..%2fsecrets',
    '/api/v1/namespaces/..%2f',
    '//',
    '/api//v1',
    '/%',
  ])('answers %s without leaving the path', async (target) => {
    const { status } = await client.get(target);
    expect([400, 404]).toContain(status);
  });

  it.each([
    'labelSelector=a+b',
    'labelSelector=,,,',
    'labelSelector=a+in+(',
    'fieldSelector=x',
    'limit=-x',
    'continue=%00',
  ])('refuses the query %s', async (query) => {
    expect((await client.get(`${CONFIG_MAPS}?${query}`)).status).toBe(400);
  });
});

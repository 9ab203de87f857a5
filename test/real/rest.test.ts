import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Raw } from '../../src/codec/raw.js';
import { SlabArena } from '../../src/codec/slab.js';
import { isConflict, isForbidden, isNotFound } from '../../src/meta/errors/error-predicates.js';
import type { KubernetesObject } from '../../src/meta/objects.js';
import type { WireEvent } from '../../src/meta/watch-event.js';
import type { ConnectionConfig } from '../../src/rest/http/connection-config.js';
import { RestClient } from '../../src/rest/request/rest-client.js';
import { ResourceSource } from '../../src/rest/source/resource-source.js';
import { fixedTls } from '../support/fixed-tls.js';
import { withWire } from '../support/wire.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
let server: RealApiServer;

beforeAll(async () => {
  // The maximum of kube-apiserver: a GOAWAY with every fiftieth answer.
  server = await startRealApiServer({ flags: ['--goaway-chance=0.02'] });
});
afterAll(() => server.stop());

function connection(token: string = server.adminToken): ConnectionConfig {
  const credentials = { headers: () => ({ authorization: `Bearer ${token}` }) };
  return { server: server.url, tls: fixedTls({ ca: server.ca }), credentials };
}

describe.each([true, false])('requests to a real server, HTTP/2: %s', (http2) => {
  it('have all verbs and patch types', async () => {
    await using rest = new RestClient(connection(), { ...withWire, http: { http2 } });
    const name = `verbs-${http2}`;
    const one = (method: 'GET' | 'PUT' | 'PATCH' | 'DELETE') =>
      rest.request(method).namespace('default').resource('configmaps').name(name);
    const created = await rest
      .post()
      .namespace('default')
      .resource('configmaps')
      .body({ metadata: { name }, data: { x: '1' } })
      .do<ConfigMap>();
    expect(await one('GET').do<ConfigMap>()).toEqual(created);
    await one('PUT')
      .body({ ...created, data: { x: '2' } })
      .do();
    await expect(one('PUT').body(created).do()).rejects.toSatisfy(isConflict);
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { x: '6' } };
    const patches = [
      one('PATCH')
        .patchType('merge')
        .body({ data: { x: '3' } }),
      one('PATCH')
        .patchType('strategic')
        .body({ data: { x: '4' } }),
      one('PATCH')
        .patchType('json')
        .body([{ op: 'replace', path: '/data/x', value: '5' }]),
      one('PATCH').patchType('apply').params({ fieldManager: 'me', force: true }).body(applied),
    ];
    for (const [i, patch] of patches.entries())
      expect((await patch.do<ConfigMap>()).data).toEqual({ x: String(i + 3) });
    await one('DELETE').do();
    await expect(one('GET').do()).rejects.toSatisfy(isNotFound);
  });

  it('survive GOAWAYs: a thousand creations, all watched', async () => {
    await using rest = new RestClient(connection(), { ...withWire, http: { http2 } });
    const namespace = `goaway-${http2}`;
    await rest
      .post()
      .resource('namespaces')
      .body({ metadata: { name: namespace } })
      .do();
    const seen = new Set<string>();
    const controller = new AbortController();
    const source = new ResourceSource<ConfigMap>(rest, { resource: configMaps, namespace, arena: new SlabArena() });
    const sink = {
      batch(events: readonly WireEvent<Raw<ConfigMap>>[]): boolean {
        for (const { type, object } of events) if (type === 'ADDED') seen.add(object.name);
        return true;
      },
    };
    const flow = source.open({}, sink, controller.signal);
    flow.done.catch(() => {});
    const count = 1000;
    const create = (i: number): Promise<unknown> =>
      rest
        .post()
        .namespace(namespace)
        .resource('configmaps')
        .body({ metadata: { name: `c${i}` } })
        .maxRetries(0)
        .do();
    for (let i = 0; i < count; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => create(i + j)));
    const list = await rest.get().namespace(namespace).resource('configmaps').list<ConfigMap>();
    expect(list.items.filter(({ metadata }) => metadata.name.startsWith('c'))).toHaveLength(count);
    await expect.poll(() => [...seen].filter((name) => name.startsWith('c')).length, { timeout: 120_000 }).toBe(count);
    controller.abort();
  });
});

it('rejects with 403 without permission', async () => {
  const token = await server.addUser({ name: 'stranger', rules: [], namespace: 'default' });
  await using rest = new RestClient(connection(token));
  await expect(rest.get().resource('secrets').do()).rejects.toSatisfy(isForbidden);
});

it('authenticates with a client certificate', async () => {
  const { cert, key } = await server.clientCertificate({ commonName: 'jane', organizations: ['staff'] });
  await using rest = new RestClient({ server: server.url, tls: fixedTls({ ca: server.ca, cert, key }) });
  const review = await rest
    .post()
    .resource({ group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews' })
    .body({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
    .do<{ status: { userInfo: { username: string; groups: string[] } } }>();
  expect(review.status.userInfo).toMatchObject({ username: 'jane', groups: expect.arrayContaining(['staff']) });
});

it('reads gzipped lists, and reports warnings', async () => {
  const warnings: string[] = [];
  await using rest = new RestClient(connection(), {
    ...withWire,
    gzip: true,
    onWarning: (text) => warnings.push(text),
  });
  const list = await rest.get().namespace('goaway-true').resource('configmaps').list<ConfigMap>();
  expect(list.items.length).toBeGreaterThan(900);
  await rest
    .post()
    .namespace('default')
    .resource('configmaps')
    .body({ metadata: { name: 'warned' }, unknownField: 1 })
    .do();
  expect(warnings).toEqual(['unknown field "unknownField"']);
});

it('ends a watch when the server ends it', async () => {
  await using rest = new RestClient(connection(), withWire);
  const types: string[] = [];
  const watch = rest.get().resource('namespaces').params({ timeoutSeconds: 1, allowWatchBookmarks: true });
  for await (const { type } of watch.watch()) types.push(type);
  expect(types).toContain('ADDED');
});

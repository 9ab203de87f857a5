import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../apiserver/server.js';
import { SlabArena } from '../codec/slab.js';
import {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
  isUnauthorized,
} from '../meta/errors/error-predicates.js';
import { StatusError } from '../meta/errors/errors.js';
import { conflict } from '../meta/errors/status.js';
import type { KubernetesObject } from '../meta/objects.js';
import { defineResource } from '../meta/resource.js';
import { builtinResources, groupProperties } from '../resources/catalogue.js';
import type { ConfigMap, Deployment, Pod } from '../resources/types/index.js';
import { FakeClock } from '../time/fake-clock.js';
import { Client } from './client.js';
import type { ResourceClient } from './resource-client.js';
import { retryOnConflict } from './retry-on-conflict.js';

interface Widget extends KubernetesObject {
  spec: { size: number };
  status?: { ready?: number };
}
const widgets = defineResource<Widget>({
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function defineWidgets(client: Client): Promise<unknown> {
  return client.apiextensions.v1.customResourceDefinitions().create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
        },
      ],
    },
  });
}

const web = {
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
  },
};

describe.each([
  ['in memory, under a fake clock', () => startApiServer({ clock: new FakeClock(), listen: false })],
  ['over HTTP', () => startApiServer()],
  ['over HTTP/2 and TLS', () => startApiServer({ tls: true })],
])('a client of the embedded server %s', (_, start) => {
  let api: ApiServer;
  let client: Client;
  beforeEach(async () => {
    api = await start();
    client = api.client();
  });
  afterEach(async () => {
    await client.close();
    await api.stop();
  });

  it('creates, reads, replaces, patches and deletes', async () => {
    const configMaps = client.core.v1.configMaps('default');
    const created = await configMaps.create({ metadata: { name: 'a' }, data: { x: '1' } });
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { x: '1' } });
    expect(created.metadata).toMatchObject({ namespace: 'default', uid: expect.any(String) });

    const updated = await configMaps.update({ ...created, data: { x: '2' } });
    expect(await configMaps.get('a')).toEqual(updated);
    await expect(configMaps.update(created)).rejects.toSatisfy(isConflict);

    expect((await configMaps.patch('a', { data: { y: '3' } })).data).toEqual({ x: '2', y: '3' });
    expect((await configMaps.patch('a', { data: { x: null } })).data).toEqual({ y: '3' });
    expect((await configMaps.patch('a', [{ op: 'replace', path: '/data/y', value: '4' }])).data).toEqual({ y: '4' });

    await configMaps.delete('a');
    await expect(configMaps.get('a')).rejects.toSatisfy(isNotFound);
  });

  it('sends a strategic merge patch with type: strategic', async () => {
    const deployments = client.apps.v1.deployments('default');
    await deployments.create(web);
    const sidecar = { spec: { template: { spec: { containers: [{ name: 'log', image: 'log:1' }] } } } };
    const merged = await deployments.patch('web', sidecar as never, { type: 'strategic' });
    expect(merged.spec?.template.spec?.containers.map((one) => one.name).sort()).toEqual(['app', 'log']);
    const replaced = await deployments.patch('web', sidecar as never);
    expect(replaced.spec?.template.spec?.containers.map((one) => one.name)).toEqual(['log']);
  });

  it('writes status and nothing else', async () => {
    const deployments = client.apps.v1.deployments('default');
    const created = await deployments.create(web);
    const ready = await deployments.updateStatus({ ...created, status: { readyReplicas: 1, replicas: 1 } });
    expect(ready.status).toMatchObject({ readyReplicas: 1 });
    expect(ready.metadata.generation).toBe(created.metadata.generation);
    expect((await deployments.patchStatus('web', { availableReplicas: 1 })).status).toMatchObject({
      readyReplicas: 1,
      availableReplicas: 1,
    });
    expect((await deployments.subresource('status').get('web')).status?.availableReplicas).toBe(1);
  });

  it('scales and evicts', async () => {
    await client.apps.v1.deployments('default').create(web);
    const scale = client.apps.v1.deployments('default').subresource('scale');
    const read = await scale.get('web');
    expect(read).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } });
    expect((await scale.update('web', { ...read, spec: { replicas: 3 } })).spec).toEqual({ replicas: 3 });
    expect((await scale.patch('web', { spec: { replicas: 4 } })).spec).toEqual({ replicas: 4 });

    const pods = client.core.v1.pods('default');
    await pods.create({ metadata: { name: 'web-0' }, spec: { containers: [{ name: 'app', image: 'app:1' }] } });
    await pods.subresource('eviction').create('web-0', {});
    await expect(pods.get('web-0')).rejects.toSatisfy(isNotFound);
  });

  it('lists by selectors, in pages, in one namespace and in all', async () => {
    await client.core.v1.namespaces().create({ metadata: { name: 'other' } });
    for (const [namespace, name, app] of [
      ['default', 'a', 'web'],
      ['default', 'b', 'db'],
      ['other', 'c', 'web'],
    ] as const) {
      await client.core.v1.configMaps(namespace).create({ metadata: { name, labels: { app } } });
    }
    const names = (list: { items: ConfigMap[] }) =>
      list.items.map((one) => one.metadata.name).filter((n) => n.length === 1);
    expect(names(await client.core.v1.configMaps('default').list())).toEqual(['a', 'b']);
    expect(names(await client.core.v1.configMaps().list({ labelSelector: 'app=web' }))).toEqual(['a', 'c']);
    const labelSelector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'web'] }] };
    expect(names(await client.core.v1.configMaps().list({ labelSelector }))).toEqual(['a', 'b', 'c']);
    expect(names(await client.core.v1.configMaps().list({ fieldSelector: 'metadata.name=b' }))).toEqual(['b']);

    const page = await client.core.v1.configMaps().list({ labelSelector: 'app', limit: 2 });
    expect(page).toMatchObject({ kind: 'ConfigMapList', metadata: { continue: expect.any(String) } });
    expect(page.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    const next = await client.core.v1
      .configMaps()
      .list({ labelSelector: 'app', limit: 2, continue: page.metadata.continue });
    expect(names(next)).toEqual(['c']);

    const all: string[] = [];
    for await (const one of client.core.v1.configMaps().listAll({ labelSelector, limit: 1 }))
      all.push(one.metadata.name);
    expect(all).toEqual(['a', 'b', 'c']);
  });

  it('throws 410 when a page has expired', async () => {
    const configMaps = client.core.v1.configMaps('default');
    for (let i = 0; i < 5; i++) await configMaps.create({ metadata: { name: `a${i}` } });
    const reading = configMaps.listAll({ limit: 1 });
    await reading.next();
    await configMaps.create({ metadata: { name: 'later' } });
    api.compact();
    const rest = (async () => {
      for await (const _ of reading);
    })();
    await expect(rest).rejects.toSatisfy(isExpired);
  });

  it('watches, with and without bookmarks, until the loop is left', async () => {
    const configMaps = client.core.v1.configMaps('default');
    const { metadata } = await configMaps.list();
    const events = configMaps.watch({ resourceVersion: metadata.resourceVersion });
    const first = events.next();
    const created = await configMaps.create({ metadata: { name: 'a' } });
    expect(await first).toEqual({ done: false, value: { type: 'ADDED', object: created } });
    await configMaps.patch('a', { data: { x: '1' } });
    expect((await events.next()).value).toMatchObject({ type: 'MODIFIED', object: { data: { x: '1' } } });
    await configMaps.delete('a');
    expect((await events.next()).value).toMatchObject({ type: 'DELETED', object: { data: { x: '1' } } });
    await events.return?.();
    expect((await events.next()).done).toBe(true);

    const streamed: string[] = [];
    const start = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;
    for await (const event of configMaps.watch({ ...start, labelSelector: 'none=here' })) {
      streamed.push(event.type);
      break;
    }
    expect(streamed).toEqual(['BOOKMARK']);
  });

  it('throws on an ERROR event, and on a refused watch', async () => {
    const configMaps = client.core.v1.configMaps('default');
    const { metadata } = await configMaps.list();
    await configMaps.create({ metadata: { name: 'a' } });
    await configMaps.create({ metadata: { name: 'b' } });
    api.compact();
    const old = configMaps.watch({ resourceVersion: metadata.resourceVersion });
    await expect(old.next()).rejects.toMatchObject({ status: 410, verb: 'watch', resource: 'configmaps' });
    expect((await old.next()).done).toBe(true);
    await expect(configMaps.watch({ labelSelector: 'a=(' }).next()).rejects.toMatchObject({
      status: 400,
      verb: 'watch',
    });
  });

  it('ends a watch when the server ends it', async () => {
    const seen: string[] = [];
    for await (const event of client.core.v1.namespaces().watch()) {
      seen.push(event.object.metadata.name);
      if (event.object.metadata.name === 'default') await api.restart();
    }
    expect(seen).toContain('default');
  });

  it('rejects with signal.reason on abort', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const watching = client.core.v1.pods().watch({ signal, resourceVersion: '1' }).next();
    const why = new Error('enough');
    stop.abort(why);
    await expect(watching).rejects.toBe(why);
    await expect(client.core.v1.pods().list({ signal })).rejects.toBe(why);
    await expect(client.core.v1.pods().listAll({ signal }).next()).rejects.toBe(why);
    await expect(client.core.v1.pods('default').get('x', { signal })).rejects.toBe(why);
    await expect(client.resolve('po', { signal })).rejects.toBe(why);
  });

  it('deletes collections, and checks preconditions', async () => {
    const configMaps = client.core.v1.configMaps('default');
    const [a] = [
      await configMaps.create({ metadata: { name: 'a', labels: { app: 'web' } } }),
      await configMaps.create({ metadata: { name: 'b', labels: { app: 'web' } } }),
      await configMaps.create({ metadata: { name: 'c' } }),
    ];
    await expect(configMaps.delete('a', { preconditions: { uid: 'another' } })).rejects.toSatisfy(isConflict);
    await configMaps.delete('a', { dryRun: true });
    const { uid, resourceVersion } = a.metadata;
    await configMaps.delete('a', { preconditions: { uid, resourceVersion }, propagationPolicy: 'Orphan' });
    await configMaps.deleteCollection({ labelSelector: 'app=web' });
    const left = (await configMaps.list()).items.map((one) => one.metadata.name);
    expect(left).toContain('c');
    expect(left).not.toContain('b');
  });

  it('reads PartialObjectMetadata', async () => {
    const created = await client.apps.v1.deployments('default').create(web);
    const deployments = client.metadata({ group: 'apps', version: 'v1', resource: 'deployments' }, 'default');
    const read = await deployments.get('web');
    expect(read).toEqual({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      metadata: expect.objectContaining({ name: 'web', uid: created.metadata.uid }),
    });
    const list = await deployments.list();
    expect(list).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ kind: 'PartialObjectMetadata' }] });
    const all: unknown[] = [];
    for await (const one of deployments.listAll()) all.push(one);
    expect(all).toEqual(list.items);
    expect((await deployments.watch().next()).value).toEqual({ type: 'ADDED', object: read });
    const patched = await deployments.patch('web', { metadata: { labels: { app: 'site' } } });
    expect(patched).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { labels: { app: 'site' } } });
    expect(patched).not.toHaveProperty('spec');
    await deployments.delete('web');
    await expect(deployments.get('web')).rejects.toSatisfy(isNotFound);
  });

  it('serves custom resources, resolves them, and reads their kind from discovery', async () => {
    await client.resolve('po');
    await expect(client.resolve('widgets')).rejects.toSatisfy(isNotFound);
    await defineWidgets(client);
    const mine = client.forResource(widgets, 'default');
    const created = await mine.create({ metadata: { name: 'w' }, spec: { size: 1 } });
    expect(created).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Widget' });
    expect((await mine.patchStatus('w', { ready: 1 })).status).toEqual({ ready: 1 });

    for (const name of ['wd', 'Widget', 'widgets.v1.example.com', 'widget.example.com']) {
      const found = await client.resolve(name);
      expect(found).toMatchObject({ resource: 'widgets', kind: 'Widget', namespaced: true });
      expect(await client.forResource(found, 'default').get('w')).toMatchObject({ spec: { size: 1 } });
    }
    const { group, version, resource } = widgets;
    const unknown = client.forResource({ group, version, resource }, 'default');
    expect(await unknown.create({ metadata: { generateName: 'w-' } })).toMatchObject({ kind: 'Widget' });
    expect((await unknown.list()).items).toHaveLength(2);
  });

  it('has verb, resource, namespace and name in its errors', async () => {
    const pods = client.core.v1.pods('default');
    const failed = (await pods.get('web-0').catch((error: unknown) => error)) as StatusError;
    expect(failed).toMatchObject({
      status: 404,
      verb: 'get',
      resource: 'pods',
      objectName: 'web-0',
      namespace: 'default',
    });
    expect(failed.message).toContain('get pods default/web-0');
    await expect(client.apps.v1.deployments('nowhere').create(web)).rejects.toMatchObject({
      verb: 'create',
      resource: 'deployments.apps',
      namespace: 'nowhere',
    });
    await client.core.v1.configMaps('default').create({ metadata: { name: 'a' } });
    await expect(client.core.v1.configMaps('default').create({ metadata: { name: 'a' } })).rejects.toSatisfy(
      isAlreadyExists,
    );
    await expect(client.apps.v1.deployments('default').subresource('scale').get('x')).rejects.toMatchObject({
      resource: 'deployments.apps/scale',
      objectName: 'x',
    });
  });

  it('stores nothing with dryRun', async () => {
    const configMaps = client.core.v1.configMaps('default');
    await configMaps.create({ metadata: { name: 'a' } }, { dryRun: true });
    await expect(configMaps.get('a')).rejects.toSatisfy(isNotFound);
  });

  it('retries a conflict', async () => {
    const deployments = client.apps.v1.deployments('default');
    await deployments.create(web);
    let attempts = 0;
    const { clock } = client;
    const retrying = retryOnConflict<Deployment>(
      async () => {
        attempts++;
        const read = await deployments.get('web');
        if (attempts < 3) await deployments.patch('web', { metadata: { labels: { attempt: `${attempts}` } } });
        return deployments.update({ ...read, metadata: { ...read.metadata, annotations: { seen: 'yes' } } });
      },
      { clock },
    );
    if (clock instanceof FakeClock) await clock.until(() => attempts === 3);
    expect((await retrying).metadata).toMatchObject({ labels: { attempt: '2' }, annotations: { seen: 'yes' } });
    expect(attempts).toBe(3);
  });

  it('retries as often as the policy says, with the waits of the default', async () => {
    const clock = new FakeClock({ seed: 2 });
    const at: number[] = [];
    const retrying = retryOnConflict(
      () => {
        at.push(clock.monotonicNow());
        return Promise.reject(new StatusError(conflict({ group: '', resource: 'pods' }, 'a', 'changed')));
      },
      { clock, policy: { steps: 3 } },
    );
    retrying.catch(() => {});
    await clock.advance(60);
    await expect(retrying).rejects.toSatisfy(isConflict);
    expect(at).toHaveLength(3);
    for (const waited of [at[1]! - at[0]!, at[2]! - at[1]!]) {
      expect(waited).toBeGreaterThanOrEqual(10);
      expect(waited).toBeLessThanOrEqual(11);
    }
  });

  it('lists and watches through a source', async () => {
    const created = await client.core.v1
      .configMaps('default')
      .create({ metadata: { name: 'a', labels: { app: 'web' } } });
    const source = client.source<ConfigMap>(
      { group: '', version: 'v1', resource: 'configmaps' },
      { arena: new SlabArena(), namespace: 'default', labelSelector: { matchLabels: { app: 'web' } } },
    );
    const items: ConfigMap[] = [];
    const sink = {
      batch(raws: readonly { decode(): ConfigMap }[]) {
        for (const raw of raws) items.push(raw.decode());
        return true;
      },
    };
    const { metadata } = await source.list({}, sink, new AbortController().signal).done;
    expect(items).toEqual([created]);
    expect(metadata?.resourceVersion).toEqual(expect.any(String));
  });

  it('gets the version of the server', async () => {
    expect((await client.apis.version()).gitVersion).toContain('kubeflect');
  });

  it('rejects running requests when it is closed, and all later ones', async () => {
    const watching = client.core.v1.pods().watch({ resourceVersion: '1' }).next();
    // The list is answered after the watch has been sent.
    await client.core.v1.pods().list();
    const failed = expect(watching).rejects.toThrow('closed');
    await client.close();
    await failed;
    await expect(client.core.v1.pods().list()).rejects.toThrow('closed');
    await client.close();
  });
});

describe('a client', () => {
  it('creates access reviews without metadata', async () => {
    await using api = await startApiServer({ clock: new FakeClock(), listen: false });
    await using client = api.client();
    const { status } = await client.authorization.v1.selfSubjectAccessReviews().create({
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    });
    expect(status?.allowed).toBe(true);
    const create = client.core.v1.configMaps('default').create as (object: object) => Promise<unknown>;
    await expect(create.call(client.core.v1.configMaps('default'), { data: {} })).rejects.toThrow(
      "create configmaps needs an object with metadata, as in { metadata: { name: 'a' } }; got an object with data",
    );
  });

  it('has no member with the name of an API group', async () => {
    await using api = await startApiServer({ clock: new FakeClock(), listen: false });
    await using client = api.client();
    const members = new Set([...Object.getOwnPropertyNames(client), ...clientMembers()]);
    expect(Object.keys(groupProperties).filter((group) => members.has(group))).toEqual([]);
  });

  it('has every built-in resource, built once', async () => {
    const client = new Client({ server: 'http://127.0.0.1:1' });
    const tree = client as unknown as Record<string, Record<string, Record<string, unknown>>>;
    for (const [property, group] of Object.entries(groupProperties)) {
      for (const { version, property: plural } of builtinResources.filter((one) => one.group === group)) {
        expect(tree[property]?.[version]?.[plural]).toBeTypeOf('function');
      }
    }
    expect(client.core.v1.pods).toBe(client.core.v1.pods);
    expect(new Client({ server: 'http://127.0.0.1:1' }).core).not.toBe(client.core);
  });

  it.each<[string, (client: Client) => unknown, string]>([
    [
      'an empty name',
      (c) => c.core.v1.pods('a').get(''),
      'the name of pods must be a string that is not empty, got ""',
    ],
    ['a name with a slash', (c) => c.core.v1.pods('a').delete('x/y'), "may not contain '/'"],
    ['a missing namespace', (c) => (c.core.v1.pods() as ResourceClient<Pod>).get('x'), 'get pods needs a namespace'],
    [
      'a namespace where there is none',
      (c) => c.forResource({ group: '', version: 'v1', resource: 'nodes' }, 'a'),
      'nodes has no namespaces',
    ],
    [
      'an object of another namespace',
      (c) => c.core.v1.pods('a').create({ metadata: { name: 'x', namespace: 'b' } }),
      'an object of namespace "b"',
    ],
    [
      'an object without metadata',
      (c) => c.core.v1.pods('a').create({} as never),
      'create pods needs an object with metadata',
    ],
    [
      'an object without a name',
      (c) => c.core.v1.pods('a').apply({ metadata: {} }, { fieldManager: 'me' }),
      'the name of pods',
    ],
    [
      'an apply without a fieldManager',
      (c) => c.core.v1.pods('a').apply({ metadata: { name: 'x' } }, {} as never),
      'fieldManager must be',
    ],
    [
      'an apply without options',
      (c) => c.core.v1.pods('a').apply({ metadata: { name: 'x' } }, undefined as never),
      'fieldManager must be',
    ],
    [
      'a string as patch',
      (c) => c.core.v1.pods('a').patch('x', 'y' as never),
      'patch must be an object or an array, got "y"',
    ],
    [
      'an unknown type of patch',
      (c) => c.core.v1.pods('a').patch('x', {}, { type: 'json' as never }),
      "type must be one of 'merge', 'strategic'",
    ],
    [
      'a subresource with a slash',
      (c) => c.core.v1.pods('a').subresource('a/b'),
      "the subresource may not contain '/'",
    ],
    [
      'a collection of all namespaces',
      (c) => c.forResource(widgets).deleteCollection(),
      'delete all widgets.example.com needs a namespace',
    ],
    ['no server', () => new Client({ server: '' }), 'server must be a string'],
  ])('refuses %s before anything is sent', async (_, ask, message) => {
    const client = new Client({ server: 'http://127.0.0.1:1' });
    const asking = (async () => ask(client))();
    await expect(asking).rejects.toThrow(TypeError);
    await expect(asking).rejects.toThrow(message);
  });

  it('is made from a kubeconfig, and sends its credentials', async () => {
    await using api = await startApiServer({
      authorization: 'rbac',
      tokens: { stranger: { name: 'stranger' } },
    });
    await using admin = await Client.fromKubeconfig({ text: api.kubeconfig });
    expect((await admin.core.v1.namespaces().list()).items.length).toBeGreaterThan(0);
    await using alice = api.client({ token: 'stranger' });
    await expect(alice.core.v1.namespaces().list()).rejects.toSatisfy(isForbidden);
    await using unknown = new Client({ server: api.url, token: 'wrong' });
    await expect(unknown.core.v1.namespaces().list()).rejects.toSatisfy(isUnauthorized);
  });
});

function clientMembers(): string[] {
  // The getters of the groups are the only ones on the prototype that are accessors.
  const members = Object.getOwnPropertyDescriptors(Client.prototype);
  return Object.keys(members).filter((name) => members[name as keyof typeof members]?.get === undefined);
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import { retryOnConflict } from '../../src/client/retry-on-conflict.js';
import {
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isUnauthorized,
} from '../../src/meta/errors/error-predicates.js';
import type { KubernetesObject } from '../../src/meta/objects.js';
import { defineResource } from '../../src/meta/resource.js';
import { builtinResources } from '../../src/resources/catalogue.js';
import type { ConfigMap } from '../../src/resources/types/index.js';
import { withWire } from '../support/wire.js';
import { isNewest, kubernetesVersion } from './build.mjs';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

interface Widget extends KubernetesObject {
  spec?: { size: number };
  status?: { ready?: number };
}
const widgets = defineResource<Widget>({
  group: 'client.example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

const web = {
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
  },
};

describe('a client of a real kube-apiserver', () => {
  let server: RealApiServer;
  let client: Client;
  const warnings: string[] = [];

  beforeAll(async () => {
    server = await startRealApiServer();
    client = await Client.fromKubeconfig(
      { path: server.kubeconfigPath },
      { ...withWire, onWarning: (text) => warnings.push(text) },
    );
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  /** The resource clients of a new namespace. */
  async function place(name: string) {
    await client.core.v1.namespaces().create({ metadata: { name } });
    return {
      configMaps: client.core.v1.configMaps(name),
      deployments: client.apps.v1.deployments(name),
      namespace: name,
    };
  }

  it('has all verbs on config maps', async () => {
    const { configMaps } = await place('verbs');
    const created = await configMaps.create({ metadata: { name: 'a', labels: { app: 'web' } }, data: { x: '1' } });
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'verbs' } });
    const updated = await configMaps.update({ ...created, data: { x: '2' } });
    expect(await configMaps.get('a')).toEqual(updated);
    await expect(configMaps.update(created)).rejects.toSatisfy(isConflict);
    expect((await configMaps.patch('a', { data: { y: '3', x: null } })).data).toEqual({ y: '3' });
    expect((await configMaps.patch('a', [{ op: 'add', path: '/data/z', value: '4' }])).data).toEqual({
      y: '3',
      z: '4',
    });

    const list = await configMaps.list({ labelSelector: { matchLabels: { app: 'web' } } });
    expect(list).toMatchObject({ kind: 'ConfigMapList', items: [{ apiVersion: 'v1', kind: 'ConfigMap' }] });
    await configMaps.delete('a', { preconditions: { uid: created.metadata.uid } });
    const failed = await configMaps.get('a').catch((error: unknown) => error);
    expect(failed).toMatchObject({ verb: 'get', resource: 'configmaps', objectName: 'a', namespace: 'verbs' });
    expect(isNotFound(failed)).toBe(true);

    await configMaps.create({ metadata: { name: 'b', labels: { app: 'web' } } });
    await configMaps.deleteCollection({ labelSelector: 'app=web' });
    expect((await configMaps.list({ labelSelector: 'app' })).items).toEqual([]);
  });

  it('has all verbs on deployments', async () => {
    const { deployments } = await place('deployments');
    const created = await deployments.create(web);
    const sidecar = { spec: { template: { spec: { containers: [{ name: 'log', image: 'log:1' }] } } } };
    const merged = await deployments.patch('web', sidecar as never, { type: 'strategic' });
    expect(merged.spec?.template.spec?.containers).toHaveLength(2);
    const annotated = await retryOnConflict(async () => {
      const read = await deployments.get('web');
      return deployments.update({ ...read, metadata: { ...read.metadata, annotations: { seen: 'yes' } } });
    });
    expect(annotated.metadata.annotations).toEqual({ seen: 'yes' });

    const ready = await deployments.updateStatus({ ...annotated, status: { replicas: 1, readyReplicas: 1 } });
    expect(ready.status?.readyReplicas).toBe(1);
    expect(ready.metadata.generation).toBe(annotated.metadata.generation);
    const patched = await deployments.patchStatus('web', { availableReplicas: 1 });
    expect(patched.status).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });

    const scale = deployments.subresource('scale');
    const read = await scale.get('web');
    expect(read).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } });
    expect((await scale.update('web', { ...read, spec: { replicas: 3 } })).spec).toEqual({ replicas: 3 });
    expect((await scale.patch('web', { spec: { replicas: 4 } })).spec).toEqual({ replicas: 4 });
    expect((await deployments.get('web')).spec?.replicas).toBe(4);

    await expect(deployments.create({ ...web, metadata: { name: 'NO' } })).rejects.toSatisfy(isInvalid);
    await deployments.delete('web', { propagationPolicy: 'Background', gracePeriodSeconds: 0 });
    expect(created.metadata.uid).toBe(ready.metadata.uid);
  });

  it('applies: fields of each manager, their owners, and conflicts of two managers', async () => {
    const { configMaps } = await place('apply');
    await configMaps.apply({ metadata: { name: 'a' }, data: { x: '1', y: '1' } }, { fieldManager: 'me' });
    const theirs = { metadata: { name: 'a' }, data: { x: '2' } };
    await expect(configMaps.apply(theirs, { fieldManager: 'you' })).rejects.toSatisfy(isConflict);
    expect((await configMaps.apply(theirs, { fieldManager: 'you', force: true })).data).toEqual({ x: '2', y: '1' });
    const applied = await configMaps.apply({ metadata: { name: 'a' } }, { fieldManager: 'me' });
    expect(applied.data).toEqual({ x: '2' });
    expect(applied.metadata.managedFields?.map((entry) => [entry.manager, entry.operation])).toContainEqual([
      'you',
      'Apply',
    ]);
  });

  it('evicts and binds pods', async () => {
    const { namespace } = await place('pods');
    await client.core.v1.serviceAccounts(namespace).create({ metadata: { name: 'default' } });
    await client.core.v1.nodes().create({ metadata: { name: 'client-node' } });
    const pods = client.core.v1.pods(namespace);
    const spec = { containers: [{ name: 'app', image: 'app:1' }], automountServiceAccountToken: false };
    await pods.create({ metadata: { name: 'web-0' }, spec });
    await pods.subresource('binding').create('web-0', { target: { kind: 'Node', name: 'client-node' } });
    expect((await pods.get('web-0')).spec?.nodeName).toBe('client-node');
    await pods.subresource('eviction').create('web-0', { deleteOptions: { gracePeriodSeconds: 0 } });
    await expect(pods.get('web-0')).rejects.toSatisfy(isNotFound);
    const tokens = client.core.v1.serviceAccounts(namespace).subresource('token');
    const { status } = await tokens.create('default', { spec: { audiences: [], expirationSeconds: 600 } });
    const review = await client.authentication.v1.tokenReviews().create({
      metadata: {},
      spec: { token: status?.token ?? '' },
    });
    expect(review.status?.user?.username).toBe(`system:serviceaccount:${namespace}:default`);
    // There is no kubelet: the server refuses the log.
    await pods.create({ metadata: { name: 'web-1' }, spec: { ...spec, nodeName: 'client-node' } });
    await expect(pods.subresource('log').text('web-1')).rejects.toMatchObject({
      resource: 'pods/log',
      objectName: 'web-1',
    });
  });

  it('lists in pages, and throws when they have expired', async () => {
    const { configMaps } = await place('pages');
    for (let i = 0; i < 7; i++) await configMaps.create({ metadata: { name: `a${i}` } });
    const names: string[] = [];
    for await (const one of configMaps.listAll({ limit: 2 })) names.push(one.metadata.name);
    expect(names).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
    const page = await configMaps.list({ limit: 2 });
    expect(page.metadata.remainingItemCount).toBe(5);

    const reading = configMaps.listAll({ limit: 1 });
    await reading.next();
    await configMaps.create({ metadata: { name: 'later' } });
    await server.compact();
    const rest = (async () => {
      for await (const _ of reading);
    })();
    await expect(rest).rejects.toSatisfy(isExpired);
  });

  it('watches', async () => {
    const { configMaps } = await place('watch');
    const { metadata } = await configMaps.list();
    const seen: string[] = [];
    const writing = (async () => {
      await configMaps.create({ metadata: { name: 'a' } });
      await configMaps.patch('a', { data: { x: '1' } });
      await configMaps.delete('a');
    })();
    for await (const { type, object } of configMaps.watch({ resourceVersion: metadata.resourceVersion })) {
      seen.push(`${type} ${object.metadata.name} ${object.data?.['x'] ?? ''}`);
      if (type === 'DELETED') break;
    }
    await writing;
    expect(seen).toEqual(['ADDED a ', 'MODIFIED a 1', 'DELETED a 1']);

    await configMaps.create({ metadata: { name: 'b' } });
    const streamed: string[] = [];
    const start = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;
    for await (const event of configMaps.watch(start)) {
      streamed.push(event.type);
      if (event.type === 'BOOKMARK') break;
    }
    expect(streamed).toEqual(['ADDED', 'BOOKMARK']);

    const ended: string[] = [];
    for await (const { type } of configMaps.watch({ timeoutSeconds: 1 })) ended.push(type);
    expect(ended).toEqual(['ADDED']);

    await configMaps.create({ metadata: { name: 'c' } });
    await server.compact();
    // The watch cache of the server has revisions that etcd has compacted, until a restart.
    await server.restart();
    const old = configMaps.watch({ resourceVersion: metadata.resourceVersion });
    await expect(old.next()).rejects.toMatchObject({ status: 410, verb: 'watch', namespace: 'watch' });
  });

  it('reads PartialObjectMetadata', async () => {
    const { deployments, namespace } = await place('metadata');
    await deployments.create(web);
    const metadata = client.metadata({ group: 'apps', version: 'v1', resource: 'deployments' }, namespace);
    const read = await metadata.get('web');
    expect(read).toMatchObject({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      metadata: { name: 'web' },
    });
    expect(read).not.toHaveProperty('spec');
    expect((await metadata.list()).items).toEqual([read]);
    expect((await metadata.watch().next()).value).toEqual({ type: 'ADDED', object: read });
    expect(await metadata.patch('web', { metadata: { labels: { app: 'site' } } })).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { labels: { app: 'site' } },
    });
    await metadata.delete('web');
    await expect(metadata.get('web')).rejects.toSatisfy(isNotFound);

    // With an Accept for metadata a server deletes the collection, and then fails to encode its answer.
    await deployments.create(web);
    await metadata.deleteCollection();
    expect((await metadata.list()).items).toEqual([]);
  });

  it('resolves the names that kubectl accepts, and custom resources as soon as they are defined', async () => {
    for (const [name, kind] of [
      ['po', 'Pod'],
      ['Deployment', 'Deployment'],
      ['deployments.apps', 'Deployment'],
      ['hpa', 'HorizontalPodAutoscaler'],
      ['netpol', 'NetworkPolicy'],
    ]) {
      expect((await client.resolve(name as string)).kind).toBe(kind);
    }
    await expect(client.resolve('pdos')).rejects.toThrow('did you mean pods');
    await expect(client.resolve('widgets.client.example.com')).rejects.toSatisfy(isNotFound);
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await client.apiextensions.v1.customResourceDefinitions().create({
      metadata: { name: 'widgets.client.example.com' },
      spec: {
        group: 'client.example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget', shortNames: ['wdg'] },
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
    await expect
      .poll(() => client.resolve('wdg').catch(() => undefined), { timeout: 120_000 })
      .toMatchObject({ kind: 'Widget' });
    const { namespace } = await place('widgets');
    await expect
      .poll(
        () =>
          client
            .forResource(widgets, namespace)
            .list()
            .catch(() => undefined),
        { timeout: 120_000 },
      )
      .toMatchObject({ kind: 'WidgetList' });
    const mine = client.forResource(widgets, namespace);
    await mine.create({ metadata: { name: 'w' }, spec: { size: 1 } });
    expect((await mine.patchStatus('w', { ready: 1 })).status).toEqual({ ready: 1 });
    const { group, version, resource } = widgets;
    const untyped = client.forResource({ group, version, resource }, namespace);
    expect(await untyped.create({ metadata: { generateName: 'w-' } })).toMatchObject({ kind: 'Widget' });
  });

  it('describes every built-in resource as the catalogue does', async () => {
    const resources = await client.apis.resources();
    // An older server lacks some, and describes others differently.
    for (const { property: _, ...resource } of isNewest ? builtinResources : []) {
      expect(resources).toContainEqual(resource);
    }
    expect(await client.apis.failures()).toEqual([]);
    expect((await client.apis.version()).gitVersion).toBe(kubernetesVersion);
  });

  it('creates access reviews, and gets warnings and refusals of unknown fields', async () => {
    const review = await client.authorization.v1.selfSubjectAccessReviews().create({
      metadata: {},
      spec: { resourceAttributes: { verb: 'create', resource: 'pods' } },
    });
    expect(review.status).toMatchObject({ allowed: true });
    const { configMaps } = await place('warnings');
    const typo = { metadata: { name: 'a' }, dta: {} } as unknown as ConfigMap;
    await configMaps.create(typo);
    expect(warnings.some((text) => text.includes('unknown field "dta"'))).toBe(true);
    await expect(configMaps.create(typo, { fieldValidation: 'Strict' })).rejects.toMatchObject({ status: 400 });
    const owned = await configMaps.create({ metadata: { name: 'b' }, data: { x: '1' } }, { fieldManager: 'another' });
    expect(owned.metadata.managedFields).toMatchObject([{ manager: 'another', operation: 'Update' }]);
    await configMaps.create({ metadata: { name: 'c' } }, { dryRun: true });
    await expect(configMaps.get('c')).rejects.toSatisfy(isNotFound);
  });

  it('sends its credentials', async () => {
    const token = await server.addUser({
      name: 'reader',
      rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['namespaces'] }],
    });
    await using reader = new Client({ server: server.url, ca: server.ca, token });
    expect((await reader.core.v1.namespaces().list()).items.length).toBeGreaterThan(0);
    await expect(reader.core.v1.pods().list()).rejects.toSatisfy(isForbidden);
    await using unknown = new Client({ server: server.url, ca: server.ca, token: 'wrong' });
    await expect(unknown.core.v1.namespaces().list()).rejects.toSatisfy(isUnauthorized);
    const { cert, key } = await server.clientCertificate({ commonName: 'alice', organizations: ['system:masters'] });
    await using alice = new Client({ server: server.url, ca: server.ca, cert, key });
    const review = await alice.authentication.v1.selfSubjectReviews().create({ metadata: {} });
    expect(review.status?.userInfo?.username).toBe('alice');
    await using acting = new Client({ server: server.url, ca: server.ca, cert, key, impersonate: { user: 'bob' } });
    await expect(acting.core.v1.pods().list()).rejects.toThrow('User "bob" cannot list resource "pods"');
  });
});

import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import { type ApiServer, startApiServer } from '../apiserver/server.js';
import type { SharedIndexInformer } from '../cache/informer/shared-informer.js';
import type { Client } from '../client/client.js';
import { drop } from '../codec/codec.js';
import type { KubernetesObject, PartialObjectMetadata, Unstructured } from '../meta/objects.js';
import { defineResource } from '../meta/resource.js';
import { resources } from '../resources/resources.js';
import type { Pod } from '../resources/types/core-v1.js';
import { FakeClock } from '../time/fake-clock.js';
import { CacheSyncError } from './cache-sync-error.js';
import { type FactoryOptions, SharedInformerFactory } from './shared-informer-factory.js';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function setup(options: FactoryOptions = {}) {
  const clock = new FakeClock({ seed: 11 });
  const api: ApiServer = await startApiServer({ clock, listen: false });
  const client: Client = api.client();
  const errors: string[] = [];
  const factory = new SharedInformerFactory(client, {
    onError: (error, { resource }) => errors.push(`${resource}: ${error.message}`),
    ...options,
  });
  ends.push(async () => {
    await factory.stop();
    await client.close();
    await api.stop();
  });
  const pods = client.core.v1.pods('default');
  const create = (name: string, labels: Record<string, string> = {}) =>
    pods.create({ metadata: { name, labels }, spec: { containers: [{ name: 'app', image: 'nginx' }] } });
  return { clock, api, client, factory, errors, pods, create };
}

describe('SharedInformerFactory', () => {
  it('forResource returns the shared informer of a built-in resource, typed; metadata another one', async () => {
    const { clock, factory, create } = await setup();
    const pods = factory.forResource(resources.core.v1.pods);
    expectTypeOf(pods).toEqualTypeOf<SharedIndexInformer<Pod>>();
    expect(pods).toBe(factory.core.v1.pods());
    const metadata = factory.metadata(resources.core.v1.pods);
    expectTypeOf(metadata).toEqualTypeOf<SharedIndexInformer<PartialObjectMetadata>>();
    expect(metadata).toBe(factory.metadata(pods.resource));
    expect(metadata).not.toBe(pods);
    factory.start();
    await create('a');
    await clock.until(() => metadata.lister.count() === 1 && pods.lister.count() === 1);
    expect(metadata.lister.get('default/a')).not.toHaveProperty('spec');
  });

  it('options that are no object are refused, with an example of some', async () => {
    const { factory } = await setup();
    expect(() => factory.forResource(resources.core.v1.pods, 'default' as never)).toThrow(
      'options must be an object such as { namespace, labelSelector }, got "default"',
    );
  });

  it('enqueueInto can be called on a union of informers', async () => {
    const { clock, factory, create } = await setup();
    const keys = new Set<string>();
    for (const informer of [factory.core.v1.pods(), factory.core.v1.namespaces()]) {
      informer.enqueueInto({ add: (key) => keys.add(key) }, { name: 'all' });
    }
    factory.start();
    await create('a');
    await clock.until(() => keys.has('default/a') && keys.has('default'));
  });

  it('opens one watch for fifty handlers and ten readers', async () => {
    const { clock, api, factory, create } = await setup();
    await create('a');
    const watches = api.faults.inject({ verb: 'watch', resource: 'pods', delayMs: 0, times: 1000 });
    const informers = Array.from({ length: 10 }, () => factory.core.v1.pods());
    expect(new Set(informers).size).toBe(1);
    let calls = 0;
    for (let i = 0; i < 50; i++) informers[0]?.subscribe(() => void calls++);
    factory.start();
    factory.start();
    const synced = factory.waitForCacheSync();
    await clock.runUntilIdle();
    await synced;
    await create('b');
    await clock.runUntilIdle();
    expect(calls).toBe(100);
    for (const { lister } of informers) expect(lister.keys().sort()).toEqual(['default/a', 'default/b']);
    expect(watches.hits).toBe(1);
  });

  it('an informer that is requested after start() starts at once', async () => {
    const { clock, factory, create } = await setup();
    factory.start();
    await create('a');
    const pods = factory.core.v1.pods();
    await clock.runUntilIdle();
    expect(pods.hasSynced).toBe(true);
    expect(pods.lister.get('default/a')?.spec?.containers[0]?.image).toBe('nginx');
  });

  it('makes informers of built-in resources, of any other resource, and of metadata', async () => {
    const { clock, factory, client, create } = await setup();
    await create('a', { app: 'web' });
    await client.apps.v1.deployments('default').create({
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx' }] } },
      },
    });
    const deployments = factory.apps.v1.deployments();
    const namespaces = factory.core.v1.namespaces();
    const any = factory.forResource({ group: '', version: 'v1', resource: 'pods' });
    const metadata = factory.metadata({ group: '', version: 'v1', resource: 'pods' });
    factory.start();
    await clock.runUntilIdle();
    await factory.waitForCacheSync();
    expect(deployments.lister.keys()).toEqual(['default/web']);
    expect(namespaces.lister.keys()).toContain('kube-system');
    expect(any.lister.get('default/a')?.kind).toBe('Pod');
    expect(metadata.lister.get('default/a')).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { labels: { app: 'web' } },
    });
    expect(metadata.lister.get('default/a')).not.toHaveProperty('spec');
    expectTypeOf(any).toEqualTypeOf<SharedIndexInformer<Unstructured>>();
    expectTypeOf(factory.core.v1.pods()).toEqualTypeOf<SharedIndexInformer<Pod>>();
  });

  it('makes informers with selectors, transforms, namespaces and managed fields', async () => {
    const { clock, factory, client, create } = await setup();
    await client.core.v1.namespaces().create({ metadata: { name: 'other' } });
    await client.core.v1.namespaces().create({ metadata: { name: 'third' } });
    await create('a', { app: 'web' });
    await create('b', { app: 'db' });
    for (const namespace of ['other', 'third']) {
      await client.core.v1
        .pods(namespace)
        .create({ metadata: { name: 'c' }, spec: { containers: [{ name: 'app', image: 'nginx' }] } });
    }
    const web = factory.core.v1.pods({ labelSelector: 'app=web' });
    const named = factory.core.v1.pods({ fieldSelector: 'metadata.name=b' });
    const slim = factory.core.v1.pods({ transform: (pod) => ({ containers: pod.spec?.containers.length }) });
    const bare = factory.core.v1.pods({ transform: drop(['spec']) });
    const objects = factory.core.v1.pods({ storage: 'objects' });
    const two = factory.core.v1.pods({ namespace: ['default', 'other'] });
    const listed = factory.core.v1.pods({ useWatchList: false, namespace: ['other', 'third'] });
    expectTypeOf(slim).toEqualTypeOf<SharedIndexInformer<{ containers: number | undefined }>>();
    const slimSeen: unknown[] = [];
    slim.subscribe((event) => void slimSeen.push([event.key, event.facts.labels['app'], event.object.containers]));
    factory.start();
    await clock.runUntilIdle();
    await factory.waitForCacheSync();
    expect(web.lister.keys()).toEqual(['default/a']);
    expect(named.lister.keys()).toEqual(['default/b']);
    expect(slim.lister.get('default/a')).toEqual({ containers: 1 });
    expect(slimSeen).toContainEqual(['default/a', 'web', 1]);
    expect(bare.lister.get('default/a')).toMatchObject({ kind: 'Pod', metadata: { name: 'a' } });
    expect(bare.lister.get('default/a')).not.toHaveProperty('spec');
    expect(objects.lister.get('default/a')?.spec?.containers).toHaveLength(1);
    expect(two.lister.keys().sort()).toEqual(['default/a', 'default/b', 'other/c']);
    expect(listed.lister.keys().sort()).toEqual(['other/c', 'third/c']);
    await client.core.v1.pods('other').delete('c');
    await create('d', { app: 'web' });
    await clock.runUntilIdle();
    expect(two.lister.keys().sort()).toEqual(['default/a', 'default/b', 'default/d']);
    expect(listed.lister.keys()).toEqual(['third/c']);
    expect(web.lister.keys().sort()).toEqual(['default/a', 'default/d']);
    expect(() => factory.core.v1.pods({ transform: 1 as never })).toThrow(
      'transform must be a function or drop(…), got 1',
    );
    expect(() => factory.core.v1.pods({ storage: 'disk' as never })).toThrow("storage must be one of 'raw', 'objects'");
  });

  it.each([
    { resyncMs: -1 },
    { decodedBudget: -1 },
    { consistencyCheckMs: -1 },
    { mutationDetector: 'maybe' },
    { namespace: [] },
    { storage: 'disk' },
    { managedFields: 'some' },
    { transform: 1 },
  ] as object[])('%j is refused by an informer, whether it or its factory got the option', async (options) => {
    const { client, factory } = await setup();
    const message = new RegExp(`^${Object.keys(options)[0]} must be `);
    expect(() => factory.core.v1.pods(options)).toThrow(message);
    expect(() => new SharedInformerFactory(client, options).core.v1.pods()).toThrow(message);
  });

  it('the resync period of an informer comes from its options, then from resyncMsOf, then from resyncMs', async () => {
    const { clock, factory, client, create } = await setup({ resyncMs: 3000, resyncMsOf: { pods: 2000 } });
    await create('a');
    await client.core.v1.configMaps('default').create({ metadata: { name: 'c' } });
    const resyncs = { own: 0, never: 0, ofPods: 0, ofAll: 0 };
    const count = (name: keyof typeof resyncs) => (event: { type: string; isResync?: boolean }) => {
      if (event.isResync === true) resyncs[name]++;
    };
    factory.core.v1.pods({ resyncMs: 1000 }).subscribe(count('own'));
    factory.core.v1.pods({ resyncMs: 0 }).subscribe(count('never'));
    factory.core.v1.pods().subscribe(count('ofPods'));
    factory.core.v1.configMaps({ resyncMs: undefined }).subscribe(count('ofAll'));
    factory.start();
    await clock.advance(6500);
    expect(resyncs).toEqual({ own: 6, never: 0, ofPods: 3, ofAll: 2 });
  });

  it('[S173] [S183] keys, facts and the version of the cache are right if a transform drops the metadata', async () => {
    const { clock, api, factory, client, create, pods } = await setup();
    await create('a');
    const upper = factory.core.v1.pods({
      transform: (pod) => `${pod.metadata.name.toUpperCase()} ${pod.metadata.labels?.['step'] ?? ''}`,
    });
    const seen: string[] = [];
    upper.subscribe(
      (event) => void seen.push(`${event.type} ${event.object} ${event.type === 'update' ? event.old : ''}`),
    );
    factory.start();
    await clock.runUntilIdle();
    const changed = await pods.patch('a', { metadata: { labels: { step: '2' } } });
    await clock.runUntilIdle();
    // client-go reads the version from the transformed object, and stays at that of the last list; here facts are stored beside it.
    await upper.waitForResourceVersion(changed.metadata.resourceVersion);
    expect(upper.lister.get('default/a')).toBe('A 2');
    await client.core.v1.pods('default').delete('a', { gracePeriodSeconds: 0 });
    await clock.runUntilIdle();
    expect([...seen.slice(0, 2), seen.at(-1)]).toEqual(['add A  ', 'update A 2 A ', 'delete A 2 ']);
    expect(upper.lister.count()).toBe(0);
    const created = await create('b');
    api.compact();
    await api.restart();
    await clock.until(() => upper.lister.count() === 1);
    expect(upper.lister.get('default/b')).toBe('B ');
    await upper.waitForResourceVersion(created.metadata.resourceVersion);
  });

  it('watches of several namespaces resume separately and relist together', async () => {
    const { clock, api, factory, client, create } = await setup();
    await client.core.v1.namespaces().create({ metadata: { name: 'other' } });
    const two = factory.core.v1.pods({ namespace: ['default', 'other'] });
    const seen: string[] = [];
    two.subscribe((event) => void seen.push(`${event.type} ${event.key}`));
    factory.start();
    await clock.runUntilIdle();
    const other = client.core.v1.pods('other');
    const make = (name: string) =>
      other.create({ metadata: { name }, spec: { containers: [{ name: 'app', image: 'nginx' }] } });
    await create('a');
    await make('b');
    await clock.runUntilIdle();
    api.faults.inject({ verb: 'watch', resource: 'pods', reset: 'midEvent', times: 2 });
    await create('c');
    await make('d');
    await clock.advance(120_000);
    api.compact();
    await api.restart();
    await make('e');
    await other.delete('b');
    await clock.advance(240_000);
    expect(two.lister.keys().sort()).toEqual(['default/a', 'default/c', 'other/d', 'other/e']);
    const adds = seen.filter((text) => text.startsWith('add'));
    expect(new Set(adds).size).toBe(adds.length);
    expect(seen.filter((text) => text === 'delete other/b')).toHaveLength(1);
  });

  it('[S211] waitForCacheSync resolves at once without informers, else when the last one has synced', async () => {
    const { clock, api, factory } = await setup();
    factory.start();
    await factory.waitForCacheSync();
    factory.core.v1.pods();
    for (const [resource, delayMs] of [
      ['secrets', 5000],
      ['services', 10_000],
    ] as const)
      api.faults.inject({ verb: ['list', 'watch'], resource, delayMs, times: 1 });
    factory.core.v1.secrets();
    factory.core.v1.services();
    let syncedAt: number | undefined;
    const began = clock.monotonicNow();
    const waiting = factory.waitForCacheSync().then(() => {
      syncedAt = clock.monotonicNow() - began;
    });
    await clock.advance(60_000);
    await waiting;
    expect(syncedAt).toBe(10_000);
  });

  it('[S211] waitForCacheSync names the missing caches after a timeout, sorted', async () => {
    const { clock, api, factory } = await setup();
    for (const resource of ['secrets', 'configmaps'])
      api.faults.inject({ verb: ['list', 'watch'], resource, stallMs: 3_600_000, times: 1000 });
    const waitFor = async (timeoutMs: number) => {
      const waiting = factory.waitForCacheSync({ timeoutMs }).catch((reason: unknown) => reason);
      await clock.advance(timeoutMs);
      return ((await waiting) as CacheSyncError).unsynced.map(({ resource }) => resource);
    };
    factory.core.v1.secrets();
    factory.core.v1.configMaps();
    factory.start();
    expect(await waitFor(1000)).toEqual(['configmaps.v1', 'secrets.v1']);
    factory.core.v1.pods();
    expect(await waitFor(60_000)).toEqual(['configmaps.v1', 'secrets.v1']);
    // An abort rejects with the reason of the signal, not with the missing caches.
    const signal = AbortSignal.abort(new Error('the deploy was called off'));
    await expect(factory.waitForCacheSync({ signal })).rejects.toThrow('the deploy was called off');
  });

  it('[S211] [S212] waitForCacheSync rejects with the missing caches and the reasons', async () => {
    const { clock, api, factory } = await setup();
    await expect(factory.waitForCacheSync()).rejects.toThrow('start() this SharedInformerFactory before waiting');
    const widgets = defineResource<KubernetesObject>({
      group: 'example.com',
      version: 'v1',
      resource: 'widgets',
      kind: 'Widget',
      namespaced: true,
    });
    const missing = factory.forResource(widgets);
    factory.core.v1.pods();
    factory.start();
    const waiting = factory.waitForCacheSync();
    waiting.catch(() => {});
    await clock.runUntilIdle();
    const error = await waiting.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CacheSyncError);
    expect((error as CacheSyncError).unsynced.map(({ resource }) => resource)).toEqual(['widgets.v1.example.com']);
    expect((error as Error).message).toMatch(
      /^failed to sync all caches \(the server refuses\): widgets\.v1\.example\.com \(.*\)$/,
    );
    expect(missing.status.state).toBe('waitingForResource');

    api.faults.inject({
      verb: ['list', 'watch'],
      resource: 'secrets',
      respond: { status: 403, reason: 'Forbidden' },
      times: 1000,
    });
    factory.core.v1.secrets();
    const forbidden = factory.waitForCacheSync();
    forbidden.catch(() => {});
    await clock.runUntilIdle();
    await expect(forbidden).rejects.toMatchObject({
      unsynced: [{ resource: 'secrets.v1' }, { resource: 'widgets.v1.example.com' }],
    });
    const stop = new AbortController();
    stop.abort(new Error('never mind'));
    await expect(factory.waitForCacheSync({ signal: stop.signal })).rejects.toThrow('never mind');
  });

  it('waitForCacheSync rejects on a field selector that the server does not support', async () => {
    const { clock, factory } = await setup();
    factory.core.v1.pods({ fieldSelector: 'spec.nonsense=1' });
    factory.core.v1.secrets();
    factory.start();
    const waiting = factory.waitForCacheSync();
    waiting.catch(() => {});
    await clock.runUntilIdle();
    await expect(waiting).rejects.toMatchObject({ name: 'CacheSyncError', unsynced: [{ resource: 'pods.v1' }] });
    await expect(waiting).rejects.toThrow('spec.nonsense');
  });

  it.each([400, 401, 403, 404, 405, 406, 413, 415, 422])(
    'waitForCacheSync rejects after a list with status %i',
    async (code) => {
      const { clock, api, factory } = await setup();
      const pods = factory.core.v1.pods();
      api.faults.inject({ verb: ['list', 'watch'], resource: 'pods', respond: { status: code }, times: 1000 });
      factory.start();
      const waiting = factory.waitForCacheSync();
      waiting.catch(() => {});
      await clock.runUntilIdle();
      await expect(waiting).rejects.toBeInstanceOf(CacheSyncError);
      expect(pods.status.consecutiveFailures).toBeGreaterThan(0);
    },
  );

  it.each([408, 409, 410, 429, 500, 502, 503, 504])(
    'waitForCacheSync waits after a list with status %i',
    async (code) => {
      const { clock, api, factory } = await setup();
      const pods = factory.core.v1.pods();
      api.faults.inject({ verb: ['list', 'watch'], resource: 'pods', respond: { status: code }, times: 8 });
      factory.start();
      const waiting = factory.waitForCacheSync();
      await clock.until(() => pods.hasSynced, { withinMs: 600_000 });
      await waiting;
    },
  );

  it.each([400, 403, 422])('lists if only the watch-list is answered with %i', async (code) => {
    const { clock, api, factory, create } = await setup();
    await create('a');
    const pods = factory.core.v1.pods();
    const refusals = api.faults.inject({ verb: 'watch', resource: 'pods', respond: { status: code }, times: 1 });
    factory.start();
    const waiting = factory.waitForCacheSync();
    await clock.until(() => pods.hasSynced, { withinMs: 60_000 });
    await waiting;
    expect(refusals.hits).toBe(1);
    expect(pods.lister.keys()).toEqual(['default/a']);
  });

  it('waitForCacheSync ignores refusals before its call', async () => {
    const { clock, api, factory } = await setup();
    const pods = factory.core.v1.pods();
    const refusal = api.faults.inject({
      verb: ['list', 'watch'],
      resource: 'pods',
      respond: { status: 403, reason: 'Forbidden' },
      times: Number.POSITIVE_INFINITY,
    });
    factory.start();
    await clock.until(() => pods.status.state === 'backingOff');
    refusal[Symbol.dispose]();
    const waiting = factory.waitForCacheSync();
    await clock.until(() => pods.hasSynced);
    await waiting;
  });

  it('waitForCacheSync rejects after timeoutMs', async () => {
    const { clock, api, factory } = await setup();
    api.faults.inject({ verb: ['list', 'watch'], resource: 'pods', stallMs: 3_600_000, times: 1000 });
    factory.core.v1.pods();
    factory.start();
    const waiting = factory.waitForCacheSync({ timeoutMs: 5000 });
    waiting.catch(() => {});
    await clock.advance(5000);
    await expect(waiting).rejects.toThrow(/failed to sync all caches \(.*5000 ms\): pods\.v1 /);
  });

  it('starts when a custom resource is installed, and continues when it is removed', async () => {
    const { clock, factory, client } = await setup();
    interface Widget extends KubernetesObject {
      spec: { size: number };
    }
    const resource = defineResource<Widget>({
      group: 'example.com',
      version: 'v1',
      resource: 'widgets',
      kind: 'Widget',
      namespaced: true,
    });
    const size = { type: 'integer' };
    const widgetSchema = { type: 'object', properties: { spec: { type: 'object', properties: { size } } } };
    const widgets = factory.forResource(resource);
    const seen: string[] = [];
    widgets.subscribe((event) => void seen.push(`${event.type} ${event.key}`));
    factory.start();
    await clock.advance(5000);
    expect(widgets.status.state).toBe('waitingForResource');
    await client.apiextensions.v1.customResourceDefinitions().create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: widgetSchema } }],
      },
    });
    await clock.advance(120_000);
    expect(widgets.hasSynced).toBe(true);
    await client.forResource(resource, 'default').create({ metadata: { name: 'w' }, spec: { size: 1 } });
    await clock.runUntilIdle();
    expect(widgets.lister.get('default/w')?.spec.size).toBe(1);
    await client.apiextensions.v1.customResourceDefinitions().delete('widgets.example.com');
    await clock.advance(120_000);
    expect(seen).toEqual(['add default/w', 'delete default/w']);
    expect(widgets.status.state).toBe('waitingForResource');
  });

  it('the first lease starts an informer; it stops lingerMs after the last was released', async () => {
    const { clock, api, factory, create } = await setup();
    await create('a');
    const watches = api.faults.inject({ verb: 'watch', resource: 'pods', delayMs: 0, times: 1000 });
    const resource = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
    const first = factory.acquire(resource, { lingerMs: 30_000 });
    const second = factory.acquire(resource, { lingerMs: 30_000 });
    expect(first.informer).toBe(second.informer);
    await clock.runUntilIdle();
    expect(first.informer.lister.count()).toBe(1);
    first.release();
    first.release();
    await clock.advance(60_000);
    expect(second.informer.status.state).toBe('watching');
    second.release();
    await clock.advance(10_000);
    const third = factory.acquire(resource, { lingerMs: 30_000 });
    expect(third.informer).toBe(first.informer);
    third.release();
    await clock.advance(30_000);
    expect(first.informer.status.state).toBe('stopped');
    expect(watches.hits).toBe(1);
    const fresh = factory.acquire(resource);
    expect(fresh.informer).not.toBe(first.informer);
    await clock.runUntilIdle();
    expect(fresh.informer.lister.count()).toBe(1);
    factory.forResource(resource);
    fresh.release();
    await clock.advance(60_000);
    expect(fresh.informer.status.state).toBe('watching');
  });

  it('stops all informers when its signal aborts', async () => {
    const stop = new AbortController();
    const { clock, factory, create } = await setup({ signal: stop.signal });
    const pods = factory.core.v1.pods();
    let calls = 0;
    pods.subscribe(() => void calls++);
    factory.start();
    await clock.runUntilIdle();
    stop.abort();
    await factory.stop();
    expect(pods.status.state).toBe('stopped');
    await create('late');
    await clock.runUntilIdle();
    expect(calls).toBe(0);
  });

  it('throws after stop()', async () => {
    const { factory } = await setup();
    factory.start();
    await factory.stop();
    expect(() => factory.core.v1.configMaps()).toThrow('has been stopped');
    expect(() => factory.start()).toThrow('has been stopped');
  });

  it('returns stopped informers after its signal has aborted', async () => {
    const stop = new AbortController();
    const { factory } = await setup({ signal: stop.signal });
    factory.start();
    stop.abort();
    const late = factory.core.v1.configMaps({ labelSelector: 'a=b' });
    late.subscribe(() => {});
    await expect(late.whenSynced()).rejects.toThrow('stopped');
    expect(late.status.state).toBe('stopped');
    expect(factory.core.v1.secrets().status.state).toBe('stopped');
    factory.start();
    await factory.stop();
  });

  it('thirty informers with one signal cause no MaxListenersExceededWarning', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning.name);
    process.on('warning', onWarning);
    const { clock, factory } = await setup({ signal: new AbortController().signal });
    for (let i = 0; i < 30; i++) factory.core.v1.pods({ name: `p${i}` });
    factory.start();
    const synced = factory.waitForCacheSync();
    await clock.runUntilIdle();
    await synced;
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('[S57] consistencyCheckMs finds no difference if fields are dropped', async () => {
    const { clock, factory, errors, create, pods } = await setup({ consistencyCheckMs: 60_000 });
    await create('a');
    for (const storage of ['raw', 'objects'] as const)
      factory.core.v1.pods({ storage, transform: drop(['status']), name: storage });
    factory.start();
    await clock.advance(300_000);
    expect(errors).toEqual([]);
    await pods.patch('a', { metadata: { labels: { x: 'y' } } });
    await clock.advance(300_000);
    expect(errors).toEqual([]);
  });

  it('a read by namespace of a cluster-scoped resource finds nothing; the name of the factory is put before that of the informer', async () => {
    const { clock, factory } = await setup({ name: 'mine' });
    const namespaces = factory.core.v1.namespaces();
    factory.start();
    await clock.runUntilIdle();
    expect(namespaces.lister.list({ namespace: 'default' })).toEqual([]);
    expect(namespaces.lister.count({ namespace: 'default' })).toBe(0);
    expect(namespaces.lister.count()).toBeGreaterThan(0);
    expect((namespaces as unknown as { name: string }).name).toBe('mine namespaces.v1');
  });

  it('resyncMsOf sets resync periods by resource', async () => {
    const { clock, factory, create } = await setup({ resyncMs: 0, resyncMsOf: { pods: 10_000 } });
    await create('a');
    const seen: string[] = [];
    factory.core.v1.pods().subscribe((event) => void seen.push(event.type));
    factory.core.v1.namespaces().subscribe((event) => void (event.type === 'update' && seen.push('namespace')));
    factory.start();
    await clock.advance(25_000);
    expect(seen).toEqual(['add', 'update', 'update']);
  });
});

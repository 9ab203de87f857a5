import { afterEach, describe, expect, it } from 'vitest';
import { startApiServer } from '../apiserver/server.js';
import { createController } from '../controller/controller.js';
import { type ControllerManager, createManager } from '../controller/manager/manager.js';
import type { ControllerOptions } from '../controller/types.js';
import { SharedInformerFactory } from '../informers/shared-informer-factory.js';
import { channels } from '../observe/channels.js';
import { resources } from '../resources/resources.js';
import type { ConfigMap } from '../resources/types/core-v1.js';
import { FakeClock } from '../time/fake-clock.js';
import { RateLimitingQueue } from '../workqueue/rate-limiting-queue.js';
import { Inspection } from './inspection.js';
import type { ChangeEntry, RunEntry, Snapshot, WriteEntry } from './protocol.js';

const { configMaps, secrets } = resources.core.v1;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A factory, a manager whose controller copies ConfigMaps to Secrets, and an inspection of both. */
async function setup(more: Partial<ControllerOptions<ConfigMap>> = {}) {
  const clock = new FakeClock({ seed: 3 });
  const api = await startApiServer({ clock, listen: false });
  const client = api.client();
  const factory = new SharedInformerFactory(client, { onError: () => {} });
  const controller = createController<ConfigMap>({
    name: 'copies',
    for: configMaps,
    owns: [secrets],
    cache: { labelSelector: 'copy=yes' },
    async reconcile({ metadata: { name }, data = {} }, { apply }) {
      await apply(secrets, { metadata: { name }, stringData: { ...data } });
    },
    onError: () => {},
    ...more,
  });
  const manager = createManager(client, {
    name: 'copier',
    controllers: [controller],
    port: false,
    election: false,
    onError: () => {},
  }) as ControllerManager;
  const queue = new RateLimitingQueue<string>({ name: 'work', clock });
  const snapshots: Snapshot[] = [];
  const inspection = new Inspection({
    factories: [factory],
    managers: [manager],
    queues: [queue],
    clock,
    onSnapshot: (snapshot) => snapshots.push(snapshot),
  });
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  ends.push(
    () => api.stop(),
    () => client.close(),
    () => factory.stop(),
    async () => {
      let isOver = false;
      stop.abort();
      void running.then(() => (isOver = true));
      await clock.until(() => isOver);
    },
    async () => inspection.close(),
  );
  const last = (): Snapshot => snapshots.at(-1) as Snapshot;
  const maps = client.core.v1.configMaps('default');
  const create = (name: string, data: Record<string, string> = {}) =>
    maps.create({ metadata: { name, labels: { copy: 'yes' } }, data });
  const informer = (resource: string) => last().informers.find((stage) => stage.resource === resource)?.id ?? '';
  const settle = () => clock.advance(2000);
  return { clock, api, client, factory, manager, queue, snapshots, inspection, last, maps, create, informer, settle };
}

/** The channels that something listens to. */
function heard(): string[] {
  return Object.entries(channels).flatMap(([name, channel]) => (channel.hasSubscribers ? [name] : []));
}

describe('the recording', () => {
  it('begins with the first viewer, and ends a minute after the last has gone', async () => {
    const { clock, inspection, snapshots } = await setup();
    await clock.advance(5000);
    expect(heard()).toEqual([]);
    expect(snapshots).toEqual([]);
    inspection.setViewers(1);
    await clock.advance(3000);
    expect(heard()).toContain('storeChange');
    expect(snapshots).toHaveLength(3);
    inspection.setViewers(0);
    await clock.advance(59_000);
    expect(heard()).toContain('storeChange');
    expect(snapshots).toHaveLength(3);
    expect(inspection.history.at).toHaveLength(62);
    await clock.advance(2000);
    expect(heard()).toEqual([]);
    expect(inspection.history.at).toEqual([]);
  });

  it('goes on if a viewer comes back in time', async () => {
    const { clock, inspection } = await setup();
    inspection.setViewers(1);
    await clock.advance(1000);
    inspection.setViewers(0);
    await clock.advance(50_000);
    inspection.setViewers(1);
    await clock.advance(50_000);
    expect(inspection.history.at).toHaveLength(101);
  });

  it('of a request without a viewer ends a minute later', async () => {
    const { clock, inspection } = await setup();
    inspection.controllers();
    expect(heard()).toContain('controllerRun');
    await clock.advance(61_000);
    expect(heard()).toEqual([]);
  });
});

describe('snapshots', () => {
  it('have every stage, and connect them', async () => {
    const { factory, queue, inspection, last, create, settle } = await setup();
    const pods = factory.core.v1.pods();
    pods.enqueueInto(queue, { name: 'pods to work' });
    factory.start();
    inspection.setViewers(1);
    await create('a', { user: 'admin' });
    await settle();
    const { informers, handlers, queues, controllers, servers } = last();
    expect(informers.map(({ resource, state, hasSynced }) => [resource, state, hasSynced])).toEqual([
      ['pods', 'watching', true],
      ['configmaps', 'watching', true],
      ['secrets', 'watching', true],
    ]);
    const [server] = servers;
    expect(new Set(informers.map((stage) => stage.server))).toEqual(new Set([server?.id]));
    expect(server).toMatchObject({ watches: 3, health: 'ok' });
    const [controller] = controllers;
    expect(controller).toMatchObject({ name: 'copies', manager: 'copier', isActive: true, failing: 0, workers: 4 });
    expect(controller?.outcomes.done).toBeGreaterThan(0);
    expect(controller?.writesTo).toBe(server?.id);
    expect(controller?.informer).toBe(informers[1]?.id);
    const ofController = queues.find((stage) => stage.id === controller?.queue);
    expect(ofController).toMatchObject({ name: 'copies', controller: controller?.id, depth: 0 });
    expect(ofController?.total).toBeGreaterThan(0);
    const toQueue = handlers.find(({ name }) => name === 'pods to work');
    expect(toQueue).toMatchObject({ informer: informers[0]?.id, hasSynced: true });
    expect(queues.find(({ id }) => id === toQueue?.to)?.name).toBe('work');
    const woken = handlers.filter(({ to }) => to === controller?.id);
    expect(woken.map(({ informer }) => informer).sort()).toEqual([informers[1]?.id, informers[2]?.id].sort());
    expect(woken.every(({ total }) => total > 0)).toBe(true);
  });

  it('count rates by the second, and the history has each of them', async () => {
    const { factory, clock, inspection, last, maps, settle } = await setup();
    factory.core.v1.configMaps({ name: 'all maps' }).subscribe(() => {}, { name: 'quick' });
    factory.start();
    await settle();
    inspection.setViewers(1);
    for (let i = 0; i < 10; i++) await maps.create({ metadata: { name: `m-${i}` } });
    await clock.advance(1000);
    const stage = last().informers.find(({ name }) => name === 'all maps');
    const handler = last().handlers.find(({ name }) => name === 'quick');
    expect(stage).toMatchObject({ rate: 10, total: 10, errors: 0 });
    expect(handler).toMatchObject({ rate: 10, lagMs: 0, total: 10, depth: 0 });
    await clock.advance(1000);
    expect(last().informers.find(({ name }) => name === 'all maps')).toMatchObject({ rate: 0, total: 10 });
    const { series, at } = inspection.history;
    expect(at).toHaveLength(2);
    expect(series[stage?.id ?? '']?.rate).toEqual([10, 0]);
    expect(series[handler?.id ?? '']?.lagMs).toEqual([0, null]);
  });
});

describe('one object', () => {
  it('has a timeline: change, handler, run, write and echo', async () => {
    const { inspection, informer, maps, create, settle } = await setup();
    await settle();
    inspection.setViewers(1);
    await create('a', { user: 'admin' });
    await settle();
    await maps.patch('a', { data: { user: 'root' } });
    await settle();
    const answer = await inspection.object(informer('configmaps'), 'default/a');
    expect(answer).toMatchObject({ key: 'default/a', kind: 'ConfigMap', isPresent: true, isCut: false });
    expect(answer?.object).toMatchObject({ data: { user: 'root' } });
    const timeline = answer?.timeline ?? [];
    const times = timeline.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const changes = timeline.filter((entry): entry is ChangeEntry => entry.type === 'change');
    expect(
      changes.map(({ change, fields }) => [change, fields.map(({ path, before, after }) => [path, before, after])]),
    ).toEqual([
      ['add', []],
      ['update', [['data.user', '"admin"', '"root"']]],
    ]);
    expect(timeline.filter(({ type }) => type === 'handled').length).toBe(2);
    const runs = timeline.filter((entry): entry is RunEntry => entry.type === 'run');
    expect(runs.map(({ controller, outcome, key }) => [controller, outcome, key])).toContainEqual([
      'copies',
      'done',
      'default/a',
    ]);
    const written = runs.flatMap(({ writes }) => writes);
    expect(written).toContainEqual(
      expect.objectContaining({ verb: 'apply', resource: 'secrets', key: 'default/a', changed: true }),
    );
    expect(written.every(({ echoMs, informer: id }) => echoMs !== null && id === informer('secrets'))).toBe(true);
  });

  it('shows who wrote it, also if the cache has no managed fields', async () => {
    const { client, inspection, informer, create, settle } = await setup();
    inspection.setViewers(1);
    await create('a');
    await settle();
    const labels = { color: 'red' };
    await client.core.v1.configMaps('default').patch('a', { metadata: { labels } }, { fieldManager: 'painter' });
    await settle();
    const asked = inspection.object(informer('configmaps'), 'default/a');
    await settle();
    const answer = await asked;
    expect(answer?.managersFrom).toBe('server');
    expect(answer?.managers.map(({ manager }) => manager)).toContain('painter');
    const change = answer?.timeline.filter((entry): entry is ChangeEntry => entry.type === 'change').at(-1);
    expect(change?.fields).toMatchObject([{ path: 'metadata.labels.color', change: 'added', manager: 'painter' }]);
    expect(change?.managers).toEqual(['painter']);
  });

  it('of a Secret has no values, in no state and no difference', async () => {
    const { inspection, informer, maps, create, settle } = await setup();
    inspection.setViewers(1);
    await create('a', { password: 'correct-horse' });
    await settle();
    await maps.patch('a', { data: { password: 'battery-staple', extra: 'more' } });
    await settle();
    const asked = inspection.object(informer('secrets'), 'default/a');
    await settle();
    const answer = await asked;
    expect(answer?.object).toMatchObject({ kind: 'Secret', data: { password: '(hidden)', extra: '(hidden)' } });
    expect(answer?.hidden).toEqual(['data.extra', 'data.password']);
    const changes = answer?.timeline.filter((entry): entry is ChangeEntry => entry.type === 'change') ?? [];
    expect(changes.at(-1)?.fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: 'data.password',
          change: 'changed',
          before: null,
          after: null,
          isHidden: true,
        }),
        expect.objectContaining({ path: 'data.extra', change: 'added', before: null, after: null, isHidden: true }),
      ]),
    );
    expect(changes.at(-1)?.echoOf).toMatchObject({ controller: 'copies', runKey: 'default/a', verb: 'apply' });
    const writes = answer?.timeline.filter((entry): entry is WriteEntry => entry.type === 'write') ?? [];
    const runs = answer?.timeline.filter((entry): entry is RunEntry => entry.type === 'run') ?? [];
    expect(writes.length + runs.flatMap((run) => run.writes).length).toBeGreaterThan(0);
    const text = JSON.stringify(answer);
    for (const value of ['correct-horse', 'battery-staple'])
      for (const form of [value, Buffer.from(value).toString('base64')]) expect(text).not.toContain(form);
  });

  it('that was deleted has its last state, and is found by its key', async () => {
    const { inspection, informer, maps, create, settle } = await setup();
    inspection.setViewers(1);
    await create('a', { user: 'admin' });
    await settle();
    await maps.delete('a');
    await settle();
    const answer = await inspection.object(informer('configmaps'), 'default/a');
    expect(answer).toMatchObject({ isPresent: false, object: { data: { user: 'admin' } } });
    const searched = inspection.search('default/a kind:configmap');
    await settle();
    expect((await searched).matches).toMatchObject([{ key: 'default/a', kind: 'ConfigMap', isPresent: false }]);
    expect(await inspection.object(informer('configmaps'), 'default/none')).toBeUndefined();
    expect(await inspection.object('informer/99', 'default/a')).toBeUndefined();
  });
});

describe('controllers', () => {
  it('show failing and waiting keys with reasons and dates, also of runs before the recording', async () => {
    const reconcile = ({ metadata: { name } }: { metadata: { name?: string } }) => {
      if (name === 'bad') throw new Error('disk is full');
      return name === 'slow' ? { waiting: 'the backup' } : undefined;
    };
    const { inspection, create, settle, last } = await setup({ reconcile });
    for (const name of ['good', 'bad', 'slow']) await create(name);
    await settle();
    inspection.setViewers(1);
    await settle();
    const { controllers, managers } = inspection.controllers();
    const [details] = controllers;
    expect(details?.failing).toMatchObject([{ key: 'default/bad', why: 'disk is full' }]);
    expect(details?.failing[0]?.attempt).toBeGreaterThan(1);
    expect(details?.failing[0]?.dueAt).toBeGreaterThan(0);
    expect(details?.waiting).toMatchObject([{ key: 'default/slow', why: 'the backup' }]);
    expect(managers).toMatchObject([{ name: 'copier', isLeader: true, shardCount: 0, notReady: null }]);
    expect(last().problems).toMatchObject([
      { kind: 'failingKey', severity: 'error', keys: ['default/bad'], detail: 'disk is full' },
    ]);
    expect(last().controllers[0]?.health).toBe('error');
  });

  it('show runs in progress, the longest runs and their causes', async () => {
    let finish = () => {};
    const reconcile = ({ metadata: { name } }: { metadata: { name?: string } }) =>
      name === 'long' ? new Promise<undefined>((resolve) => (finish = () => resolve(undefined))) : undefined;
    const { clock, inspection, create, settle } = await setup({ reconcile });
    inspection.setViewers(1);
    for (const name of ['long', 'short']) await create(name);
    await settle();
    expect(inspection.controllers().controllers[0]?.running).toMatchObject([{ key: 'default/long', outcome: null }]);
    await clock.advance(20_000);
    finish();
    await settle();
    const [details] = inspection.controllers().controllers;
    expect(details?.running).toEqual([]);
    expect(details?.longest[0]).toMatchObject({ key: 'default/long', outcome: 'done' });
    expect(details?.longest[0]?.durationMs).toBeGreaterThan(20_000);
    expect(details?.causes).toContainEqual({ cause: 'configmaps add', runs: 2 });
    expect(details?.durations.find(({ upToMs }) => upToMs === 30_000)?.runs).toBe(1);
  });

  it('show requests that the server refused', async () => {
    const { api, client, inspection, last, settle } = await setup();
    await settle();
    inspection.setViewers(1);
    api.faults.inject({ verb: 'get', resource: 'nodes', respond: { status: 403 } });
    await expect(client.core.v1.nodes().get('n')).rejects.toThrow();
    await settle();
    const { denials } = inspection.controllers();
    expect(denials).toMatchObject([{ verb: 'get', path: '/api/v1/nodes/n', status: 403, count: 1 }]);
    expect(last().problems).toMatchObject([{ kind: 'denied', stage: last().servers[0]?.id }]);
  });
});

describe('memory', () => {
  it('is measured for each informer and index, with what could be saved', async () => {
    const { factory, inspection, maps, settle } = await setup();
    const informer = factory.core.v1.configMaps({ name: 'all maps' });
    informer.addIndex('size', ['data', 'size'] as never);
    factory.start();
    for (let i = 0; i < 20; i++)
      await maps.create({ metadata: { name: `m-${i}` }, data: { size: `${i % 2}`, text: 'x'.repeat(1000) } });
    await settle();
    for (const key of informer.lister.keys()) informer.lister.get(key);
    const asked = inspection.memory();
    await settle();
    const stage = (await asked).informers.find(({ name }) => name === 'all maps');
    // The server's own kube-root-ca.crt ConfigMaps are among them.
    expect(stage).toMatchObject({ objects: informer.lister.count(), storage: 'raw' });
    expect(stage?.objectBytes).toBeGreaterThan(20_000);
    expect(stage?.slabBytes).toBeGreaterThanOrEqual(stage?.objectBytes ?? 0);
    expect(stage?.decodedBytes).toBe(stage?.objectBytes);
    expect(stage?.indexes).toContainEqual(expect.objectContaining({ name: 'size', values: 2, entries: 20 }));
    expect(stage?.sample?.fields[0]).toMatchObject({ path: 'data' });
    expect(stage?.sample?.fields).toContainEqual(expect.objectContaining({ path: 'data.text' }));
    expect(stage?.sample?.metadataOnlySaves).toBeGreaterThan(15_000);
  });
});

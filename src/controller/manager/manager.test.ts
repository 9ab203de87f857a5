import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.js';
import { type Client, LeadershipLostError, resources } from '../../index.js';
import type { ConfigMap } from '../../resources/types/core-v1.js';
import type { Run, World } from '../../testing/world/types.js';
import { createWorld } from '../../testing/world/world.js';
import { FakeClock } from '../../time/fake-clock.js';
import { createController } from '../controller.js';
import type { ControllerOptions } from '../types.js';
import { createManager, type Manager } from './manager.js';
import type { ManagerOptions } from './manager-options.js';

const { configMaps, secrets } = resources.core.v1;

/** A controller of ConfigMaps with the label `copy`. */
function copies(more: Partial<ControllerOptions<ConfigMap>> = {}) {
  return createController<ConfigMap>({
    name: 'copies',
    for: configMaps,
    cache: { labelSelector: 'copy=yes' },
    owns: [secrets],
    async reconcile({ metadata: { name }, data = {} }, { apply }) {
      await apply(secrets, { metadata: { name }, stringData: { ...data } });
    },
    onError: () => {},
    ...more,
  });
}

function copier(
  more: Partial<ControllerOptions<ConfigMap>> = {},
  options: Partial<ManagerOptions> = {},
): ManagerOptions {
  return { name: 'copier', controllers: [copies(more)], ...options };
}

function map(name: string) {
  return { kind: 'ConfigMap', metadata: { name, namespace: 'default', labels: { copy: 'yes' } } };
}

function maps({ client }: { readonly client: Client }) {
  return client.core.v1.configMaps('default');
}

/** The names of the objects of runs. */
function names(runs: readonly Run[]): string[] {
  return runs.map(({ key }) => key.split('/')[1] ?? '');
}

describe('leading', () => {
  it('[C47] takeover: the first run is within a second; changes come first, then everything once', async () => {
    const objects = Array.from({ length: 30 }, (_, i) => map(`map-${i}`));
    const controller = () => copier({ workers: 1, reconcile: () => {} });
    await using world = await createWorld(controller, { replicas: 2, objects });
    await world.settle();
    const from = world.runs.length;
    world.crash(0);
    await maps(world).patch('map-17', { data: { changed: 'yes' } });
    await maps(world).patch('map-5', { data: { changed: 'yes' } });
    const { runs } = await world.settle();
    const { spec } = await world.client.coordination.v1.leases('copier').get('copier');
    expect(names(runs).slice(0, 2).sort()).toEqual(['map-17', 'map-5']);
    expect((runs[0]?.startedAt ?? 0) - Date.parse(spec?.acquireTime ?? '')).toBeLessThan(1000);
    const unchanged = names(runs).filter((name) => name !== 'map-17' && name !== 'map-5');
    expect(unchanged.sort()).toEqual(
      objects
        .map(({ metadata }) => metadata.name)
        .filter((name) => name !== 'map-17' && name !== 'map-5')
        .sort(),
    );
    expect(world.runs.slice(from).every(({ replica }) => replica === 1)).toBe(true);
  });

  it('[C47] a cold standby fills its caches when it leads for the first time', async () => {
    await using world = await createWorld(() => copier({}, { standby: 'cold' }), { replicas: 2, objects: [map('a')] });
    await world.settle();
    const lists = world.api.faults.inject({ resource: 'secrets', verb: ['list', 'watch'], delayMs: 0, times: 100 });
    await world.clock.advance(60_000);
    expect(lists.hits).toBe(0);
    await world.stop(0);
    await world.settle();
    expect(lists.hits).toBeGreaterThan(0);
    expect(world.runs.at(-1)).toMatchObject({ replica: 1, key: 'default/a', outcome: 'done' });
  });

  it('[C48] not one write leaves after the deadline of a leader that cannot renew, retries included', async () => {
    const refused: unknown[] = [];
    const controller = copier({
      timeoutMs: 100_000,
      async reconcile({ metadata: { name } }, { apply, clock }) {
        // Goes on whatever its signal says, as a blocked event loop would.
        await clock.sleep(name === 'late' ? 15_000 : 5000);
        await apply(secrets, { metadata: { name } }).catch((error: unknown) => {
          refused.push(error);
          throw error;
        });
      },
    });
    await using world = await createWorld(controller, { objects: [map('late'), map('retrying')] });
    const lost = await cutOff(world);
    world.api.faults.inject({
      verb: 'patch',
      resource: 'secrets',
      respond: { status: 503, retryAfterMs: 4000 },
      times: Number.POSITIVE_INFINITY,
    });
    const patches = world.api.faults.inject({
      verb: ['patch', 'create', 'delete'],
      resource: 'secrets',
      when: () => world.clock.monotonicNow() >= lost + 10_000,
      delayMs: 0,
      times: Number.POSITIVE_INFINITY,
    });
    await world.clock.advance(20_000);
    expect(patches.hits).toBe(0);
    expect(refused.length).toBe(2);
    for (const error of refused as Error[])
      expect([error, error.cause].some((one) => one instanceof LeadershipLostError)).toBe(true);
    world.api.faults.clear();
    await world.settle();
  });

  it('[C49] lost and led again in one process: a run that ignored its signal still holds its key', async () => {
    const controller = copier({
      timeoutMs: 1_000_000,
      async reconcile({ metadata: { name }, data = {} }, { clock }) {
        if (name === 'deaf' && data['deaf'] === 'yes') await clock.sleep(60_000);
      },
    });
    await using world = await createWorld(controller, { objects: [map('deaf'), map('other')] });
    await world.settle();
    await maps(world).patch('deaf', { data: { deaf: 'yes' } });
    await world.clock.advance(1000);
    const began = world.clock.now();
    await cutOff(world);
    await world.clock.advance(11_000);
    expect(world.managers.get(0)?.isLeader).toBe(false);
    world.api.faults.clear();
    await maps(world).patch('deaf', { data: { deaf: 'no' } });
    const from = world.runs.length;
    await world.settle();
    expect(world.managers.get(0)?.isLeader).toBe(true);
    const ran = world.runs.slice(from);
    expect(ran.find(({ key }) => key === 'default/other')?.startedAt).toBeLessThan(began + 40_000);
    const deaf = ran.filter(({ key }) => key === 'default/deaf');
    expect(deaf).toHaveLength(2);
    expect(deaf[1]?.startedAt).toBeGreaterThanOrEqual(began + 59_000);
  });

  it('runs controllers on all replicas with runsOn: "all", and without election', async () => {
    await using all = await createWorld(() => copier({ runsOn: 'all' }), { replicas: 2, objects: [map('a')] });
    await all.settle();
    expect(new Set(all.runs.map(({ replica }) => replica))).toEqual(new Set([0, 1]));
    await using free = await createWorld(() => copier({}, { election: false }), { replicas: 2, objects: [map('a')] });
    await free.settle();
    expect(new Set(free.runs.map(({ replica }) => replica))).toEqual(new Set([0, 1]));
    await expect(free.client.coordination.v1.leases('copier').get('copier')).rejects.toThrow(/not found/);
  });
});

/** Lets every renewal of a Lease fail from now on; returns the time of the last one that succeeded, or of now. */
async function cutOff(world: World): Promise<number> {
  const renewals = world.api.faults.inject({ verb: 'update', resource: 'leases', delayMs: 0 });
  await world.clock.until(() => renewals.hits === 1);
  const at = world.clock.monotonicNow();
  world.api.faults.inject({
    resource: 'leases',
    respond: { status: 500 },
    times: Number.POSITIVE_INFINITY,
  });
  return at;
}

describe('ending', () => {
  let api: ApiServer;
  let client: Client;
  afterEach(async () => {
    await client.close();
    await api.stop();
  });

  it('[C50] is in order: unready, no new runs, drain, abort, statuses and events, lease, caches, port', async () => {
    const clock = new FakeClock();
    const log: string[] = [];
    api = await startApiServer({ clock, listen: false, objects: [map('slow'), map('deaf')] });
    client = api.client();
    api.faults.inject({
      delayMs: 0,
      times: Number.POSITIVE_INFINITY,
      when: ({ info }) => {
        if (info.isResourceRequest && info.verb !== 'list' && info.verb !== 'watch' && info.verb !== 'get')
          log.push(`${info.verb} ${info.resource}${info.subresource === '' ? '' : `/${info.subresource}`}`);
        return false;
      },
    });
    const port = await freePort();
    const controller = copies({
      owns: [],
      timeoutMs: 1_000_000,
      async reconcile({ metadata: { name } }, { clock: time, signal, status, event }) {
        status({ said: name } as never);
        if (name === 'new') log.push('a new run');
        await time.sleep(name === 'slow' ? 10_000 : 100_000, { signal }).finally(() => {
          log.push(`${name} ${signal.aborted ? 'was aborted' : 'has ended'}`);
          event({ type: 'Normal', reason: 'Ended', message: name });
        });
      },
    });
    const stop = new AbortController();
    const manager = createManager(client, { name: 'copier', controllers: [controller], port, drainMs: 20_000 });
    let isOver = false;
    const running = manager.run({ signal: stop.signal }).then(() => (isOver = true));
    await ready(clock, manager);
    await clock.until(() => manager.controller(controller).status.running === 2);
    expect(await probe(port)).toBe(200);
    log.length = 0;
    stop.abort();
    expect(await probe(port)).toBe(500);
    await maps({ client }).create(map('new'));
    log.length = 0;
    await clock.until(() => isOver);
    await running;
    const aborted = log.indexOf('deaf was aborted');
    expect(log.indexOf('slow has ended')).toBeLessThan(aborted);
    // The status and the event of the aborted run, then the Lease.
    expect(log.lastIndexOf('patch configmaps/status')).toBeGreaterThan(aborted);
    expect(log.lastIndexOf('create events')).toBeGreaterThan(aborted);
    expect(log.at(-1)).toBe('update leases');
    expect(log).not.toContain('a new run');
    const { spec } = await client.coordination.v1.leases('default').get('copier');
    expect(spec?.holderIdentity).toBe('');
    await expect(probe(port)).rejects.toThrow();
    await client.close();
    await api.stop();
    expect(clock.pendingTimers).toEqual([]);
  });

  it.each(['syncing', 'unelected', 'waiting for a cache', 'starting'] as const)(
    '[C51] stopped while %s: it settles, and no timer is left',
    async (when) => {
      const clock = new FakeClock();
      api = await startApiServer({ clock, listen: false, objects: [map('a')] });
      client = api.client();
      const forEver = { times: Number.POSITIVE_INFINITY };
      if (when === 'syncing') api.faults.inject({ resource: 'secrets', stallMs: Number.POSITIVE_INFINITY, ...forEver });
      if (when === 'starting') api.faults.inject({ resource: 'selfsubjectaccessreviews', delayMs: 60_000, ...forEver });
      if (when === 'unelected')
        await client.coordination.v1.leases('default').create({
          metadata: { name: 'copier' },
          spec: { holderIdentity: 'other', leaseDurationSeconds: 3600, renewTime: '2026-01-01T00:00:00.000000Z' },
        });
      const stop = new AbortController();
      const manager = createManager(client, copier({}, { port: false, onError: () => {} }));
      let isOver = false;
      const running = manager.run({ signal: stop.signal }).then(() => (isOver = true));
      if (when === 'waiting for a cache') {
        await ready(clock, manager);
        api.faults.inject({ verb: 'watch', resource: 'secrets', stallMs: Number.POSITIVE_INFINITY, ...forEver });
        await clock.advance(1000);
        await maps({ client }).patch('a', { data: { x: '1' } });
      }
      await clock.advance(5000);
      stop.abort();
      await clock.until(() => isOver);
      await running;
      await expect(manager.whenReady())
        .rejects.toBeDefined()
        .catch(() => {});
      await client.close();
      await api.stop();
      expect(clock.pendingTimers).toEqual([]);
    },
  );

  it('[C52] run rejects with everything that is missing, in one error', async () => {
    const clock = new FakeClock();
    const token = 'stranger';
    api = await startApiServer({
      clock,
      listen: false,
      authorization: 'rbac',
      tokens: { [token]: { name: 'stranger' } },
    });
    client = api.client({ token });
    const gateways = {
      group: 'gateway.networking.k8s.io',
      version: 'v1',
      resource: 'gateways',
      kind: 'Gateway',
      namespaced: true,
    };
    const definition = { metadata: { name: 'widgets.example.com' }, spec: { versions: [] } };
    const widgets = {
      group: 'example.com',
      version: 'v1',
      resource: 'widgets',
      kind: 'Widget',
      namespaced: true,
      definition,
    };
    const permitted = [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'some' },
        rules: [
          { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] },
          { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
        ],
      },
    ];
    const admin = api.client();
    await admin.rbac.v1.clusterRoles().create(permitted[0] as never);
    await admin.rbac.v1.clusterRoleBindings().create({
      metadata: { name: 'some' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'some' },
      subjects: [{ kind: 'User', name: 'stranger', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    await admin.close();
    const controller = copies({
      owns: [widgets],
      watches: (watch) => [watch(gateways, { requests: () => [] })],
    });
    const manager = createManager(client, { name: 'copier', controllers: [controller], port: false });
    await expect(manager.run()).rejects.toMatchObject({
      name: 'ManagerStartError',
      missing: expect.arrayContaining([
        expect.stringMatching(/^permission to watch configmaps in the whole cluster/),
        expect.stringMatching(
          /^permission to get, update leases\.coordination\.k8s\.io named "copier" in the namespace "default"/,
        ),
        expect.stringMatching(/^permission to get, list, watch, create, patch, delete widgets\.example\.com/),
        expect.stringMatching(/^definition widgets\.example\.com: it does not exist/),
        expect.stringMatching(/^kind gateways\.v1\.gateway\.networking\.k8s\.io: the server does not serve it/),
      ]),
    });
    await expect(manager.whenReady()).rejects.toThrow(/cannot start/);
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe('controllers at run time', () => {
  it('are added to a manager that runs, and removed', async () => {
    await using world = await createWorld({ name: 'copier' }, { objects: [map('a')], permissions: 'all' });
    await world.settle();
    const manager = world.managers.get(0) as Manager;
    const controller = copies({ reconcile: () => {} });
    const running = manager.add(controller);
    expect(() => manager.add(copies())).toThrow(/has a controller named "copies" already/);
    await world.settle();
    expect(names(world.runs)).toEqual(['a']);
    await remove(world.clock, running);
    expect(() => manager.controller(controller)).toThrow(/has no controller copies/);
    await maps(world).create(map('b'));
    await world.settle();
    expect(names(world.runs)).toEqual(['a']);
    manager.add(copies({ reconcile: () => {} }));
    await world.settle();
    expect(names(world.runs).sort()).toEqual(['a', 'a', 'b']);
  });

  it('a removed one whose run is in progress ends with the manager', async () => {
    const reasons: unknown[] = [];
    const controller = copies({
      timeoutMs: 1_000_000,
      reconcile: (_, { signal }) =>
        new Promise<undefined>((resolve) => {
          signal.addEventListener('abort', () => resolve(void reasons.push(signal.reason)));
        }),
    });
    const options = { name: 'copier', controllers: [controller] };
    await using world = await createWorld(options, { objects: [map('a')] });
    const running = (world.managers.get(0) as Manager).controller(controller);
    await world.clock.until(() => running.status.running === 1);
    const removed = running.remove();
    await world.stop(0);
    expect(reasons).toHaveLength(1);
    await removed;
  });

  it('a second call of remove leaves the controller alone that was added again', async () => {
    const controller = copies();
    await using world = await createWorld({ name: 'copier', controllers: [controller] });
    const manager = world.managers.get(0) as Manager;
    const first = manager.controller(controller);
    await remove(world.clock, first);
    const second = manager.add(controller);
    await remove(world.clock, first);
    expect(manager.controller(controller)).toBe(second);
  });

  it('watch another cluster, which comes and goes', async () => {
    const controller = copies();
    await using hub = await createWorld({ name: 'copier', controllers: [controller] }, { objects: [map('a')] });
    const member = await startApiServer({ clock: hub.clock, listen: false });
    const other = member.client();
    await hub.settle();
    const running = (hub.managers.get(0) as Manager).controller(controller);
    const watch = running.watch(configMaps, {
      client: other,
      requests: ({ metadata }) => [`default/${metadata.name}`],
    });
    await hub.settle();
    await maps({ client: other }).create(map('a'));
    await hub.settle();
    expect(hub.runs.at(-1)?.causes.join()).toContain('configmaps');
    const before = hub.runs.length;
    await remove(hub.clock, watch);
    await maps({ client: other }).patch('a', { data: { x: '1' } });
    await hub.settle();
    expect(hub.runs.length).toBe(before);
    await other.close();
    await member.stop();
  });
});

async function remove(clock: FakeClock, removable: { remove(): Promise<void> }): Promise<void> {
  let isRemoved = false;
  void removable.remove().then(() => (isRemoved = true));
  await clock.until(() => isRemoved);
}

async function ready(clock: FakeClock, manager: Manager): Promise<void> {
  let isReady = false;
  void manager.whenReady().then(() => (isReady = true));
  await clock.until(() => isReady);
}

async function probe(port: number): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

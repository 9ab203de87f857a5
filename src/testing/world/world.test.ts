import { describe, expect, it } from 'vitest';
import { createController } from '../../controller/controller.js';
import type { ManagerOptions } from '../../controller/manager/manager-options.js';
import type { ControllerOptions } from '../../controller/types.js';
import { resources } from '../../index.js';
import type { ConfigMap } from '../../resources/types/core-v1.js';
import type { Run, World } from './types.js';
import { createWorld } from './world.js';

const { configMaps, secrets, serviceAccounts } = resources.core.v1;

/** A manager with one controller that copies each ConfigMap with the label `copy` into a Secret. */
function copier(more: Partial<ControllerOptions<ConfigMap>> = {}): ManagerOptions {
  const copies = createController({
    name: 'copies',
    for: configMaps,
    cache: { labelSelector: 'copy=yes' },
    owns: [secrets],
    async reconcile({ metadata: { name }, data = {} }, { apply }) {
      await apply(secrets, { metadata: { name }, stringData: { ...data } });
    },
    ...more,
  });
  return { name: 'copier', controllers: [copies] };
}

function map(name: string, data: Record<string, string> = {}) {
  return { kind: 'ConfigMap', metadata: { name, namespace: 'default', labels: { copy: 'yes' } }, data };
}

function maps(world: World) {
  return world.client.core.v1.configMaps('default');
}

/** What does not differ between two worlds of one seed: uids and tokens do not show in it. */
function outline(runs: readonly Run[]): unknown {
  return runs.map(({ replica, key, what, causes, startedAt, endedAt, outcome }) => [
    replica,
    key,
    what,
    causes,
    startedAt,
    endedAt,
    outcome,
  ]);
}

describe('a world', () => {
  it('begins with its objects, and its managers work on them', async () => {
    await using world = await createWorld(copier(), { objects: [map('a', { x: '1' })] });
    await world.settle();
    // The second run is woken by the Secret, and sends nothing.
    expect(world.runs.map(({ key, outcome, writes }) => [key, outcome, writes.length])).toEqual([
      ['default/a', 'done', 1],
      ['default/a', 'done', 0],
    ]);
    const copy = await world.client.core.v1.secrets('default').get('a');
    expect(copy.data).toEqual({ x: Buffer.from('1').toString('base64') });
    expect(await world.again()).toEqual([]);
  });

  it('[C76] grants exactly the manifests: a request beyond them fails with the rule to add', async () => {
    const controller = copier({
      async reconcile(_, { client }) {
        await client.core.v1.pods('default').create({ metadata: { name: 'p' }, spec: { containers: [] } });
      },
    });
    await using world = await createWorld(controller, { objects: [map('a')] });
    await expect(world.settle({ withinMs: 10_000 })).rejects.toThrow(
      /default\/a .*cannot create resource "pods".*add \{ apiGroups: \[''\], resources: \['pods'\], verbs: \['create'\] \} to the option permissions/s,
    );
    expect(world.runs.every(({ outcome }) => outcome === 'failed')).toBe(true);
  });

  it('[C76] with `permissions: "all"` nothing is refused', async () => {
    const controller = copier({
      async reconcile({ metadata: { name } }, { client }) {
        await client.core.v1
          .serviceAccounts('default')
          .create({ metadata: { name: `sa-${name}` } })
          .catch(() => {});
      },
    });
    await using world = await createWorld(controller, { objects: [map('a')], permissions: 'all' });
    await world.settle();
    expect((await world.client.core.v1.serviceAccounts('default').get('sa-a')).metadata.name).toBe('sa-a');
  });

  it('[C77] names the rights that were used, and those that no test used', async () => {
    const extra = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
    await using world = await createWorld(copier({ permissions: [extra] }), { objects: [map('a')] });
    await world.settle();
    const { used, unused } = world.permissions();
    expect(used).toContainEqual({ apiGroups: [''], resources: ['secrets'], verbs: ['watch', 'patch'] });
    expect(unused).toContainEqual({ apiGroups: [''], resources: ['pods'], verbs: ['get'] });
    expect(unused).toContainEqual({
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['get', 'list', 'create', 'delete'],
    });
  });

  it('[C78] settle ends exactly when nothing is due', async () => {
    let isReady = false;
    const controller = copier({
      reconcile: () => {
        if (!isReady) return { waiting: 'for the test' };
        return { requeueAfterMs: 90_000 };
      },
    });
    await using world = await createWorld(controller);
    await maps(world).create(map('a'));
    world.clock.setTimer(5000, () => (isReady = true));
    const { elapsedMs, runs } = await world.settle();
    expect(runs.map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting', 'waiting', 'requeued']);
    // 1 s, 2 s and 4 s of waiting; the date in 90 s is not waited for.
    expect(elapsedMs).toBe(7000);
    expect(await world.settle()).toEqual({ elapsedMs: 0, runs: [] });
  });

  it('[C78] settle waits for a cache that is behind', async () => {
    await using world = await createWorld(copier());
    await world.settle();
    world.api.faults.inject({ verb: 'watch', resource: 'configmaps', stallMs: 8000 });
    await maps(world).create(map('a'));
    const { elapsedMs, runs } = await world.settle();
    expect(runs[0]?.key).toBe('default/a');
    expect(elapsedMs).toBeGreaterThanOrEqual(8000);
  });

  it('[C78] a hot loop is named with key, cause and write', async () => {
    let count = 0;
    const controller = copier({
      permissions: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }],
      async reconcile({ metadata: { name } }, { client }) {
        await client.core.v1.configMaps('default').patch(name, { data: { count: `${++count}` } });
      },
    });
    await using world = await createWorld(controller);
    await maps(world).create(map('a'));
    await expect(world.settle()).rejects.toThrow(
      /hot loop:\s+copies default\/a ran \d+ times.*woken by: .*configmaps.*it keeps writing: patch configmaps default\/a/s,
    );
    await world.stop();
    await expect(createWorld(controller, { objects: [map('a')] })).rejects.toThrow(/hot loop:\s+copies default\/a/);
  });

  it('[C78] what does not come to rest is named with its last error', async () => {
    const controller = copier({
      reconcile: () => {
        throw new Error('out of paper');
      },
      onError: () => {},
    });
    await using world = await createWorld(controller, { objects: [map('a')] });
    await expect(world.settle()).rejects.toThrow(/not at rest after 600 s: .*copies default\/a ran.*out of paper/s);
  });

  it('[C79] the same seed gives the same runs, another one does not', async () => {
    const play = async (seed: number) => {
      await using world = await createWorld(copier({ everyMs: 100_000 }), { seed, replicas: 2 });
      for (let i = 0; i < 20; i++) await maps(world).create(map(`map-${i}`));
      await world.settle();
      world.crash();
      for (let i = 0; i < 20; i++) await maps(world).patch(`map-${i}`, { data: { round: '2' } });
      await world.settle();
      await world.clock.advance(200_000);
      return outline(world.runs);
    };
    const first = await play(7);
    expect(await play(7)).toEqual(first);
    expect(await play(8)).not.toEqual(first);
  });

  it('[C79] after disposal no timer is left, also after crashes and stops in the middle', async () => {
    const controller = () =>
      copier({ reconcile: (_, { clock, signal }) => clock.sleep(5000, { signal }), onError: () => {} });
    const world = await createWorld(controller, { replicas: 3 });
    for (let i = 0; i < 10; i++) await maps(world).create(map(`map-${i}`));
    await world.clock.advance(2000);
    void world.crash();
    await world.clock.advance(1000);
    await world.stop(1);
    await world.clock.advance(1000);
    await world[Symbol.asyncDispose]();
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it('a crashed manager sends nothing more, and another one takes over', async () => {
    await using world = await createWorld(() => copier(), { replicas: 2 });
    await world.settle();
    const patches = world.api.faults.inject({
      verb: 'patch',
      resource: 'secrets',
      delayMs: 1000,
      times: Number.POSITIVE_INFINITY,
    });
    await maps(world).create(map('a'));
    await world.clock.until(() => patches.hits === 1);
    world.crash(0);
    expect([...world.managers.keys()]).toEqual([1]);
    await world.settle();
    expect(new Set(world.runs.map(({ replica }) => replica))).toEqual(new Set([1]));
  });

  it('throws at its end what a callback has thrown, unless the manager has an onError', async () => {
    const options = copier({
      watches: (watch) => [
        watch(serviceAccounts, {
          requests: () => {
            throw new Error('a bug in requests');
          },
        }),
      ],
    });
    const object = { kind: 'ServiceAccount', metadata: { name: 'a', namespace: 'default' } };
    const world = await createWorld(options, { objects: [object] });
    await expect(world[Symbol.asyncDispose]()).rejects.toThrow(/a bug in requests/);
    const heard: Error[] = [];
    const other = await createWorld({ ...options, onError: (error) => heard.push(error) }, { objects: [object] });
    await other[Symbol.asyncDispose]();
    expect(heard.map(({ message }) => message).join()).toContain('a bug in requests');
  });

  it('applies the manifests of a manager that declares more than the ones before it', async () => {
    let release = 1;
    const options = () => (release === 1 ? copier() : copier({ owns: [secrets, serviceAccounts] }));
    await using world = await createWorld(options);
    await world.stop();
    release = 2;
    await world.start();
    await world.settle();
    expect(world.permissions().unused).toContainEqual({
      apiGroups: [''],
      resources: ['secrets', 'serviceaccounts'],
      verbs: ['get', 'list', 'create', 'patch', 'delete'],
    });
  });

  it('refuses managers whose options cannot work, with all that is missing', async () => {
    const { gateways } = {
      gateways: {
        group: 'gateway.networking.k8s.io',
        version: 'v1',
        resource: 'gateways',
        kind: 'Gateway',
        namespaced: true,
      },
    };
    await expect(
      createWorld(copier({ watches: (watch) => [watch(gateways, { requests: () => [] })] })),
    ).rejects.toThrow(/copier cannot start.*\n {2}- kind gateways\.v1\.gateway\.networking\.k8s\.io/);
    await expect(createWorld(copier(), { replica: 2 } as never)).rejects.toThrow(/replicas/);
  });
});

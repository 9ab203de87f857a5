import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ControllerRig,
  controllerRig,
  type Replica,
  type Widget,
  widgets,
} from '../../test/support/controller-rig.js';
import { LeaderElector, LeadershipLostError, resources } from '../index.js';
import { ownerReference } from './owners.js';
import type { ControllerOptions } from './types.js';

let rig: ControllerRig;
beforeEach(async () => {
  rig = await controllerRig();
});
afterEach(() => rig.stop());

const { configMaps, secrets } = resources.core.v1;
const key = 'default/a';

/** Starts a controller whose watches are late as soon as it runs, and wakes the key again after its first run. */
async function startWithLateWatch(
  late: { readonly resources: readonly string[]; readonly stallMs: number; readonly times?: number },
  options: ControllerOptions<Widget>,
): Promise<Replica<Widget>> {
  const { api, clock, start } = rig;
  const { resources: names, ...fault } = late;
  const replica = start(options, { standby: true });
  await clock.advance(10);
  for (const resource of names) api.faults.inject({ verb: 'watch', resource, ...fault });
  replica.instance.resume();
  await clock.advance(10);
  replica.instance.enqueue(key);
  return replica;
}

describe('what a run reads', () => {
  it.each([
    ['create', 'create'],
    ['apply', 'apply'],
    ['patch', 'patch'],
    ['delete', 'delete'],
  ])('[C26] with a late watch the next run of a key begins after the cache has its %s', async (_, verb) => {
    const { clock, client, create } = rig;
    await create('a');
    const maps = client.core.v1.configMaps('default');
    if (verb !== 'create') await maps.create({ metadata: { name: 'a' }, data: { n: '0' } });
    const seen: unknown[] = [];
    const { instance, records } = await startWithLateWatch(
      { resources: ['configmaps'], stallMs: 12_000 },
      {
        name: 'widgets',
        for: widgets,
        watches: (watch) => [watch(configMaps, { requests: () => [] })],
        async reconcile({ metadata: { name } }, context) {
          seen.push(context.lister(configMaps).get(`default/${name}`)?.data?.['n']);
          if (seen.length > 1) return;
          const own = context.client.core.v1.configMaps('default');
          if (verb === 'create') await own.create({ metadata: { name }, data: { n: '1' } });
          if (verb === 'patch') await own.patch(name, { data: { n: '1' } });
          if (verb === 'delete') await own.delete(name);
          if (verb === 'apply')
            await context.apply(configMaps, { metadata: { name }, data: { n: '1' } }, { owner: false });
        },
      },
    );
    await clock.advance(11_000);
    expect(records).toHaveLength(1);
    expect(instance.activity.stale).toBe(1);
    await clock.advance(20_000);
    expect(seen).toEqual([verb === 'create' ? undefined : '0', verb === 'delete' ? undefined : '1']);
    expect(instance.activity.stale).toBe(0);
  });

  it('[C26] with the watch of its own kind late, a run sees its own status and finalizer', async () => {
    const { clock, create, widgets: own } = rig;
    await create('a');
    const seen: unknown[] = [];
    await startWithLateWatch(
      { resources: ['widgets'], stallMs: 9000, times: 2 },
      {
        name: 'widgets',
        for: widgets,
        reconcile({ metadata, status }, context) {
          seen.push([status?.note, metadata.finalizers?.length]);
          context.status({ note: 'mine' });
        },
        finalize() {},
      },
    );
    await clock.advance(60_000);
    expect(seen).toEqual([
      [undefined, 1],
      ['mine', 1],
    ]);
    expect((await own.get('a')).status?.note).toBe('mine');
  });

  it('an owned object that was created and deleted between two lists of its cache is created again', async () => {
    const { api, clock, client, create, start } = rig;
    const { records } = start({
      name: 'widgets',
      for: widgets,
      owns: [configMaps],
      async reconcile({ metadata: { name } }, { apply }) {
        await apply(configMaps, { metadata: { name }, data: { n: '1' } });
      },
    });
    await clock.advance(10);
    // The cache hears nothing until its version has expired.
    api.faults.inject({ verb: 'watch', resource: 'configmaps', times: 3, respond: { status: 503 } });
    api.faults.dropConnections();
    await clock.advance(2000);
    await create('a');
    await clock.advance(10);
    const maps = client.core.v1.configMaps('default');
    const first = await maps.get('a');
    await maps.delete('a');
    api.compact();
    expect(records).toHaveLength(1);
    await clock.advance(60_000);
    expect((await maps.get('a')).metadata.uid).not.toBe(first.metadata.uid);
    expect(records[1]?.causes).toEqual(['own write is missing']);
  });

  it('[C27] a key that waits takes no worker, others go on, and after 10 s it is reported and counted', async () => {
    const { clock, create } = rig;
    await create('a');
    const order: string[] = [];
    const { instance, stale, errors } = await startWithLateWatch(
      { resources: ['configmaps'], stallMs: 14_000 },
      {
        name: 'widgets',
        for: widgets,
        owns: [configMaps],
        workers: 1,
        async reconcile({ metadata: { name } }, { apply }) {
          order.push(name);
          if (name === 'a') await apply(configMaps, { metadata: { name }, data: {} });
        },
      },
    );
    await clock.advance(10);
    await create('b');
    await clock.advance(10);
    expect(order).toEqual(['a', 'b']);
    expect(instance.status).toMatchObject({ waiting: 1, running: 0 });
    await clock.advance(9900);
    expect(stale).toEqual([]);
    await clock.advance(200);
    expect(stale).toEqual([key]);
    expect(errors).toEqual([expect.stringMatching(/widgets: default\/a waits for 10 s .* in the cache of configmaps/)]);
    await clock.advance(20_000);
    expect(order.slice(2)).toContain('a');
    expect(instance.activity.stale).toBe(0);
  });

  it('[C28] nothing waits for what no cache of the controller will hold', async () => {
    const { clock, create } = rig;
    await create('a');
    let runs = 0;
    await startWithLateWatch(
      { resources: ['configmaps', 'secrets', 'services'], stallMs: 14_000 },
      {
        name: 'widgets',
        for: widgets,
        watches: (watch) => [
          watch(configMaps, { requests: () => [], cache: { labelSelector: 'app=x' } }),
          watch(secrets, { requests: () => [], cache: { namespace: 'kube-system' } }),
          watch(resources.core.v1.services, { requests: () => [], cache: { fieldSelector: 'metadata.name=other' } }),
        ],
        async reconcile({ metadata: { name } }, { client }) {
          if (runs++ > 0) return;
          await client.core.v1.configMaps('default').create({ metadata: { name } });
          await client.core.v1.secrets('default').create({ metadata: { name } });
          await client.core.v1.serviceAccounts('default').create({ metadata: { name } });
          await client.core.v1.services('default').create({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
        },
      },
    );
    await clock.advance(10);
    expect(runs).toBe(2);
  });

  it('[C28] an object that leaves the selector of a cache is waited for', async () => {
    const { clock, client, create } = rig;
    await create('a');
    await client.core.v1.configMaps('default').create({ metadata: { name: 'm', labels: { app: 'x' } } });
    const seen: number[] = [];
    await startWithLateWatch(
      { resources: ['configmaps'], stallMs: 5000 },
      {
        name: 'widgets',
        for: widgets,
        watches: (watch) => [watch(configMaps, { requests: () => [], cache: { labelSelector: 'app=x' } })],
        async reconcile(_, { client: own, lister }) {
          seen.push(lister(configMaps).count());
          if (seen.length === 1)
            await own.core.v1.configMaps('default').patch('m', { metadata: { labels: { app: null } } });
        },
      },
    );
    await clock.advance(60_000);
    expect(seen).toEqual([1, 0]);
  });

  it.each([
    ['fails', { respond: { status: 400 } }, '400 BadRequest'],
    ['is never answered', { stallMs: Number.POSITIVE_INFINITY }, 'took more than 10000 ms'],
  ] as const)(
    '[C29] after a write without an answer the current version of the collection is asked for, and waited for; once more if that %s',
    async (_, fault, message) => {
      const { api, clock, create, start } = rig;
      await create('a');
      const seen: unknown[] = [];
      const { instance, records, errors } = start(
        {
          name: 'widgets',
          for: widgets,
          watches: (watch) => [watch(configMaps, { requests: () => [] })],
          async reconcile({ metadata: { name } }, { client, lister }) {
            seen.push(lister(configMaps).get(`default/${name}`)?.data?.['n']);
            if (seen.length === 1)
              await client.core.v1.configMaps('default').create({ metadata: { name }, data: { n: '1' } });
          },
        },
        { standby: true },
      );
      await clock.advance(10);
      // The answer is lost, after the object was stored; the first attempt to ask is in vain.
      api.faults.inject({ verb: 'create', resource: 'configmaps', reset: 'afterHeaders' });
      api.faults.inject({ verb: 'watch', resource: 'configmaps', stallMs: 14_000 });
      const asked = api.faults.inject({ verb: 'list', resource: 'configmaps', ...fault });
      instance.resume();
      await clock.advance(11_000);
      expect([asked.hits, records.map(({ outcome }) => outcome)]).toEqual([1, ['failed']]);
      const failure = errors.find((error) => error.includes('could not read the version of configmaps'));
      expect(failure).toContain(message);
      await clock.advance(60_000);
      expect(seen).toEqual([undefined, '1']);
    },
  );

  it('[C30] owned has what this run applied, and not what it deleted', async () => {
    const { clock, client, create, start } = rig;
    const widget = await create('a');
    const maps = client.core.v1.configMaps('default');
    const ownerReferences = [ownerReference(widget)];
    for (const name of ['old', 'kept']) await maps.create({ metadata: { name, ownerReferences }, data: { n: '0' } });
    await maps.create({
      metadata: { name: 'other', ownerReferences: [{ ...ownerReferences[0]!, controller: false }] },
    });
    const seen: string[][] = [];
    start({
      name: 'widgets',
      for: widgets,
      owns: [configMaps],
      async reconcile(_, { apply, owned, client: own }) {
        const show = () =>
          seen.push(
            owned(configMaps)
              .map(({ metadata, data }) => `${metadata.name} ${data?.['n']}`)
              .sort(),
          );
        if (seen.length > 0) return;
        show();
        await apply(configMaps, { metadata: { name: 'kept' }, data: { n: '1' } });
        await apply(configMaps, { metadata: { name: 'new' }, data: { n: '1' } });
        await apply(configMaps, { metadata: { name: 'free' }, data: { n: '1' } }, { owner: false });
        await own.core.v1.configMaps('default').delete('old');
        show();
      },
    });
    await clock.advance(1000);
    expect(seen.slice(0, 2)).toEqual([
      ['kept 0', 'old 0'],
      ['kept 1', 'new 1'],
    ]);
  });

  it('[C31] the client has the field manager without being told, and keeps one that it is told', async () => {
    const { clock, create, start } = rig;
    await create('a');
    const managers: unknown[] = [];
    start({
      name: 'widgets',
      for: widgets,
      async reconcile({ metadata: { name } }, { client }) {
        const maps = client.core.v1.configMaps('default');
        await maps.create({ metadata: { name }, data: { n: '1' } });
        const { metadata } = await maps.patch(name, { data: { n: '2' } }, { fieldManager: 'own' });
        managers.push(...(metadata.managedFields ?? []).map(({ manager }) => manager));
      },
    });
    await clock.advance(10);
    expect(managers.sort()).toEqual(['manager-0/widgets', 'own']);
  });

  it('[C31] the client and clients through it are guarded: without leadership nothing is sent, and the run is put off', async () => {
    const { clock, client, create, start } = rig;
    await create('a');
    const elector = new LeaderElector(client, { namespace: 'default', name: 'lock', onError: () => {} });
    const causes: unknown[] = [];
    const { records, failures } = start(
      {
        name: 'widgets',
        for: widgets,
        async reconcile({ metadata: { name } }, context) {
          const maps = context.through(client).core.v1.configMaps('default');
          await maps.create({ metadata: { name } }).catch((error: Error) => causes.push(error.cause));
          context.status({ note: 'never' });
          if (causes.length === 1) await context.client.core.v1.configMaps('default').create({ metadata: { name } });
        },
      },
      { environment: { guard: (one) => elector.guard(one) } },
    );
    await clock.advance(1);
    expect(causes[0]).toBeInstanceOf(LeadershipLostError);
    expect(records[0]).toMatchObject({ outcome: 'aborted', writes: [] });
    expect(failures).toEqual([]);
    expect((await client.core.v1.configMaps('default').list()).items).toEqual([]);
  });

  it('[C31] a request ends with the signal of the run, and with its own', async () => {
    const { api, clock, create, start } = rig;
    await create('a');
    api.faults.inject({ verb: 'get', resource: 'configmaps', stallMs: Infinity, times: Infinity });
    const errors: unknown[] = [];
    start({
      name: 'widgets',
      for: widgets,
      timeoutMs: 5000,
      everyMs: 0,
      async reconcile(_, { client, clock: time }) {
        const maps = client.core.v1.configMaps('default');
        const own = new AbortController();
        time.setTimer(1000, () => own.abort(new Error('own')));
        await maps.get('x', { signal: own.signal }).catch((error) => errors.push(error));
        await maps.get('x').catch((error) => errors.push(error));
      },
    });
    await clock.advance(5000);
    expect(errors).toMatchObject([{ message: 'own' }, { name: 'TimeoutError' }]);
  });
});

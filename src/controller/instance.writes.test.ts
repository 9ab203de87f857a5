import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ControllerRig,
  controllerRig,
  gadgets,
  gate,
  type Widget,
  widgets,
} from '../../test/support/controller-rig.js';
import { Client, isForbidden, LeaderElector, LeadershipLostError, resources } from '../index.js';
import { conditionOf } from './conditions.js';
import { ownerReference } from './owners.js';
import type { ControllerOptions } from './types.js';

let nonce = 0;

/** A client whose applies of ConfigMaps are all different. */
function withNonce(client: Client): Client {
  const rest = client.rest.through((inner) => ({
    server: inner.server,
    isLocal: inner.isLocal,
    silenceMs: inner.silenceMs,
    onConnect: (listener) => inner.onConnect(listener),
    close: () => inner.close(),
    send(request, handler) {
      if (request.method !== 'PATCH' || !request.target.includes('/configmaps/')) return inner.send(request, handler);
      const body = JSON.parse(Buffer.from(request.body ?? []).toString());
      body.metadata.annotations = { nonce: `${nonce++}` };
      return inner.send({ ...request, body: Buffer.from(JSON.stringify(body)) }, handler);
    },
  }));
  return new Client({ rest, namespace: undefined });
}

let rig: ControllerRig;
beforeEach(async () => {
  rig = await controllerRig();
});
afterEach(() => rig.stop());

const { configMaps, secrets, namespaces } = resources.core.v1;
const key = 'default/a';

describe('what a run reads', () => {
  it.each([
    ['create', 'create'],
    ['apply', 'apply'],
    ['patch', 'patch'],
    ['delete', 'delete'],
  ])('[C26] with a late watch the next run of a key begins after the cache has its %s', async (_, verb) => {
    const { api, clock, client, create, start } = rig;
    await create('a');
    const maps = client.core.v1.configMaps('default');
    if (verb !== 'create') await maps.create({ metadata: { name: 'a' }, data: { n: '0' } });
    const seen: unknown[] = [];
    const { instance, records } = start(
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
      { standby: true },
    );
    await clock.advance(10);
    api.faults.inject({ verb: 'watch', resource: 'configmaps', stallMs: 12_000 });
    instance.resume();
    await clock.advance(10);
    instance.enqueue(key);
    await clock.advance(11_000);
    expect(records).toHaveLength(1);
    expect(instance.activity.stale).toBe(1);
    await clock.advance(20_000);
    expect(seen).toEqual([verb === 'create' ? undefined : '0', verb === 'delete' ? undefined : '1']);
    expect(instance.activity.stale).toBe(0);
  });

  it('[C26] with the watch of its own kind late, a run sees its own status and finalizer', async () => {
    const { api, clock, create, widgets: own, start } = rig;
    await create('a');
    const seen: unknown[] = [];
    const { instance } = start(
      {
        name: 'widgets',
        for: widgets,
        reconcile({ metadata, status }, context) {
          seen.push([status?.note, metadata.finalizers?.length]);
          context.status({ note: 'mine' });
        },
        finalize() {},
      },
      { standby: true },
    );
    await clock.advance(10);
    api.faults.inject({ verb: 'watch', resource: 'widgets', stallMs: 9000, times: 2 });
    instance.resume();
    await clock.advance(10);
    instance.enqueue(key);
    await clock.advance(60_000);
    expect(seen).toEqual([
      [undefined, 1],
      ['mine', 1],
    ]);
    expect((await own.get('a')).status?.note).toBe('mine');
  });

  it('[C27] a key that waits takes no worker, others go on, and after 10 s it is reported and counted', async () => {
    const { api, clock, create, start } = rig;
    await create('a');
    const order: string[] = [];
    const { instance, stale, errors } = start(
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
      { standby: true },
    );
    await clock.advance(10);
    api.faults.inject({ verb: 'watch', resource: 'configmaps', stallMs: 14_000 });
    instance.resume();
    await clock.advance(10);
    instance.enqueue(key);
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
    const { api, clock, create, start } = rig;
    await create('a');
    let runs = 0;
    const { instance } = start(
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
      { standby: true },
    );
    await clock.advance(10);
    for (const resource of ['configmaps', 'secrets', 'services'])
      api.faults.inject({ verb: 'watch', resource, stallMs: 14_000 });
    instance.resume();
    await clock.advance(10);
    instance.enqueue(key);
    await clock.advance(10);
    expect(runs).toBe(2);
  });

  it('[C28] an object that leaves the selector of a cache is waited for', async () => {
    const { api, clock, client, create, start } = rig;
    await create('a');
    await client.core.v1.configMaps('default').create({ metadata: { name: 'm', labels: { app: 'x' } } });
    const seen: number[] = [];
    const { instance } = start(
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
      { standby: true },
    );
    await clock.advance(10);
    api.faults.inject({ verb: 'watch', resource: 'configmaps', stallMs: 5000 });
    instance.resume();
    await clock.advance(10);
    instance.enqueue(key);
    await clock.advance(60_000);
    expect(seen).toEqual([1, 0]);
  });

  it('[C29] after a write without an answer the current version of the collection is asked for, and waited for', async () => {
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
    // The answer is lost, after the object was stored; so is the first attempt to ask.
    api.faults.inject({ verb: 'create', resource: 'configmaps', reset: 'afterHeaders' });
    api.faults.inject({ verb: 'watch', resource: 'configmaps', stallMs: 8000 });
    api.faults.inject({ verb: 'list', resource: 'configmaps', respond: { status: 400 } });
    instance.resume();
    await clock.advance(7000);
    expect(records.map(({ outcome }) => outcome)).toEqual(['failed']);
    expect(errors).toEqual([expect.stringContaining('could not read the version of configmaps')]);
    await clock.advance(60_000);
    expect(seen).toEqual([undefined, '1']);
  });

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

describe('apply', () => {
  it('[C32] takes away fields that it applied before, leaves those of others alone, and takes over by force', async () => {
    const { clock, client, create, widgets: own, start } = rig;
    await create('a', { size: 1 });
    start({
      name: 'widgets',
      for: widgets,
      owns: [configMaps],
      async reconcile({ metadata: { name }, spec: { size = 0 } }, { apply }) {
        const data: Record<string, string> = size === 1 ? { first: 'x', shared: '1' } : { second: 'y', shared: '2' };
        await apply(configMaps, { metadata: { name }, data });
      },
    });
    await clock.advance(1000);
    const maps = client.core.v1.configMaps('default');
    await maps.patch('a', { data: { foreign: 'z', shared: 'taken' } });
    await clock.advance(1000);
    expect((await maps.get('a')).data).toEqual({ first: 'x', shared: '1', foreign: 'z' });
    await own.patch('a', { spec: { size: 2 } });
    await clock.advance(1000);
    expect((await maps.get('a')).data).toEqual({ second: 'y', shared: '2', foreign: 'z' });
  });

  it('[C33] the same object over the same cached version sends nothing; after a restart it sends one request', async () => {
    const { clock, create, start, drive } = rig;
    await create('a');
    const answers: unknown[] = [];
    const options: ControllerOptions<Widget> = {
      name: 'widgets',
      for: widgets,
      owns: [configMaps],
      async reconcile({ metadata: { name } }, { apply }) {
        const { data } = await apply(configMaps, { metadata: { name }, data: { n: '1' } });
        answers.push(data);
      },
    };
    const first = start(options);
    await clock.advance(1000);
    for (let i = 0; i < 5; i++) {
      first.instance.enqueue(key);
      await clock.advance(100);
    }
    expect(first.records.map(({ writes }) => writes.length)).toEqual([1, 0, 0, 0, 0, 0, 0]);
    expect(first.skipped).toHaveLength(6);
    await drive(first.instance.remove());
    const second = start(options, { environment: { manager: 'manager-0' } });
    await clock.advance(1000);
    second.instance.enqueue(key);
    await clock.advance(1000);
    expect(second.records.map(({ writes }) => writes.map(({ changed }) => changed))).toEqual([[false], []]);
    expect(answers).toEqual(Array.from({ length: 9 }, () => ({ n: '1' })));
  });

  it('[C33] a foreign change of the object is repaired', async () => {
    const { clock, client, create, start } = rig;
    await create('a');
    const { records } = start({
      name: 'widgets',
      for: widgets,
      owns: [configMaps],
      async reconcile({ metadata: { name } }, { apply }) {
        await apply(configMaps, { metadata: { name }, data: { n: '1' } });
      },
    });
    await clock.advance(1000);
    const maps = client.core.v1.configMaps('default');
    await maps.patch('a', { data: { n: '2' } });
    await clock.advance(1000);
    expect((await maps.get('a')).data).toEqual({ n: '1' });
    await maps.delete('a');
    await clock.advance(1000);
    expect((await maps.get('a')).data).toEqual({ n: '1' });
    await clock.advance(10_000);
    expect(records.at(-1)?.writes).toEqual([]);
  });

  it('[C34] applies that raise the version although they change nothing come to rest', async () => {
    const { clock, client, create, start } = rig;
    await create('a');
    const { records } = start(
      {
        name: 'widgets',
        for: widgets,
        owns: [configMaps],
        async reconcile({ metadata: { name } }, { apply }) {
          await apply(configMaps, { metadata: { name }, data: { n: '1' } });
        },
      },
      // As a server that stores every apply (kubernetes#131175).
      { environment: { guard: withNonce } },
    );
    await clock.advance(1000);
    const maps = client.core.v1.configMaps('default');
    const stored = async () => (await maps.get('a')).metadata.resourceVersion;
    const before = await stored();
    await maps.patch('a', { metadata: { labels: { foreign: 'yes' } } });
    await clock.advance(600_000);
    expect(await stored()).not.toBe(before);
    expect(records.map(({ writes }) => writes.length)).toEqual([1, 0, 1, 0]);
  });

  it('[C35] an owner of another namespace, or with a namespace of an object without: a TypeError, and nothing is sent', async () => {
    const { clock, client, create, start } = rig;
    await create('a');
    const errors: string[] = [];
    const { records } = start({
      name: 'widgets',
      for: widgets,
      owns: [configMaps, namespaces],
      async reconcile({ metadata: { name } }, { apply }) {
        const note = (error: unknown) => errors.push(String(error));
        await apply(configMaps, { metadata: { name, namespace: 'kube-system' } }).catch(note);
        await apply(namespaces, { metadata: { name } }).catch(note);
        await apply(configMaps, { metadata: { name } }, { client: rig.client }).catch(note);
        await apply(configMaps, { metadata: {} }).catch(note);
        await apply(configMaps, { metadata: { name, namespace: 'kube-system' } }, { owner: false });
      },
    });
    await clock.advance(1000);
    expect(errors.slice(0, 4)).toEqual([
      expect.stringMatching(
        /^TypeError: Widget default\/a cannot own configmaps kube-system\/a: it is in another namespace/,
      ),
      expect.stringMatching(/^TypeError: Widget default\/a cannot own namespaces a: it has no namespace/),
      expect.stringMatching(/^TypeError: .* it is in another cluster/),
      expect.stringMatching(/^TypeError: apply configmaps needs an object with metadata.name/),
    ]);
    expect(records[0]?.writes.map((write) => write.key)).toEqual(['kube-system/a']);
    expect((await client.core.v1.configMaps('kube-system').get('a')).metadata.ownerReferences).toBeUndefined();
  });

  it('[C35] a cluster-scoped owner may own objects of any namespace', async () => {
    const { clock, client, start } = rig;
    await client.forResource(gadgets).create({ metadata: { name: 'g' }, spec: {} });
    const { failures } = start({
      name: 'gadgets',
      for: gadgets,
      owns: [configMaps],
      async reconcile({ metadata: { name } }, { apply }) {
        await apply(configMaps, { metadata: { name, namespace: 'default' } });
      },
    });
    await clock.advance(1000);
    expect(failures).toEqual([]);
    expect((await client.core.v1.configMaps('default').get('g')).metadata.ownerReferences).toMatchObject([
      { kind: 'Gadget', name: 'g', controller: true },
    ]);
  });

  it.each([['cached'], ['not cached']])(
    '[C36] an object that another one controls (%s) is a failure that names it',
    async (how) => {
      const { clock, client, create, start } = rig;
      await create('a');
      const other = await create('other');
      await client.core.v1.configMaps('default').create({
        metadata: { name: 'm', ownerReferences: [ownerReference(other)], labels: how === 'cached' ? { app: 'x' } : {} },
      });
      const { failures } = start(
        {
          name: 'widgets',
          for: widgets,
          owns: [configMaps],
          async reconcile({ metadata: { name } }, { apply }) {
            if (name === 'a') await apply(configMaps, { metadata: { name: 'm' }, data: { mine: 'yes' } });
          },
        },
        { pool: { cacheOf: { configmaps: { labelSelector: 'app=x' } } } },
      );
      await clock.advance(1);
      expect(String(failures[0]?.error)).toMatch(/configmaps default\/m is controlled by Widget other \(uid /);
      expect((await client.core.v1.configMaps('default').get('m')).data).toBeUndefined();
    },
  );

  it('[C37] prune deletes what the object controls and the run has not applied, of all kinds in owns', async () => {
    const { clock, client, create, start } = rig;
    const widget = await create('a', { size: 1 });
    const ownerReferences = [ownerReference(widget)];
    const maps = client.core.v1.configMaps('default');
    await maps.create({ metadata: { name: 'stale', ownerReferences } });
    await maps.create({ metadata: { name: 'unowned' } });
    await maps.create({
      metadata: { name: 'owned', ownerReferences: [{ ...ownerReferences[0]!, controller: false }] },
    });
    await client.core.v1.secrets('default').create({ metadata: { name: 'stale', ownerReferences } });
    let prunes = false;
    const { instance, records, failures } = start({
      name: 'widgets',
      for: widgets,
      owns: [configMaps, secrets],
      async reconcile({ metadata: { name } }, { apply, prune }) {
        await apply(configMaps, { metadata: { name } });
        if (prunes) await prune();
      },
    });
    await clock.advance(1000);
    const names = async () => (await maps.list()).items.map(({ metadata }) => metadata.name).sort();
    expect(await names()).toContain('stale');
    prunes = true;
    instance.enqueue(key);
    await clock.advance(1000);
    expect(await names()).toEqual(['a', 'owned', 'unowned']);
    expect((await client.core.v1.secrets('default').list()).items).toEqual([]);
    expect(failures).toEqual([]);
    expect(records.flatMap(({ writes }) => writes).filter(({ verb }) => verb === 'delete')).toHaveLength(2);
  });

  it('[C37] an object that was replaced under its name meanwhile is not pruned', async () => {
    const { api, clock, client, create, start } = rig;
    const widget = await create('a', { size: 1 });
    const ownerReferences = [ownerReference(widget)];
    const maps = client.core.v1.configMaps('default');
    await maps.create({ metadata: { name: 'm', ownerReferences } });
    const open = gate();
    start({
      name: 'widgets',
      for: widgets,
      owns: [configMaps],
      async reconcile(_, { prune }) {
        await open.promise;
        await prune();
      },
    });
    await clock.advance(100);
    api.faults.inject({ verb: 'watch', resource: 'configmaps', stallMs: 5000 });
    await maps.delete('m');
    await maps.create({ metadata: { name: 'm' }, data: { another: 'one' } });
    open.resolve();
    await clock.advance(60_000);
    expect((await maps.get('m')).data).toEqual({ another: 'one' });
  });
});

describe('status', () => {
  it('[C38] is written once, after the run, also after a throw, and not if it is equal', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a', { size: 1 });
    let fails = true;
    const { instance, records } = start({
      name: 'widgets',
      for: widgets,
      async reconcile({ spec }, { status }) {
        status({ note: 'not this' });
        status({ note: 'this', size: spec.size ?? 0 });
        if (fails) throw new Error('after all');
      },
    });
    await clock.advance(1);
    fails = false;
    expect((await own.get('a')).status).toEqual({ note: 'this', size: 1 });
    instance.enqueue(key);
    await clock.advance(1000);
    expect(records.map(({ writes }) => writes.map(({ resource }) => resource))).toEqual([
      ['widgets.example.com/status'],
      [],
    ]);
  });

  it('[C38] fields that are left out are removed, and fields of others stay', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a', { size: 1 });
    start({
      name: 'widgets',
      for: widgets,
      reconcile({ spec: { size = 0 } }, { status }) {
        status(size === 1 ? { note: 'one', size } : { size });
      },
    });
    await clock.advance(100);
    await own.patchStatus('a', { others: 'kept' });
    await own.patch('a', { spec: { size: 2 } });
    await clock.advance(1000);
    expect((await own.get('a')).status).toEqual({ size: 2, others: 'kept' });
  });

  it('[C38] after a restart with other code, fields that are no longer said are removed', async () => {
    const { clock, create, widgets: own, start, drive } = rig;
    await create('a', { size: 1 });
    const before = start({
      name: 'widgets',
      for: widgets,
      reconcile: (_, { status }) => status({ note: 'x', size: 1 }),
    });
    await clock.advance(100);
    await drive(before.instance.remove());
    const environment = { manager: 'manager-0' };
    const after = start(
      { name: 'widgets', for: widgets, reconcile: (_, { status }) => status({ size: 1 }) },
      { environment },
    );
    await clock.advance(100);
    expect((await own.get('a')).status).toEqual({ size: 1 });
    after.instance.enqueue(key);
    await clock.advance(100);
    expect(after.records.map(({ writes }) => writes.length)).toEqual([1, 0]);
  });

  it('[C38] if writing it fails, the run has failed; the run’s own error comes first', async () => {
    const { api, clock, create, widgets: own, start } = rig;
    await create('a', { size: 1 });
    let fails = true;
    const respond = { status: 400, message: 'no status today' };
    api.faults.inject({ verb: 'patch', resource: 'widgets', subresource: 'status', respond, times: 2 });
    const { records, failures } = start({
      name: 'widgets',
      for: widgets,
      reconcile(_, { status }) {
        status({ note: 'x' });
        if (fails) {
          fails = false;
          throw new Error('its own');
        }
      },
    });
    await clock.advance(1000);
    expect(records.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'done']);
    expect(failures.map(({ error }) => String(error))).toEqual([
      'Error: its own',
      expect.stringContaining('no status today'),
      expect.stringContaining('no status today'),
    ]);
    expect((await own.get('a')).status).toEqual({ note: 'x' });
  });

  it('[C38] lastTransitionTime moves with the status only, and observedGeneration follows', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a', { size: 1 });
    start({
      name: 'widgets',
      for: widgets,
      reconcile({ spec: { size = 0 } }, { status }) {
        status({ conditions: [{ type: 'Big', status: size > 2 ? 'True' : 'False', message: `${size}` }] });
      },
    });
    const times: unknown[] = [];
    for (const size of [1, 2, 3]) {
      await own.patch('a', { spec: { size } });
      await clock.advance(60_000);
      const condition = conditionOf(await own.get('a'), 'Big');
      times.push([
        condition?.status,
        condition?.message,
        condition?.observedGeneration,
        condition?.lastTransitionTime?.slice(14, 16),
      ]);
    }
    expect(times).toEqual([
      ['False', '1', 1, '00'],
      ['False', '2', 2, '00'],
      ['True', '3', 3, '02'],
    ]);
  });

  it('[C38] readyCondition follows the outcome, keeps the rest of the status, and gives way to the run', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a', { size: 1 });
    const { failures } = start({
      name: 'widgets',
      for: widgets,
      readyCondition: 'Ready',
      reconcile({ spec: { size = 0 } }, { status }) {
        if (size === 1) status({ note: 'kept' });
        if (size === 2) return { waiting: 'for a second one' };
        if (size === 3) throw new Error('three is too many');
        if (size === 4) status({ conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Mine' }] });
        return undefined;
      },
    });
    const seen: unknown[] = [];
    for (const size of [1, 2, 3, 4]) {
      await own.patch('a', { spec: { size } });
      await clock.advance(10);
      const widget = await own.get('a');
      const ready = conditionOf(widget, 'Ready');
      seen.push([widget.status?.note, ready?.status, ready?.reason, ready?.message]);
    }
    expect(seen).toEqual([
      ['kept', 'True', 'Reconciled', ''],
      ['kept', 'False', 'Waiting', 'for a second one'],
      ['kept', 'False', 'Failed', 'three is too many'],
      [undefined, 'Unknown', 'Mine', ''],
    ]);
    expect(failures.length).toBeGreaterThan(0);
  });

  it('[C39] a conflict is retried when the cache is newer, and reported from the fifth in a row', async () => {
    const { api, clock, create, widgets: own, start } = rig;
    await create('a', { size: 1 });
    const open = gate();
    const { records, failures, instance } = start({
      name: 'widgets',
      for: widgets,
      async reconcile(object, { client }) {
        await open.promise;
        if (object.metadata.labels?.['done'] === undefined)
          await client
            .forResource(widgets, 'default')
            .update({ ...object, metadata: { ...object.metadata, labels: { done: 'yes' } } } as never);
      },
    });
    await clock.advance(10);
    await own.patch('a', { spec: { size: 2 } });
    open.resolve();
    await clock.advance(100);
    expect(records.map(({ outcome }) => outcome).slice(0, 2)).toEqual(['failed', 'done']);
    expect(failures).toEqual([]);
    await own.patch('a', { metadata: { labels: { done: null } } });
    const conflict = api.faults.inject({ verb: 'update', resource: 'widgets', respond: { status: 409 }, times: 7 });
    await clock.advance(100);
    expect(instance.status.failing).toEqual([]);
    await clock.advance(14_000);
    expect([conflict.hits, failures.length]).toEqual([4, 0]);
    await clock.advance(600_000);
    expect([conflict.hits, failures.length]).toEqual([7, 3]);
    expect(records.at(-1)?.outcome).toBe('done');
  });

  it('[C40] a 403 because the namespace is being deleted ends the run quietly', async () => {
    const { clock, client, start } = rig;
    await client.core.v1.namespaces().create({ metadata: { name: 'leaving' } });
    const maps = client.core.v1.configMaps('leaving');
    await maps.create({ metadata: { name: 'holds', finalizers: ['example.com/hold'] } });
    const leaving = client.forResource(widgets, 'leaving');
    await leaving.create({ metadata: { name: 'a', finalizers: ['example.com/hold'] }, spec: { size: 1 } });
    const thrown: unknown[] = [];
    const open = gate();
    const { records, failures } = start({
      name: 'widgets',
      for: widgets,
      async reconcile({ metadata: { name } }, { client: own }) {
        await open.promise;
        await own.core.v1
          .secrets('leaving')
          .create({ metadata: { name } })
          .catch((error) => {
            thrown.push(isForbidden(error));
            throw error;
          });
      },
    });
    await clock.advance(10);
    await client.core.v1.namespaces().delete('leaving');
    open.resolve();
    await clock.advance(60_000);
    expect(thrown).toEqual([true]);
    expect(records.map(({ outcome, againInMs }) => [outcome, againInMs])).toEqual([['done', undefined]]);
    expect(failures).toEqual([]);
    await leaving.patch('a', { metadata: { finalizers: null } });
    await maps.patch('holds', { metadata: { finalizers: null } });
  });
});

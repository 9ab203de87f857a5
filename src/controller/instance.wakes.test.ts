import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControllerRig, controllerRig, gadgets, gate, widgets } from '../../test/support/controller-rig.js';
import { objectKey, resources } from '../index.js';
import { CachePool } from './caches.js';
import { ownerReference } from './owners.js';

let rig: ControllerRig;
beforeEach(async () => {
  rig = await controllerRig();
});
afterEach(() => rig.stop());

const { configMaps, secrets } = resources.core.v1;
const key = 'default/a';

describe('what wakes a controller', () => {
  it('C17 the echo of its own status write does not wake; the same write by another client does', async () => {
    const { clock, create, widgets: client, start } = rig;
    await create('a', { size: 1 });
    const { records } = start({
      name: 'widgets',
      for: widgets,
      reconcile({ spec }, { status, clock: time }) {
        status({ size: spec.size ?? 0, note: `at ${time.now()}` });
      },
    });
    await clock.advance(60_000);
    expect(records).toHaveLength(1);
    await client.patchStatus('a', { note: 'overwritten' });
    await clock.advance(1000);
    expect(records).toHaveLength(2);
    expect((await client.get('a')).status?.note).toMatch(/^at /);
    await clock.advance(60_000);
    expect(records).toHaveLength(2);
  });

  it('C17 status writes through the client of the run do not wake either', async () => {
    const { clock, create, start } = rig;
    await create('a', { size: 1 });
    const { records } = start({
      name: 'widgets',
      for: widgets,
      async reconcile({ metadata: { name } }, { client, clock: time }) {
        const own = client.forResource(widgets, 'default');
        await own.patchStatus(name, { note: `patched ${time.now()}` });
        await own.updateStatus({ ...(await own.get(name)), status: { note: `updated ${time.now()}` } });
        await own.subresource('status').patch(name, { status: { size: time.now() % 1000 } });
      },
    });
    await clock.advance(60_000);
    expect(records).toHaveLength(1);
  });

  it('C17 its own write of labels or spec wakes', async () => {
    const { clock, create, start } = rig;
    await create('a', { size: 0 });
    const { records } = start({
      name: 'widgets',
      for: widgets,
      async reconcile({ metadata: { name, labels = {} }, spec: { size = 0 } }, { client }) {
        const own = client.forResource(widgets, 'default');
        if (labels['seen'] === undefined) await own.patch(name, { metadata: { labels: { seen: 'yes' } } });
        else if (size < 3) await own.patch(name, { spec: { size: size + 1 } });
      },
    });
    await clock.advance(60_000);
    expect(records.map(({ writes }) => writes.length)).toEqual([1, 1, 1, 1, 0]);
  });

  it('C17 the first event of an object whose finalizer the controller stored does not wake', async () => {
    const { clock, create, start } = rig;
    await create('a');
    const { records } = start({ name: 'widgets', for: widgets, reconcile() {}, finalize() {} });
    await clock.advance(60_000);
    expect(records).toHaveLength(1);
  });

  it('C18 an own status write that arrives in a relist wakes: changes of others may be hidden in it', async () => {
    const { api, clock, create, start } = rig;
    await create('a', { size: 1 });
    const { records } = start({
      name: 'widgets',
      for: widgets,
      reconcile({ spec }, { status }) {
        status({ note: `${spec.size}` });
      },
    });
    const stalled = api.faults.inject({ verb: 'watch', resource: 'widgets', stallMs: Infinity, times: Infinity });
    await clock.advance(10);
    stalled();
    expect(records).toHaveLength(1);
    api.compact();
    api.faults.dropConnections();
    await clock.advance(60_000);
    expect(records.map(({ writes }) => writes.length)).toEqual([1, 0]);
  });

  it('C18 a status write that changes nothing is answered with the version of a foreign change, which wakes', async () => {
    const { api, clock, create, widgets: client, start } = rig;
    await create('a', { size: 1 });
    const sizes: unknown[] = [];
    const { instance } = start({
      name: 'widgets',
      for: widgets,
      async reconcile({ metadata: { name }, spec }, context) {
        sizes.push(spec.size);
        await context.client.forResource(widgets, 'default').patchStatus(name, { note: 'the same' });
      },
    });
    await clock.advance(100);
    expect(sizes).toEqual([1]);
    api.faults.inject({ verb: 'watch', resource: 'widgets', stallMs: 1000 });
    await client.patch('a', { spec: { size: 2 } });
    instance.enqueue(key); // reads the old size, and its write is answered with the version of the new one
    await clock.advance(60_000);
    expect(sizes).toEqual([1, 1, 2]);
  });

  it('C18 an event that arrives before the answer of the own write is known for an echo', async () => {
    const { api, clock, create, start } = rig;
    await create('a', { size: 1 });
    api.faults.inject({ verb: 'patch', resource: 'widgets', subresource: 'status', stallMs: 500 });
    const { records } = start({
      name: 'widgets',
      for: widgets,
      reconcile(_, { status, clock: time }) {
        status({ note: `${time.now()}` });
      },
    });
    await clock.advance(60_000);
    expect(records.map(({ durationMs }) => durationMs)).toEqual([500]);
  });

  it('C19 an own write of an owned object wakes its owner, and that run sends nothing', async () => {
    const { clock, create, start } = rig;
    await create('a', { size: 1 });
    const { records, skipped } = start({
      name: 'widgets',
      for: widgets,
      owns: [configMaps],
      async reconcile({ metadata: { name }, spec }, { apply }) {
        await apply(configMaps, { metadata: { name }, data: { size: `${spec.size}` } });
      },
    });
    await clock.advance(60_000);
    expect(records.map(({ causes, writes }) => [causes, writes.length])).toEqual([
      [['widgets add'], 1],
      [['configmaps add'], 0],
    ]);
    expect(skipped).toEqual([key]);
  });

  it('C20 an owned object wakes the owner that controls it, by any version of the group; when it moves, both', async () => {
    const { clock, client, create, start } = rig;
    const [a, b] = [await create('a'), await create('b')];
    const { records, keys } = start({ name: 'widgets', for: widgets, owns: [configMaps], reconcile() {} });
    await clock.advance(1000);
    records.length = 0;
    const maps = client.core.v1.configMaps('default');
    await maps.create({
      metadata: {
        name: 'm',
        ownerReferences: [
          { ...ownerReference(a), apiVersion: 'example.com/v1beta1' },
          { ...ownerReference(b), controller: false },
        ],
      },
    });
    await clock.advance(100);
    expect(keys()).toEqual([key]);
    records.length = 0;
    await maps.patch('m', { metadata: { ownerReferences: [ownerReference(b)] } });
    await clock.advance(100);
    expect(keys().sort()).toEqual([key, 'default/b']);
    records.length = 0;
    await maps.patch('m', {
      metadata: { ownerReferences: [{ ...ownerReference(b), apiVersion: 'other.com/v1' }] },
    });
    await clock.advance(100);
    await maps.patch('m', { data: { more: 'x' } });
    await clock.advance(100);
    expect(keys()).toEqual(['default/b']);
  });

  it('C20 a cluster-scoped owner is woken by objects of any namespace', async () => {
    const { clock, client, start } = rig;
    const owner = await client.forResource(gadgets).create({ metadata: { name: 'g' }, spec: {} });
    const { records, keys } = start({ name: 'gadgets', for: gadgets, owns: [configMaps], reconcile() {} });
    await clock.advance(1000);
    records.length = 0;
    await client.core.v1
      .configMaps('kube-system')
      .create({ metadata: { name: 'm', ownerReferences: [ownerReference(owner)] } });
    await clock.advance(100);
    expect(keys()).toEqual(['g']);
  });

  it('C21 requests is asked of the old and the new state, and keys outside of the cache are dropped', async () => {
    const { clock, client, create, start } = rig;
    for (const name of ['a', 'b', 'c']) await create(name);
    const { records, keys, instance } = start({
      name: 'widgets',
      for: widgets,
      watches: (watch) => [
        watch(configMaps, {
          requests: ({ data = {} }) => [{ namespace: 'default', name: data['widget'] ?? '' }, 'default/nothing'],
        }),
      ],
      reconcile() {},
    });
    const maps = client.core.v1.configMaps('default');
    await maps.create({ metadata: { name: 'm' }, data: { widget: 'a' } });
    await clock.advance(1000);
    records.length = 0;
    await maps.patch('m', { data: { widget: 'b' } });
    await clock.advance(100);
    expect(keys().sort()).toEqual([key, 'default/b']);
    records.length = 0;
    await maps.delete('m');
    await clock.advance(100);
    expect(keys()).toEqual(['default/b']);
    expect(instance.status.waiting).toBe(0);
  });

  it('C21 requests reads the caches of the controller', async () => {
    const { clock, client, create, start } = rig;
    await create('a', { config: 'm' });
    await create('b', { config: 'other' });
    const { records, keys } = start({
      name: 'widgets',
      for: widgets,
      watches: (watch) => [
        watch(configMaps, {
          requests: ({ metadata: { name } }, { lister }) =>
            lister(widgets)
              .list()
              .filter(({ spec }) => spec.config === name)
              .map(objectKey),
        }),
      ],
      reconcile() {},
    });
    await clock.advance(1000);
    records.length = 0;
    await client.core.v1.configMaps('default').create({ metadata: { name: 'm' } });
    await clock.advance(100);
    expect(keys()).toEqual([key]);
  });

  it('C22 a mapper that throws is reported, and wakes of others go on', async () => {
    const { clock, client, create, start } = rig;
    await create('a');
    const { records, keys, errors } = start({
      name: 'widgets',
      for: widgets,
      watches: (watch) => [
        watch(configMaps, {
          requests({ metadata: { name } }) {
            if (name === 'bad') throw new Error('in requests');
            return [key];
          },
        }),
      ],
      reconcile() {},
    });
    await clock.advance(1000);
    records.length = 0;
    const maps = client.core.v1.configMaps('default');
    await maps.create({ metadata: { name: 'bad' } });
    await maps.create({ metadata: { name: 'good' } });
    await clock.advance(100);
    expect(keys()).toEqual([key]);
    expect(errors).toEqual(['widgets: the watch of configmaps threw on default/bad: in requests']);
  });

  it('C23 references wakes when what is referred to comes, changes and goes, also if it never existed', async () => {
    const { clock, client, create, widgets: own, start } = rig;
    await create('a', { config: 'm' });
    await create('b', { config: 'm' });
    await create('c', { config: 'other' });
    const { records, keys } = start({
      name: 'widgets',
      for: widgets,
      watches: (watch) => [watch(configMaps, { references: ({ spec }) => [`default/${spec.config}`] })],
      reconcile() {},
    });
    const woken = async (change: () => Promise<unknown>): Promise<string[]> => {
      await clock.advance(1000);
      records.length = 0;
      await change();
      await clock.advance(100);
      return keys().sort();
    };
    const maps = client.core.v1.configMaps('default');
    expect(await woken(() => maps.create({ metadata: { name: 'm' } }))).toEqual([key, 'default/b']);
    expect(await woken(() => maps.patch('m', { data: { x: 'y' } }))).toEqual([key, 'default/b']);
    expect(await woken(() => own.patch('b', { spec: { config: 'none' } }))).toEqual(['default/b']);
    expect(await woken(() => maps.delete('m'))).toEqual([key]);
    expect(await woken(() => own.delete('a'))).toEqual([]);
    expect(await woken(() => maps.create({ metadata: { name: 'm' } }))).toEqual([]);
    expect(await woken(() => maps.create({ metadata: { name: 'none' } }))).toEqual(['default/b']);
  });

  it('C23 references that throws is reported', async () => {
    const { clock, create, start } = rig;
    await create('a');
    const { errors } = start({
      name: 'widgets',
      for: widgets,
      watches: (watch) => [
        watch(configMaps, {
          references() {
            throw new Error('in references');
          },
        }),
      ],
      reconcile() {},
    });
    await clock.advance(100);
    expect(errors).toContain('widgets: references to configmaps threw on default/a: in references');
  });

  it('C24 watch() at run time tells what exists; after remove() it wakes nothing, and an unused cache stops', async () => {
    const { clock, client, create, start, drive } = rig;
    await create('a', { config: 'm' });
    await create('b', { config: 'n' });
    const maps = client.core.v1.configMaps('default');
    await maps.create({ metadata: { name: 'm' } });
    const { instance, records, keys, caches } = start({ name: 'widgets', for: widgets, reconcile() {} });
    await clock.advance(1000);
    records.length = 0;
    const byName = instance.watch(configMaps, { references: ({ spec }) => [`default/${spec.config}`] });
    const all = instance.watch(secrets, { requests: () => [key] });
    await clock.advance(1000);
    expect(keys()).toEqual([key]);
    await maps.create({ metadata: { name: 'n' } });
    await clock.advance(100);
    expect(keys()).toEqual([key, 'default/b']);
    expect(caches.informers).toHaveLength(3);
    await drive(byName.remove());
    await drive(all.remove());
    expect(caches.informers).toHaveLength(1);
    await maps.patch('n', { data: { x: 'y' } });
    await clock.advance(1000);
    expect(keys()).toEqual([key, 'default/b']);
  });

  it('C24 a watch that is added before the caches are open begins with them', async () => {
    const { clock, client, create, start } = rig;
    await create('a');
    const { instance, records, keys } = start({ name: 'widgets', for: widgets, reconcile() {} }, { standby: true });
    const maps = client.core.v1.configMaps('default');
    instance.watch(configMaps, { requests: () => [key] });
    instance.resume();
    await clock.advance(1000);
    records.length = 0;
    await maps.create({ metadata: { name: 'm' } });
    await clock.advance(100);
    expect(keys()).toEqual([key]);
  });

  it('C25 controllers of one kind share a cache, unless one asks for its own', async () => {
    const { clock, create, start, client } = rig;
    await create('a', {}, { app: 'x' });
    await create('b');
    const caches = new CachePool();
    const environment = { caches, client };
    const options = { for: widgets, reconcile() {} };
    const first = start({ ...options, name: 'first' }, { environment });
    const second = start({ ...options, name: 'second' }, { environment });
    const third = start({ ...options, name: 'third', cache: { labelSelector: 'app=x' } }, { environment });
    await clock.advance(1000);
    expect(caches.informers).toHaveLength(2);
    expect([first.keys().length, second.keys().length]).toEqual([2, 2]);
    expect(third.keys()).toEqual([key]);
  });

  it('events for which `when` is false do not wake; a deletion always does', async () => {
    const { clock, create, widgets: client, start } = rig;
    await create('a', { size: 1 });
    const gone: string[] = [];
    const { records } = start({
      name: 'widgets',
      for: widgets,
      when: (event) => event.type === 'add',
      reconcile() {},
      gone: (name) => void gone.push(name),
    });
    await clock.advance(1000);
    await client.patch('a', { spec: { size: 2 } });
    await clock.advance(1000);
    expect(records).toHaveLength(1);
    await client.delete('a');
    await clock.advance(1000);
    expect(gone).toEqual([key]);
  });
});

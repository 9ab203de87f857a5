import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ControllerRig,
  controllerRig,
  gadgets,
  gate,
  type Widget,
  widgets,
} from '../../test/support/controller-rig.js';
import { Client, resources } from '../index.js';
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

/** Applies a ConfigMap that has the name of the widget. */
const oneMap: ControllerOptions<Widget> = {
  name: 'widgets',
  for: widgets,
  owns: [configMaps],
  async reconcile({ metadata: { name } }, { apply }) {
    await apply(configMaps, { metadata: { name }, data: { n: '1' } });
  },
};

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
      ...oneMap,
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
    const { records } = start(oneMap);
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
      oneMap,
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

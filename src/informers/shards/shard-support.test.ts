import { describe, expect, it, onTestFinished } from 'vitest';
import { sometimesSharding } from '../../../test/support/shard-servers.js';
import { startApiServer } from '../../apiserver/server.js';
import { defineResource } from '../../meta/resource.js';
import type { ConfigMap } from '../../resources/types/core-v1.js';
import { FakeClock } from '../../time/fake-clock.js';
import type { InformerOptions } from '../make-informer.js';
import { SharedInformerFactory } from '../shared-informer-factory.js';
import { ShardSupport } from './shard-support.js';

const shard = { index: 0, of: 2 };

async function setup(ignores: () => boolean = () => false, shardedLists = true) {
  const clock = new FakeClock({ seed: 5 });
  const api = await startApiServer({ clock, listen: false, shardedLists });
  const { client, seen } = sometimesSharding(api, ignores);
  const factory = new SharedInformerFactory(client, { onError: () => {} });
  onTestFinished(async () => {
    await factory.stop();
    await client.close();
    await api.stop();
  });
  const synced = async (...all: InformerOptions<ConfigMap>[]) => {
    const informers = all.map((options) => factory.core.v1.configMaps(options));
    factory.start();
    await clock.until(() => informers.every(({ hasSynced }) => hasSynced));
  };
  const asked = () => seen.filter(({ target }) => target.includes('/leases?')).length;
  const sent = () =>
    seen.filter(({ target, shardSelector }) => target.includes('/configmaps?') && shardSelector).length;
  return { api, clock, client, factory, seen, synced, asked, sent };
}

describe('support of shard selectors', () => {
  it('[C60] is asked for once per client, with a list of one Lease', async () => {
    const { seen, synced, asked, sent } = await setup();
    await synced({ shard }, { shard, useWatchList: false }, { shard, storage: 'objects' });
    expect(asked()).toBe(1);
    expect(seen.find(({ target }) => target.includes('/leases?'))?.target).toContain('limit=1');
    expect(sent()).toBe(seen.filter(({ target }) => target.includes('/configmaps?')).length);
  });

  it('[C61] nothing is sent to a server without the gate', async () => {
    const { synced, asked, sent } = await setup(() => false, false);
    await synced({ shard });
    await synced({ shard, useWatchList: false });
    expect(asked()).toBe(1);
    expect(sent()).toBe(0);
  });

  it('[C61] is asked for again when a list lacks the echo: another server has answered', async () => {
    let ignores = false;
    const { synced, asked, sent } = await setup(() => ignores);
    await synced({ shard, useWatchList: false });
    ignores = true;
    await synced({ shard, useWatchList: false });
    expect(asked()).toBe(2);
    const before = sent();
    await synced({ shard, useWatchList: false });
    expect(asked()).toBe(2);
    expect(sent()).toBe(before);
  });

  it('is asked for again after a new connection', async () => {
    const { api, clock, synced, asked } = await setup();
    await synced({ shard });
    api.faults.dropConnections();
    await clock.advance(5_000);
    await synced({ shard });
    expect(asked()).toBe(2);
  });

  it('the selector is sent if the question is refused', async () => {
    const { api, synced, asked, sent } = await setup();
    api.faults.inject({ verb: 'list', resource: 'leases', respond: { status: 403 }, times: 100 });
    await synced({ shard });
    await synced({ shard });
    expect(sent()).toBe(2);
    expect(asked()).toBe(1);
  });

  it('lists of custom resources and of metadata have no echo, and do not make it ask again', async () => {
    const { clock, client, factory, asked } = await setup();
    await client.apiextensions.v1.customResourceDefinitions().create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    const widgets = defineResource({
      group: 'example.com',
      version: 'v1',
      resource: 'widgets',
      kind: 'Widget',
      namespaced: true,
    });
    const informers = [1, 2, 3].flatMap(() => [
      factory.forResource(widgets, { shard, useWatchList: false }),
      factory.metadata({ group: '', version: 'v1', resource: 'configmaps' }, { shard, useWatchList: false }),
    ]);
    factory.start();
    await clock.until(() => informers.every(({ hasSynced }) => hasSynced));
    expect(asked()).toBe(1);
    expect(await ShardSupport.of(client).sends(new AbortController().signal)).toBe(true);
  });
});

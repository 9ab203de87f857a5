import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InformerEvent } from '../../src/cache/informer/informer-event.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { InformerRig } from './informer-rig.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

let server: RealApiServer;
beforeAll(async () => {
  server = await startRealApiServer();
});
afterAll(() => server.stop());

describe('many informers and many objects on a real kube-apiserver', () => {
  it('uses one HTTP/2 connection for 30 informers', async () => {
    await using proxy = await TcpProxy.start(server.url);
    await using rig = await InformerRig.start(server, { url: proxy.url });
    await rig.churn(30);
    for (let i = 0; i < 30; i++) {
      rig.observe(rig.factory.core.v1.configMaps({ name: `informer-${i}`, useWatchList: i % 2 === 0 }));
    }
    await rig.sync();
    await rig.churn(100, 30);
    await rig.check();
    expect(proxy.accepted).toBe(1);
    // They lose it at the same time, and share the next one.
    proxy.reset();
    await rig.churn(50, 130);
    await rig.check();
    expect(proxy.connections).toHaveLength(1);
  });

  it('caches 20,000 objects', async () => {
    await using rig = await InformerRig.start(server);
    const { factory, maps } = rig;
    const count = 20_000;
    const workers = Array.from({ length: 64 }, async (_, worker) => {
      for (let i = worker; i < count; i += 64) {
        await maps.create({ metadata: { name: `cm-${i}`, labels: { half: i < count / 2 ? 'lower' : 'upper' } } });
      }
    });
    await Promise.all(workers);
    const streamed = rig.observe(factory.core.v1.configMaps());
    rig.observe(factory.core.v1.configMaps({ useWatchList: false, name: 'listed' }));
    const byHalf = streamed.addIndex('half', ['metadata', 'labels', 'half']);
    await rig.sync();
    expect(streamed.lister.count()).toBe(count);
    expect(byHalf.count('upper')).toBe(count / 2);
    await rig.check();

    const late: InformerEvent<unknown>[] = [];
    const subscription = streamed.subscribe((event) => late.push(event));
    await subscription.whenSynced();
    expect(late).toHaveLength(count);
    await maps.deleteCollection({ labelSelector: 'half=upper' });
    await rig.check();
    expect(streamed.lister.count()).toBe(count / 2);
  });
});

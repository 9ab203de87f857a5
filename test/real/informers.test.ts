import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContractObserver } from '../support/contract-observer.js';
import { eventually } from '../support/eventually.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { InformerRig } from './informer-rig.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

/** Informers on a real server that is restarted, killed, compacted and disconnected. */
let server: RealApiServer;
beforeAll(async () => {
  // A graceful stop waits for watches up to the request timeout.
  server = await startRealApiServer({ flags: ['--request-timeout=5s'] });
});
afterAll(() => server.stop());

describe('informers on a real kube-apiserver', () => {
  it('list or watch-list, watch, select and index, as bytes and as objects', async () => {
    await using rig = await InformerRig.start(server);
    const { factory, namespace, maps } = rig;
    await rig.churn(30);
    const streamed = rig.observe(factory.core.v1.configMaps());
    rig.observe(factory.core.v1.configMaps({ useWatchList: false, name: 'listed' }));
    const objects = rig.observe(factory.core.v1.configMaps({ storage: 'objects', name: 'objects' }));
    const even = factory.core.v1.configMaps({ labelSelector: 'app=even', name: 'even' });
    const metadata = factory.metadata({ group: '', version: 'v1', resource: 'configmaps' });
    const byApp = streamed.addIndex('app', ['metadata', 'labels', 'app']);
    await rig.sync();
    await rig.churn(100, 30);
    await rig.check();
    await rig.equal(even, 'app=even');
    expect(byApp.count('even')).toBe(even.lister.count());
    expect(metadata.lister.keys().sort()).toEqual(streamed.lister.keys().sort());
    const made = await maps.create({ metadata: { name: 'read-your-writes' }, data: { a: 'b' } });
    await streamed.waitForResourceVersion(made.metadata.resourceVersion, { timeoutMs: 300_000 });
    const read = streamed.lister.getOrThrow({ namespace, name: 'read-your-writes' });
    expect(read.data).toEqual({ a: 'b' });
    expect(read.metadata.managedFields).toBeUndefined();
    await rig.check();
    expect(objects.lister.get(`${namespace}/read-your-writes`)).toEqual(read);
  });

  it('continue after a restart, which answers 410 to older resourceVersions', async () => {
    await using rig = await InformerRig.start(server);
    rig.observe(rig.factory.core.v1.configMaps());
    rig.observe(rig.factory.core.v1.configMaps({ useWatchList: false, name: 'listed' }));
    await rig.sync();
    await rig.churn(40);
    let isBack = false;
    const restarted = server.restart().finally(() => {
      isBack = true;
    });
    let rounds = 40;
    for (; !isBack; rounds += 20) await rig.churn(20, rounds);
    await restarted;
    await rig.churn(40, rounds);
    await rig.check();
  });

  it('continue after kill -9 under load', async () => {
    await using rig = await InformerRig.start(server);
    const maps = rig.observe(rig.factory.core.v1.configMaps());
    await rig.sync();
    const load = rig.churn(150);
    await eventually('the load has begun', () => rig.observer(maps).events > 10);
    await server.kill();
    await server.start();
    await load;
    await rig.churn(30, 150);
    await rig.check();
  });

  it('continue after a compaction, where a watch of events has to relist', async () => {
    await using rig = await InformerRig.start(server);
    const { admin, factory, namespace } = rig;
    const events = factory.core.v1.events();
    const observer = new ContractObserver(events.lister);
    events.subscribe(observer.listen);
    await rig.sync();
    const make = (name: string) =>
      admin.core.v1.events(namespace).create({
        metadata: { name },
        involvedObject: { kind: 'Pod', namespace, name: 'x' },
        reason: 'Test',
        message: name,
        type: 'Normal',
      });
    for (let i = 0; i < 20; i++) await make(`before-${i}`);
    await server.compact();
    for (let i = 0; i < 20; i++) await make(`after-${i}`);
    await eventually('all events are cached', () => events.lister.count() === 40);
    expect(observer.violations).toEqual([]);
  });

  it('keep their contract behind a proxy that resets, stalls and refuses connections', async () => {
    await using proxy = await TcpProxy.start(server.url);
    const http = { pingAfterMs: 1_000, pingTimeoutMs: 1_000 };
    await using rig = await InformerRig.start(server, { url: proxy.url, http });
    rig.observe(rig.factory.core.v1.configMaps());
    await rig.sync();
    await rig.churn(20);
    proxy.reset();
    await rig.churn(20, 20);
    await rig.check();
    proxy.stall();
    await rig.churn(20, 40);
    // The connection is dead without a close: the client has to notice. The proxy lets new connections through.
    proxy.release();
    await rig.check();
    proxy.refuse(true);
    proxy.reset();
    await rig.churn(20, 60);
    proxy.refuse(false);
    await rig.check();
  });
});

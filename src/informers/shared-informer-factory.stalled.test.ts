import { describe, expect, it } from 'vitest';
import { TcpProxy } from '../../test/support/tcp-proxy.js';
import { startApiServer } from '../apiserver/server.js';
import { Client } from '../client/client.js';
import { FakeClock } from '../time/fake-clock.js';
import { SharedInformerFactory } from './shared-informer-factory.js';

/** An informer over HTTP/1.1 on a fake clock, behind a proxy that can silence its connections. */
async function setup() {
  const api = await startApiServer();
  const writer = api.client();
  const proxy = await TcpProxy.start(api.url);
  const clock = new FakeClock();
  const client = new Client({ server: proxy.url, clock });
  const stop = new AbortController();
  const errors: unknown[] = [];
  const onError = (error: unknown): unknown => errors.push(error);
  const factory = new SharedInformerFactory(client, { onError, signal: stop.signal });
  const informer = factory.core.v1.configMaps();
  return {
    proxy,
    clock,
    informer,
    errors,
    create: (name: string) => writer.core.v1.configMaps('default').create({ metadata: { name } }),
    start: () => void factory.start(),
    /** Lets sockets work while no virtual time passes. */
    until: (holds: () => boolean) =>
      expect
        .poll(async () => {
          await clock.advance(0);
          return holds();
        })
        .toBe(true),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await clock.advance(0);
      await client.close();
      await writer.close();
      await proxy[Symbol.asyncDispose]();
      await api.stop();
    },
  };
}

describe('an informer over HTTP/1.1', () => {
  it('catches up 20 s after its connection has fallen silent', async () => {
    await using rig = await setup();
    const { proxy, clock, informer, errors } = rig;
    await rig.create('early');
    rig.start();
    await rig.until(() => informer.lister.list().length === 1);
    const { accepted } = proxy;
    proxy.stall();
    proxy.release();
    await rig.create('late');
    await clock.advance(20_000);
    await rig.until(() => informer.lister.list().length === 2);
    expect(proxy.accepted).toBeGreaterThan(accepted);
    expect(errors).toEqual([]);
    expect(informer.status).toMatchObject({ state: 'watching', consecutiveFailures: 0 });
  });

  it('syncs 20 s after its first connection has stalled without a response', async () => {
    await using rig = await setup();
    const { proxy, clock, informer } = rig;
    await rig.create('early');
    proxy.stall();
    rig.start();
    await rig.until(() => proxy.accepted === 1);
    proxy.release();
    await clock.advance(20_000);
    await rig.until(() => informer.hasSynced);
    expect(informer.lister.list()).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { InformerRig } from './informer-rig.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';
import { soak } from './soak.js';

/** Informers behind bad networks. The tests mostly wait, so they run concurrently. */
let server: RealApiServer;
beforeAll(async () => {
  server = await startRealApiServer();
});
afterAll(() => server.stop());

/** The time until an informer with a stalled connection has the changes it missed. */
async function timeToNotice(http2: boolean): Promise<number> {
  await using proxy = await TcpProxy.start(server.url);
  await using rig = await InformerRig.start(server, { url: proxy.url, http: { http2 } });
  const maps = rig.observe(rig.factory.core.v1.configMaps());
  await rig.sync();
  await rig.churn(5);
  await rig.check();
  const { accepted } = proxy;
  const stalledAt = performance.now();
  proxy.stall();
  proxy.release();
  await rig.churn(5, 5);
  await eventually('the stall is noticed', () => proxy.accepted > accepted, { withinMs: 200_000 });
  const noticedMs = performance.now() - stalledAt;
  await rig.check();
  expect(maps.status.state).toBe('watching');
  return noticedMs;
}

describe.concurrent('informers behind bad networks', () => {
  // Both take 20 s at most on a quiet machine. Without pings and `silenceMs` it would be minutes, under load or not.
  it.each([true, false])('notice a stalled connection, HTTP/2: %s', async (http2) => {
    expect(await timeToNotice(http2)).toBeLessThan(60_000);
  });

  it.each([true, false])('get the current resourceVersion from bookmarks alone, HTTP/2: %s', async (http2) => {
    await using proxy = await TcpProxy.start(server.url);
    await using rig = await InformerRig.start(server, { url: proxy.url, http: { http2 } });
    const maps = rig.observe(rig.factory.core.v1.configMaps({ useWatchList: false }));
    await rig.sync();
    const { resourceVersion } = maps.status;
    await eventually('a bookmark has come', () => maps.status.lastBookmarkAt !== undefined);
    // The writes were to another resource: only a bookmark has this resourceVersion.
    expect(BigInt(maps.status.resourceVersion)).toBeGreaterThan(BigInt(resourceVersion));
    // On HTTP/1.1 a quiet watch is reopened, which is no failure.
    if (http2) expect(proxy.accepted).toBeLessThanOrEqual(2);
    expect(rig.survived).toEqual([]);
    await rig.check();
  });

  it('equal the server after resets, stalls, half-closes, slow bytes and refusals', async () => {
    const report = await soak(server, {
      seed: 7,
      durationMs: 30_000,
      settleWithinMs: 300_000,
    });
    expect(report.watches).toBeGreaterThan(10);
  });
});

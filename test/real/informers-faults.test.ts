import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { InformerRig } from './informer-rig.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';
import { soak } from './soak.js';

/** What bad networks do to informers. Most of it is waiting, so all of it is done at the same time. */
let server: RealApiServer;
beforeAll(async () => {
  server = await startRealApiServer();
});
afterAll(() => server.stop());

/** How long it takes an informer that has fallen silent to notice, and to have what was missed. */
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

  it.each([true, false])('learn from bookmarks alone how far the server has come, HTTP/2: %s', async (http2) => {
    await using proxy = await TcpProxy.start(server.url);
    await using rig = await InformerRig.start(server, { url: proxy.url, http: { http2 } });
    const maps = rig.observe(rig.factory.core.v1.configMaps({ useWatchList: false }));
    await rig.sync();
    const { resourceVersion } = maps.status;
    await eventually('a bookmark has come', () => maps.status.lastBookmarkAt !== undefined);
    // Somebody has written elsewhere meanwhile: only a bookmark can have told.
    expect(BigInt(maps.status.resourceVersion)).toBeGreaterThan(BigInt(resourceVersion));
    // On HTTP/1.1 a quiet watch is reopened, which is no failure.
    if (http2) expect(proxy.accepted).toBeLessThanOrEqual(2);
    expect(rig.survived).toEqual([]);
    await rig.check();
  });

  it('have what the server has when a storm of resets, stalls, half-closes, trickles and refusals is over', async () => {
    const report = await soak(server, {
      seed: 7,
      durationMs: 30_000,
      settleWithinMs: 300_000,
    });
    expect(report.watches).toBeGreaterThan(10);
  });
});

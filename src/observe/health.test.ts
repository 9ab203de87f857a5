import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Health } from './health.js';
import { httpHandler } from './http-handler.js';
import { informersCheck } from './informers-check.js';
import { MetricsRegistry } from './metrics/metrics-registry.js';

type InformerStatusLike =
  Extract<Parameters<typeof informersCheck>[0], Iterable<unknown>> extends Iterable<infer I extends { status: object }>
    ? I['status']
    : never;

interface MutableInformer {
  resource: { group: string; resource: string };
  hasSynced: boolean;
  status: { -readonly [K in keyof InformerStatusLike]: InformerStatusLike[K] };
}

function informer(resource: string, group = ''): MutableInformer {
  const status = { state: 'watching', stalenessMs: 0, consecutiveFailures: 0, lastError: undefined };
  return { resource: { group, resource }, hasSynced: true, status };
}

describe('informersCheck', () => {
  it('passes for informers that have synced and get events or bookmarks', () => {
    const pods = informer('pods');
    pods.status.stalenessMs = 180_000;
    pods.status.consecutiveFailures = 4;
    expect(informersCheck([pods]).check()).toBeUndefined();
    expect(informersCheck([]).check()).toBeUndefined();
  });

  it('names the informer that has not synced, is deaf, stale or stopped, and the reason', () => {
    const all = ['pods', 'nodes', 'services', 'secrets', 'jobs'].map((name) => informer(name));
    const [unsynced, deaf, stale, stopped] = all as [
      MutableInformer,
      MutableInformer,
      MutableInformer,
      MutableInformer,
    ];
    unsynced.hasSynced = false;
    unsynced.status.state = 'listing';
    unsynced.status.lastError = new Error('pods is forbidden');
    deaf.status.consecutiveFailures = 5;
    deaf.status.state = 'backingOff';
    deaf.resource.group = 'example.com';
    stale.status.stalenessMs = 240_400;
    stopped.status.state = 'stopped';
    expect(informersCheck(() => all).check()).toBe(
      'pods has not synced (listing, last error: pods is forbidden); ' +
        'nodes.example.com is deaf: 5 failures in a row (backingOff); ' +
        'services is stale: no event or bookmark for 240 s (watching); ' +
        'secrets is stopped',
    );
  });

  it('reads the informers at each check, with the given limits', () => {
    const list: MutableInformer[] = [];
    const check = informersCheck(() => list, { name: 'mine', staleAfterMs: 10, deafAfterFailures: 1 });
    expect([check.name, check.check()]).toEqual(['mine', undefined]);
    list.push(informer('pods'));
    list[0]!.status.stalenessMs = 11;
    expect(check.check()).toMatch(/^pods is stale/);
    expect(() => informersCheck([], { staleAfterMs: -1 })).toThrow(/staleAfterMs must be/);
    expect(() => informersCheck([], { deafAfterFailures: 0 })).toThrow(/deafAfterFailures must be/);
  });
});

describe('Health', () => {
  it('runs checks of livez for readyz too, and not the other way round', async () => {
    const health = new Health();
    health.addLive({ name: 'life', check: () => undefined });
    const undo = health.addReady({ name: 'traffic', check: async () => 'not yet' });
    expect(health.names('livez')).toEqual(['ping', 'life']);
    expect(health.names('readyz')).toEqual(['ping', 'life', 'traffic']);
    expect((await health.report('livez')).ok).toBe(true);
    expect((await health.report('readyz')).ok).toBe(false);
    undo();
    expect((await health.report('readyz')).ok).toBe(true);
  });

  it('fails a check that throws, and rejects a second check with the same name', async () => {
    const health = new Health();
    health.addReady({ name: 'a', check: () => Promise.reject(new Error('broken')) });
    expect(() => health.addLive({ name: 'a', check: () => undefined })).toThrow(/named "a" already/);
    const report = await health.report('readyz', { exclude: ['b'] });
    expect(report.checks).toEqual([
      { name: 'ping', problem: undefined, isAdvisory: false },
      { name: 'a', problem: 'broken', isAdvisory: false },
    ]);
    expect(report.unknown).toEqual(['b']);
  });

  it('shows the problem of an advisory check, and fails only if it is asked for', async () => {
    const health = new Health();
    health.addReady({ name: 'clusters', isAdvisory: true, check: () => 'one is away' });
    expect(await health.report('readyz')).toMatchObject({
      ok: true,
      checks: [{ name: 'ping' }, { name: 'clusters', problem: 'one is away', isAdvisory: true }],
    });
    expect((await health.report('readyz', { only: 'clusters' })).ok).toBe(false);
    expect((await health.report('readyz', { include: ['clusters'] })).ok).toBe(false);
    expect((await health.report('readyz', { include: ['cluster'] })).unknown).toEqual(['cluster']);
  });
});

describe('httpHandler', () => {
  let server: Server;
  let health: Health;
  let registry: MetricsRegistry;

  beforeEach(async () => {
    health = new Health();
    registry = new MetricsRegistry();
    server = createServer(httpHandler({ metrics: registry, health }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  async function get(target: string, method = 'GET'): Promise<{ status: number; type: string; text: string }> {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${target}`, { method });
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      text: await response.text(),
    };
  }

  it('serves metrics', async () => {
    registry.counter({ name: 'a_total', help: 'A.' }).labels().inc();
    const answer = await get('/metrics');
    expect(answer.status).toBe(200);
    expect(answer.type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.text).toBe('# HELP a_total A.\n# TYPE a_total counter\na_total 1\n');
    expect(await get('/metrics', 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect((await get('/metrics', 'POST')).status).toBe(405);
    registry.onCollect(() => {
      throw new Error('no luck');
    });
    expect(await get('/metrics')).toMatchObject({ status: 500, text: 'no luck\n' });
  });

  it('shows advisory checks', async () => {
    health.addReady({ name: 'clusters', isAdvisory: true, check: () => 'one is away' });
    expect(await get('/readyz')).toMatchObject({ status: 200, text: 'ok' });
    const warned = '[+]ping ok\n[!]clusters warns: one is away\nreadyz check passed\n';
    expect(await get('/readyz?verbose')).toMatchObject({ status: 200, text: warned });
    const failed = '[+]ping ok\n[-]clusters failed: one is away\nreadyz check failed\n';
    expect(await get('/readyz?include=clusters')).toMatchObject({ status: 500, text: failed });
    expect((await get('/readyz/clusters')).status).toBe(500);
  });

  it("answers probes as Kubernetes' components do", async () => {
    let problem: string | undefined;
    health.addReady({ name: 'informers', check: () => problem });
    expect(await get('/readyz')).toMatchObject({ status: 200, text: 'ok' });
    expect((await get('/readyz?verbose')).text).toBe('[+]ping ok\n[+]informers ok\nreadyz check passed\n');
    problem = 'pods has not\nsynced';
    const failed = '[+]ping ok\n[-]informers failed: pods has not synced\nreadyz check failed\n';
    expect(await get('/readyz')).toMatchObject({ status: 500, text: failed });
    expect(await get('/livez')).toMatchObject({ status: 200, text: 'ok' });
    expect(await get('/healthz')).toMatchObject({ status: 200, text: 'ok' });
    expect(await get('/readyz?exclude=informers&verbose')).toMatchObject({
      status: 200,
      text: '[+]ping ok\nreadyz check passed\n',
    });
    expect((await get('/readyz?exclude=x&verbose')).text).toContain('no matches for "x"\n');
    expect(await get('/readyz/ping')).toMatchObject({ status: 200, text: 'ok' });
    expect((await get('/readyz/informers')).status).toBe(500);
    expect((await get('/readyz/%zz')).status).toBe(404);
    expect((await get('/livez', 'DELETE')).status).toBe(405);
  });

  it('answers 404 to everything else', async () => {
    for (const target of ['/', '//', '/metrics/x', '/toString']) expect((await get(target)).status).toBe(404);
    const handler = httpHandler({});
    server.removeAllListeners('request').on('request', handler);
    expect((await get('/metrics')).status).toBe(404);
    expect((await get('/livez')).status).toBe(404);
  });
});

import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { startApiServer } from '../apiserver/server.js';
import { SharedInformerFactory } from '../informers/shared-informer-factory.js';
import { channels } from '../observe/channels.js';
import { FakeClock } from '../time/fake-clock.js';
import { WorkQueue } from '../workqueue/work-queue.js';
import { type InspectorOptions, startInspector } from './inspector.js';
import type { History, Snapshot } from './protocol.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function setup(options: Partial<InspectorOptions> = {}) {
  const clock = new FakeClock();
  const api = await startApiServer({ clock, listen: false });
  const client = api.client();
  const factory = new SharedInformerFactory(client);
  const inspector = await startInspector({ factory, ...options });
  ends.push(
    () => api.stop(),
    () => client.close(),
    () => factory.stop(),
    () => inspector.stop(),
  );
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    answer(new URL(path, inspector.url), headers, method);
  return { clock, client, factory, inspector, ask };
}

async function answer(url: URL, headers: Record<string, string> = {}, method = 'GET') {
  const sent = request(url, { headers, method, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** Opens a stream; `next` resolves with the data of the next event of a name. */
async function openStream(url: string) {
  const sent = get(new URL('api/stream', url), { agent: false });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  ends.push(async () => sent.destroy());
  let buffered = '';
  response.setEncoding('utf8').on('data', (chunk: string) => (buffered += chunk));
  const next = async <T>(name: string): Promise<T> => {
    for (;;) {
      const found = new RegExp(`event: ${name}\ndata: (.*)\n\n`).exec(buffered);
      if (found !== null) {
        buffered = buffered.slice(found.index + found[0].length);
        return JSON.parse(found[1] as string) as T;
      }
      await once(response, 'data');
    }
  };
  return { response, sent, next };
}

/** Waits until something that depends on sockets has happened. */
async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('startInspector', () => {
  it('streams the history and then a snapshot every second', async () => {
    const { clock, factory, inspector } = await setup();
    factory.core.v1.namespaces({ name: 'all namespaces' });
    factory.start();
    await clock.advance(100);
    const { next, response } = await openStream(inspector.url);
    expect(response.headers['content-type']).toContain('text/event-stream');
    expect(await next<History>('history')).toEqual({ version: 1, at: [], series: {} });
    await clock.advance(1000);
    const snapshot = await next<Snapshot>('snapshot');
    expect(snapshot.informers).toMatchObject([{ name: 'all namespaces', state: 'watching', hasSynced: true }]);
    expect(snapshot.recording.viewers).toBe(1);
    const second = await openStream(inspector.url);
    expect((await second.next<History>('history')).at).toEqual([snapshot.at]);
  });

  it('listens to channels only while a page is open, and for a minute after', async () => {
    const { clock, inspector } = await setup();
    expect(channels.storeChange.hasSubscribers).toBe(false);
    const { next, sent } = await openStream(inspector.url);
    await next('history');
    expect(channels.storeChange.hasSubscribers).toBe(true);
    sent.destroy();
    await eventually(() => clock.pendingTimers.length === 2);
    await clock.advance(61_000);
    expect(channels.storeChange.hasSubscribers).toBe(false);
  });

  it('answers requests of the page, and says what is wrong with others', async () => {
    const { clock, factory, ask } = await setup();
    factory.core.v1.namespaces();
    factory.start();
    await clock.advance(100);
    const searching = ask('api/search?q=kube-system');
    await eventually(() => channels.storeChange.hasSubscribers);
    await clock.advance(100);
    const found = JSON.parse((await searching).body);
    expect(found.matches).toMatchObject([{ key: 'kube-system', kind: 'Namespace' }]);
    const [{ informer }] = found.matches;
    expect(JSON.parse((await ask('api/controllers')).body)).toMatchObject({ controllers: [], managers: [] });
    expect((await ask(`api/object?informer=${informer}&key=none`)).status).toBe(404);
    expect((await ask('api/object?informer=x')).status).toBe(400);
    expect((await ask('api/none')).status).toBe(404);
    expect((await ask('none.js')).status).toBe(404);
    expect((await ask('..%2f..%2fpackage.json')).status).toBe(404);
    expect((await ask(`api/search?q=${'x'.repeat(5000)}`)).status).toBe(414);
    const written = await ask('api/search', {}, 'POST');
    expect([written.status, written.headers.allow]).toEqual([405, 'GET, HEAD']);
    const head = await ask('api/controllers', {}, 'HEAD');
    expect([head.status, head.body]).toEqual([200, '']);
    for (const { headers } of [written, await ask('none')])
      expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('refuses other host names and pages of other sites', async () => {
    const { ask } = await setup();
    expect((await ask('api/controllers', { host: 'evil.example.com' })).status).toBe(403);
    expect((await ask('api/controllers', { origin: 'https://evil.example.com' })).status).toBe(403);
    expect((await ask('api/stream', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('asks for a token on other addresses, and keeps it in a cookie', async () => {
    const { inspector, ask } = await setup({ host: '0.0.0.0', token: 'abcdefghijklmnop' });
    expect(inspector.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+\/\?token=abcdefghijklmnop$/);
    expect((await ask('api/controllers')).status).toBe(401);
    expect((await ask('/?token=wrong')).status).toBe(401);
    const first = await ask(inspector.url);
    expect([first.status, first.headers.location]).toEqual([303, './']);
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    expect(cookie).toContain('HttpOnly; SameSite=Strict');
    const [pair = ''] = cookie.split(';');
    expect((await ask('api/controllers', { cookie: pair })).status).toBe(200);
    expect((await ask('api/controllers', { authorization: 'Bearer abcdefghijklmnop' })).status).toBe(200);
    const { inspector: random } = await setup({ host: '0.0.0.0' });
    expect(random.url).toMatch(/\?token=[\w-]{32}$/);
  });

  it('has at most eight viewers', async () => {
    const { inspector, ask } = await setup();
    for (let i = 0; i < 8; i++) await openStream(inspector.url);
    const refused = await ask('api/stream');
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([503, expect.stringContaining('8 pages')]);
  });

  it('disconnects a viewer that does not read, and goes on with the others', async () => {
    const { clock, factory, inspector } = await setup();
    // Much to send: names of informers are part of each snapshot.
    for (let i = 0; i < 200; i++) factory.core.v1.pods({ name: `${i} ${'x'.repeat(5000)}` });
    await clock.advance(10);
    const { port, hostname } = new URL(inspector.url);
    const lazy = connect(Number(port), hostname);
    ends.push(async () => lazy.destroy());
    lazy.on('error', () => {});
    lazy.write(`GET /api/stream HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    await once(lazy, 'readable');
    const reader = await openStream(inspector.url);
    await reader.next('history');
    let viewers = 2;
    for (let i = 0; viewers === 2 && i < 100; i++) {
      await clock.advance(1000);
      ({
        recording: { viewers },
      } = await reader.next<Snapshot>('snapshot'));
    }
    expect(viewers).toBe(1);
  });

  it('refuses options that it cannot use', async () => {
    const { client, factory } = await setup();
    const wrong = (options: object, message: string) =>
      expect(startInspector(options as InspectorOptions)).rejects.toThrow(message);
    await wrong({}, 'needs a factory, a manager or queues');
    await wrong({ factory: client }, 'factory must be a SharedInformerFactory');
    await wrong({ manager: {} }, 'manager must be what createManager returned');
    await wrong({ queues: [new WorkQueue()] }, 'must have a name');
    await wrong({ factory, port: -1 }, 'port must be');
    await wrong({ factory, token: 'short' }, 'token must be at least 16');
    await wrong({ factory, host: 'a/b' }, 'host must be');
    await wrong({ factory, bogus: 1 }, 'bogus');
  });

  it('stops with its signal, and names the port that is in use', async () => {
    const stop = new AbortController();
    const { inspector, factory } = await setup({ signal: stop.signal });
    const port = Number(new URL(inspector.url).port);
    await expect(startInspector({ factory, port })).rejects.toThrow('EADDRINUSE');
    const { response } = await openStream(inspector.url);
    response.on('error', () => {});
    const isClosed = new Promise((resolve) => response.once('close', resolve));
    stop.abort();
    await isClosed;
    await inspector.stop();
    const again = await startInspector({ factory, port });
    await again.stop();
  });
});

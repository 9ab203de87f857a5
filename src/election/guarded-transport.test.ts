import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedTls } from '../../test/support/fixed-tls.js';
import { type ApiServer, startApiServer } from '../apiserver/server.js';
import { Client } from '../client/client.js';
import { HttpTransport } from '../rest/http/http-transport.js';
import { MemoryTransport } from '../rest/http/memory-transport.js';
import { RequestError } from '../rest/http/request-errors.js';
import type { ResponseHandler, TransportRequest } from '../rest/http/transport.js';
import { RestClient } from '../rest/request/rest-client.js';
import { FakeClock } from '../time/fake-clock.js';
import { LeadershipLostError } from './election-errors.js';
import { GuardedTransport } from './guarded-transport.js';
import { LeaderElector } from './leader-elector.js';

let clock: FakeClock;
let api: ApiServer;
let client: Client;
let stop: AbortController;
let running: Promise<unknown>;
let elector: LeaderElector;

beforeEach(async () => {
  clock = new FakeClock();
  api = await startApiServer({ clock, listen: false });
  const rest = new RestClient({ server: 'memory:' }, { clock, transport: new MemoryTransport(api.connection) });
  client = new Client({ rest, namespace: 'mine' });
  elector = new LeaderElector(client, { namespace: 'default', name: 'boss', identity: 'me', onError() {} });
  stop = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  api.faults.clear();
  stop.abort();
  await clock.advance(60_000);
  await running;
  await client.close();
  await api.stop();
  expect(clock.pendingTimers).toEqual([]);
});

async function elect(lead = (signal: AbortSignal) => clock.sleep(1e9, { signal })): Promise<void> {
  running = elector.run(lead, { signal: stop.signal });
  await clock.until(() => elector.isLeader);
}

function write(through: Client, name: string): Promise<unknown> {
  return through.core.v1.configMaps('default').create({ metadata: { name } });
}

async function names(): Promise<string[]> {
  return (await client.core.v1.configMaps('default').list()).items.map(({ metadata }) => metadata.name);
}

describe('a guarded client', () => {
  it('sends requests only while the elector leads', async () => {
    const guarded = elector.guard(client);
    expect([guarded.namespace, guarded.clock]).toEqual(['mine', clock]);
    const early = write(guarded, 'early').catch((error: unknown) => error);
    expect(await early).toBeInstanceOf(RequestError);
    expect(((await early) as Error).cause).toBeInstanceOf(LeadershipLostError);
    expect(((await early) as Error).message).toContain('me does not lead default/boss: it was not elected');
    await elect();
    await write(guarded, 'leading');
    stop.abort();
    await running;
    await expect(write(guarded, 'late')).rejects.toThrow(/me does not lead default\/boss/);
    expect(await names()).toEqual(['leading']);
  });

  it('sends nothing after the deadline, even if no timer has fired and no signal has aborted', async () => {
    const guarded = elector.guard(client);
    await elect();
    await clock.advance(1000);
    const now = clock.monotonicNow.bind(clock);
    // As after a blocked event loop: time has passed, and no timer has fired.
    clock.monotonicNow = () => now() + 8999;
    const inTime = write(guarded, 'in-time');
    await inTime;
    clock.monotonicNow = () => now() + 9000;
    const late = write(guarded, 'late');
    await expect(late).rejects.toThrow(
      /create configmaps .* me does not lead default\/boss: its Lease was last renewed 10000 ms ago.*; the request was not sent/,
    );
    clock.monotonicNow = now;
    await write(guarded, 'after');
    expect(await names()).toEqual(['after', 'in-time']);
  });

  it('checks again before each retry', async () => {
    const guarded = elector.guard(client);
    await elect();
    api.faults.inject({ verb: 'create', resource: 'configmaps', respond: { status: 429, retryAfterMs: 20_000 } });
    const write429 = write(guarded, 'late').catch((error: unknown) => error);
    api.faults.inject({ resource: 'leases', times: Number.POSITIVE_INFINITY, respond: { status: 500 } });
    await clock.advance(21_000);
    expect(((await write429) as Error).cause).toBeInstanceOf(LeadershipLostError);
    expect(await names()).toEqual([]);
  });

  it('checks again when a connection is ready for a request that had to wait', () => {
    let allowed = true;
    const sent: string[] = [];
    const refusals: unknown[] = [];
    const sink = { chunk: () => true };
    const handler: ResponseHandler = { head: () => sink, end() {}, fail: (error) => refusals.push(error) };
    const inner = new MemoryTransport({
      send: ({ target }) => {
        sent.push(target);
        return { pause() {}, resume() {}, abort() {} };
      },
    });
    const guarded = new GuardedTransport(inner, { refusal: () => (allowed ? undefined : new Error('no more')) });
    guarded.send({ method: 'GET', target: '/1', headers: {} }, handler);
    allowed = false;
    guarded.send({ method: 'GET', target: '/2', headers: {} }, handler).resume();
    inner.send({ method: 'GET', target: '/3', headers: {}, refusal: () => new Error('nor here') }, handler);
    expect([sent, refusals]).toEqual([['/1'], []]);
    return Promise.resolve().then(() => {
      expect(refusals).toEqual([new Error('no more'), new Error('nor here')]);
      expect([guarded.server, guarded.isLocal]).toEqual([inner.server, true]);
    });
  });

  it('passes its check on with each request, for when a connection is ready', () => {
    let allowed = true;
    const requests: TransportRequest[] = [];
    const inner = new MemoryTransport({ send: () => ({ pause() {}, resume() {}, abort() {} }) });
    inner.send = (request) => {
      requests.push(request);
      return { resume() {} };
    };
    const guarded = new GuardedTransport(inner, { refusal: () => (allowed ? undefined : new Error('no more')) });
    guarded.send(
      { method: 'GET', target: '/1', headers: {} },
      { head: () => ({ chunk: () => true }), end() {}, fail() {} },
    );
    expect(requests[0]?.refusal?.()).toBeUndefined();
    allowed = false;
    expect(requests[0]?.refusal?.()).toEqual(new Error('no more'));
  });

  it.each([
    ['http', false],
    ['https, where HTTP/2 is offered', true],
  ])('is checked by sockets (%s): when one is ready, and right before it is written to', async (_name, tls) => {
    const remote = await startApiServer({ tls });
    const ca = remote.certificateAuthority;
    const transport = new HttpTransport({ server: remote.url, tls: ca === undefined ? undefined : fixedTls({ ca }) });
    const send = (name: string, refusal?: () => Error | undefined): Promise<unknown> =>
      new Promise((resolve) => {
        let status: number;
        transport.send(
          {
            method: 'POST',
            target: '/api/v1/namespaces',
            headers: { 'content-type': 'application/json' },
            body: Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
            refusal,
          },
          {
            head: (code) => {
              status = code;
              return { chunk: () => true };
            },
            end: () => resolve(status),
            fail: resolve,
          },
        );
      });
    const refused = new Error('too late');
    const [first, second] = [send('first', () => refused), send('second', () => undefined)];
    expect(await first).toBe(refused);
    expect(await second).toBe(201);
    // On an open connection, which is written to in the next turn.
    let isTooLate = false;
    const third = send('third', () => (isTooLate ? refused : undefined));
    await Promise.resolve();
    isTooLate = true;
    expect(await third).toBe(refused);
    expect(await send('fourth')).toBe(201);
    await transport.close();
    const { items } = await new Client({
      rest: new RestClient({ server: 'memory' }, { transport: new MemoryTransport(remote.connection) }),
    }).core.v1
      .namespaces()
      .list();
    expect(items.map(({ metadata }) => metadata.name).filter((name) => /first|second|third|fourth/.test(name))).toEqual(
      ['fourth', 'second'],
    );
    await remote.stop();
  });

  it('does not close the connections of the client that it guards', async () => {
    const guarded = elector.guard(client);
    await elect();
    await guarded.close();
    await write(client, 'still-open');
    expect(await names()).toEqual(['still-open']);
  });

  it('resolves with lost when lead rejects because a request was refused', async () => {
    const guarded = elector.guard(client);
    let outcome: unknown;
    running = elector
      .run(async () => {
        for (let i = 0; ; i++) {
          await write(guarded, `w${i}`);
          await clock.sleep(1000);
        }
      })
      .then(
        (value) => (outcome = value),
        (error: unknown) => (outcome = error),
      );
    await clock.until(() => elector.isLeader);
    api.faults.inject({ resource: 'leases', times: Number.POSITIVE_INFINITY, respond: { status: 500 } });
    await clock.until(() => outcome !== undefined);
    expect(outcome).toBe('lost');
  });
});

import { createHook } from 'node:async_hooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ask,
  echo,
  holding,
  serve,
  serveHttp2,
  serveSockets,
  transportTo,
  trusting,
  ways,
} from '../../../test/support/transport-rig.js';
import type { ApiHandler, ApiRequest } from '../../apiserver/wire/exchange.js';
import { type HttpListener, listen } from '../../apiserver/wire/http-listener.js';
import { isConnectionLost, isConnectionRefused, isNetworkTimeout } from '../../meta/errors/error-predicates.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { RestClient } from '../request/rest-client.js';
import { HttpTransport, type HttpTransportOptions } from './http-transport.js';
import { ConnectionLostError } from './request-errors.js';

/** Counts sockets that are opened from now on and not yet closed. Those of earlier tests in this process do not count. */
function countSockets(): { readonly opened: () => number; readonly open: () => number } {
  const sockets = new Set<number>();
  let opened = 0;
  const hook = createHook({
    init: (id, type) => {
      if (type !== 'TCPWRAP') return;
      sockets.add(id);
      opened++;
    },
    destroy: (id) => sockets.delete(id),
  }).enable();
  onTestFinished(() => void hook.disable());
  return { opened: () => opened, open: () => sockets.size };
}

describe('a server with another scheme than the URL', () => {
  it.each([
    ['that sends an alert', '\x15\x03\x01\0\x02\x02\x46', 'the server at this address speaks TLS: use '],
    ['that hangs up', '', 'if the server at this address speaks TLS: use '],
  ])('is reported with the URL to use: a TLS server %s', async (_, alert, hint) => {
    const port = await serveSockets((socket) => socket.once('data', () => socket.end(alert)));
    await using rest = new RestClient({ server: `http://127.0.0.1:${port}` }, { maxRetries: 0 });
    const asked = rest.get().resource('pods').do();
    const error = await asked.catch((failure: Error) => failure);
    expect((error as Error).message).toContain(`list pods of http://127.0.0.1:${port}: `);
    expect((error as Error).message).toContain(`${hint}https://127.0.0.1:${port})`);
  });

  it('is reported with the URL to use: a server without TLS', async () => {
    const { url } = await serve(echo);
    await using rest = new RestClient({ server: url.replace('http:', 'https:') });
    const error = await rest
      .get()
      .resource('pods')
      .do()
      .catch((failure: Error) => failure);
    expect((error as Error).message).toContain(`does not speak TLS: use ${url} if this is the right server`);
  });
});

describe.each(ways)('a transport over $name', ({ options, transport: chosen }) => {
  async function start(
    handler: ApiHandler,
    more?: HttpTransportOptions,
  ): Promise<{ transport: HttpTransport; listener: HttpListener }> {
    const listener = await serve(handler, options);
    return { listener, transport: transportTo({ server: listener.url, tls: trusting }, { ...chosen, ...more }) };
  }

  it('sends method, path, headers and body, and receives status, headers and body', async () => {
    const { transport } = await start(echo);
    const answer = ask(transport, {
      method: 'POST',
      target: '/api/v1/pods?limit=1',
      headers: { 'x-probe': ['a', 'b'] },
      body: Buffer.from('hello'),
    });
    expect(await answer.done).toBe('POST /api/v1/pods?limit=1 hello');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain', 'x-probe': 'a, b' });
  });

  it('sends many requests at once', async () => {
    const { transport } = await start(echo);
    const answers = Array.from({ length: 50 }, (_, i) => ask(transport, { target: `/${i}` }));
    const bodies = await Promise.all(answers.map((answer) => answer.done));
    expect(bodies).toEqual(answers.map((_, i) => `GET /${i} `));
  });

  it('stops reading when the sink pauses, and continues after resume', async () => {
    const { handler, held } = holding();
    const { transport } = await start(handler);
    const answer = ask(transport);
    await answer.until('open');
    answer.appetite = 1;
    const { response } = held[0]!;
    const block = Buffer.alloc(256 * 1024, 'x');
    for (let i = 0; i < 64; i++) response.write(block);
    await expect.poll(() => answer.received).toBeGreaterThan(4);
    const atPause = answer.received;
    await realClock.yield();
    await realClock.yield();
    expect(answer.received).toBe(atPause);
    expect(response.pendingBytes).toBeGreaterThan(0);
    answer.appetite = Number.POSITIVE_INFINITY;
    answer.exchange.resume();
    response.end();
    await answer.done;
    expect(answer.received).toBe(4 + 64 * block.length);
  });

  it('fails at once with the reason when aborted before it is sent', async () => {
    const { transport } = await start(echo);
    const reason = new Error('not needed');
    const answer = ask(transport, { signal: AbortSignal.abort(reason) });
    await expect(answer.done).rejects.toBe(reason);
  });

  it('fails at once with the reason when aborted while it waits for a connection', async () => {
    const { transport } = await start(echo);
    const controller = new AbortController();
    const answer = ask(transport, { signal: controller.signal });
    const reason = new Error('not needed');
    controller.abort(reason);
    await expect(answer.done).rejects.toBe(reason);
    expect(await ask(transport, { target: '/next' }).done).toBe('GET /next ');
  });

  it('fails at once with the reason when aborted before the response, and the server notices', async () => {
    const arrived: ApiRequest[] = [];
    const { transport } = await start((request) => {
      arrived.push(request);
      return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve(), { once: true }));
    });
    const controller = new AbortController();
    const answer = ask(transport, { signal: controller.signal });
    await expect.poll(() => arrived.length).toBe(1);
    const reason = new Error('not needed');
    controller.abort(reason);
    await expect(answer.done).rejects.toBe(reason);
    await expect.poll(() => arrived[0]!.signal.aborted).toBe(true);
  });

  it('fails at once with the reason when aborted in the middle of the response, paused or not', async () => {
    const { handler, held } = holding();
    const { transport } = await start(handler);
    const reason = new Error('not needed');
    for (const appetite of [Number.POSITIVE_INFINITY, 1]) {
      const controller = new AbortController();
      const answer = ask(transport, { signal: controller.signal });
      answer.appetite = appetite;
      await answer.until('open');
      controller.abort(reason);
      await expect(answer.done).rejects.toBe(reason);
      const { request } = held.at(-1)!;
      await expect.poll(() => request.signal.aborted).toBe(true);
    }
  });

  it('fails with a lost connection when the server closes it before or in the middle of the response', async () => {
    const { handler, held } = holding();
    const { transport, listener } = await start(handler);
    const answer = ask(transport);
    await answer.until('open');
    expect(held).toHaveLength(1);
    listener.dropConnections();
    await expect(answer.done).rejects.toSatisfy(isConnectionLost);

    const silent = await serve(() => new Promise(() => {}), options);
    const another = transportTo({ server: silent.url, tls: trusting }, chosen);
    const unanswered = ask(another);
    await expect
      .poll(() => {
        silent.dropConnections();
        return unanswered.isOver;
      })
      .toBe(true);
    await expect(unanswered.done).rejects.toSatisfy(isConnectionLost);
  });

  it('fails with a refused connection, and connects once a server listens', async () => {
    const { transport, listener } = await start(echo);
    listener.refuse();
    await expect(ask(transport).done).rejects.toSatisfy(isConnectionRefused);
    await listener.accept();
    expect(await ask(transport).done).toBe('GET / ');
  });

  it('fails a request that cannot be sent, and sends the others', async () => {
    const { transport } = await start(echo);
    const bad = ask(transport, { headers: { authorization: 'Bearer se\ncret' } });
    const unnameable = ['a\nb', 'bäd', ''].map((name) => ask(transport, { headers: { [name]: 'x' } }).done);
    const good = ask(transport);
    const error = (await bad.done.catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(Error);
    expect(error.message).not.toContain('cret');
    for (const refused of unnameable) await expect(refused).rejects.toThrow('valid HTTP token');
    expect(await good.done).toBe('GET / ');
  });

  it('reuses connections, and closes them after idleTimeoutMs', async () => {
    const clock = new FakeClock();
    const { transport } = await start(echo, { clock, idleTimeoutMs: 5000 });
    let reached = 0;
    transport.onConnect(() => reached++);
    await ask(transport).done;
    await clock.advance(4900);
    await ask(transport).done;
    await clock.advance(4900);
    await ask(transport).done;
    expect(reached).toBe(1);
    await clock.advance(5000);
    await ask(transport).done;
    expect(reached).toBe(2);
  });

  it('fails requests under way and new ones when it is closed', async () => {
    const { handler } = holding();
    const { transport } = await start(handler);
    const answer = ask(transport);
    await answer.until('open');
    const waiting = ask(transport);
    await transport.close();
    await expect(answer.done).rejects.toThrow('was closed');
    await expect(waiting.done).rejects.toThrow('was closed');
    await expect(ask(transport).done).rejects.toThrow('was closed');
  });

  it('leaves no socket open when it is closed, in any state', async () => {
    const sockets = countSockets();
    for (const state of ['idle', 'busy', 'dialling']) {
      const listener = await listen(state === 'busy' ? holding().handler : echo, options);
      const transport = new HttpTransport({ server: listener.url, tls: trusting }, chosen);
      const answer = ask(transport);
      if (state === 'idle') await answer.done;
      if (state === 'busy') await answer.until('open');
      await transport.close();
      await listener.close();
    }
    // Both ends of an idle and of a busy connection, at least.
    expect(sockets.opened()).toBeGreaterThanOrEqual(4);
    await expect.poll(sockets.open).toBe(0);
  });
});

describe('a silent server', () => {
  it('is detected by pings on HTTP/2, and reported as silent', async () => {
    const { url, sockets } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('open');
    });
    const clock = new FakeClock();
    const transport = transportTo({ server: url, tls: trusting }, { clock });
    const answer = ask(transport);
    await answer.until('open');
    // The server stops reading, as if its machine had lost power.
    (sockets[0] as unknown as { _handle: { readStop(): void } })._handle.readStop();
    await clock.advance(12_500);
    expect(answer.isOver).toBe(false);
    // Timers of the connection do not keep the process alive.
    expect(clock.pendingTimers.filter((timer) => timer.inMs <= 5000 && timer.keepsAlive)).toEqual([]);
    await clock.advance(5000);
    const error = await answer.done.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionLostError);
    expect(error).toMatchObject({ silent: true, code: 'CONNECTION_LOST' });
    expect((error as Error).message).toMatch(/silent for \d+ ms, and a ping was not answered/);
    expect(isConnectionLost(error)).toBe(true);
  });

  it('does not count as dead while it answers pings', async () => {
    const { url, http2 } = await serveHttp2((stream, path) => {
      stream.respond({ ':status': 200 });
      if (path === '/more') stream.end('more');
      else stream.write('open');
    });
    let pings = 0;
    http2.on('session', (session) => session.on('ping', () => pings++));
    const clock = new FakeClock();
    const transport = transportTo({ server: url, tls: trusting }, { clock, pingTimeoutMs: 50_000 });
    const answer = ask(transport);
    await answer.until('open');
    // Long enough for the first ping to time out, had its answer not been noticed.
    for (let round = 1; round <= 5; round++) {
      await clock.advance(15_000);
      await expect.poll(() => pings, { interval: 5 }).toBe(round);
      // The answer to the ping comes before this response.
      await ask(transport, { target: '/more' }).done;
      expect(answer.isOver).toBe(false);
    }
  });

  it('that never answers the TLS handshake fails the dial within the limit, and the error names the stage', async () => {
    let opened = 0;
    const port = await serveSockets(() => opened++);
    const clock = new FakeClock();
    const transport = transportTo({ server: `https://127.0.0.1:${port}`, tls: trusting }, { clock });
    const answer = ask(transport);
    await expect.poll(() => opened, { interval: 5 }).toBe(1);
    await expect
      .poll(async () => {
        await clock.advance(30_000);
        return answer.isOver;
      })
      .toBe(true);
    await expect(answer.done).rejects.toSatisfy(isNetworkTimeout);
    await expect(answer.done).rejects.toThrow(/within 30000 ms: still waiting for the (TLS handshake|TCP connection)/);
  });

  it('can be aborted in the middle of the handshake, and no connection is left open', async () => {
    let opened = 0;
    let closed = 0;
    const port = await serveSockets((socket) => {
      opened++;
      socket.on('close', () => closed++);
      socket.resume();
    });
    const transport = transportTo({ server: `https://127.0.0.1:${port}`, tls: trusting });
    const controller = new AbortController();
    const answer = ask(transport, { signal: controller.signal });
    await expect.poll(() => opened, { interval: 5 }).toBe(1);
    controller.abort(new Error('enough'));
    await expect(answer.done).rejects.toThrow('enough');
    await expect.poll(() => closed, { interval: 5 }).toBe(1);
  });

  it('that closes the connection during the handshake is reported as a lost connection', async () => {
    const port = await serveSockets((socket) => socket.destroy());
    const transport = transportTo({ server: `https://127.0.0.1:${port}`, tls: trusting });
    await expect(ask(transport).done).rejects.toSatisfy(isConnectionLost);
  });
});

describe('options', () => {
  it('refuses an invalid server URL, without repeating a password in it', () => {
    expect(() => new HttpTransport({ server: 'kube.example.com' })).toThrow('server must be a URL');
    expect(() => new HttpTransport({ server: 'ftp://x' })).toThrow(TypeError);
    expect(() => new HttpTransport({ server: 'https://x', proxyUrl: 'socks5://me:secret@x' })).toThrow(
      /^proxyUrl must be a URL that begins with http:\/\/ or https:\/\/$/,
    );
    expect(() => new HttpTransport({ server: 'https://x' }, { pingAfterMs: 0 })).toThrow('pingAfterMs');
  });
});

import { once } from 'node:events';
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../apiserver/certificates.js';
import type { ApiHandler, ApiRequest, ApiResponse } from '../apiserver/exchange.js';
import { type Listener, type ListenOptions, listen } from '../apiserver/listener.js';
import { isConnectionLost, isConnectionRefused, isNetworkTimeout } from '../meta/error-predicates.js';
import { FakeClock } from '../time/fake-clock.js';
import { realClock } from '../time/real-clock.js';
import { type ConnectionConfig, fixedTls, type TlsMaterial } from './connection.js';
import { ConnectionLostError } from './errors.js';
import { HttpTransport, type HttpTransportOptions } from './http-transport.js';
import type { Exchange, ResponseHandler, ResponseHeaders, TransportRequest } from './transport.js';

const authority = new CertificateAuthority(realClock);
const certificate = authority.issueServer();
const trusting = fixedTls({ ca: authority.certificate });
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An answer as it comes in. */
class Answer implements ResponseHandler {
  status = 0;
  headers: ResponseHeaders = {};
  received = 0;
  isOver = false;
  text = '';
  /** How many chunks are taken before it asks for a pause. */
  appetite = Number.POSITIVE_INFINITY;
  readonly begun: Promise<void>;
  readonly done: Promise<string>;
  #begin!: () => void;
  #resolve!: (text: string) => void;
  #reject!: (error: unknown) => void;
  #waiting: { readonly text: string; readonly resolve: () => void }[] = [];

  constructor() {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.done.catch(() => {});
  }

  head(status: number, headers: ResponseHeaders): void {
    this.status = status;
    this.headers = headers;
    this.#begin();
  }

  chunk(bytes: Uint8Array): boolean {
    this.received += bytes.length;
    if (bytes.length < 1000) this.text += Buffer.from(bytes).toString();
    this.#waiting = this.#waiting.filter(({ text, resolve }) => {
      if (!this.text.includes(text)) return true;
      resolve();
      return false;
    });
    return --this.appetite > 0;
  }

  end(): void {
    this.isOver = true;
    this.#resolve(this.text);
  }

  fail(error: unknown): void {
    this.isOver = true;
    this.#reject(error);
  }

  until(text: string): Promise<void> {
    if (this.text.includes(text)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ text, resolve }));
  }
}

type Asked = Answer & { exchange: Exchange };

function ask(transport: HttpTransport, request: Partial<TransportRequest> = {}): Asked {
  const answer = new Answer() as Asked;
  answer.exchange = transport.send({ method: 'GET', target: '/', headers: {}, ...request }, answer);
  return answer;
}

function transportTo(connection: ConnectionConfig, options?: HttpTransportOptions): HttpTransport {
  const transport = new HttpTransport(connection, options);
  closing.push(() => transport.close());
  return transport;
}

async function serve(handler: ApiHandler, options?: ListenOptions): Promise<Listener> {
  const listener = await listen(handler, options);
  closing.push(() => listener.close());
  return listener;
}

/** A plain server of connections; they are cut when the test ends. */
async function serveSockets(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** An HTTP/2 server over TLS whose sessions and sockets the test can lay hands on. */
async function serveHttp2(
  onStream: (stream: ServerHttp2Stream, path: string) => void,
  settings: { maxConcurrentStreams?: number } = {},
): Promise<{ url: string; http2: Http2Server; sockets: Socket[] }> {
  const http2 = createHttp2Server({ settings, maxSessionMemory: 1000 });
  const sockets: Socket[] = [];
  http2.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    onStream(stream, String(headers[':path']));
  });
  http2.on('sessionError', () => {});
  const server = createTlsServer({ key: certificate.key, cert: certificate.certificate, ALPNProtocols: ['h2'] });
  server.on('secureConnection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    http2.emit('connection', socket);
  });
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, http2, sockets };
}

const echo: ApiHandler = async ({ method, target, headers, body }, response) => {
  response.head(200, { 'content-type': 'text/plain', 'x-probe': headers['x-probe'] ?? '' });
  response.write(Buffer.from(`${method} ${target} ${Buffer.from(body).toString()}`));
};

/** Keeps each answer open: the body begins with 'open' and goes on when the test says so. */
function holding(): { handler: ApiHandler; held: { request: ApiRequest; response: ApiResponse }[] } {
  const held: { request: ApiRequest; response: ApiResponse }[] = [];
  return {
    held,
    handler: (request, response) => {
      held.push({ request, response });
      response.head(200, {});
      response.write(Buffer.from('open'));
      return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
}

const tls = { key: certificate.key, certificate: certificate.certificate };
const ways = [
  { name: 'HTTP/1.1', options: {}, transport: {} },
  { name: 'HTTP/1.1 over TLS', options: { tls }, transport: { http2: false } },
  { name: 'HTTP/2', options: { tls }, transport: {} },
] as const;

describe.each(ways)('a transport over $name', ({ options, transport: chosen }) => {
  async function start(
    handler: ApiHandler,
    more?: HttpTransportOptions,
  ): Promise<{ transport: HttpTransport; listener: Listener }> {
    const listener = await serve(handler, options);
    return { listener, transport: transportTo({ server: listener.url, tls: trusting }, { ...chosen, ...more }) };
  }

  it('carries method, path, headers and body there, and status, headers and body back', async () => {
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

  it('carries many requests at once', async () => {
    const { transport } = await start(echo);
    const answers = Array.from({ length: 50 }, (_, i) => ask(transport, { target: `/${i}` }));
    const bodies = await Promise.all(answers.map((answer) => answer.done));
    expect(bodies).toEqual(answers.map((_, i) => `GET /${i} `));
  });

  it('stops reading when the handler has enough, and goes on when told', async () => {
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

  it('fails at once with the reason when aborted before the answer, and the server hears of it', async () => {
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

  it('fails at once with the reason when aborted in the middle of the answer, paused or not', async () => {
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

  it('says that the connection was lost when the server cuts it, before or in the middle of the answer', async () => {
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

  it('says that the connection was refused, and connects again once somebody listens', async () => {
    const { transport, listener } = await start(echo);
    listener.refuse();
    await expect(ask(transport).done).rejects.toSatisfy(isConnectionRefused);
    await listener.accept();
    expect(await ask(transport).done).toBe('GET / ');
  });

  it('fails what cannot be sent, and goes on with the rest', async () => {
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

  it('uses connections again, and closes them when nothing was sent for a while', async () => {
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

  it('fails what is under way when it is closed, leaves nothing alive, and takes nothing new', async () => {
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

  it('leaves no socket open when it is closed, in whatever state it is', async () => {
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => /^(TCPSocket|TLS)Wrap$/.test(name)).length;
    // What the test before has left may still be closing.
    await expect.poll(sockets).toBe(0);
    for (const state of ['idle', 'busy', 'dialling']) {
      const listener = await listen(state === 'busy' ? holding().handler : echo, options);
      const transport = new HttpTransport({ server: listener.url, tls: trusting }, chosen);
      const answer = ask(transport);
      if (state === 'idle') await answer.done;
      if (state === 'busy') await answer.until('open');
      await transport.close();
      await listener.close();
    }
    await expect.poll(sockets).toBe(0);
  });
});

describe('many watches on one HTTP/2 connection', () => {
  it('share one connection up to the budget, and take further ones past it', async () => {
    const { url, sockets } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('open');
    });
    const transport = transportTo({ server: url, tls: trusting }, { maxStreamsPerConnection: 10 });
    const answers = Array.from({ length: 25 }, () => ask(transport));
    await Promise.all(answers.map((answer) => answer.until('open')));
    expect(sockets).toHaveLength(3);
  });

  it('respect what the server allows', async () => {
    const { url, sockets } = await serveHttp2(
      (stream) => {
        stream.respond({ ':status': 200 });
        stream.write('open');
      },
      { maxConcurrentStreams: 4 },
    );
    const transport = transportTo({ server: url, tls: trusting });
    const first = ask(transport);
    await first.until('open');
    const answers = Array.from({ length: 8 }, () => ask(transport));
    await Promise.all(answers.map((answer) => answer.until('open')));
    expect(sockets.length).toBeGreaterThanOrEqual(3);
  });

  it('do not stop each other: a paused one leaves the others running', async () => {
    const block = Buffer.alloc(64 * 1024, 'x');
    const { url } = await serveHttp2((stream, path) => {
      stream.respond({ ':status': 200 });
      if (path === '/paused') for (let i = 0; i < 640; i++) stream.write(block);
      else stream.end(Buffer.alloc(8 * 1024 * 1024, 'y'));
    });
    const transport = transportTo({ server: url, tls: trusting });
    const paused = ask(transport, { target: '/paused' });
    paused.appetite = 1;
    await paused.begun;
    const other = ask(transport);
    await other.done;
    expect(other.received).toBe(8 * 1024 * 1024);
    expect(paused.received).toBeLessThan(1024 * 1024);
  });

  it('finish after a GOAWAY, while new requests go to another connection', async () => {
    const streams: ServerHttp2Stream[] = [];
    const { url, sockets } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('open');
      streams.push(stream);
    });
    const transport = transportTo({ server: url, tls: trusting });
    const old = ask(transport);
    await old.until('open');
    streams[0]!.session!.close();
    await expect
      .poll(async () => {
        await ask(transport).until('open');
        return sockets.length;
      })
      .toBe(2);
    streams[0]!.end(' and done');
    expect(await old.done).toBe('open and done');
  });

  it('are sent again when a GOAWAY says that they were not looked at, even a POST', async () => {
    let seen = 0;
    const { url, http2 } = await serveHttp2((stream) => {
      seen++;
      stream.respond({ ':status': 200 });
      stream.end('done');
    });
    let turnedAway = 0;
    http2.on('session', (session) => {
      if (turnedAway++ === 0) session.goaway(0, 0);
    });
    const transport = transportTo({ server: url, tls: trusting });
    const answers = Array.from({ length: 5 }, () => ask(transport, { method: 'POST', body: Buffer.from('{}') }));
    expect(await Promise.all(answers.map((answer) => answer.done))).toEqual(answers.map(() => 'done'));
    expect(seen).toBeGreaterThanOrEqual(5);
  });

  it('are sent again when the server refuses their streams, but not for ever', async () => {
    let left = 2;
    const { url } = await serveHttp2((stream, path) => {
      if (path === '/always' || left-- > 0) stream.close(7);
      else {
        stream.respond({ ':status': 200 });
        stream.end('done');
      }
    });
    const transport = transportTo({ server: url, tls: trusting });
    expect(await ask(transport).done).toBe('done');
    await expect(ask(transport, { target: '/always' }).done).rejects.toThrow('did not take the request');
  });

  it('report a stream that the server breaks off', async () => {
    const { url } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('open');
      setImmediate(() => stream.destroy(new Error('broken')));
    });
    const transport = transportTo({ server: url, tls: trusting });
    await expect(ask(transport).done).rejects.toSatisfy(isConnectionLost);
  });
});

describe('a silent peer', () => {
  it('is found by pings on HTTP/2, and reported as silent', async () => {
    const { url, sockets } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('open');
    });
    const clock = new FakeClock();
    const transport = transportTo({ server: url, tls: trusting }, { clock });
    const answer = ask(transport);
    await answer.until('open');
    // The server's side stops reading, as if its machine had lost power.
    (sockets[0] as unknown as { _handle: { readStop(): void } })._handle.readStop();
    await clock.advance(12_500);
    expect(answer.isOver).toBe(false);
    // It is the connection's own business whether the process lives for it.
    expect(clock.pendingTimers.filter((timer) => timer.inMs <= 5000 && timer.keepsAlive)).toEqual([]);
    await clock.advance(5000);
    const error = await answer.done.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionLostError);
    expect(error).toMatchObject({ silent: true, code: 'CONNECTION_LOST' });
    expect((error as Error).message).toMatch(/silent for \d+ ms, and a ping was not answered/);
    expect(isConnectionLost(error)).toBe(true);
  });

  it('is not presumed dead while it answers pings', async () => {
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
    // Long enough for the first ping to be given up, if its answer had not been noticed.
    for (let round = 1; round <= 5; round++) {
      await clock.advance(15_000);
      await expect.poll(() => pings, { interval: 5 }).toBe(round);
      // What is answered after the ping comes after the ping's answer.
      await ask(transport, { target: '/more' }).done;
      expect(answer.isOver).toBe(false);
    }
  });

  it('that never answers the TLS handshake fails the dial in time and says where it hung', async () => {
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
    await expect(answer.done).rejects.toThrow(/after 30000 ms: it hangs at the (TLS handshake|TCP connection)/);
  });

  it('can be given up on in the middle of the handshake, and no connection is left behind', async () => {
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

  it('that hangs up during the handshake is reported as lost', async () => {
    const port = await serveSockets((socket) => socket.destroy());
    const transport = transportTo({ server: `https://127.0.0.1:${port}`, tls: trusting });
    await expect(ask(transport).done).rejects.toSatisfy(isConnectionLost);
  });
});

describe('trust', () => {
  it('refuses a server whose certificate nobody vouches for, unless told not to look', async () => {
    const listener = await serve(echo, { tls });
    const strict = transportTo({ server: listener.url });
    await expect(ask(strict).done).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    const careless = transportTo({ server: listener.url, tls: fixedTls({ insecureSkipVerify: true }) });
    expect(await ask(careless).done).toBe('GET / ');
  });

  it('checks the certificate against the server name it was told', async () => {
    const elsewhere = authority.issueServer(['kube.example.com']);
    const listener = await serve(echo, { tls: { key: elsewhere.key, certificate: elsewhere.certificate } });
    const wrong = transportTo({ server: listener.url, tls: trusting });
    await expect(ask(wrong).done).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const named = fixedTls({ ca: authority.certificate, serverName: 'kube.example.com' });
    expect(await ask(transportTo({ server: listener.url, tls: named })).done).toBe('GET / ');
  });

  it('keeps a connection whose material came to be while it was asked for, as when every answer of a plugin is new', async () => {
    const { url, sockets } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.end('ok');
    });
    let rotate = (): void => {};
    const rotating = {
      material: async () => {
        rotate();
        return { ca: authority.certificate };
      },
      onRotate: (listener: () => void) => {
        rotate = listener;
        return () => {};
      },
    };
    const transport = transportTo({ server: url, tls: rotating });
    expect(await ask(transport).done).toBe('ok');
    expect(await ask(transport).done).toBe('ok');
    expect(sockets).toHaveLength(1);
  });

  it('shows the client certificate, and new connections show a rotated one while old ones finish', async () => {
    const { handler, held } = holding();
    const listener = await serve(handler, { tls: { ...tls, clientAuthority: authority.certificate } });
    const users = ['first', 'second'].map((commonName) => authority.issueClient({ commonName }));
    let current = 0;
    let rotate = (): void => {};
    const source = {
      material: async (): Promise<TlsMaterial> => {
        const { certificate: cert, key } = users[current]!;
        return { ca: authority.certificate, cert, key };
      },
      onRotate: (listen: () => void) => {
        rotate = listen;
        return () => {};
      },
    };
    const transport = transportTo({ server: listener.url, tls: source });
    const old = ask(transport);
    await old.until('open');
    current = 1;
    void rotate();
    const fresh = ask(transport);
    await fresh.until('open');
    expect(held.map(({ request }) => request.clientCertificate?.commonName)).toEqual(['first', 'second']);
    held[0]!.response.write(Buffer.from(' still'));
    await old.until('open still');
  });
});

describe('through a CONNECT proxy', () => {
  async function proxy(
    answer = 'HTTP/1.1 200 Connection established\r\n\r\n',
  ): Promise<{ port: number; heads: string[] }> {
    const heads: string[] = [];
    const port = await serveSockets((socket) => {
      socket.once('data', (data) => {
        const head = data.toString();
        heads.push(head);
        if (!answer.includes(' 200 ')) {
          socket.end(answer);
          return;
        }
        const [host, target] = /^CONNECT (.+):(\d+) /.exec(head)!.slice(1) as [string, string];
        const upstream = connect(Number(target), host, () => {
          socket.write(answer);
          socket.pipe(upstream).pipe(socket);
        });
        upstream.on('error', () => socket.destroy());
        socket.on('close', () => upstream.destroy());
      });
    });
    return { port, heads };
  }

  it.each(ways)('reaches the server by $name', async ({ options, transport: chosen }) => {
    const listener = await serve(echo, options);
    const { port, heads } = await proxy();
    const proxyUrl = `http://me:se%20cret@127.0.0.1:${port}`;
    const transport = transportTo({ server: listener.url, tls: trusting, proxyUrl }, chosen);
    expect(await ask(transport).done).toBe('GET / ');
    expect(heads[0]).toContain(`CONNECT 127.0.0.1:${listener.port} HTTP/1.1`);
    expect(heads[0]).toContain(`Basic ${Buffer.from('me:se cret').toString('base64')}`);
  });

  it.each([
    ['a percent sign that is no escape', 'me:100%25%!', 'me:100%%!'],
    ['no user', ':token', ':token'],
    ['other scripts', 'm%C3%A9:x', 'mé:x'],
  ])('gives the password as it is meant: %s', async (_, written, meant) => {
    const { port, heads } = await proxy('HTTP/1.1 403 Forbidden\r\n\r\n');
    const transport = transportTo({
      server: 'https://kube.example.com',
      proxyUrl: `http://${written}@127.0.0.1:${port}`,
    });
    await expect(ask(transport).done).rejects.toThrow('refused to connect');
    expect(heads[0]).toContain(`Basic ${Buffer.from(meant).toString('base64')}\r\n`);
  });

  it('says that the proxy refused, and never its password', async () => {
    const { port } = await proxy('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const proxyUrl = `http://me:secret@127.0.0.1:${port}`;
    const transport = transportTo({ server: 'https://kube.example.com', proxyUrl });
    const error = (await ask(transport).done.catch((reason: unknown) => reason)) as Error;
    expect(error.message).toBe(
      `the proxy 127.0.0.1:${port} refused to connect to kube.example.com:443: HTTP/1.1 407 Proxy Authentication Required`,
    );
    expect(String(error.stack)).not.toContain('secret');
  });

  it('speaks TLS with a proxy whose URL says so, and checks its certificate', async () => {
    const listener = await serve(echo, { tls });
    const transport = transportTo({ server: 'https://kube.example.com', proxyUrl: listener.url });
    await expect(ask(transport).done).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });

  it('says that the proxy hung up', async () => {
    const port = await serveSockets((socket) => socket.once('data', () => socket.destroy()));
    const transport = transportTo({ server: 'https://kube.example.com', proxyUrl: `http://127.0.0.1:${port}` });
    await expect(ask(transport).done).rejects.toThrow(`the proxy 127.0.0.1:${port} hung up`);
  });
});

describe('options', () => {
  it('refuses what is no server, without repeating what may hold a password', () => {
    expect(() => new HttpTransport({ server: 'kube.example.com' })).toThrow('server must be a URL');
    expect(() => new HttpTransport({ server: 'ftp://x' })).toThrow(TypeError);
    expect(() => new HttpTransport({ server: 'https://x', proxyUrl: 'socks5://me:secret@x' })).toThrow(
      /^proxyUrl must be a URL that begins with http:\/\/ or https:\/\/$/,
    );
    expect(() => new HttpTransport({ server: 'https://x' }, { pingAfterMs: 0 })).toThrow('pingAfterMs');
  });
});

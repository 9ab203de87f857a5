import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { realClock } from '../../time/real-clock.js';
import type { ApiHandler, ApiRequest, ApiResponse } from './exchange.js';
import { type HttpListener, type ListenOptions, listen } from './http-listener.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(handler: ApiHandler, options?: ListenOptions): Promise<HttpListener> {
  const listener = await listen(handler, options);
  closing.push(() => listener.close());
  return listener;
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

async function ask(listener: HttpListener, options: RequestOptions = {}, body?: string | Buffer): Promise<Answer> {
  const outgoing = request(`${listener.url}${options.path ?? '/'}`, { agent: false, ...options });
  // After the head `once` no longer listens; a reset then also fails `incoming`, which the caller reads.
  outgoing.on('error', () => {});
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: await text(incoming) };
}

async function text(readable: AsyncIterable<Buffer>): Promise<string> {
  let all = '';
  for await (const chunk of readable) all += chunk.toString();
  return all;
}

function session(listener: HttpListener): ClientHttp2Session {
  const client = connectHttp2(listener.url);
  client.on('error', () => {});
  closing.push(() => client.destroy());
  return client;
}

async function askHttp2(stream: ClientHttp2Stream): Promise<{ status: unknown; body: string }> {
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  return { status: headers[':status'], body: await text(stream) };
}

/** Answers with the request, as JSON. */
const echo: ApiHandler = async (received, response) => {
  const { method, target, headers } = received;
  const body = Buffer.from(received.body).toString();
  const answer = Buffer.from(JSON.stringify({ method, target, body, probe: headers['x-probe'] }));
  response.head(200, { 'content-type': 'application/json', 'content-length': String(answer.length) });
  response.write(answer);
};

/** Keeps every exchange open, for the test to continue. */
function holding(): { handler: ApiHandler; next: () => Promise<{ request: ApiRequest; response: ApiResponse }> } {
  const arrived: { request: ApiRequest; response: ApiResponse }[] = [];
  const waiting: ((exchange: { request: ApiRequest; response: ApiResponse }) => void)[] = [];
  return {
    handler: (received, response) => {
      const exchange = { request: received, response };
      const waiter = waiting.shift();
      if (waiter === undefined) arrived.push(exchange);
      else waiter(exchange);
      return new Promise((resolve) => received.signal.addEventListener('abort', () => resolve(), { once: true }));
    },
    next: () => {
      const exchange = arrived.shift();
      return exchange === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(exchange);
    },
  };
}

describe('listen', () => {
  it('serves HTTP/1.1 on a loopback port of its own', async () => {
    const listener = await start(echo);
    expect(listener.url).toBe(`http://127.0.0.1:${listener.port}`);
    const answer = await ask(listener, { method: 'POST', path: '/a%2Fb?c=d', headers: { 'X-Probe': 'p' } }, 'body');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ method: 'POST', target: '/a%2Fb?c=d', body: 'body', probe: 'p' });
  });

  it('keeps connections open between requests', async () => {
    const listener = await start(echo);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    closing.push(() => agent.destroy());
    await ask(listener, { agent });
    const outgoing = request(listener.url, { agent });
    outgoing.end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    await text(incoming);
    expect(outgoing.reusedSocket).toBe(true);
  });

  it('speaks HTTP/2 on the same port', async () => {
    const listener = await start(echo);
    const client = session(listener);
    const stream = client.request({ ':path': '/x', ':method': 'POST', 'x-probe': 'p' });
    stream.end('body');
    const answer = await askHttp2(stream);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ method: 'POST', target: '/x', body: 'body', probe: 'p' });
    expect((await ask(listener)).status).toBe(200);
  });

  it('recognizes HTTP/2 however its first bytes are cut', async () => {
    const listener = await start(echo);
    const socket = connect(listener.port, listener.host);
    closing.push(() => socket.destroy());
    await once(socket, 'connect');
    socket.setNoDelay(true);
    socket.write('PRI * H');
    for (let turn = 0; turn < 10; turn++) await realClock.yield();
    socket.write('TTP/2.0\r\n\r\nSM\r\n\r\n');
    socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    // The server's own SETTINGS frame.
    expect(bytes[3]).toBe(4);
  });

  it('answers pipelined requests in order', async () => {
    const held = holding();
    const listener = await start(held.handler);
    const socket = connect(listener.port, listener.host);
    closing.push(() => socket.destroy());
    socket.write('GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\n');
    const first = await held.next();
    const second = await held.next();
    second.response.head(200, {});
    second.response.write(Buffer.from('second'));
    second.response.end();
    first.response.head(200, {});
    first.response.write(Buffer.from('first'));
    first.response.end();
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      if (received.includes('second')) break;
    }
    expect(received.indexOf('first')).toBeGreaterThan(0);
    expect(received.indexOf('second')).toBeGreaterThan(received.indexOf('first'));
  });

  it('serves requests that offer a protocol it does not speak as all others, with their bodies', async () => {
    const listener = await start(echo);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    closing.push(() => agent.destroy());
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABk',
      'x-probe': 'p',
    };
    for (const more of [{}, { 'transfer-encoding': 'chunked' }]) {
      const body = 'b'.repeat(100_000);
      const answer = await ask(listener, { agent, method: 'POST', headers: { ...headers, ...more } }, body);
      expect(answer.status).toBe(200);
      const received = JSON.parse(answer.body);
      expect({ ...received, body: received.body.length }).toEqual({
        method: 'POST',
        target: '/',
        body: body.length,
        probe: 'p',
      });
    }
  });

  it('answers HEAD without a body', async () => {
    const listener = await start(async (_request, response) => {
      response.head(200, {});
      response.write(Buffer.from('nothing of this'));
    });
    expect(await ask(listener, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    const stream = session(listener).request({ ':method': 'HEAD' });
    expect(await askHttp2(stream)).toEqual({ status: 200, body: '' });
  });

  it.each(['http1', 'http2'])('streams one chunk per write at once over %s', async (protocol) => {
    const held = holding();
    const listener = await start(held.handler);
    const readable = protocol === 'http1' ? await openHttp1(listener) : session(listener).request({ ':path': '/' });
    const { response } = await held.next();
    response.head(200, { 'content-type': 'application/json' });
    for (const event of ['{"a":1}\n', '{"b":2}\n']) {
      response.write(Buffer.from(event));
      response.write(new Uint8Array());
      const source = 'incoming' in readable ? await readable.incoming() : readable;
      const [chunk] = (await once(source, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(event);
    }
    response.end();
    const source = 'incoming' in readable ? await readable.incoming() : readable;
    await once(source, 'end');
  });

  it.each(['http1', 'http2'])('shows back-pressure over %s and calls onDrain', async (protocol) => {
    const held = holding();
    const listener = await start(held.handler);
    const readable = protocol === 'http1' ? await openHttp1(listener) : session(listener).request({ ':path': '/' });
    const { response } = await held.next();
    response.head(200, {});
    const chunk = Buffer.alloc(256 * 1024, 'x');
    let written = 0;
    do written += chunk.length;
    while (response.write(chunk) && written < 1 << 28);
    for (let more = 0; more < 20; more++) {
      response.write(chunk);
      written += chunk.length;
    }
    expect(response.pendingBytes).toBeGreaterThan(chunk.length);
    const drained = new Promise<void>((resolve) => response.onDrain(resolve));
    const source = 'incoming' in readable ? await readable.incoming() : readable;
    let received = 0;
    source.on('data', (data: Buffer) => {
      received += data.length;
    });
    await drained;
    expect(response.pendingBytes).toBe(0);
    response.onDrain(() => response.end());
    await once(source, 'end');
    expect(received).toBe(written);
  });

  it('aborts the signal when the client goes away', async () => {
    const held = holding();
    const listener = await start(held.handler);
    const client = await openHttp1(listener);
    const { request: received } = await held.next();
    const aborted = once(received.signal, 'abort');
    client.destroy();
    await aborted;
    const stream = session(listener).request({ ':path': '/' });
    const { request: other } = await held.next();
    const alsoAborted = once(other.signal, 'abort');
    stream.close();
    await alsoAborted;
  });

  it.each(['before', 'after'])('resets connections %s the head', async (moment) => {
    const held = holding();
    const listener = await start(held.handler);
    const client = await openHttp1(listener);
    const { response } = await held.next();
    if (moment === 'after') {
      response.head(200, {});
      response.write(Buffer.from('half of'));
      await once(await client.incoming(), 'data');
    }
    const failed = moment === 'before' ? client.failed() : client.incoming().then((i) => once(i, 'error'));
    response.reset();
    response.write(Buffer.from('ignored'));
    response.end();
    const [error] = (await failed) as [Error & { code?: string }];
    expect(error.code).toBe('ECONNRESET');
  });

  it.each(['before the head', 'after the head', 'in the middle of the body'])(
    'resets a stream of HTTP/2 %s and leaves its connection alone',
    async (moment) => {
      const held = holding();
      const listener = await start(held.handler);
      const client = session(listener);
      const stream = client.request({ ':path': '/' });
      const { response } = await held.next();
      if (moment !== 'before the head') response.head(200, {});
      if (moment === 'in the middle of the body') {
        response.write(Buffer.from('half of'));
        await once(stream, 'data');
      } else stream.resume();
      let hasEnded = false;
      stream.once('end', () => {
        hasEnded = true;
      });
      const failed = once(stream, 'error');
      response.reset();
      const [error] = (await failed) as [Error & { code?: string }];
      expect(error.code).toBe('ERR_HTTP2_STREAM_ERROR');
      expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
      expect(hasEnded).toBe(false);
      const other = client.request({ ':path': '/' });
      const { response: answer } = await held.next();
      answer.head(204, {});
      answer.end();
      expect(await askHttp2(other)).toEqual({ status: 204, body: '' });
    },
  );

  it.each([
    ['says how long it is', { 'content-length': '2000' }],
    ['does not say so', { 'transfer-encoding': 'chunked' }],
  ])('refuses a body that is too long and %s', async (_title, headers) => {
    const listener = await start(echo, { maxBodyBytes: 1000 });
    const answer = await ask(listener, { method: 'POST', headers }, Buffer.alloc(2000));
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 1000',
    });
    const stream = session(listener).request({ ':method': 'POST' });
    stream.on('error', () => {});
    stream.end(Buffer.alloc(2000));
    expect((await askHttp2(stream)).status).toBe(413);
    expect((await ask(listener, { method: 'POST' }, Buffer.alloc(1000))).status).toBe(200);
  });

  it('turns a rejection into a 500, or into a reset after the head', async () => {
    const errors: unknown[] = [];
    const broken = new Error('a bug');
    const handler: ApiHandler = async (received, response) => {
      if (received.target === '/late') response.head(200, {});
      throw broken;
    };
    const listener = await start(handler, { onError: (error) => errors.push(error) });
    const answer = await ask(listener);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body)).toMatchObject({
      reason: 'InternalError',
      message: 'Internal error occurred: a bug',
    });
    await expect(ask(listener, { path: '/late' })).rejects.toThrow();
    expect(errors).toEqual([broken, broken]);
  });

  it('refuses new connections until `accept`, on the same port, and keeps present ones', async () => {
    const held = holding();
    const listener = await start(held.handler);
    const client = await openHttp1(listener);
    const { response } = await held.next();
    listener.refuse();
    const refused = connect(listener.port, listener.host);
    const [error] = (await once(refused, 'error')) as [Error & { code: string }];
    expect(error.code).toBe('ECONNREFUSED');
    response.head(200, {});
    expect((await client.incoming()).statusCode).toBe(200);
    await listener.accept();
    await listener.accept();
    await openHttp1(listener);
    await held.next();
  });

  it('drops connections', async () => {
    const held = holding();
    const listener = await start(held.handler);
    const client = await openHttp1(listener);
    const { request: received } = await held.next();
    const failed = client.failed();
    listener.dropConnections();
    expect(((await failed)[0] as { code?: string }).code).toBe('ECONNRESET');
    if (!received.signal.aborted) await once(received.signal, 'abort');
  });

  it('leaves nothing behind when closed', async () => {
    const held = holding();
    const listener = await listen(held.handler);
    const streaming = await openHttp1(listener);
    const { request: received, response } = await held.next();
    response.head(200, {});
    await streaming.incoming();
    const idle = connect(listener.port, listener.host);
    await once(idle, 'connect');
    const http2 = session(listener);
    await once(http2, 'connect');
    // Not `once` of node:events, which rejects on an error event: a reset connection may emit one.
    const gone = Promise.all([idle, http2].map((end) => new Promise((resolve) => end.once('close', resolve))));
    idle.on('error', () => {});
    await listener.close();
    await listener.close();
    expect(received.signal.aborted).toBe(true);
    await gone;
    expect(() => listener.accept()).toThrow('is closed');
    const late = connect(listener.port, listener.host);
    await once(late, 'error');
  });

  it.each([
    ['POST', 'vanishes'],
    ['DELETE', 'vanishes'],
    ['CONNECT', 'vanishes'],
    ['DELETE', 'gives up'],
  ])('does not take what has come of a %s for all of it when its HTTP/2 client %s', async (method, what) => {
    const seen: string[] = [];
    const listener = await start(async (received, response) => {
      seen.push(received.method);
      return echo(received, response);
    });
    const client = session(listener);
    const path = method === 'CONNECT' ? { ':authority': 'somewhere' } : { ':path': '/' };
    const half = client.request({ ':method': method, ...path }, { endStream: false });
    half.on('error', () => {});
    const closed = new Promise((resolve) => half.once('close', resolve));
    // What is sent after it has been answered, so it has arrived.
    await askHttp2(client.request({ ':path': '/' }));
    if (what === 'vanishes') client.destroy();
    else half.destroy(new Error('Enough'));
    await closed;
    await askHttp2((client.destroyed ? session(listener) : client).request({ ':path': '/' }));
    await listener.close();
    expect(seen).toEqual(['GET', 'GET']);
  });

  it('checks its options', async () => {
    await expect(listen(echo, { port: -1 })).rejects.toThrow('port must be');
    await expect(listen(echo, { host: '' })).rejects.toThrow('host must be');
    const listener = await start(echo);
    await expect(listen(echo, { port: listener.port })).rejects.toThrow('EADDRINUSE');
  });
});

interface Http1Client {
  incoming(): Promise<IncomingMessage>;
  failed(): Promise<unknown[]>;
  destroy(): void;
}

async function openHttp1(listener: HttpListener): Promise<Http1Client> {
  const outgoing = request(listener.url, { agent: false });
  let answer: IncomingMessage | undefined;
  const answered = new Promise<IncomingMessage>((resolve) => {
    outgoing.once('response', (incoming) => {
      answer = incoming;
      resolve(incoming);
    });
  });
  const failed = new Promise<unknown[]>((resolve) => outgoing.on('error', (error) => resolve([error])));
  outgoing.end();
  const [socket] = (await once(outgoing, 'socket')) as [Socket];
  if (socket.connecting) await once(socket, 'connect');
  closing.push(() => outgoing.destroy());
  return {
    incoming: () => (answer === undefined ? answered : Promise.resolve(answer)),
    failed: () => failed,
    destroy: () => outgoing.destroy(),
  };
}

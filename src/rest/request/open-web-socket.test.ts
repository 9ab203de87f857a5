import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConnectProxy } from '../../../test/support/connect-proxy.js';
import { Client } from '../../client/client.js';
import { isNotFound, isUnauthorized } from '../../meta/errors/error-predicates.js';
import { WebSocket } from '../../streams/web-socket.js';
import { acceptHeaders } from '../../streams/web-socket-handshake.js';
import { realClock } from '../../time/real-clock.js';
import { openWebSocket } from './open-web-socket.js';
import { RestClient, type RestClientOptions } from './rest-client.js';

/** Answers a request for a WebSocket with text, or with what it returns. */
type Upgrade = (headers: Record<string, string>, socket: Socket) => string | void;

async function serve(upgrade: Upgrade): Promise<{ server: Server; url: string }> {
  const server = createServer();
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => {});
    const said = upgrade(request.headers as Record<string, string>, socket as Socket);
    if (typeof said === 'string') socket.end(said);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function restOf(url: string, options: RestClientOptions = {}, connection: object = {}): RestClient {
  const rest = new RestClient({ server: url, ...connection }, { wire: 'json', maxRetries: 0, ...options });
  onTestFinished(() => rest.close());
  return rest;
}

const status = (code: number, reason: string, message: string): string => {
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code });
  return `HTTP/1.1 ${code} X\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

const switched = (fields: Readonly<Record<string, string>>): string =>
  `HTTP/1.1 101 Switching Protocols\r\n${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

const open = (rest: RestClient, signal?: AbortSignal) =>
  openWebSocket(rest.get().namespace('default').resource('pods').name('one').subresource('exec'), ['v5', 'v4'], signal);

describe('opening a WebSocket', () => {
  it('sends the headers of all requests, and keeps bytes that came with the answer', async () => {
    let asked: Record<string, string> = {};
    const { url } = await serve((headers, socket) => {
      asked = headers;
      socket.write(
        Buffer.concat([Buffer.from(switched(acceptHeaders(headers, 'v4')!)), Buffer.from([0x82, 2, 0x68, 0x69])]),
      );
    });
    const credentials = { headers: () => ({ authorization: 'Bearer secret' }) };
    const rest = restOf(url, {}, { credentials, impersonate: { user: 'jane' }, userAgent: 'test' });
    const { connection, protocol } = await open(rest);
    expect(protocol).toBe('v4');
    expect(asked).toMatchObject({
      authorization: 'Bearer secret',
      'impersonate-user': 'jane',
      'user-agent': 'test',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-protocol': 'v5, v4',
    });
    const said = await new Promise<string>((resolve) => {
      const reader = { data: (bytes: Buffer) => resolve(bytes.toString()), closed() {} };
      new WebSocket(connection, reader, { role: 'client', clock: realClock });
    });
    expect(said).toBe('hi');
  });

  it('goes through the proxy', async () => {
    const { server, url } = await serve(
      (headers, socket) => void socket.write(switched(acceptHeaders(headers, 'v5')!)),
    );
    const proxy = await startConnectProxy((server.address() as AddressInfo).port);
    const { connection } = await open(restOf(url, {}, { proxyUrl: `http://${proxy.host}` }));
    expect(proxy.asked).toHaveLength(1);
    connection.destroy();
  });

  it('asks once more with new credentials after a 401', async () => {
    let tokens = 0;
    const { url } = await serve((headers, socket) => {
      if (headers['authorization'] === 'Bearer 1') return status(401, 'Unauthorized', 'no');
      socket.write(switched(acceptHeaders(headers, 'v5')!));
      return undefined;
    });
    const credentials = {
      headers: () => ({ authorization: `Bearer ${tokens + 1}` }),
      onUnauthorized: async () => ++tokens > 0,
    };
    const { connection } = await open(restOf(url, {}, { credentials }));
    connection.destroy();
    const { url: other } = await serve(() => status(401, 'Unauthorized', 'no'));
    await expect(open(restOf(other, {}, { credentials }))).rejects.toSatisfy(isUnauthorized);
  });

  it.each([
    ['answers with an error', status(404, 'NotFound', 'pods "one" not found'), 'pods "one" not found (404 NotFound)'],
    [
      'speaks only SPDY',
      status(400, 'BadRequest', 'Upgrade request required'),
      'This client speaks WebSockets and no SPDY',
    ],
    ['answers 200', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 'the server answered 200 instead of 101'],
    [
      'switches to SPDY',
      switched({ upgrade: 'SPDY/3.1' }),
      'it switches to the protocol "SPDY/3.1" instead of websocket',
    ],
    [
      'breaks the handshake',
      switched({ upgrade: 'websocket', 'sec-websocket-accept': 'x' }),
      'its Sec-WebSocket-Accept is wrong',
    ],
    ['says nothing', '', 'the connection closed before the server answered'],
    ['is no HTTP server', 'SSH-2.0-OpenSSH\r\n\r\n', 'the response is not valid HTTP/1.1'],
  ])('rejects if the server %s', async (_what, answer, message) => {
    const { url } = await serve(() => answer);
    await expect(open(restOf(url))).rejects.toThrow(message);
  });

  it('rejects if the server chooses a protocol that was not offered, or adds an extension', async () => {
    const { url } = await serve((headers) => switched(acceptHeaders(headers, 'v9')!));
    await expect(open(restOf(url))).rejects.toThrow('it chose the protocol "v9", of v5, v4');
    const { url: zipped } = await serve((headers) =>
      switched({ ...acceptHeaders(headers, 'v5')!, 'sec-websocket-extensions': 'permessage-deflate' }),
    );
    await expect(open(restOf(zipped))).rejects.toThrow('an extension that was not offered');
  });

  it('rejects with the reason of an abort at any time, and when the client is closed', async () => {
    const { url, server } = await serve(() => {});
    const controller = new AbortController();
    const rest = restOf(url);
    const asked = once(server, 'upgrade');
    const opening = open(rest, controller.signal);
    await asked;
    controller.abort(new Error('enough'));
    await expect(opening).rejects.toThrow('enough');
    await expect(open(rest, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    const again = once(server, 'upgrade');
    const closing = open(rest);
    await again;
    await rest.close();
    await expect(closing).rejects.toThrow('was closed');
    await expect(open(rest)).rejects.toThrow('was closed');
  });

  it('gives up when the server does not answer in time', async () => {
    const { url } = await serve(() => {});
    await expect(open(restOf(url, { answerTimeoutMs: 50 }))).rejects.toThrow('no response began within 50 ms');
  });
});

describe('a client of a server that breaks the protocol', () => {
  /** Answers with a WebSocket that sends these bytes. */
  async function execOn(bytes: Buffer): Promise<unknown> {
    const { url } = await serve((headers, socket) => {
      socket.write(Buffer.concat([Buffer.from(switched(acceptHeaders(headers, 'v5.channel.k8s.io')!)), bytes]));
      // The client says that it closes the connection.
      socket.once('data', () => socket.end());
    });
    const client = new Client({ server: url });
    onTestFinished(() => client.close());
    return client.core.v1.pods('default').exec('one', { command: ['x'] });
  }

  it.each([
    ['masked frames', Buffer.from([0x82, 0x81, 1, 2, 3, 4, 0])],
    ['bytes that are no frames', Buffer.alloc(40, 0xff)],
    ['a close without a Status', Buffer.from([0x88, 2, 0x03, 0xe8])],
    ['a Status that is none', Buffer.from([0x82, 3, 3, 0x68, 0x69, 0x88, 0])],
    [
      'an endless Status',
      Buffer.concat([Buffer.from([0x82, 127, 0, 0, 0, 0, 0, 2, 0, 0, 3]), Buffer.alloc(0x1ffff, 0x20)]),
    ],
  ])('rejects after %s', async (_what, bytes) => {
    await expect(execOn(bytes)).rejects.toThrow(/get pods\/exec default\/one|too long/);
  });

  it('does not take a 404 for a WebSocket', async () => {
    const { url } = await serve(() => status(404, 'NotFound', 'no'));
    const client = new Client({ server: url });
    onTestFinished(() => client.close());
    await expect(client.core.v1.pods('default').exec('one', { command: ['x'] })).rejects.toSatisfy(isNotFound);
  });
});

import { once } from 'node:events';
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach } from 'vitest';
import type { ApiHandler, ApiRequest, ApiResponse } from '../../src/apiserver/wire/exchange.js';
import { type HttpListener, type ListenOptions, listen } from '../../src/apiserver/wire/http-listener.js';
import { CertificateAuthority } from '../../src/certificates/certificate-authority.js';
import type { ConnectionConfig } from '../../src/rest/http/connection-config.js';
import { HttpTransport, type HttpTransportOptions } from '../../src/rest/http/http-transport.js';
import type { Exchange, ResponseHandler, ResponseHeaders, TransportRequest } from '../../src/rest/http/transport.js';
import { realClock } from '../../src/time/real-clock.js';
import { fixedTls } from './fixed-tls.js';

export const authority = new CertificateAuthority(realClock);
const certificate = authority.issueServer();
export const trusting = fixedTls({ ca: authority.certificate });
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Records a response as it comes. */
class RecordedResponse implements ResponseHandler {
  status = 0;
  headers: ResponseHeaders = {};
  received = 0;
  isOver = false;
  text = '';
  /** How many chunks it accepts before it pauses. */
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

  head(status: number, headers: ResponseHeaders): this {
    this.status = status;
    this.headers = headers;
    this.#begin();
    return this;
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

type Asked = RecordedResponse & { exchange: Exchange };

export function ask(transport: HttpTransport, request: Partial<TransportRequest> = {}): Asked {
  const answer = new RecordedResponse() as Asked;
  answer.exchange = transport.send({ method: 'GET', target: '/', headers: {}, ...request }, answer);
  return answer;
}

export function transportTo(connection: ConnectionConfig, options?: HttpTransportOptions): HttpTransport {
  const transport = new HttpTransport(connection, options);
  closing.push(() => transport.close());
  return transport;
}

export async function serve(handler: ApiHandler, options?: ListenOptions): Promise<HttpListener> {
  const listener = await listen(handler, options);
  closing.push(() => listener.close());
  return listener;
}

/** A TCP server; its connections are destroyed when the test ends. */
export async function serveSockets(onConnection: (socket: Socket) => void): Promise<number> {
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

/** An HTTP/2 server over TLS, with its sessions and sockets for the test. */
export async function serveHttp2(
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

export const echo: ApiHandler = async ({ method, target, headers, body }, response) => {
  response.head(200, { 'content-type': 'text/plain', 'x-probe': headers['x-probe'] ?? '' });
  response.write(Buffer.from(`${method} ${target} ${Buffer.from(body).toString()}`));
};

/** A handler that keeps each response open after 'open', so that the test can continue the body. */
export function holding(): { handler: ApiHandler; held: { request: ApiRequest; response: ApiResponse }[] } {
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

export const tls = { key: certificate.key, certificate: certificate.certificate };
export const ways = [
  { name: 'HTTP/1.1', options: {}, transport: {} },
  { name: 'HTTP/1.1 over TLS', options: { tls }, transport: { http2: false } },
  { name: 'HTTP/2', options: { tls }, transport: {} },
] as const;

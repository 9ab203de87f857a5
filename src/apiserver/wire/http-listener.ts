import {
  createServer as createHttp1Server,
  type Server as Http1Server,
  type IncomingMessage,
  ServerResponse,
} from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createTcpServer, type Server, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { requestEntityTooLarge } from '../../meta/errors/status.js';
import { requireInteger, requireString } from '../../meta/options/validate.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { ConnectionGuard, type ConnectionTimeouts, connectionTimeouts, timeoutAfter } from './connection-guard.js';
import type { ApiHandler, ApiRequest } from './exchange.js';
import { Http1Response } from './http1-response.js';
import { Http2Response } from './http2-response.js';
import { sendStatus } from './response-writer.js';
import { type OpenResponse, runHandler, warn } from './run-handler.js';

/** The key and certificates of a listener, as PEM texts. */
export interface ListenerTls {
  readonly key: string;
  readonly certificate: string;
  /** The authority of client certificates. A request with a certificate of another authority needs other credentials. */
  readonly clientAuthority?: string | undefined;
}

/** Where and how to listen. */
export interface ListenOptions extends ConnectionTimeouts {
  /** @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** 0 takes any free one. @default 0 */
  readonly port?: number | undefined;
  /** The certificate of the listener. @default none: connections are not encrypted */
  readonly tls?: ListenerTls | undefined;
  /** The longest request body that is read; longer ones are answered with 413. @default 3145728 */
  readonly maxBodyBytes?: number | undefined;
  /** Times the timeouts, and how long `close` waits for clients to read what was written. @default realClock */
  readonly clock?: Clock | undefined;
  /** Called when a handler rejects, which is a bug. @default process.emitWarning */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Every HTTP/2 connection begins with this and no HTTP/1 request does. */
const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0');
const FLUSH_MS = 250;
/** A body longer than this many times the limit is not read to its end; the request is destroyed. */
const DRAIN_FACTOR = 8;
const NOTHING = new Uint8Array();

/** Serves `handler` at a port until the listener is closed. */
export async function listen(handler: ApiHandler, options: ListenOptions = {}): Promise<HttpListener> {
  const listener = new HttpListener(handler, options);
  await listener.accept();
  return listener;
}

/** A handler at a port. It speaks HTTP/1.1 and HTTP/2 on the same port: over TLS by ALPN, without TLS by the first bytes. */
export class HttpListener {
  readonly host: string;
  port: number;
  readonly #handler: ApiHandler;
  readonly #tls: ListenerTls | undefined;
  readonly #maxBodyBytes: number;
  readonly #clock: Clock;
  readonly #timeouts: ReturnType<typeof connectionTimeouts>;
  /** Of HTTP/1.1 by socket, of HTTP/2 by session: the socket of a stream is not the one that was accepted. */
  readonly #guards = new WeakMap<object, ConnectionGuard>();
  readonly #onError: (error: unknown) => void;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  readonly #sockets = new Set<Socket>();
  readonly #requests = new Set<AbortController>();
  #acceptor: Server | undefined;
  #isClosed = false;

  constructor(handler: ApiHandler, options: ListenOptions) {
    this.#handler = handler;
    this.host = requireString('host', options.host ?? '127.0.0.1');
    this.port = requireInteger('port', options.port ?? 0, 0, 65_535);
    this.#tls = options.tls;
    this.#maxBodyBytes = requireInteger('maxBodyBytes', options.maxBodyBytes ?? 3 * 1024 * 1024, 1);
    this.#clock = options.clock ?? realClock;
    this.#timeouts = connectionTimeouts(options);
    this.#onError = options.onError ?? warn;
    // node:http checks timeouts only on a server that listens itself, so that the guards do it.
    this.#http1 = createHttp1Server({ keepAliveTimeout: 0 }, (request, message) => {
      const { method = 'GET', url = '/', headers } = request;
      const response = new Http1Response(request, message);
      const guard = this.#guards.get(request.socket);
      const stop = this.#serve(method, url, headers, request, response, request.socket, guard);
      message.once('close', () => stop(message.writableFinished));
      // A reset is an error event too; the close event that follows is enough.
      message.on('error', () => {});
    });
    this.#http1.on('upgrade', (request, socket, head) => this.#serveUpgrade(request, socket as Socket, head));
    this.#http2 = createHttp2Server({
      settings: { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024 },
      maxSessionMemory: 256,
    });
    this.#http2.on('stream', (stream, headers) => {
      const { ':method': method = 'GET', ':path': path = '/', ':authority': host, ...rest } = headers;
      const response = new Http2Response(stream, method);
      const fields = host === undefined ? rest : { ...rest, host };
      const socket = stream.session?.socket;
      const guard = stream.session && this.#guards.get(stream.session);
      const stop = this.#serve(method, path, fields, stream, response, socket, guard);
      // After a reset without an error code only `aborted` is emitted; the close event waits for more data.
      stream.once('aborted', () => stop(false));
      stream.once('close', () => stop(!stream.aborted && stream.writableFinished && stream.rstCode === 0));
      stream.on('error', () => {});
    });
    this.#http2.on('sessionError', () => {});
  }

  get url(): string {
    const host = this.host.includes(':') ? `[${this.host}]` : this.host;
    return `${this.#tls === undefined ? 'http' : 'https'}://${host}:${this.port}`;
  }

  /** Listens again, on the same port. */
  accept(): Promise<void> {
    if (this.#isClosed) throw new Error(`The listener at ${this.url} is closed; start another one`);
    if (this.#acceptor !== undefined) return Promise.resolve();
    const acceptor = this.#createAcceptor();
    this.#acceptor = acceptor;
    return new Promise((resolve, reject) => {
      acceptor.once('error', (error) => {
        this.#acceptor = undefined;
        reject(error);
      });
      acceptor.listen(this.port, this.host, () => {
        const address = acceptor.address();
        if (typeof address === 'object' && address !== null) this.port = address.port;
        resolve();
      });
    });
  }

  #createAcceptor(): Server {
    const tls = this.#tls;
    if (tls === undefined) {
      const acceptor = createTcpServer({ noDelay: true, pauseOnConnect: false });
      acceptor.on('connection', (socket) => {
        this.#track(socket);
        this.#sniff(socket);
      });
      return acceptor;
    }
    const acceptor = createTlsServer({
      key: tls.key,
      cert: tls.certificate,
      ...(tls.clientAuthority === undefined ? {} : { ca: tls.clientAuthority, requestCert: true }),
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
      noDelay: true,
      ...(this.#timeouts.headersMs === 0 ? {} : { handshakeTimeout: this.#timeouts.headersMs }),
    });
    acceptor.on('tlsClientError', (_error, socket) => socket.destroy());
    // The raw connection is tracked too: a handshake may never end.
    acceptor.on('connection', (socket) => this.#track(socket));
    acceptor.on('secureConnection', (socket) => {
      this.#track(socket);
      this.#hand(socket, socket.alpnProtocol === 'h2', this.#guard(socket));
    });
    return acceptor;
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  /** Reads the first bytes of a plain connection to find out whether the client speaks HTTP/2. */
  #sniff(socket: Socket): void {
    const guard = this.#guard(socket);
    const seen: Buffer[] = [];
    const onReadable = (): void => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      seen.push(chunk);
      const start = Buffer.concat(seen);
      const compared = Math.min(start.length, HTTP2_PREFACE.length);
      const isHttp2 = start.subarray(0, compared).equals(HTTP2_PREFACE.subarray(0, compared));
      if (isHttp2 && compared < HTTP2_PREFACE.length) return;
      socket.off('readable', onReadable);
      socket.unshift(start);
      this.#hand(socket, isHttp2, guard);
    };
    socket.on('readable', onReadable);
  }

  #guard(socket: Socket): ConnectionGuard {
    const guard = new ConnectionGuard(this.#clock, this.#timeouts, () => socket.destroy());
    socket.once('close', () => guard.stop());
    return guard;
  }

  /** Hands a connection to the server of its protocol. */
  #hand(socket: Socket, isHttp2: boolean, guard: ConnectionGuard): void {
    if (isHttp2) this.#http2.once('session', (session: ServerHttp2Session) => this.#guards.set(session, guard));
    else this.#guards.set(socket, guard);
    (isHttp2 ? this.#http2 : this.#http1).emit('connection', socket);
  }

  /**
   * Runs a request that asks for another protocol. node:http has let go of its connection: it gets an answer as any other
   * and is closed, unless the handler takes it over.
   */
  #serveUpgrade(request: IncomingMessage, socket: Socket, first: Buffer): void {
    const { method = 'GET', url = '/', headers } = request;
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
      // Some clients offer HTTP/2 with every request (h2c), and send a body, which node:http has not read. As the server
      // may ignore the offer, the request is read again without it.
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), first]));
      this.#http1.emit('connection', socket);
      return;
    }
    const message = new ServerResponse(request);
    message.shouldKeepAlive = false;
    message.assignSocket(socket);
    message.once('finish', () => {
      message.detachSocket(socket);
      socket.end();
    });
    message.on('error', () => {});
    const response = new Http1Response(request, message);
    const upgrade: ApiRequest['upgrade'] = (fields) => {
      response.abandon();
      message.detachSocket(socket);
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
      if (first.length > 0) socket.unshift(first);
      return socket;
    };
    const guard = this.#guards.get(socket);
    const stop = this.#serve(method, url, headers, Readable.from([]), response, socket, guard, upgrade);
    socket.once('close', () => stop(false));
  }

  /** Runs one request; the function that it returns is called when the connection or stream has closed. */
  #serve(
    method: string,
    target: string,
    headers: IncomingHttpHeaders,
    body: Readable,
    response: OpenResponse,
    socket: Socket | undefined,
    guard: ConnectionGuard | undefined,
    upgrade?: ApiRequest['upgrade'],
  ): (isFinished: boolean) => void {
    guard?.begin();
    const controller = new AbortController();
    this.#requests.add(controller);
    // Read now: any access to the socket of a closed HTTP/2 session throws.
    const clientCertificate = certificateOf(socket);
    const run = (bytes: Uint8Array): void => {
      // The body of an HTTP/2 stream also ends when the client disconnects, and half a body may be valid.
      if (controller.signal.aborted) return;
      const request: ApiRequest = {
        method,
        target,
        headers: plainHeaders(headers),
        body: bytes,
        signal: controller.signal,
        clientCertificate,
        upgrade,
      };
      runHandler(this.#handler, request, response, this.#onError);
    };
    const slowBody = timeoutAfter(this.#clock, this.#timeouts.bodyMs, () => body.destroy());
    body.once('end', () => slowBody?.cancel());
    this.#readBody(headers, body, run, () => {
      sendStatus(response, requestEntityTooLarge(`limit is ${this.#maxBodyBytes}`));
    });
    return (isFinished) => {
      if (!this.#requests.delete(controller)) return;
      slowBody?.cancel();
      guard?.end();
      if (!isFinished) controller.abort(new Error('The client has gone away'));
    };
  }

  #readBody(headers: IncomingHttpHeaders, body: Readable, run: (bytes: Uint8Array) => void, refuse: () => void): void {
    const limit = this.#maxBodyBytes;
    let chunks: Buffer[] | undefined = [];
    let length = 0;
    if (Number(headers['content-length'] ?? 0) > limit) {
      chunks = undefined;
      refuse();
    }
    body.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (chunks !== undefined && length <= limit) {
        chunks.push(chunk);
      } else if (chunks !== undefined) {
        chunks = undefined;
        refuse();
      } else if (length > limit * DRAIN_FACTOR) {
        // Clients read the 413 only after they have sent the whole body, so that it is read and dropped up to this point.
        body.destroy();
      }
    });
    body.once('end', () => {
      if (chunks !== undefined) run(chunks.length === 0 ? NOTHING : Buffer.concat(chunks));
    });
  }

  /** Stops listening: the system refuses new connections. Present ones stay. */
  refuse(): void {
    this.#acceptor?.close();
    this.#acceptor = undefined;
  }

  /** Resets every connection. */
  dropConnections(): void {
    for (const socket of this.#sockets) {
      if (socket instanceof TLSSocket || socket.constructor !== Socket) socket.destroy();
      else socket.resetAndDestroy();
    }
  }

  /** Stops listening, aborts all requests and closes all connections; resolves when they are closed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.refuse();
    const reason = new Error('The server is stopping');
    for (const controller of this.#requests) controller.abort(reason);
    // Handlers end their answers after the abort; one turn lets them write.
    await this.#clock.yield();
    const pending = [...this.#sockets].filter((socket) => socket.writableLength > 0);
    if (pending.length > 0) await this.#flush(pending);
    const closed = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
    this.#http1.close();
    this.#http2.close();
  }

  #flush(sockets: readonly Socket[]): Promise<void> {
    return new Promise((resolve) => {
      let left = sockets.length;
      const timer = this.#clock.setTimer(FLUSH_MS, resolve);
      const done = (): void => {
        if (--left > 0) return;
        timer.cancel();
        resolve();
      };
      for (const socket of sockets) socket.end(done);
    });
  }
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || name === '__proto__') continue;
    plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}

/** What {@link certificateOf} has read: all requests of a connection have the same certificate. */
const certificates = new WeakMap<Socket, ApiRequest['clientCertificate']>();

function certificateOf(socket: Socket | undefined): ApiRequest['clientCertificate'] {
  if (!(socket instanceof TLSSocket)) return undefined;
  if (!certificates.has(socket)) certificates.set(socket, readCertificate(socket));
  return certificates.get(socket);
}

function readCertificate(socket: TLSSocket): ApiRequest['clientCertificate'] {
  const { subject } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  if (!socket.authorized) return 'invalid';
  const organizations: string | string[] | undefined = subject.O;
  return {
    commonName: String(subject.CN ?? ''),
    organizations: organizations === undefined ? [] : [organizations].flat(),
  };
}

/** The head of a request as it was received, except that it asks for no other protocol. */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() !== 'upgrade') head += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}

import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { checkOptions, type OptionNames } from '../../meta/known-options.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { optionError, requireInteger, requireNumber } from '../../meta/validate.js';
import type { Clock, Timer } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { abortError, onAbort } from '../../time/signals.js';
import type { ConnectionConfig } from './connection-config.js';
import { Dialler } from './dial.js';
import { hostOf, isLoopback } from './host.js';
import { type ConnectionOwner, type HttpConnection, NotProcessedError } from './http-connection.js';
import type { Http2Options } from './http2-connection.js';
import { ConnectionLostError } from './request-errors.js';
import { SocketReader } from './socket-reader.js';
import type { BodySink, Exchange, ResponseHandler, ResponseHeaders, Transport, TransportRequest } from './transport.js';

/** How connections are made and kept. */
export interface HttpTransportOptions {
  /** @default realClock */
  readonly clock?: Clock | undefined;
  /** Whether HTTP/2 is offered; without it each watch has a connection of its own. @default true */
  readonly http2?: boolean | undefined;
  /** An HTTP/2 connection over which nothing has come for this long is pinged. client-go: 30000. @default 10000 */
  readonly pingAfterMs?: number | undefined;
  /** A ping that is not answered within this time ends the connection. client-go: 15000. @default 5000 */
  readonly pingTimeoutMs?: number | undefined;
  /**
   * A watch on HTTP/1.1 that has brought nothing for this long is reopened from its last resourceVersion, so that a dead
   * connection is noticed within a fourth more. On HTTP/2, where pings do that, a watch may be silent for five times as long.
   * @default 15000
   */
  readonly silenceMs?: number | undefined;
  /**
   * Connections to a server of HTTP/1.1 that carry one request each; requests beyond that wait, first come, first served. Each
   * watch and followed log has a connection of its own beside them, so that these never keep others waiting.
   * @default 100
   */
  readonly maxConnections?: number | undefined;
  /** Requests on one HTTP/2 connection before another one is made; the server's own limit counts too. @default 200 */
  readonly maxStreamsPerConnection?: number | undefined;
  /** How long a connection may take to come about, proxy and TLS included. @default 30000 */
  readonly connectTimeoutMs?: number | undefined;
  /** Connections that carry nothing are closed after this time. @default 60000 */
  readonly idleTimeoutMs?: number | undefined;
}

const httpTransportNames: OptionNames<HttpTransportOptions> = {
  clock: true,
  http2: true,
  pingAfterMs: true,
  pingTimeoutMs: true,
  maxStreamsPerConnection: true,
  connectTimeoutMs: true,
  idleTimeoutMs: true,
  silenceMs: true,
  maxConnections: true,
};

/** A connection that is pinged is alive: a longer silence there is the server's, and bookmarks come once a minute. */
const PINGED_SILENCES = 5;
/** How often one request is moved to another connection because its own did not take it. */
const MAX_MOVES = 10;

/**
 * HTTP over sockets: the pool of one server and one credential.
 *
 * ```
 *   send ──▶ a connection with room? ── yes ──▶ Http2Connection (many) or Http1Connection (one at a time)
 *                   │ no                                  ▲
 *                   ▼                                     │ ALPN says which
 *             waiting ─────▶ dial: TCP, proxy, TLS ───────┘   not while `maxConnections` of HTTP/1.1 carry short requests
 * ```
 *
 * The first connection shows which protocol the server speaks; until then one is dialled for all who wait. Requests that
 * a connection did not carry to the server (GOAWAY, refused streams, a socket closed before it was written to) move to
 * another one, whatever they ask for. Idle connections do not keep the process alive.
 */
export class HttpTransport implements Transport, ConnectionOwner {
  readonly server: string;
  readonly isLocal: boolean;
  readonly #url: URL;
  readonly #clock: Clock;
  readonly #dialler: Dialler;
  readonly #offersHttp2: boolean;
  readonly #http2: Http2Options;
  readonly #silenceMs: number;
  readonly #idleTimeoutMs: number;
  readonly #connections = new Map<HttpConnection, Timer | undefined>();
  readonly #maxConnections: number;
  readonly #waiting = new Set<PooledExchange>();
  /** Those without an end of their own. They go first, and are given connections that do not count. */
  readonly #waitingLong = new Set<PooledExchange>();
  /** Connections of HTTP/1.1 that carry one of those. */
  readonly #held = new Set<HttpConnection>();
  readonly #dials = new Map<AbortController, Promise<void>>();
  readonly #connectListeners = new Set<() => void>();
  readonly #undoRotate: (() => void) | undefined;
  /** Counts rotations: a connection dialled with the material before the last one is drained when it comes. */
  #generation = 0;
  #protocol: 'unknown' | 'http/1.1' | 'h2' = 'unknown';
  readonly #makeGated: () => HttpTransport;
  /**
   * For requests that may be refused at the last moment: its connections of HTTP/2 ask again when the bytes leave, which Node
   * puts off until the end of the turn, however long that takes. On HTTP/1.1 bytes leave when the question was asked.
   */
  #gated: HttpTransport | undefined;
  #onEmpty: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(connection: ConnectionConfig, options?: HttpTransportOptions);
  /** @internal */
  constructor(connection: ConnectionConfig, options: HttpTransportOptions, isGated: boolean);
  constructor(connection: ConnectionConfig, options: HttpTransportOptions = {}, isGated = false) {
    checkOptions('new HttpTransport', options, httpTransportNames);
    this.#url = urlOf('server', connection.server);
    this.server = this.#url.origin;
    this.isLocal = isLoopback(hostOf(this.#url));
    this.#clock = options.clock ?? realClock;
    this.#offersHttp2 = (options.http2 ?? true) && this.#url.protocol === 'https:';
    this.#http2 = {
      pingAfterMs: requireNumber('pingAfterMs', options.pingAfterMs ?? 10_000, 1),
      pingTimeoutMs: requireNumber('pingTimeoutMs', options.pingTimeoutMs ?? 5_000, 1),
      maxStreams: requireInteger('maxStreamsPerConnection', options.maxStreamsPerConnection ?? 200, 1),
      isGated,
    };
    this.#silenceMs = requireNumber('silenceMs', options.silenceMs ?? 15_000, 1000);
    this.#maxConnections = requireInteger('maxConnections', options.maxConnections ?? 100, 1);
    this.#idleTimeoutMs = requireNumber('idleTimeoutMs', options.idleTimeoutMs ?? 60_000);
    this.#dialler = new Dialler({
      url: this.#url,
      tls: connection.tls,
      proxy: connection.proxyUrl === undefined ? undefined : urlOf('proxyUrl', connection.proxyUrl),
      timeoutMs: requireNumber('connectTimeoutMs', options.connectTimeoutMs ?? 30_000, 1),
      clock: this.#clock,
    });
    this.#undoRotate = connection.tls?.onRotate?.(() => this.#rotate());
    this.#makeGated = () => new HttpTransport(connection, options, true);
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    const mayBeHttp2 = this.#offersHttp2 && this.#protocol !== 'http/1.1';
    if (request.refusal !== undefined && mayBeHttp2 && !this.#http2.isGated && this.#closing === undefined) {
      this.#gated ??= this.#makeGated();
      return this.#gated.send(request, handler);
    }
    const exchange = new PooledExchange(request, handler, {
      retry: () => this.#place(exchange),
      giveUp: () => this.#leave(exchange),
    });
    if (request.signal?.aborted) queueMicrotask(() => exchange.fail(request.signal?.reason));
    else if (this.#closing !== undefined) queueMicrotask(() => exchange.fail(this.#closedError()));
    else {
      exchange.listen();
      this.#place(exchange);
    }
    return exchange;
  }

  get silenceMs(): number {
    return this.#protocol === 'h2' ? PINGED_SILENCES * this.#silenceMs : this.#silenceMs;
  }

  onConnect(listener: () => void): Undo {
    this.#connectListeners.add(listener);
    return undoOnce(() => this.#connectListeners.delete(listener));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  onRoom(connection: HttpConnection): void {
    this.#connections.get(connection)?.cancel();
    if (!this.#connections.has(connection)) return;
    this.#connections.set(connection, undefined);
    if (connection.active === 0) this.#held.delete(connection);
    while (connection.room > 0) {
      const next = this.#next;
      if (next === undefined) break;
      this.#give(connection, next);
    }
    if (connection.active > 0) return;
    if (this.#connections.size > this.#mostConnections && connection.room > 0) {
      connection.drain();
      return;
    }
    const timer = this.#clock.setTimer(this.#idleTimeoutMs, () => connection.drain(), { keepAlive: false });
    this.#connections.set(connection, timer);
  }

  onGone(connection: HttpConnection): void {
    this.#connections.get(connection)?.cancel();
    this.#connections.delete(connection);
    this.#held.delete(connection);
    if (this.#connections.size === 0) this.#onEmpty?.();
    if (this.#closing === undefined) this.#dialForWaiting();
  }

  onDead(dead: HttpConnection): void {
    for (const connection of this.#connections.keys()) {
      if (connection !== dead && connection.active === 0) connection.drain();
    }
  }

  async #close(): Promise<void> {
    this.#undoRotate?.();
    const ends = [this.#gated?.close(), ...this.#dials.values()];
    for (const dial of this.#dials.keys()) dial.abort(this.#closedError());
    for (let next = this.#next; next !== undefined; next = this.#next) {
      this.#unwait(next);
      next.fail(this.#closedError());
    }
    await Promise.all(ends);
    if (this.#connections.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const connection of this.#connections.keys()) connection.destroy(this.#closedError());
    await empty;
  }

  #closedError(): Error {
    return abortError(`the client of ${this.server} was closed`);
  }

  #place(exchange: PooledExchange): void {
    if (this.#closing !== undefined) {
      exchange.fail(this.#closedError());
      return;
    }
    for (const connection of this.#connections.keys()) {
      if (connection.room === 0) continue;
      this.#give(connection, exchange);
      return;
    }
    if (exchange.isLongRunning) this.#waitingLong.add(exchange);
    else this.#waiting.add(exchange);
    this.#dialForWaiting();
  }

  /** Which of those that wait gets the next connection. */
  get #next(): PooledExchange | undefined {
    return first(this.#waitingLong) ?? first(this.#waiting);
  }

  #unwait(exchange: PooledExchange): boolean {
    return this.#waiting.delete(exchange) || this.#waitingLong.delete(exchange);
  }

  #give(connection: HttpConnection, exchange: PooledExchange): void {
    this.#unwait(exchange);
    this.#connections.get(connection)?.cancel();
    this.#connections.set(connection, undefined);
    if (exchange.isLongRunning && this.#protocol === 'http/1.1') this.#held.add(connection);
    exchange.sendOn(connection);
    // What could not be sent left the connection as it was.
    if (connection.active === 0) this.onRoom(connection);
  }

  /** Whoever waited has gone: a dial that nobody needs any more is called off. */
  #leave(exchange: PooledExchange): void {
    if (!this.#unwait(exchange)) return;
    for (const dial of this.#dials.keys()) {
      if (this.#dials.size <= this.#wantedDials) break;
      this.#dials.delete(dial);
      dial.abort(abortError('nobody waits for this connection any more'));
    }
  }

  /** How many connections there may be: those that are counted, and one for each request without an end of its own. */
  get #mostConnections(): number {
    if (this.#protocol !== 'http/1.1') return Number.POSITIVE_INFINITY;
    return this.#maxConnections + this.#held.size + this.#waitingLong.size;
  }

  get #wantedDials(): number {
    const waiting = this.#waiting.size + this.#waitingLong.size;
    // One HTTP/2 connection serves all that wait, and so may the first one of all; HTTP/1.1 takes one each.
    if (this.#protocol !== 'http/1.1') return Math.min(waiting, 1);
    return Math.min(waiting, this.#mostConnections - this.#connections.size);
  }

  #dialForWaiting(): void {
    while (this.#dials.size < this.#wantedDials) {
      const dial = new AbortController();
      const dialled = this.#dial(dial).catch((error) => this.#onDialFailure(dial, error));
      this.#dials.set(dial, dialled);
    }
  }

  async #dial(dial: AbortController): Promise<void> {
    let generation = this.#generation;
    const isKnownHttp1 = this.#protocol === 'http/1.1' || !this.#offersHttp2;
    const reader = new SocketReader();
    const protocols = isKnownHttp1 ? ['http/1.1'] : ['h2', 'http/1.1'];
    // Asking for the material may be what rotates it: a connection made with the result is of the new generation.
    const socket = await this.#dialler.dial(protocols, dial.signal, reader, () => {
      generation = this.#generation;
    });
    const isHttp2 = (socket as TLSSocket).alpnProtocol === 'h2';
    try {
      const connection = isHttp2
        ? await this.#openHttp2(socket, dial.signal)
        : await this.#openHttp1(socket, reader, dial.signal);
      this.#protocol = isHttp2 ? 'h2' : 'http/1.1';
      this.#dials.delete(dial);
      if (this.#connections.size === 0) for (const listener of this.#connectListeners) listener();
      this.#connections.set(connection, undefined);
      if (generation !== this.#generation) connection.drain();
      else this.onRoom(connection);
      this.#dialForWaiting();
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  // Either is loaded, with what it needs of Node, by those who speak it.
  async #openHttp1(socket: Socket, reader: SocketReader, signal: AbortSignal): Promise<HttpConnection> {
    const { Http1Connection } = await import('./http1-connection.js');
    stillWanted(socket, signal);
    return new Http1Connection(socket, reader, this.#url, this.#clock, this);
  }

  async #openHttp2(socket: Socket, signal: AbortSignal): Promise<HttpConnection> {
    const { Http2Connection } = await import('./http2-connection.js');
    stillWanted(socket, signal);
    return new Http2Connection(socket, this.#url, this.#clock, this.#http2, this);
  }

  #onDialFailure(dial: AbortController, error: unknown): void {
    if (!this.#dials.delete(dial)) return;
    const waiting = [...this.#waitingLong, ...this.#waiting];
    const victims = waiting.slice(0, this.#protocol === 'http/1.1' ? 1 : undefined);
    for (const exchange of victims) {
      this.#unwait(exchange);
      exchange.fail(error);
    }
    // The others may have waited for this one.
    if (this.#closing === undefined) this.#dialForWaiting();
  }

  #rotate(): void {
    this.#generation++;
    for (const connection of this.#connections.keys()) connection.drain();
  }
}

/** What was loaded between the dial and now took its time: somebody may have hung up, on either side. */
function stillWanted(socket: Socket, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (socket.destroyed) throw new ConnectionLostError('the connection closed right after it was made');
}

interface ExchangeOwner {
  retry(): void;
  giveUp(): void;
}

/** A request from the moment it is handed in, over the connections that it tries, to its end. */
class PooledExchange implements Exchange, ResponseHandler {
  readonly #request: TransportRequest;
  readonly #handler: ResponseHandler;
  readonly #owner: ExchangeOwner;
  readonly isLongRunning: boolean;
  #undoAbort: (() => void) | undefined;
  #inner: Exchange | undefined;
  #moves = 0;

  constructor(request: TransportRequest, handler: ResponseHandler, owner: ExchangeOwner) {
    this.#request = request;
    this.#handler = handler;
    this.#owner = owner;
    this.isLongRunning = request.isLongRunning === true;
  }

  /** Hears of an abort while it waits for a connection; a connection listens by itself. */
  listen(): void {
    const { signal } = this.#request;
    this.#undoAbort = onAbort(signal, () => {
      this.#owner.giveUp();
      this.fail(signal?.reason);
    });
  }

  sendOn(connection: HttpConnection): void {
    this.#undoAbort?.();
    this.#undoAbort = undefined;
    try {
      this.#inner = connection.send(this.#request, this);
    } catch (error) {
      // A header that cannot be sent, for one.
      queueMicrotask(() => this.fail(error));
    }
  }

  resume(): void {
    this.#inner?.resume();
  }

  head(status: number, headers: ResponseHeaders): BodySink {
    return this.#handler.head(status, headers);
  }

  end(): void {
    this.#handler.end();
  }

  fail(error: unknown): void {
    this.#undoAbort?.();
    this.#undoAbort = undefined;
    if (error instanceof NotProcessedError && ++this.#moves <= MAX_MOVES) {
      this.listen();
      this.#owner.retry();
    } else if (error instanceof NotProcessedError) {
      const message = `${this.#moves} connections in a row did not take the request`;
      this.#handler.fail(new ConnectionLostError(message, { cause: error }));
    } else this.#handler.fail(error);
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  return set.values().next().value;
}

function urlOf(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    // The value is not shown: the URL of a proxy may hold a password.
    throw new TypeError(`${name} must be a URL that begins with http:// or https://`);
  }
  if (name === 'server' && (url.username !== '' || url.search !== '' || url.hash !== '')) {
    throw optionError(name, 'a URL of scheme, host, port and path alone', url.origin);
  }
  return url;
}

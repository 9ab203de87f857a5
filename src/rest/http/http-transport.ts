import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { optionError, requireInteger, requireNumber } from '../../meta/options/validate.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import type { Clock, Timer } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { abortError, onAbort } from '../../time/signals.js';
import type { ConnectionConfig } from './connection-config.js';
import { Dialler } from './dial.js';
import { hostOf, isLoopback } from './host.js';
import { type ConnectionOwner, type HttpConnection, NotProcessedError } from './http-connection.js';
import type { Http2Options } from './http2/http2-connection.js';
import { ConnectionLostError } from './request-errors.js';
import { SocketReader } from './socket-reader.js';
import type { BodySink, Exchange, ResponseHandler, ResponseHeaders, Transport, TransportRequest } from './transport.js';
import { UpgradeExchange } from './upgrade-exchange.js';

/** Options of the connections to a server. */
export interface HttpTransportOptions {
  /** @default realClock */
  readonly clock?: Clock | undefined;
  /** Whether HTTP/2 is offered to a TLS server; on HTTP/1.1 each watch has a connection of its own. @default true */
  readonly http2?: boolean | undefined;
  /** An HTTP/2 connection that has received nothing for this long is pinged. client-go: 30000. @default 10000 */
  readonly pingAfterMs?: number | undefined;
  /** A connection whose ping is not answered within this time is closed. client-go: 15000. @default 5000 */
  readonly pingTimeoutMs?: number | undefined;
  /**
   * A watch on HTTP/1.1 that has received nothing for this long is reopened from its last resourceVersion; a dead connection
   * is detected at most an eighth of this time later. On HTTP/2, which has pings, a watch may be silent for five times as long.
   * @default 15000
   */
  readonly silenceMs?: number | undefined;
  /**
   * The most HTTP/1.1 connections for requests; further requests wait in order. Each watch and followed log has a connection
   * beside these, so that it never keeps a request waiting.
   * @default 100
   */
  readonly maxConnections?: number | undefined;
  /** The most requests on one HTTP/2 connection before another one is opened; a lower limit of the server counts. @default 200 */
  readonly maxStreamsPerConnection?: number | undefined;
  /** The longest that opening a connection may take, including proxy and TLS. @default 30000 */
  readonly connectTimeoutMs?: number | undefined;
  /** Idle connections are closed after this time. @default 60000 */
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

/** Pings find dead HTTP/2 connections, so that a watch there only has to hear the bookmarks, which come once a minute. */
const PINGED_SILENCES = 5;
/** How often one request moves to another connection after a {@link NotProcessedError}. */
const MAX_MOVES = 10;

/**
 * The connection pool of one server and one set of TLS credentials.
 *
 * ```
 *   send ──▶ a connection with room? ── yes ──▶ Http2Connection (many) or Http1Connection (one at a time)
 *                   │ no                                  ▲
 *                   ▼                                     │ ALPN says which
 *             waiting ─────▶ dial: TCP, proxy, TLS ───────┘   not while `maxConnections` of HTTP/1.1 carry short requests
 * ```
 *
 * The first connection shows which protocol the server speaks; until then one is dialled for all waiting requests. Requests
 * that the server has not processed (GOAWAY, refused streams, a socket closed before it was written to) move to another
 * connection, whatever their method. Idle connections do not keep the process alive.
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
  /** Long-running requests. They go first, on connections that do not count towards `maxConnections`. */
  readonly #waitingLong = new Set<PooledExchange>();
  /** HTTP/1.1 connections that carry a long-running request. */
  readonly #longRunning = new Set<HttpConnection>();
  readonly #dials = new Map<AbortController, Promise<void>>();
  /** Requests for another protocol that are under way, and connections that have switched to it. */
  readonly #upgrades = new Set<UpgradeExchange>();
  readonly #connectListeners = new Set<() => void>();
  readonly #undoRotate: (() => void) | undefined;
  /** Counts rotations: a connection that was dialled with older TLS material is drained when it is open. */
  #generation = 0;
  #protocol: 'unknown' | 'http/1.1' | 'h2' = 'unknown';
  #onEmpty: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(connection: ConnectionConfig, options: HttpTransportOptions = {}) {
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
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    if (request.upgrade !== undefined) return this.#sendUpgrade(request, handler);
    const exchange = new PooledExchange(request, handler, {
      retry: () => this.#place(exchange),
      giveUp: () => this.#leave(exchange),
    });
    if (request.signal?.aborted) queueMicrotask(() => exchange.fail(request.signal?.reason));
    else if (this.#closing !== undefined) queueMicrotask(() => exchange.fail(this.#closedError()));
    else {
      exchange.followSignal();
      this.#place(exchange);
    }
    return exchange;
  }

  /** Not pooled: the connection never carries another request. */
  #sendUpgrade(request: TransportRequest, handler: ResponseHandler): Exchange {
    const exchange = new UpgradeExchange(request, this.#url.host, handler, () => this.#upgrades.delete(exchange));
    if (this.#closing !== undefined) queueMicrotask(() => exchange.destroy(this.#closedError()));
    else {
      this.#upgrades.add(exchange);
      exchange.start((signal) => this.#dialler.dial(['http/1.1'], signal));
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
    if (connection.active === 0) this.#longRunning.delete(connection);
    while (connection.room > 0) {
      const next = this.#next;
      if (next === undefined) break;
      this.#give(connection, next);
    }
    if (connection.active > 0) return;
    if (this.#connections.size > this.#connectionLimit && connection.room > 0) {
      connection.drain();
      return;
    }
    const timer = this.#clock.setTimer(this.#idleTimeoutMs, () => connection.drain(), { keepAlive: false });
    this.#connections.set(connection, timer);
  }

  onGone(connection: HttpConnection): void {
    this.#connections.get(connection)?.cancel();
    this.#connections.delete(connection);
    this.#longRunning.delete(connection);
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
    const ends = [...this.#dials.values()];
    for (const dial of this.#dials.keys()) dial.abort(this.#closedError());
    for (let next = this.#next; next !== undefined; next = this.#next) {
      this.#unwait(next);
      next.fail(this.#closedError());
    }
    const upgrades = [...this.#upgrades].map((exchange) => exchange.destroy(this.#closedError()));
    await Promise.all([...ends, ...upgrades]);
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

  /** The waiting request that gets the next connection. */
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
    if (exchange.isLongRunning && this.#protocol === 'http/1.1') this.#longRunning.add(connection);
    exchange.sendOn(connection);
    // The request could not be sent: the connection is still free.
    if (connection.active === 0) this.onRoom(connection);
  }

  /** A waiting request was aborted: aborts a dial that is no longer needed. */
  #leave(exchange: PooledExchange): void {
    if (!this.#unwait(exchange)) return;
    for (const dial of this.#dials.keys()) {
      if (this.#dials.size <= this.#wantedDials) break;
      this.#dials.delete(dial);
      dial.abort(abortError('the request that needed this connection was aborted'));
    }
  }

  /** The most connections: `maxConnections`, and one for each long-running request. */
  get #connectionLimit(): number {
    if (this.#protocol !== 'http/1.1') return Number.POSITIVE_INFINITY;
    return this.#maxConnections + this.#longRunning.size + this.#waitingLong.size;
  }

  get #wantedDials(): number {
    const waiting = this.#waiting.size + this.#waitingLong.size;
    // One HTTP/2 connection serves all waiting requests, and so may the first connection of all; HTTP/1.1 needs one each.
    if (this.#protocol !== 'http/1.1') return Math.min(waiting, 1);
    return Math.min(waiting, this.#connectionLimit - this.#connections.size);
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
    // Reading the TLS material may rotate it: a connection that is made with the result belongs to the new generation.
    const socket = await this.#dialler.dial(protocols, dial.signal, reader, () => {
      generation = this.#generation;
    });
    const isHttp2 = (socket as TLSSocket).alpnProtocol === 'h2';
    try {
      const connection = isHttp2
        ? await this.#openHttp2(socket, reader, dial.signal)
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

  // Imported when needed, so that programs load only the protocol that they use.
  async #openHttp1(socket: Socket, reader: SocketReader, signal: AbortSignal): Promise<HttpConnection> {
    const { Http1Connection } = await import('./http1-connection.js');
    checkStillOpen(socket, signal);
    return new Http1Connection(socket, reader, this.#url, this.#clock, this);
  }

  async #openHttp2(socket: Socket, reader: SocketReader, signal: AbortSignal): Promise<HttpConnection> {
    const { Http2Connection } = await import('./http2/http2-connection.js');
    checkStillOpen(socket, signal);
    return new Http2Connection(socket, reader, this.#url, this.#clock, this.#http2, this);
  }

  #onDialFailure(dial: AbortController, error: unknown): void {
    if (!this.#dials.delete(dial)) return;
    const waiting = [...this.#waitingLong, ...this.#waiting];
    const failing = waiting.slice(0, this.#protocol === 'http/1.1' ? 1 : undefined);
    for (const exchange of failing) {
      this.#unwait(exchange);
      exchange.fail(error);
    }
    // Other requests may have waited for this dial.
    if (this.#closing === undefined) this.#dialForWaiting();
  }

  #rotate(): void {
    this.#generation++;
    for (const connection of this.#connections.keys()) connection.drain();
  }
}

/** The import takes time: the request may have been aborted and the socket closed meanwhile. */
function checkStillOpen(socket: Socket, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (socket.destroyed) throw new ConnectionLostError('the connection closed right after it was made');
}

interface ExchangeOwner {
  /** Sends it on another connection. */
  retry(): void;
  /** It was aborted while it waited for a connection. */
  giveUp(): void;
}

/** A request from `send` to its end, over the connections that it is sent on. */
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

  /** Fails on an abort while it waits for a connection; after that the connection does. */
  followSignal(): void {
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
      // For example an invalid header.
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
      this.followSignal();
      this.#owner.retry();
    } else if (error instanceof NotProcessedError) {
      const message = `${this.#moves} connections in a row did not process the request`;
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
    // The message does not contain the value: the URL of a proxy may hold a password.
    throw new TypeError(`${name} must be a URL that begins with http:// or https://`);
  }
  if (name === 'server' && (url.username !== '' || url.search !== '' || url.hash !== '')) {
    throw optionError(name, 'a URL of scheme, host, port and path alone', url.origin);
  }
  return url;
}

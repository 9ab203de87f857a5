import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../time/clock.js';
import { onAbort } from '../../time/signals.js';
import { GatedSocket } from './gated-socket.js';
import { joinHeaders } from './headers.js';
import { type ConnectionOwner, type HttpConnection, NotProcessedError } from './http-connection.js';
import { ConnectionLostError } from './request-errors.js';
import { SilenceWatch, setDeadline } from './silence.js';
import type { Exchange, ResponseHandler, TransportRequest } from './transport.js';

/** Options of HTTP/2 connections; see `HttpTransportOptions`. */
export interface Http2Options {
  readonly pingAfterMs: number;
  readonly pingTimeoutMs: number;
  readonly maxStreams: number;
  /** Whether `refusal` of requests is called once more when their bytes are written to the socket, which costs some speed. */
  readonly isGated: boolean;
}

/** Flow-control window of a stream, and so what the server may send to a paused watch. The default of 64 KB halves the speed. */
const STREAM_WINDOW_BYTES = 2 * 1024 * 1024;
/** Flow-control window of the connection. It is refilled as soon as bytes arrive, so that a paused stream does not stop the others. */
const CONNECTION_WINDOW_BYTES = 32 * 1024 * 1024;
/** Frames as large as one read of a socket. */
const FRAME_BYTES = 64 * 1024;
/** Paused streams may buffer a window each; by default Node destroys the session at 10 MB. */
const SESSION_MEMORY_MB = 1024;
/** Limit of 1xx responses before the final one, so that an endless series of them fails. */
const MAX_INTERIM_RESPONSES = 20;
/** Streams to open before the server's SETTINGS frame has come; RFC 9113 recommends that servers allow at least 100. */
const STREAMS_BEFORE_SETTINGS = 100;

/** An HTTP/2 connection: many requests at a time. */
export class Http2Connection implements HttpConnection {
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #clock: Clock;
  readonly #options: Http2Options;
  readonly #scheme: string;
  readonly #authority: string;
  readonly #streams = new Set<Http2Exchange>();
  /** Requests with a `refusal` that are not completely written. */
  readonly #unsent = new Set<Http2Exchange>();
  readonly #silence: SilenceWatch;
  #pingDeadline: Timer | undefined;
  #hasSettings = false;
  #isDraining = false;
  /** The server has not processed streams with a higher id (GOAWAY). */
  #lastProcessed = Number.POSITIVE_INFINITY;
  /** The error of the session. */
  #failure: unknown;
  /** The reason for which the client closed the connection. */
  #ending: unknown;

  constructor(socket: Socket, url: URL, clock: Clock, options: Http2Options, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    this.#clock = clock;
    this.#options = options;
    this.#scheme = url.protocol.slice(0, -1);
    this.#authority = url.host;
    const session = connect(url.origin, {
      createConnection: () => (options.isGated ? new GatedSocket(socket, () => this.#mayLeave()) : socket),
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES, maxFrameSize: FRAME_BYTES },
      maxSessionMemory: SESSION_MEMORY_MB,
    });
    this.#session = session;
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    session.on('remoteSettings', () => {
      this.#hasSettings = true;
      owner.onRoom(this);
    });
    session.on('goaway', (_code: number, lastStreamId: number) => {
      this.#lastProcessed = lastStreamId;
      this.#stopTaking();
    });
    session.on('error', (error) => {
      this.#failure ??= error;
    });
    session.on('close', () => this.#gone());
    this.#keepAlive(false);
    this.#silence = new SilenceWatch(
      clock,
      () => options.pingAfterMs,
      () => socket.bytesRead,
      (silentMs) => this.#ping(silentMs),
    );
  }

  get active(): number {
    return this.#streams.size;
  }

  get room(): number {
    if (this.#isDraining || this.#session.closed || this.#session.destroyed) return 0;
    const allowed = this.#hasSettings
      ? (this.#session.remoteSettings.maxConcurrentStreams ?? STREAMS_BEFORE_SETTINGS)
      : STREAMS_BEFORE_SETTINGS;
    return Math.max(Math.min(allowed, this.#options.maxStreams) - this.#streams.size, 0);
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    for (const [name, value] of Object.entries(request.headers)) {
      // node:http2 silently drops some invalid headers, and the server would close the connection because of others.
      validateHeaderName(name);
      for (const one of typeof value === 'string' ? [value] : value) validateHeaderValue(name, one);
    }
    const refused = request.refusal?.();
    if (refused !== undefined) {
      queueMicrotask(() => handler.fail(refused));
      return { resume() {} };
    }
    const stream = this.#session.request(
      {
        ...request.headers,
        ':method': request.method,
        ':path': request.target,
        ':scheme': this.#scheme,
        ':authority': this.#authority,
      },
      { endStream: request.body === undefined },
    );
    if (this.#streams.size === 0) this.#keepAlive(true);
    const exchange = new Http2Exchange(stream, request, handler, {
      explain: (error) => this.#explain(stream, error),
      onOver: () => this.#onOver(exchange),
    });
    this.#streams.add(exchange);
    if (request.refusal !== undefined) this.#unsent.add(exchange);
    if (request.body !== undefined) stream.end(request.body);
    return exchange;
  }

  drain(): void {
    if (!this.#isDraining) this.#stopTaking();
  }

  destroy(error: unknown): void {
    this.#ending ??= error;
    this.#isDraining = true;
    this.#session.destroy(error instanceof Error ? error : undefined);
    this.#socket.destroy();
  }

  /** Whether the connection keeps the process alive. */
  #keepAlive(on: boolean): void {
    // `ref` and `unref` of the session do not reach the socket behind a GatedSocket.
    for (const one of this.#options.isGated ? [this.#session, this.#socket] : [this.#session]) {
      if (on) one.ref();
      else one.unref();
    }
  }

  #stopTaking(): void {
    this.#isDraining = true;
    this.#owner.onRoom(this);
    this.#endIfDrained();
  }

  #endIfDrained(): void {
    if (!this.#isDraining || this.#streams.size > 0) return;
    this.#session.destroy();
    // The session would wait for the server to close the connection.
    this.#socket.destroySoon();
  }

  #onOver(exchange: Http2Exchange): void {
    this.#streams.delete(exchange);
    this.#unsent.delete(exchange);
    if (this.#streams.size === 0 && !this.#session.destroyed) this.#keepAlive(false);
    this.#owner.onRoom(this);
    this.#endIfDrained();
  }

  /** Whether bytes may be written: they may belong to any request that is not completely written. */
  #mayLeave(): boolean {
    for (const exchange of this.#unsent) {
      if (exchange.isAnswered) this.#unsent.delete(exchange);
      else if (exchange.refusal !== undefined) {
        // Not within the write of the GatedSocket.
        queueMicrotask(() => this.#refuse());
        return false;
      }
    }
    for (const exchange of this.#unsent) if (exchange.isWritten) this.#unsent.delete(exchange);
    return true;
  }

  /** Closes the connection, since single frames cannot be dropped. Unwritten requests fail with their refusal or move to another one. */
  #refuse(): void {
    this.#isDraining = true;
    for (const exchange of this.#unsent) {
      exchange.fail(
        exchange.refusal ??
          new NotProcessedError('the connection was closed because another request on it was refused'),
      );
    }
    this.destroy(
      new ConnectionLostError('the connection was closed because a request on it was refused before it was written'),
    );
  }

  /** The error of a request whose stream closed. */
  #explain(stream: ClientHttp2Stream, error: unknown): unknown {
    if (this.#ending !== undefined) return this.#ending;
    // A stream without an id was not sent; one above the GOAWAY's last id, or refused, was not processed by the server.
    const isUntouched = stream.id === undefined || stream.id > this.#lastProcessed;
    if (isUntouched || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
      return new NotProcessedError(
        'the server closes this connection and did not process the request (GOAWAY or REFUSED_STREAM)',
        {
          cause: error,
        },
      );
    }
    const cause = error ?? this.#failure;
    if (this.#session.destroyed || this.#session.closed) {
      return new ConnectionLostError('the connection closed in the middle of the response', { cause });
    }
    return new ConnectionLostError(`the server reset the stream with error code ${stream.rstCode}`, { cause });
  }

  #ping(silentMs: number): void {
    if (this.#pingDeadline !== undefined || this.#session.destroyed) return;
    const { pingTimeoutMs } = this.#options;
    const before = this.#socket.bytesRead;
    const sent = this.#session.ping(() => this.#cancelPingDeadline());
    if (!sent) return;
    const onSilence = (): void => {
      this.#pingDeadline = undefined;
      // Any bytes prove that the connection is alive, even if the PING response is behind a large frame.
      if (this.#socket.bytesRead !== before) return;
      const silence = Math.round(silentMs + pingTimeoutMs);
      this.destroy(
        new ConnectionLostError(
          `the connection has been silent for ${silence} ms, and a ping was not answered: it is closed as dead`,
          { silent: true },
        ),
      );
    };
    this.#pingDeadline = setDeadline(this.#clock, pingTimeoutMs, onSilence, { keepAlive: false });
  }

  #cancelPingDeadline(): void {
    this.#pingDeadline?.cancel();
    this.#pingDeadline = undefined;
  }

  #gone(): void {
    this.#silence.stop();
    this.#cancelPingDeadline();
    this.#isDraining = true;
    this.#owner.onGone(this);
  }
}

interface StreamOwner {
  explain(error: unknown): unknown;
  onOver(): void;
}

/** One request on an HTTP/2 connection. */
class Http2Exchange implements Exchange {
  readonly #stream: ClientHttp2Stream;
  readonly #request: TransportRequest;
  readonly #handler: ResponseHandler;
  readonly #owner: StreamOwner;
  readonly #undoAbort: () => void;
  #error: unknown;
  #hasHead = false;
  #isSettled = false;

  constructor(stream: ClientHttp2Stream, request: TransportRequest, handler: ResponseHandler, owner: StreamOwner) {
    const { signal } = request;
    this.#stream = stream;
    this.#request = request;
    this.#handler = handler;
    this.#owner = owner;
    // Node may emit 'data' before 'response' if both come in one read: the stream stays paused until the head.
    stream.pause();
    stream.on('response', (headers) => {
      if (this.#isSettled) return;
      this.#hasHead = true;
      const body = handler.head(Number(headers[':status']), joinHeaders(headers));
      stream.on('data', (chunk: Buffer) => {
        if (!this.#isSettled && !body.chunk(chunk)) stream.pause();
      });
      stream.resume();
    });
    let interims = 0;
    stream.on('headers', () => {
      if (++interims <= MAX_INTERIM_RESPONSES) return;
      this.fail(new Error(`more than ${MAX_INTERIM_RESPONSES} interim responses (1xx) came before the final one`));
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on('end', () => {
      // 'end' is also emitted for a stream that was reset, which 'close' handles. A destroyed stream may have no error code:
      // Node reports no error for a connection that is reset after a GOAWAY.
      const isComplete = stream.rstCode === constants.NGHTTP2_NO_ERROR && !stream.destroyed;
      if (isComplete && this.#hasHead) this.#settle(() => handler.end());
    });
    stream.on('error', (error) => {
      this.#error = error;
    });
    stream.on('close', () => {
      this.#settle(() => handler.fail(this.#owner.explain(this.#error)));
      this.#owner.onOver();
    });
    this.#undoAbort = onAbort(signal, () => {
      // The stream's 'close' comes later, but an abort is reported at once.
      this.#settle(() => handler.fail(signal?.reason));
      stream.close(constants.NGHTTP2_CANCEL);
      stream.resume();
    });
  }

  /** The error with which the request is refused now, if it is. */
  get refusal(): Error | undefined {
    return this.#request.refusal?.();
  }

  get isAnswered(): boolean {
    return this.#hasHead;
  }

  /** Whether all of it has been passed to the socket. */
  get isWritten(): boolean {
    return this.#stream.writableFinished;
  }

  resume(): void {
    if (this.#hasHead) this.#stream.resume();
  }

  fail(error: unknown): void {
    this.#settle(() => this.#handler.fail(error));
  }

  #settle(report: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    // Undefined on an abort within the constructor.
    this.#undoAbort?.();
    report();
  }
}

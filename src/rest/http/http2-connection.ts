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

/** How HTTP/2 connections are kept; `HttpTransportOptions` says what each means. */
export interface Http2Options {
  readonly pingAfterMs: number;
  readonly pingTimeoutMs: number;
  readonly maxStreams: number;
  /** Whether requests that may be refused are asked for once more when their bytes leave. It costs some speed. */
  readonly isGated: boolean;
}

/** As much as one paused watch may have on its way. The default of 64 KB halves the speed. */
const STREAM_WINDOW_BYTES = 2 * 1024 * 1024;
/** Shared by all streams, but given back as soon as bytes arrive, so that a paused stream does not stop the others. */
const CONNECTION_WINDOW_BYTES = 32 * 1024 * 1024;
/** A whole read of a socket in one piece. */
const FRAME_BYTES = 64 * 1024;
/** Paused streams may hold a window each; Node would end the session at 10 MB. */
const SESSION_MEMORY_MB = 1024;
/** More than any server says before its answer; what has no end must not be listened to for ever. */
const MAX_INTERIM_ANSWERS = 20;
/** What servers allow at least, until they have said what they do allow. */
const STREAMS_UNTIL_TOLD = 100;

/** Many requests on one connection. */
export class Http2Connection implements HttpConnection {
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #clock: Clock;
  readonly #options: Http2Options;
  readonly #scheme: string;
  readonly #authority: string;
  readonly #streams = new Set<Http2Exchange>();
  /** Requests that may be refused, of which something has not left yet. */
  readonly #unsent = new Set<Http2Exchange>();
  readonly #silence: SilenceWatch;
  #pingDeadline: Timer | undefined;
  #isTold = false;
  #isDraining = false;
  /** Streams above this one were not looked at by the server. */
  #lastProcessed = Number.POSITIVE_INFINITY;
  /** What the session itself said. */
  #failure: unknown;
  /** Why it was ended from this side. */
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
      this.#isTold = true;
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
    const told = this.#isTold
      ? (this.#session.remoteSettings.maxConcurrentStreams ?? STREAMS_UNTIL_TOLD)
      : STREAMS_UNTIL_TOLD;
    return Math.max(Math.min(told, this.#options.maxStreams) - this.#streams.size, 0);
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    for (const [name, value] of Object.entries(request.headers)) {
      // node:http2 would leave out what cannot be sent without a word, or have the server end the connection for it.
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

  /** Whether the process stays alive for it. */
  #keepAlive(on: boolean): void {
    // The session knows nothing of the socket behind a gate.
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
    // The session alone would wait for the other side to close the connection, which it may never do.
    this.#socket.destroySoon();
  }

  #onOver(exchange: Http2Exchange): void {
    this.#streams.delete(exchange);
    this.#unsent.delete(exchange);
    if (this.#streams.size === 0 && !this.#session.destroyed) this.#keepAlive(false);
    this.#owner.onRoom(this);
    this.#endIfDrained();
  }

  /** Whether the bytes that are about to leave may: they may belong to any request that has not left as a whole. */
  #mayLeave(): boolean {
    for (const exchange of this.#unsent) {
      if (exchange.isAnswered) this.#unsent.delete(exchange);
      else if (exchange.refusal !== undefined) {
        // Not from within the write.
        queueMicrotask(() => this.#refuse());
        return false;
      }
    }
    for (const exchange of this.#unsent) if (exchange.isWritten) this.#unsent.delete(exchange);
    return true;
  }

  /** Frames cannot be taken back one by one, so the connection ends. What has not left as a whole is refused or moves on. */
  #refuse(): void {
    this.#isDraining = true;
    for (const exchange of this.#unsent) {
      exchange.fail(exchange.refusal ?? new NotProcessedError('another request on this connection was refused'));
    }
    this.destroy(new ConnectionLostError('the connection was closed so that a request that was refused did not leave'));
  }

  /** What the end of a stream means, given what is known of the connection. */
  #explain(stream: ClientHttp2Stream, error: unknown): unknown {
    if (this.#ending !== undefined) return this.#ending;
    // Without an id it never left; above the last one of a GOAWAY, or refused, the server has not looked at it.
    const isUntouched = stream.id === undefined || stream.id > this.#lastProcessed;
    if (isUntouched || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
      return new NotProcessedError('the server is about to close this connection and did not take the request', {
        cause: error,
      });
    }
    const cause = error ?? this.#failure;
    if (this.#session.destroyed || this.#session.closed) {
      return new ConnectionLostError('the connection closed in the middle of the answer', { cause });
    }
    return new ConnectionLostError(`the server ended the stream with code ${stream.rstCode}`, { cause });
  }

  #ping(silentMs: number): void {
    if (this.#pingDeadline !== undefined || this.#session.destroyed) return;
    const { pingTimeoutMs } = this.#options;
    const before = this.#socket.bytesRead;
    const sent = this.#session.ping(() => this.#stopWaiting());
    if (!sent) return;
    const onSilence = (): void => {
      this.#pingDeadline = undefined;
      // Whatever came proves life, even if the answer itself is stuck behind a large chunk.
      if (this.#socket.bytesRead !== before) return;
      const silence = Math.round(silentMs + pingTimeoutMs);
      this.destroy(
        new ConnectionLostError(
          `the connection has been silent for ${silence} ms, and a ping was not answered: it is taken for dead`,
          { silent: true },
        ),
      );
    };
    this.#pingDeadline = setDeadline(this.#clock, pingTimeoutMs, onSilence, { keepAlive: false });
  }

  #stopWaiting(): void {
    this.#pingDeadline?.cancel();
    this.#pingDeadline = undefined;
  }

  #gone(): void {
    this.#silence.stop();
    this.#stopWaiting();
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
    // Node may tell of the body before it tells of the head, when both come in one read: nothing flows until the head did.
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
      if (++interims <= MAX_INTERIM_ANSWERS) return;
      this.fail(new Error(`more than ${MAX_INTERIM_ANSWERS} interim answers (1xx) came before the answer`));
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on('end', () => {
      // A stream that was cut also ends; the close event knows more about it. One that was destroyed may not even have a
      // code that says so: Node has no error for a connection that is reset after a GOAWAY.
      const isWhole = stream.rstCode === constants.NGHTTP2_NO_ERROR && !stream.destroyed;
      if (isWhole && this.#hasHead) this.#settle(() => handler.end());
    });
    stream.on('error', (error) => {
      this.#error = error;
    });
    stream.on('close', () => {
      this.#settle(() => handler.fail(this.#owner.explain(this.#error)));
      this.#owner.onOver();
    });
    this.#undoAbort = onAbort(signal, () => {
      // The stream's close event comes later; whoever gave up hears of it at once.
      this.#settle(() => handler.fail(signal?.reason));
      stream.close(constants.NGHTTP2_CANCEL);
      stream.resume();
    });
  }

  /** What speaks against it now. */
  get refusal(): Error | undefined {
    return this.#request.refusal?.();
  }

  get isAnswered(): boolean {
    return this.#hasHead;
  }

  /** Whether all of it is among what has left or is about to. */
  get isWritten(): boolean {
    return this.#stream.writableFinished;
  }

  resume(): void {
    if (this.#hasHead) this.#stream.resume();
  }

  fail(error: unknown): void {
    this.#settle(() => this.#handler.fail(error));
  }

  #settle(tell: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    // On an abort before the constructor has ended there is nothing to undo yet.
    this.#undoAbort?.();
    tell();
  }
}

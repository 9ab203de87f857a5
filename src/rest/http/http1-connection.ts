import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../time/clock.js';
import { onAbort } from '../../time/signals.js';
import { type ConnectionOwner, type HttpConnection, NotProcessedError } from './http-connection.js';
import { Http1Parser, type ParsedResponseHandler } from './http1-parser.js';
import { ConnectionLostError } from './request-errors.js';
import { requestFields } from './request-fields.js';
import type { SocketReader } from './socket-reader.js';
import type { BodySink, Exchange, ResponseHandler, ResponseHeaders, TransportRequest } from './transport.js';

/** Closes an idle connection this much before the server does, which might otherwise happen while a request is sent. */
const KEEP_ALIVE_MARGIN_MS = 1000;

const nothing = Buffer.alloc(0);

/**
 * An HTTP/1.1 connection: one request at a time.
 *
 * On a connection that was used before, a request is written after the sockets have been read once more: bytes that followed
 * the last response are then not taken for the next one, and a connection that the server has closed is not used.
 *
 * A used connection that closes before any byte of the next response was probably dead already. The request then moves to
 * another connection if that is safe: a GET, or one that the kernel has not taken to its last byte, so that the server cannot
 * have received all of it. Any other request fails, since the server may have executed it.
 */
export class Http1Connection implements HttpConnection, ParsedResponseHandler {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #owner: ConnectionOwner;
  readonly #parser = new Http1Parser(this);
  #exchange: Http1Exchange | undefined;
  /** Bytes that were read and not parsed, because the sink paused. */
  #rest: Buffer = nothing;
  #isPaused = false;
  #isAnswered = false;
  /** Whether the server has closed its side. */
  #hasEnded = false;
  #isDraining = false;
  /** Whether it has carried a response before. */
  #isUsed = false;
  /** Whether the kernel has taken all bytes of the request. */
  #isWritten = false;
  #keepAlive: Timer | undefined;
  #nextTurn: Timer | undefined;
  #failure: Error | undefined;

  constructor(socket: Socket, reader: SocketReader, url: URL, clock: Clock, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#host = url.host;
    this.#clock = clock;
    this.#owner = owner;
    // While the sink pauses, unparsed bytes must survive that the server closes its side.
    socket.allowHalfOpen = true;
    // Bytes come through `reader` if it was passed to the socket, and as 'data' events otherwise.
    const take = (bytes: Buffer): void => this.#read(bytes);
    socket.on('data', take);
    socket.on('end', () => this.#onEnd());
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.once('close', () => this.#gone());
    socket.unref();
    reader.begin(take);
  }

  get active(): number {
    return this.#exchange === undefined ? 0 : 1;
  }

  get room(): number {
    return this.#exchange === undefined && !this.#isDraining && this.#socket.writable ? 1 : 0;
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    const exchange = new Http1Exchange(request, this.#headOf(request), handler, this);
    const { signal } = request;
    this.#exchange = exchange;
    if (!this.#isUsed) this.#write(exchange);
    else if (this.#nextTurn === undefined) this.#awaitTurn();
    // If it has aborted already, `#write` reports that: handlers are not called before `send` has returned.
    if (!signal?.aborted) exchange.undoAbort = onAbort(signal, () => this.#abort(exchange, signal?.reason));
    return exchange;
  }

  /** Continues after the sink of `exchange` has paused. */
  resume(exchange: Http1Exchange): void {
    if (exchange !== this.#exchange || !this.#isPaused) return;
    this.#isPaused = false;
    const rest = this.#rest;
    this.#rest = nothing;
    this.#read(rest);
    if (this.#isPaused) return;
    if (this.#hasEnded) this.#onEnd();
    else this.#socket.resume();
  }

  drain(): void {
    this.#isDraining = true;
    this.#owner.onRoom(this);
    if (this.#exchange === undefined) this.#socket.destroy();
  }

  destroy(error: unknown): void {
    this.#isDraining = true;
    const exchange = this.#exchange;
    exchange?.settle(() => exchange.handler.fail(error ?? new ConnectionLostError('the connection was closed')));
    this.#socket.destroy();
  }

  head(status: number, headers: ResponseHeaders): void {
    const exchange = this.#exchange;
    if (exchange === undefined || exchange.isSettled) return;
    exchange.body = exchange.handler.head(status, headers);
  }

  body(bytes: Buffer): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined || exchange.isSettled || exchange.body?.chunk(bytes) !== false) return true;
    this.#isPaused = true;
    return false;
  }

  end(): void {
    const exchange = this.#exchange;
    this.#isAnswered = true;
    exchange?.settle(() => exchange.handler.end());
  }

  #headOf(request: TransportRequest): string {
    const fields = requestFields(request, { host: this.#host, connection: 'keep-alive' });
    let head = `${request.method} ${request.target} HTTP/1.1\r\n`;
    for (const [name, value] of fields) head += `${name}: ${value}\r\n`;
    return `${head}\r\n`;
  }

  /** Writes the request, unless it is refused, aborted, or the connection is unusable. */
  #write(exchange: Http1Exchange): void {
    const { request, head, handler } = exchange;
    const refused = this.#refusalOf(request);
    if (refused !== undefined) {
      queueMicrotask(() => {
        exchange.settle(() => handler.fail(refused));
        this.#free();
      });
      return;
    }
    const socket = this.#socket;
    const { body, method } = request;
    this.#keepAlive?.cancel();
    socket.ref();
    this.#parser.expect(method);
    this.#isWritten = false;
    const onWritten = (error?: Error | null): void => {
      // Node calls back without an error also for bytes that a destroyed socket did not write.
      if (!error && !socket.destroyed) this.#isWritten = true;
    };
    socket.cork();
    if (body === undefined || body.length === 0) socket.write(head, 'latin1', onWritten);
    else {
      socket.write(head, 'latin1');
      socket.write(body, onWritten);
    }
    socket.uncork();
  }

  #refusalOf({ refusal, signal }: TransportRequest): unknown {
    if (!this.#isClean) {
      this.#isDraining = true;
      return this.#unusable();
    }
    return refusal?.() ?? (signal?.aborted ? signal.reason : undefined);
  }

  /** Whether no bytes are waiting in either direction. */
  get #isClean(): boolean {
    const { writable, writableLength, readableLength } = this.#socket;
    return writable && writableLength === 0 && readableLength === 0;
  }

  #read(bytes: Buffer): void {
    try {
      const at = this.#parser.read(bytes, 0);
      if (this.#isPaused) {
        this.#rest = Buffer.from(bytes.subarray(at));
        this.#socket.pause();
        return;
      }
      // Bytes after the response, or without a request: the next response could not be distinguished from them.
      if (at < bytes.length) this.#isDraining = true;
      if (this.#isAnswered) this.#leave();
      else if (at < bytes.length) this.#socket.destroy();
    } catch (error) {
      this.destroy(error);
    }
  }

  #onEnd(): void {
    this.#hasEnded = true;
    this.#isDraining = true;
    if (this.#isPaused) return;
    this.#parser.finish();
    this.#socket.destroy();
  }

  #abort(exchange: Http1Exchange, reason: unknown): void {
    exchange.settle(() => exchange.handler.fail(reason));
    if (reason instanceof ConnectionLostError && reason.silent) this.#owner.onDead(this);
    // HTTP/1.1 cannot cancel a request otherwise.
    this.#isDraining = true;
    this.#socket.destroy();
  }

  /** The response is complete. */
  #leave(): void {
    this.#isAnswered = false;
    this.#isUsed = true;
    const { keepAliveMs, keepsAlive } = this.#parser;
    const keptMs = keepAliveMs === undefined ? Number.POSITIVE_INFINITY : keepAliveMs - KEEP_ALIVE_MARGIN_MS;
    if (!keepsAlive || keptMs <= 0) this.#isDraining = true;
    if (!this.#isDraining) {
      if (keptMs < Number.POSITIVE_INFINITY) {
        this.#keepAlive = this.#clock.setTimer(keptMs, () => this.drain(), { keepAlive: false });
      }
      this.#awaitTurn();
    }
    this.#free();
  }

  #awaitTurn(): void {
    // Twice, since a callback that is deferred while sockets are read runs before they are read again.
    this.#nextTurn = this.#clock.defer(() => {
      this.#nextTurn = this.#clock.defer(() => this.#takeTurn());
    });
  }

  /** All bytes that the server sent after its response have been read. */
  #takeTurn(): void {
    this.#nextTurn = undefined;
    if (this.#exchange !== undefined) this.#write(this.#exchange);
    else if (!this.#isClean) this.drain();
  }

  /** No request is under way: offers the connection for the next one, or closes it. */
  #free(): void {
    this.#exchange = undefined;
    if (this.#isDraining) this.#socket.destroy();
    else {
      this.#socket.unref();
      this.#owner.onRoom(this);
    }
  }

  #gone(): void {
    this.#isDraining = true;
    this.#keepAlive?.cancel();
    this.#nextTurn?.cancel();
    const exchange = this.#exchange;
    exchange?.settle(() => exchange.handler.fail(this.#whyGone(exchange.request)));
    this.#exchange = undefined;
    this.#parser.stop();
    this.#owner.onGone(this);
  }

  /** The error of a request that was not answered when the connection closed. */
  #whyGone({ method }: TransportRequest): Error {
    // The request waited for its turn, and no byte of it was written.
    if (this.#nextTurn !== undefined) return this.#unusable();
    if (!this.#isUsed || this.#parser.hasBegun) return this.#lost();
    this.#owner.onDead(this);
    const isSafe = method === 'GET' || method === 'HEAD' || !this.#isWritten;
    return isSafe ? this.#unusable() : this.#lost();
  }

  #unusable(): NotProcessedError {
    return new NotProcessedError('the connection closed before the request was sent', { cause: this.#failure });
  }

  #lost(): ConnectionLostError {
    const cause = this.#failure;
    const why = cause === undefined ? '' : `: ${cause.message}`;
    const wordless = !this.#isUsed && !this.#parser.hasBegun;
    return new ConnectionLostError(`the connection closed ${this.#parser.position}${why}`, { cause, wordless });
  }
}

/** One request on an HTTP/1 connection. */
class Http1Exchange implements Exchange {
  readonly request: TransportRequest;
  readonly head: string;
  readonly handler: ResponseHandler;
  readonly #connection: Http1Connection;
  /** Receives the body, once the head has come. */
  body: BodySink | undefined;
  undoAbort: (() => void) | undefined;
  isSettled = false;

  constructor(request: TransportRequest, head: string, handler: ResponseHandler, connection: Http1Connection) {
    this.request = request;
    this.head = head;
    this.handler = handler;
    this.#connection = connection;
  }

  resume(): void {
    this.#connection.resume(this);
  }

  /** Calls the handler with the end, once. */
  settle(report: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.undoAbort?.();
    report();
  }
}

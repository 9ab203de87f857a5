import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../time/clock.js';
import { onAbort } from '../../time/signals.js';
import { type ConnectionOwner, type HttpConnection, NotProcessedError } from './http-connection.js';
import { type AnswerTaker, Http1Parser } from './http1-parser.js';
import { ConnectionLostError, InvalidRequestError } from './request-errors.js';
import type { SocketReader } from './socket-reader.js';
import type { BodySink, Exchange, ResponseHandler, ResponseHeaders, TransportRequest } from './transport.js';

/** A server that closes unused connections after some time may do so while a request is on its way: be earlier. */
const KEEP_ALIVE_MARGIN_MS = 1000;

/** Headers that say how bytes are to be understood. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'trailer', 'upgrade', 'expect']);

const nothing = Buffer.alloc(0);

/**
 * One request at a time on one connection.
 *
 * A request on a connection that was used before leaves when the sockets have been read once more: what has come behind the
 * last answer is seen until then, and not taken for the next one; and a server that hung up meanwhile is not asked.
 *
 * A connection that was used before and closes before any byte of the next answer was probably dead by then. The request is
 * sent again on another one if that is safe: a GET, or one that the system has not taken to its last byte, so that the server
 * cannot have had the whole of it. Anything else fails: it may have been done.
 */
export class Http1Connection implements HttpConnection, AnswerTaker {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #owner: ConnectionOwner;
  readonly #parser = new Http1Parser(this);
  #exchange: Http1Exchange | undefined;
  /** What was read while the handler had enough. */
  #rest: Buffer = nothing;
  #isPaused = false;
  #isAnswered = false;
  /** Whether the server has said all that it will say. */
  #hasEnded = false;
  #isDraining = false;
  /** Whether it has brought an answer before. */
  #isUsed = false;
  /** Whether the system has taken all of the request. */
  #isWritten = false;
  #keepAlive: Timer | undefined;
  #nextTurn: Timer | undefined;
  #failure: Error | undefined;

  constructor(socket: Socket, reader: SocketReader, url: URL, clock: Clock, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#host = url.host;
    this.#clock = clock;
    this.#owner = owner;
    // A handler that has enough has not taken all of it when the server hangs up: the socket must not close by itself.
    socket.allowHalfOpen = true;
    // One of the two gives it the bytes, by how the socket came about.
    reader.take = (bytes) => this.#read(bytes);
    socket.on('data', reader.take);
    socket.on('end', () => this.#onEnd());
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.once('close', () => this.#gone());
    socket.unref();
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
    // Not before: nobody is told anything until this has returned.
    if (!signal?.aborted) exchange.undoAbort = onAbort(signal, () => this.#abort(exchange, signal?.reason));
    return exchange;
  }

  /** Goes on after the handler of `exchange` had enough. */
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

  #headOf({ method, target, headers, body }: TransportRequest): string {
    if (!/^[A-Za-z]+$/.test(method)) {
      throw new InvalidRequestError(`the method ${JSON.stringify(method)} has characters that no request can carry`);
    }
    if (!/^[\x21-\x7e]+$/.test(target)) {
      throw new InvalidRequestError(`the path ${JSON.stringify(target)} has characters that no request can carry`);
    }
    let head = `${method} ${target} HTTP/1.1\r\n`;
    for (const [name, value] of Object.entries({ host: this.#host, connection: 'keep-alive', ...headers })) {
      validateHeaderName(name);
      if (framing.has(name.toLowerCase())) {
        throw new InvalidRequestError(`the header ${name} is for the connection to set`);
      }
      for (const one of typeof value === 'string' ? [value] : value) {
        validateHeaderValue(name, one);
        head += `${name}: ${one}\r\n`;
      }
    }
    // Servers want to know that nothing comes where something usually does.
    if (body !== undefined || !(method === 'GET' || method === 'HEAD' || method === 'DELETE')) {
      head += `content-length: ${body?.length ?? 0}\r\n`;
    }
    return `${head}\r\n`;
  }

  /** Sends what there is to be sent, unless something speaks against it. */
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
      // Node also calls back, without an error, for what a destroyed socket did not write.
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

  /** Whether nothing is in the way of a request: what is still to be written, or has come before it was asked for. */
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
      // Bytes that nobody asked for: whatever they are, the next answer could not be told from them.
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
    // There is no other way to tell a server that its answer is not wanted.
    this.#isDraining = true;
    this.#socket.destroy();
  }

  /** The answer has been read to its end. */
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
    // Twice, since what is deferred while sockets are read comes before they are read again.
    this.#nextTurn = this.#clock.defer(() => {
      this.#nextTurn = this.#clock.defer(() => this.#takeTurn());
    });
  }

  /** Whatever the server had to say behind its answer has been read by now. */
  #takeTurn(): void {
    this.#nextTurn = undefined;
    if (this.#exchange !== undefined) this.#write(this.#exchange);
    else if (!this.#isClean) this.drain();
  }

  /** Nothing is under way: the connection can be used again, or it is closed. */
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

  /** What the end of the connection means for a request that was not answered. */
  #whyGone({ method }: TransportRequest): Error {
    // What still waits for its turn has not left.
    if (this.#nextTurn !== undefined) return this.#unusable();
    if (!this.#isUsed || this.#parser.hasBegun) return this.#lost();
    this.#owner.onDead(this);
    const isSafe = method === 'GET' || method === 'HEAD' || !this.#isWritten;
    return isSafe ? this.#unusable() : this.#lost();
  }

  #unusable(): NotProcessedError {
    return new NotProcessedError('the connection cannot be used any more', { cause: this.#failure });
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

  /** Tells the handler how it ended, unless it has been told. */
  settle(tell: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.undoAbort?.();
    tell();
  }
}

import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../time/clock.js';
import { onAbort } from '../time/wait.js';
import { ConnectionLostError, InvalidRequestError } from './errors.js';
import { type ConnectionOwner, type HttpConnection, NotProcessedError } from './http-connection.js';
import { type AnswerTaker, Http1Parser } from './http1-parser.js';
import type { SocketReader } from './socket-reader.js';
import type { Exchange, ResponseHandler, ResponseHeaders, TransportRequest } from './transport.js';

/** A server that closes unused connections after some time may do so while a request is on its way: be earlier. */
const KEEP_ALIVE_MARGIN_MS = 1000;

/** Headers that say how bytes are to be understood. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'trailer', 'upgrade', 'expect']);

/** One request at a time on one connection. */
export class Http1Connection implements HttpConnection, AnswerTaker {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #owner: ConnectionOwner;
  readonly #parser = new Http1Parser(this);
  #exchange: Http1Exchange | undefined;
  /** What was read while the handler had enough. */
  #rest: Buffer | undefined;
  #isPaused = false;
  #isAnswered = false;
  #isDraining = false;
  #isGone = false;
  #keepAlive: Timer | undefined;
  #failure: Error | undefined;

  constructor(socket: Socket, reader: SocketReader, url: URL, clock: Clock, owner: ConnectionOwner) {
    this.#socket = socket;
    this.#host = url.host;
    this.#clock = clock;
    this.#owner = owner;
    // One of the two gives it the bytes, by how the socket came about.
    reader.take = (bytes) => this.#read(bytes);
    socket.on('data', reader.take);
    socket.on('end', () => this.#onEnd());
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.once('close', () => this.#gone());
    socket.unref();
    if (socket.destroyed) this.#gone();
  }

  get active(): number {
    return this.#exchange === undefined ? 0 : 1;
  }

  get room(): number {
    return this.#exchange === undefined && !this.#isDraining && this.#socket.writable ? 1 : 0;
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    const head = this.#headOf(request);
    const exchange = new Http1Exchange(handler, this);
    this.#exchange = exchange;
    this.#keepAlive?.cancel();
    const refused = this.#socket.writable
      ? request.refusal?.()
      : new NotProcessedError('the connection closed before the request was sent');
    if (refused !== undefined) {
      queueMicrotask(() => {
        exchange.settle(() => handler.fail(refused));
        this.#leave();
      });
      return exchange;
    }
    const { signal, body, method } = request;
    exchange.undoAbort = onAbort(signal, () => this.#abort(exchange, signal?.reason));
    const socket = this.#socket;
    socket.ref();
    this.#parser.expect(method);
    socket.cork();
    socket.write(head, 'latin1');
    if (body !== undefined && body.length > 0) socket.write(body);
    socket.uncork();
    return exchange;
  }

  /** Goes on after the handler of `exchange` had enough. */
  resume(exchange: Http1Exchange): void {
    if (exchange !== this.#exchange || !this.#isPaused) return;
    this.#isPaused = false;
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined) this.#read(rest);
    if (!this.#isPaused) this.#socket.resume();
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
    exchange.hasHead = true;
    exchange.handler.head(status, headers);
  }

  body(bytes: Buffer): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined || exchange.isSettled || exchange.handler.chunk(bytes)) return true;
    this.#isPaused = true;
    return false;
  }

  end(): void {
    const exchange = this.#exchange;
    this.#isAnswered = true;
    exchange?.settle(() => exchange.handler.end());
  }

  #headOf({ method, target, headers, body }: TransportRequest): string {
    validateHeaderName(method);
    if (!/^[\x21-\x7e]+$/.test(target)) {
      throw new InvalidRequestError(`the path ${JSON.stringify(target)} has characters that no request can carry`);
    }
    let head = `${method} ${target} HTTP/1.1\r\n`;
    for (const [name, value] of Object.entries({ host: this.#host, connection: 'keep-alive', ...headers })) {
      validateHeaderName(name);
      if (framing.has(name)) throw new InvalidRequestError(`the header ${name} is for the connection to set`);
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
      if (this.#isAnswered || at < bytes.length) this.#leave();
    } catch (error) {
      this.destroy(error);
    }
  }

  #onEnd(): void {
    this.#isDraining = true;
    this.#parser.finish();
    if (this.#isAnswered) this.#leave();
  }

  #abort(exchange: Http1Exchange, reason: unknown): void {
    exchange.settle(() => exchange.handler.fail(reason));
    // There is no other way to tell a server that its answer is not wanted.
    this.#isDraining = true;
    this.#socket.destroy();
  }

  /** The exchange is over; the connection can be used again, or it is closed. */
  #leave(): void {
    this.#exchange = undefined;
    this.#isAnswered = false;
    const { keepAliveMs, keepsAlive } = this.#parser;
    // What is still to be written would stand in front of the next request.
    if (!keepsAlive || this.#socket.writableLength > 0) this.#isDraining = true;
    const keptMs = keepAliveMs === undefined ? Number.POSITIVE_INFINITY : keepAliveMs - KEEP_ALIVE_MARGIN_MS;
    if (this.#isDraining || keptMs <= 0) {
      this.#isDraining = true;
      this.#socket.destroy();
      return;
    }
    this.#socket.unref();
    if (keptMs < Number.POSITIVE_INFINITY) {
      this.#keepAlive = this.#clock.setTimer(keptMs, () => this.drain(), { keepAlive: false });
    }
    this.#owner.onRoom(this);
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#isDraining = true;
    this.#keepAlive?.cancel();
    this.#parser.stop();
    const exchange = this.#exchange;
    exchange?.settle(() => exchange.handler.fail(this.#lost(exchange)));
    this.#exchange = undefined;
    this.#owner.onGone(this);
  }

  #lost({ hasHead }: Http1Exchange): ConnectionLostError {
    const cause = this.#failure;
    const when = hasHead ? 'in the middle of the answer' : 'before the server answered';
    const why = cause === undefined ? '' : `: ${cause.message}`;
    return new ConnectionLostError(`the connection closed ${when}${why}`, { cause });
  }
}

/** One request on an HTTP/1 connection. */
class Http1Exchange implements Exchange {
  readonly handler: ResponseHandler;
  readonly #connection: Http1Connection;
  undoAbort: (() => void) | undefined;
  isSettled = false;
  hasHead = false;

  constructor(handler: ResponseHandler, connection: Http1Connection) {
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

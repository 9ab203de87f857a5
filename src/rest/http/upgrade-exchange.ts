import type { Socket } from 'node:net';
import { asError } from '../../meta/errors/errors.js';
import { type LinkedSignal, linkSignals } from '../../time/signals.js';
import { Http1Parser, type ParsedResponseHandler } from './http1-parser.js';
import { ConnectionLostError } from './request-errors.js';
import { requestFields } from './request-fields.js';
import type { BodySink, Exchange, ResponseHandler, ResponseHeaders, TransportRequest } from './transport.js';

/**
 * A request for another protocol on a connection of its own: dials, sends the request, and hands the connection over when the
 * server answers 101. Any other response is read as usual, and the connection is closed after it.
 */
export class UpgradeExchange implements Exchange, ParsedResponseHandler {
  readonly #request: TransportRequest;
  readonly #host: string;
  readonly #handler: ResponseHandler;
  readonly #onGone: () => void;
  readonly #link: LinkedSignal;
  readonly #parser = new Http1Parser(this);
  #socket: Socket | undefined;
  #dialling: Promise<void> | undefined;
  #body: BodySink | undefined;
  /** Bytes that were read and not parsed, because the sink paused. */
  #rest: Buffer = Buffer.alloc(0);
  #isPaused = false;
  #upgrade: ResponseHeaders | undefined;
  #isSettled = false;

  /** @param onGone called when the connection is closed, or was never made */
  constructor(request: TransportRequest, host: string, handler: ResponseHandler, onGone: () => void) {
    this.#request = request;
    this.#host = host;
    this.#handler = handler;
    this.#onGone = onGone;
    this.#link = linkSignals([request.signal]);
    this.#link.signal.addEventListener('abort', () => this.#fail(this.#link.signal.reason), { once: true });
  }

  start(dial: (signal: AbortSignal) => Promise<Socket>): void {
    this.#dialling = this.#run(dial);
  }

  /** Fails the request, or closes the connection that it has become. Resolves when that is closed. */
  async destroy(error: Error): Promise<void> {
    const socket = this.#socket;
    const closed =
      socket === undefined || socket.closed
        ? undefined
        : new Promise<void>((resolve) => {
            socket.once('close', () => resolve());
          });
    if (this.#isSettled) socket?.destroy(error);
    else this.#fail(error);
    await this.#dialling;
    await closed;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    this.#read(rest);
    if (!this.#isPaused) this.#socket?.resume();
  }

  head(status: number, headers: ResponseHeaders): void {
    if (status === 101) this.#upgrade = headers;
    else if (!this.#isSettled) this.#body = this.#handler.head(status, headers);
  }

  body(bytes: Buffer): boolean {
    if (this.#isSettled || this.#body?.chunk(bytes) !== false) return true;
    this.#isPaused = true;
    this.#socket?.pause();
    return false;
  }

  end(): void {
    this.#settle(() => this.#handler.end());
    this.#socket?.destroy();
  }

  async #run(dial: (signal: AbortSignal) => Promise<Socket>): Promise<void> {
    const { signal } = this.#link;
    try {
      // No handler is called before `send` has returned.
      await Promise.resolve();
      signal.throwIfAborted();
      const socket = await dial(signal);
      this.#socket = socket;
      socket.once('close', () => {
        this.#fail(new ConnectionLostError(`the connection closed ${this.#parser.position}`));
        this.#onGone();
      });
      this.#write(socket);
    } catch (error) {
      this.#fail(error);
      if (this.#socket === undefined) this.#onGone();
    }
  }

  /** @throws if the request is refused, or has parts that a request cannot carry */
  #write(socket: Socket): void {
    const request = this.#request;
    const fields = requestFields(request, { host: this.#host, connection: 'Upgrade' });
    const refused = request.refusal?.();
    if (refused !== undefined) throw refused;
    this.#link.signal.throwIfAborted();
    this.#parser.expect(request.method, true);
    socket.on('data', this.#read);
    socket.once('end', this.#ended);
    socket.once('error', this.#broke);
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`${request.method} ${request.target} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
    if (request.body !== undefined) socket.write(request.body);
  }

  readonly #read = (bytes: Buffer): void => {
    try {
      const at = this.#parser.read(bytes, 0);
      const rest = bytes.subarray(at);
      if (this.#upgrade !== undefined) this.#handOver(this.#upgrade, rest);
      else if (this.#isPaused) this.#rest = rest;
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #ended = (): void => {
    if (!this.#isPaused) this.#parser.finish();
    if (!this.#isSettled) this.#fail(new ConnectionLostError(`the connection closed ${this.#parser.position}`));
  };

  readonly #broke = (error: Error): void => this.#fail(error);

  /** The listeners that the dialler has added stay: an error without one would end the process. */
  #handOver(headers: ResponseHeaders, rest: Buffer): void {
    const socket = this.#socket!;
    socket.off('data', this.#read).off('end', this.#ended).off('error', this.#broke);
    socket.pause();
    if (rest.length > 0) socket.unshift(rest);
    const { upgraded } = this.#handler;
    if (upgraded === undefined) this.#fail(new Error('the handler of this request takes no connection'));
    else this.#settle(() => upgraded.call(this.#handler, headers, socket));
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#settle(() => this.#handler.fail(error));
    this.#parser.stop();
    this.#socket?.destroy(this.#socket.destroyed ? undefined : asError(error));
    this.#link.abort(error);
  }

  /** Calls the handler with the end, once. */
  #settle(report: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#link.release();
    report();
  }
}

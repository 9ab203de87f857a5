import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { onAbort } from '../time/wait.js';
import { ConnectionLostError } from './errors.js';
import { joinHeaders } from './headers.js';
import { type ConnectionOwner, type HttpConnection, NotProcessedError } from './http-connection.js';
import type { Exchange, ResponseHandler, TransportRequest } from './transport.js';

/** The pool closes idle connections sooner; a server that asks for less by its Keep-Alive header gets it. */
const KEEP_ALIVE_MS = 600_000;

type Undici = typeof import('undici');

let undici: Promise<Undici> | undefined;

/** Loading undici takes longer than everything else together, so it waits until somebody speaks HTTP/1. */
export function loadUndici(): Promise<Undici> {
  undici ??= import('undici');
  return undici;
}

/** One request at a time on one connection. */
export class Http1Connection implements HttpConnection {
  readonly #client: Client;
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  #exchange: Http1Exchange | undefined;
  #isDraining = false;
  #isGone = false;

  constructor(library: Undici, socket: Socket, url: URL, owner: ConnectionOwner) {
    this.#owner = owner;
    this.#socket = socket;
    let unused: Socket | undefined = socket;
    this.#client = new library.Client(url.origin, {
      // This client has one socket in its life. When that is gone so is the connection, and nothing was sent.
      connect: (_options, callback) => {
        const given = unused;
        unused = undefined;
        // In a turn of its own: the client does not expect to be called back while it asks.
        queueMicrotask(() => {
          if (given !== undefined && !given.destroyed) callback(null, given);
          else callback(new NotProcessedError('the connection closed before the request was sent'), null);
        });
      },
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      allowH2: false,
    });
    if (socket.destroyed) this.#gone();
    else socket.once('close', () => this.#gone());
  }

  get active(): number {
    return this.#exchange === undefined ? 0 : 1;
  }

  get room(): number {
    return this.#exchange === undefined && !this.#isDraining && !this.#isGone ? 1 : 0;
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    const exchange = new Http1Exchange(request, handler, () => {
      this.#exchange = undefined;
      if (this.#isDraining || this.#isGone) this.destroy(undefined);
      else this.#owner.onRoom(this);
    });
    this.#exchange = exchange;
    this.#client.dispatch(
      {
        path: request.target,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers as Record<string, string | string[]>,
        body: request.body ?? null,
      },
      exchange,
    );
    return exchange;
  }

  drain(): void {
    this.#isDraining = true;
    this.#owner.onRoom(this);
    if (this.#exchange === undefined) this.destroy(undefined);
  }

  destroy(error: unknown): void {
    this.#isDraining = true;
    const reason = error instanceof Error ? error : new ConnectionLostError('the connection was closed');
    this.#client.destroy(reason).catch(() => {});
    // The client knows its socket only once it has sent something.
    this.#socket.destroy();
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    // A request under way learns from the client what has become of the socket.
    if (this.#exchange === undefined) this.#client.destroy().catch(() => {});
    this.#owner.onGone(this);
  }
}

/** One request on an HTTP/1 connection. */
class Http1Exchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #handler: ResponseHandler;
  readonly #onOver: () => void;
  readonly #refusal: TransportRequest['refusal'];
  readonly #undoAbort: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: unknown;
  #isSettled = false;
  #isOver = false;

  constructor({ signal, refusal }: TransportRequest, handler: ResponseHandler, onOver: () => void) {
    this.#handler = handler;
    this.#onOver = onOver;
    this.#refusal = refusal;
    this.#undoAbort = onAbort(signal, () => {
      const reason = signal?.reason;
      this.#aborted = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
      this.#settle(() => handler.fail(reason));
      this.#controller?.abort(this.#aborted as Error);
    });
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The client writes right after this call, which may be a turn later than it was asked to.
    const refused = this.#aborted ?? this.#refusal?.();
    if (refused !== undefined) controller.abort(refused as Error);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Interim answers, such as 103, say nothing about the request.
    if (status >= 200 && !this.#isSettled) this.#handler.head(status, joinHeaders(headers));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isSettled && !this.#handler.chunk(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#settle(() => this.#handler.end());
    this.#over();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(() => this.#handler.fail(error));
    this.#over();
  }

  #settle(tell: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#undoAbort?.();
    tell();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
  }
}

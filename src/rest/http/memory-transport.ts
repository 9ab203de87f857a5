import type { Duplex } from 'node:stream';
import { asError } from '../../meta/errors/errors.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { abortError, onAbort } from '../../time/signals.js';
import { joinHeaders } from './headers.js';
import type { BodySink, Exchange, ResponseHandler, ResponseHeaders, Transport, TransportRequest } from './transport.js';

/** The part of an embedded server's in-memory connection that a {@link MemoryTransport} uses; the server's type has this shape. */
interface MemoryLink {
  send(
    request: {
      readonly method: string;
      readonly target: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array | undefined;
    },
    reader: {
      head(status: number, headers: ResponseHeaders): void;
      chunk(bytes: Uint8Array): void;
      end(): void;
      error(error: unknown): void;
      upgraded(headers: ResponseHeaders, connection: Duplex): void;
    },
  ): { pause(): void; resume(): void; abort(): void };
}

/** Sends requests to an embedded server without a socket, on the server's clock: with a FakeClock, when the test advances it. */
export class MemoryTransport implements Transport {
  readonly server = 'memory';
  readonly isLocal = true;
  readonly #link: MemoryLink;
  readonly #open = new Set<MemoryTransportExchange>();
  readonly #connectListeners = new Set<() => void>();
  #isReached = false;
  #isClosed = false;

  constructor(link: MemoryLink) {
    this.#link = link;
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    const exchange = new MemoryTransportExchange(request.signal, handler, (isLost) => {
      this.#open.delete(exchange);
      if (isLost) this.#isReached = false;
    });
    const refused = request.refusal?.();
    if (request.signal?.aborted) queueMicrotask(() => exchange.cut(request.signal?.reason));
    else if (refused !== undefined) queueMicrotask(() => exchange.cut(refused));
    else if (this.#isClosed) queueMicrotask(() => exchange.cut(closedError()));
    else {
      this.#open.add(exchange);
      exchange.start(this.#link, request);
      if (!this.#isReached) for (const listener of this.#connectListeners) listener();
      this.#isReached = true;
    }
    return exchange;
  }

  onConnect(listener: () => void): Undo {
    this.#connectListeners.add(listener);
    return undoOnce(() => this.#connectListeners.delete(listener));
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#open) exchange.cut(closedError());
    return Promise.resolve();
  }
}

/** An AbortError, not a ConnectionLostError, so that the request is not retried. */
function closedError(): Error {
  return abortError('the client of the server in memory was closed');
}

class MemoryTransportExchange implements Exchange {
  readonly #signal: AbortSignal | undefined;
  readonly #handler: ResponseHandler;
  readonly #onOver: (isLost: boolean) => void;
  #inner: ReturnType<MemoryLink['send']> | undefined;
  #body: BodySink | undefined;
  /** The connection, after the server has switched to another protocol. */
  #upgraded: Duplex | undefined;
  #undoAbort: (() => void) | undefined;
  #isOver = false;

  constructor(signal: AbortSignal | undefined, handler: ResponseHandler, onOver: (isLost: boolean) => void) {
    this.#signal = signal;
    this.#handler = handler;
    this.#onOver = onOver;
  }

  start(link: MemoryLink, request: TransportRequest): void {
    const { method, target, body, upgrade } = request;
    const headers = joinHeaders(request.headers);
    this.#undoAbort = onAbort(this.#signal, () => this.cut(this.#signal?.reason));
    const asked = upgrade === undefined ? headers : { ...headers, connection: 'Upgrade', upgrade };
    this.#inner = link.send({ method, target, headers: asked, body }, this);
  }

  /** Ends the request on the client's side. */
  cut(reason: unknown): void {
    this.#inner?.abort();
    if (this.#upgraded !== undefined) this.#upgraded.destroy(asError(reason));
    else if (this.#finish(false)) this.#handler.fail(reason);
  }

  resume(): void {
    this.#inner?.resume();
  }

  head(status: number, headers: ResponseHeaders): void {
    if (!this.#isOver) this.#body = this.#handler.head(status, headers);
  }

  chunk(bytes: Uint8Array): void {
    if (!this.#isOver && this.#body?.chunk(bytes) === false) this.#inner?.pause();
  }

  end(): void {
    if (this.#finish(false)) this.#handler.end();
  }

  upgraded(headers: ResponseHeaders, connection: Duplex): void {
    if (this.#isOver) connection.destroy();
    else {
      this.#upgraded = connection;
      this.#undoAbort?.();
      connection.once('close', () => this.#finish(false));
      this.#handler.upgraded?.(headers, connection);
    }
  }

  error(error: unknown): void {
    if (this.#finish(true)) this.#handler.fail(error);
  }

  #finish(isLost: boolean): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#undoAbort?.();
    this.#onOver(isLost);
    return true;
  }
}

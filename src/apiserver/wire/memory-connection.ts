import type { Duplex } from 'node:stream';
import { KubeflectError } from '../../meta/errors/errors.js';
import type { Clock } from '../../time/clock.js';
import type { ApiHandler, ApiRequest } from './exchange.js';
import { memoryDuplexes } from './memory-duplex.js';
import { type OpenResponse, runHandler, warn } from './run-handler.js';

/** A request as a client sends it. */
export interface MemoryRequest {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array | undefined;
}

/** Receives the answer: head, chunks, end, in this order. An error may come at any point and is the last call. */
export interface MemoryReader {
  head(status: number, headers: Readonly<Record<string, string>>): void;
  chunk(bytes: Uint8Array): void;
  end(): void;
  error(error: MemoryConnectionError): void;
  /** The server has switched to the protocol that the header `upgrade` of the request asks for; the last call. */
  upgraded?(headers: Readonly<Record<string, string>>, connection: Duplex): void;
}

/** A request under way. */
export interface MemoryExchange {
  /** Delivers nothing to the reader until {@link resume}; `write` of the server then returns false. */
  pause(): void;
  resume(): void;
  /** Closes the request from the client's side: the reader is not called again, and the request's signal aborts. */
  abort(): void;
}

/** Sends requests to a handler without sockets. */
export interface MemoryConnection {
  send(request: MemoryRequest, reader: MemoryReader): MemoryExchange;
  /** New requests fail with `ECONNREFUSED`. Present ones continue. */
  refuse(): void;
  accept(): void;
  /** Resets every request. */
  dropConnections(): void;
  /** Refuses new requests, aborts the present ones, and resets those that have not ended two turns later. */
  close(): Promise<void>;
}

/** The error of a socket: its `code` is `ECONNREFUSED` or `ECONNRESET`. */
export class MemoryConnectionError extends KubeflectError {
  static {
    MemoryConnectionError.prototype.name = 'MemoryConnectionError';
  }

  constructor(code: 'ECONNREFUSED' | 'ECONNRESET') {
    super(code, code === 'ECONNREFUSED' ? 'The server refused the connection' : 'The server reset the connection');
  }
}

/** `write` returns false beyond this, as that of a socket. */
const HIGH_WATER_BYTES = 64 * 1024;
const NOTHING = new Uint8Array();

/**
 * Connects clients to a handler in memory. Every hop, from the request to the handler and from there back to the reader,
 * takes a turn of the clock's event loop and no time, so that a FakeClock can run until it is idle.
 */
export function connectInMemory(
  handler: ApiHandler,
  clock: Clock,
  onError: (error: unknown) => void = warn,
): MemoryConnection {
  const open = new Set<InMemoryExchange>();
  let isRefusing = false;
  let isClosed = false;
  return {
    send(request, reader) {
      const exchange = new InMemoryExchange(clock, reader, () => open.delete(exchange));
      open.add(exchange);
      if (isRefusing) exchange.fail('ECONNREFUSED');
      else exchange.start(handler, request, onError);
      return exchange;
    },
    refuse() {
      isRefusing = true;
    },
    accept() {
      if (isClosed) throw new Error('The connection is closed; make another one');
      isRefusing = false;
    },
    dropConnections() {
      for (const exchange of open) exchange.reset();
    },
    async close() {
      isRefusing = true;
      isClosed = true;
      for (const exchange of open) exchange.stop(new Error('The server is stopping'));
      // One turn for handlers to end their streams, one for readers to receive the end.
      await clock.yield();
      await clock.yield();
      for (const exchange of open) exchange.reset();
      while (open.size > 0 && [...open].some((exchange) => !exchange.isPaused)) await clock.yield();
    },
  };
}

type Delivery =
  | { readonly type: 'head'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly type: 'end' }
  | { readonly type: 'upgraded'; readonly headers: Readonly<Record<string, string>>; readonly connection: Duplex }
  | { readonly type: 'error'; readonly error: MemoryConnectionError };

/** Both ends of one request: queues what the handler writes until the next turn, and while the reader is paused. */
class InMemoryExchange implements MemoryExchange, OpenResponse {
  readonly #clock: Clock;
  readonly #reader: MemoryReader;
  readonly #onGone: () => void;
  readonly #controller = new AbortController();
  /** Deliveries for the reader; a chunk is its bytes. */
  #queue: (Uint8Array | Delivery)[] = [];
  #pendingBytes = 0;
  #drainCallback: (() => void) | undefined;
  #isScheduled = false;
  #isHeadSent = false;
  /** The handler has ended or reset the answer. */
  #isOver = false;
  /** The reader has received the end, or has aborted. */
  #isGone = false;
  /** The server's end of the connection, after it has switched to another protocol. */
  #upgraded: Duplex | undefined;
  isPaused = false;

  constructor(clock: Clock, reader: MemoryReader, onGone: () => void) {
    this.#clock = clock;
    this.#reader = reader;
    this.#onGone = onGone;
  }

  start(handler: ApiHandler, sent: MemoryRequest, onError: (error: unknown) => void): void {
    const headers = sent.headers ?? {};
    const mayUpgrade = headers['upgrade'] !== undefined && this.#reader.upgraded !== undefined;
    const request: ApiRequest = {
      method: sent.method,
      target: sent.target,
      headers,
      body: sent.body ?? NOTHING,
      signal: this.#controller.signal,
      upgrade: mayUpgrade ? (fields) => this.#upgrade(fields) : undefined,
    };
    this.#clock.defer(() => {
      if (!this.#isGone && !this.#isOver) runHandler(handler, request, this, onError);
    });
  }

  get isHeadSent(): boolean {
    return this.#isHeadSent;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isOver || this.#isGone || this.#isHeadSent) return;
    this.#isHeadSent = true;
    this.#push({ type: 'head', status, headers });
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver || this.#isGone) return true;
    if (chunk.length > 0) {
      this.#pendingBytes += chunk.length;
      this.#push(chunk);
    }
    return this.#pendingBytes < HIGH_WATER_BYTES;
  }

  onDrain(callback: () => void): void {
    if (this.#isOver || this.#isGone) return;
    this.#drainCallback = callback;
    this.#schedule();
  }

  end(): void {
    if (this.#isOver || this.#isGone) return;
    this.#isOver = true;
    this.#push({ type: 'end' });
  }

  #upgrade(fields: Readonly<Record<string, string>>): Duplex {
    const [server, client] = memoryDuplexes(this.#clock);
    this.#upgraded = server;
    this.#isOver = true;
    server.once('close', () => {
      this.#leave();
      this.stop(new Error('The client has gone away'));
    });
    const headers = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
    this.#push({ type: 'upgraded', headers, connection: client });
    return server;
  }

  reset(): void {
    this.#upgraded?.destroy();
    if (this.#isOver || this.#isGone) return;
    this.fail('ECONNRESET');
  }

  fail(code: 'ECONNREFUSED' | 'ECONNRESET'): void {
    this.#isOver = true;
    this.#push({ type: 'error', error: new MemoryConnectionError(code) });
    this.stop(new Error('The connection was cut'));
  }

  stop(reason: Error): void {
    this.#controller.abort(reason);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.#schedule();
  }

  abort(): void {
    if (this.#isGone) return;
    this.#upgraded?.destroy();
    this.#leave();
    this.stop(new Error('The client has gone away'));
  }

  #push(delivery: Uint8Array | Delivery): void {
    this.#queue.push(delivery);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.isPaused || this.#isGone) return;
    this.#isScheduled = true;
    this.#clock.defer(() => {
      this.#isScheduled = false;
      this.#deliver();
    });
  }

  /** Delivers what was queued when the turn began; later deliveries wait for the next turn. */
  #deliver(): void {
    const batch = this.#queue;
    this.#queue = [];
    for (let at = 0; at < batch.length; at++) {
      if (this.isPaused && !this.#isGone) {
        this.#queue = [...batch.slice(at), ...this.#queue];
        return;
      }
      if (this.#isGone) return;
      this.#hand(batch[at]!);
    }
    if (this.#queue.length > 0) this.#schedule();
    else if (!this.isPaused) this.#drained();
  }

  #hand(delivery: Uint8Array | Delivery): void {
    if (delivery instanceof Uint8Array) {
      this.#pendingBytes -= delivery.length;
      this.#reader.chunk(delivery);
    } else if (delivery.type === 'head') {
      this.#reader.head(delivery.status, delivery.headers);
    } else if (delivery.type === 'upgraded') {
      this.#reader.upgraded?.(delivery.headers, delivery.connection);
    } else if (delivery.type === 'end') {
      this.#leave();
      this.#reader.end();
    } else {
      this.#leave();
      this.#reader.error(delivery.error);
    }
  }

  #drained(): void {
    const callback = this.#drainCallback;
    this.#drainCallback = undefined;
    callback?.();
  }

  #leave(): void {
    this.#isGone = true;
    this.#queue = [];
    this.#pendingBytes = 0;
    this.#onGone();
  }
}

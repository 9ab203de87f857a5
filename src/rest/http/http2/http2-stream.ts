import { BlockPool, ByteQueue } from '../../../codec/byte-queue.js';
import { onAbort } from '../../../time/signals.js';
import type { BodySink, Exchange, ResponseHandler, TransportRequest } from '../transport.js';
import { checkTrailers, malformed, readResponseHead } from './response-head.js';

/**
 * Flow-control window of a stream, and so what the server may send to a paused watch. It is refilled when half of it is used:
 * each refill is a write to the socket, and at full speed they show.
 */
export const STREAM_WINDOW_BYTES: number = 4 * 1024 * 1024;
/** Limit of 1xx responses before the final one, so that an endless series of them fails. */
const MAX_INTERIM_RESPONSES = 20;

/** Blocks of paused streams, which are rare: none are kept. */
const noBlocks = new BlockPool([]);

/** What a stream calls on its connection. */
export interface StreamOwner {
  /** The server may send this many more bytes on the stream. */
  widen(stream: Http2Stream, bytes: number): void;
  /** The handler has paused, or continues. */
  onPause(stream: Http2Stream): void;
  /** The request was aborted. */
  onAbort(stream: Http2Stream): void;
  /** The handler has got its last call. */
  onSettled(stream: Http2Stream): void;
}

/** One request on an HTTP/2 connection, and its response. */
export class Http2Stream implements Exchange {
  readonly request: TransportRequest;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly #handler: ResponseHandler;
  readonly #owner: StreamOwner;
  readonly #undoAbort: (() => void) | undefined;
  /** 0 until it is sent. */
  id = 0;
  /** Bytes of the request's body that were sent. */
  sent = 0;
  /** Bytes of the request's body that the server accepts now. May be negative. */
  sendWindow = 0;
  /** Whether the response is complete, though its handler may not have received all of it. */
  hasEnded = false;
  isSettled = false;
  /** Bytes that the server may send. */
  #receiveWindow = STREAM_WINDOW_BYTES;
  /** Bytes that the handler has received and that are not in the window again. */
  #consumed = 0;
  #interims = 0;
  #sink: BodySink | undefined;
  /** Bytes of the body that are still to come, by `Content-Length`; infinite without one. */
  #left = Number.POSITIVE_INFINITY;
  /** Bytes that came while the handler was paused. */
  #held: ByteQueue | undefined;
  #isPaused = false;

  constructor(
    request: TransportRequest,
    fields: readonly (readonly [name: string, value: string])[],
    handler: ResponseHandler,
    owner: StreamOwner,
  ) {
    const { signal } = request;
    this.request = request;
    this.fields = fields;
    this.#handler = handler;
    this.#owner = owner;
    // If it has aborted already, the connection reports that: handlers are not called before `send` has returned.
    if (!signal?.aborted) this.#undoAbort = onAbort(signal, () => owner.onAbort(this));
  }

  /** Whether all of the request was sent. */
  get isSent(): boolean {
    return this.id !== 0 && this.sent >= (this.request.body?.length ?? 0);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Whether the head of the response has come. */
  get isAnswered(): boolean {
    return this.#sink !== undefined;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#setPaused(false);
    for (let block = this.#held?.shift(); block !== undefined; block = this.#held?.shift()) {
      this.#deliver(block);
      if (this.#isPaused || this.isSettled) return;
    }
    if (this.hasEnded) this.#end();
  }

  /**
   * A header block: an interim head, the final one, or trailers.
   *
   * @throws Http2Error if it is malformed
   */
  headers(fields: readonly string[], endsStream: boolean): void {
    if (this.#sink !== undefined) {
      if (!endsStream) throw malformed('a second head follows the first');
      checkTrailers(fields);
      this.ends();
      return;
    }
    const { status, headers, contentLength } = readResponseHead(fields);
    if (status < 200) {
      if (endsStream) throw malformed('it ends with an interim head');
      if (++this.#interims > MAX_INTERIM_RESPONSES) {
        throw malformed(`more than ${MAX_INTERIM_RESPONSES} interim responses (1xx) came before the final one`);
      }
      return;
    }
    const hasNoBody = this.request.method === 'HEAD' || status === 204 || status === 304;
    this.#left = hasNoBody ? 0 : (contentLength ?? Number.POSITIVE_INFINITY);
    // A handler that was aborted is not called any more.
    this.#sink = this.#handler.head(status, headers);
    if (endsStream && !this.isSettled) this.ends();
  }

  /** A DATA frame begins. Returns false if the server exceeds the window. */
  receives(bytes: number): boolean {
    this.#receiveWindow -= bytes;
    return this.#receiveWindow >= 0;
  }

  /** @throws Http2Error if the body is longer than its Content-Length, or comes before the head */
  data(bytes: Buffer): void {
    if (this.#sink === undefined) throw malformed('its body comes before its head');
    this.#left -= bytes.length;
    if (this.#left < 0) throw malformed('its body is longer than its content-length');
    if (!this.#isPaused) this.#deliver(bytes);
    else {
      this.#held ??= new ByteQueue(noBlocks);
      this.#held.push(bytes);
    }
  }

  /** Bytes were delivered, or dropped as padding: they go back to the window, in large steps. */
  consume(bytes: number): void {
    this.#consumed += bytes;
    // The window of a closed stream must not be widened.
    if (this.#consumed < STREAM_WINDOW_BYTES / 2 || this.hasEnded || this.isSettled) return;
    this.#receiveWindow += this.#consumed;
    this.#owner.widen(this, this.#consumed);
    this.#consumed = 0;
  }

  /**
   * The response is complete.
   *
   * @throws Http2Error if it is shorter than its Content-Length, or has no head
   */
  ends(): void {
    if (this.#sink === undefined) throw malformed('it ends without a head');
    if (Number.isFinite(this.#left) && this.#left > 0) throw malformed('its body is shorter than its content-length');
    this.hasEnded = true;
    if (!this.#isPaused) this.#end();
  }

  fail(error: unknown): void {
    this.#held?.clear();
    this.#settle(() => this.#handler.fail(error));
  }

  #end(): void {
    this.#settle(() => this.#handler.end());
  }

  #deliver(bytes: Buffer): void {
    if (!this.#sink!.chunk(bytes) && !this.isSettled) this.#setPaused(true);
    this.consume(bytes.length);
  }

  #setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#owner.onPause(this);
  }

  #settle(report: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.#undoAbort?.();
    report();
    this.#owner.onSettled(this);
  }
}

import type { Status } from '../meta/status.js';
import type { Clock } from '../time/clock.js';
import type { ApiResponse } from './exchange.js';

const NO_CACHE = 'no-cache, private';
const encoder = new TextEncoder();

/** Answers with a whole body at once. */
export function send(response: ApiResponse, status: number, contentType: string, body: Uint8Array | string): void {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  response.head(status, {
    'cache-control': NO_CACHE,
    'content-type': contentType,
    'content-length': String(bytes.length),
  });
  response.write(bytes);
  response.end();
}

/** Answers with a Status: its own code is that of the answer. */
export function sendStatus(response: ApiResponse, status: Status): void {
  const bytes = encoder.encode(`${JSON.stringify(status)}\n`);
  const retryAfter = status.details?.retryAfterSeconds;
  response.head(status.code ?? 200, {
    'cache-control': NO_CACHE,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.write(bytes);
  response.end();
}

/** Begins an answer of unknown length. */
export function beginStream(response: ApiResponse, contentType: string): void {
  response.head(200, { 'cache-control': NO_CACHE, 'content-type': contentType });
}

/** How much is put together before it is handed on: large enough to cost few calls, small enough to begin at once. */
const CHUNK_BYTES = 64 * 1024;
/** How long a long answer may keep the event loop to itself. */
const SLICE_MS = 8;

/**
 * Writes a long answer piece by piece without holding the event loop: pieces are gathered into chunks; `pause` says when
 * the reader is behind or somebody else should have a turn, and then `resume` has to be awaited.
 */
export class SliceWriter {
  readonly #response: ApiResponse;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #chunk: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #length = 0;
  #sliceEnd: number;
  #isBehind = false;
  #isOver = false;

  constructor(response: ApiResponse, clock: Clock, signal: AbortSignal) {
    this.#response = response;
    this.#clock = clock;
    this.#signal = signal;
    this.#sliceEnd = clock.monotonicNow() + SLICE_MS;
  }

  push(piece: Uint8Array): void {
    if (this.#length + piece.length > CHUNK_BYTES) this.flush();
    if (piece.length > CHUNK_BYTES) {
      this.#isBehind = !this.#response.write(piece);
      return;
    }
    this.#chunk.set(piece, this.#length);
    this.#length += piece.length;
  }

  /** Whether to await {@link resume} before pushing more. */
  get pause(): boolean {
    return this.#isBehind || this.#isOver;
  }

  /** Waits for the reader and gives everybody else a turn. False: the reader has gone. */
  async resume(): Promise<boolean> {
    if (this.#isBehind) await drained(this.#response, this.#signal);
    else await this.#clock.yield();
    this.#isBehind = false;
    this.#isOver = false;
    this.#sliceEnd = this.#clock.monotonicNow() + SLICE_MS;
    return !this.#signal.aborted;
  }

  /** Hands on what has been gathered. */
  flush(): void {
    if (this.#length > 0) {
      this.#isBehind = !this.#response.write(this.#chunk.subarray(0, this.#length));
      this.#chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      this.#length = 0;
    }
    this.#isOver = this.#clock.monotonicNow() >= this.#sliceEnd;
  }
}

function drained(response: ApiResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    response.onDrain(done);
  });
}

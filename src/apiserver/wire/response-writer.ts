import { constants, gzipSync } from 'node:zlib';
import type { Status } from '../../meta/status.js';
import type { Clock } from '../../time/clock.js';
import type { ApiRequest, ApiResponse } from './exchange.js';

const NO_CACHE = 'no-cache, private';
const GZIP_HEADERS = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
const encoder = new TextEncoder();

/** From this size on, answers are compressed for those who can read that, as the real server does. */
const COMPRESS_BYTES = 128 * 1024;

/** Whether whoever asks can read compressed answers. */
export function acceptsGzip(request: ApiRequest): boolean {
  return /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
}

/** Whether an answer of that size is worth compressing. */
export function isLarge(size: number): boolean {
  return size >= COMPRESS_BYTES;
}

/** Every piece is a gzip member of its own, which unpacks like one whole and needs nobody to wait for a thread. */
function compressed(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: constants.Z_BEST_SPEED });
}

/** Answers with a whole body at once, compressed if `gzip`. */
export function send(
  response: ApiResponse,
  status: number,
  contentType: string,
  body: Uint8Array | string,
  gzip = false,
): void {
  const plain = typeof body === 'string' ? encoder.encode(body) : body;
  const bytes = gzip ? compressed(plain) : plain;
  response.head(status, {
    'cache-control': NO_CACHE,
    'content-type': contentType,
    'content-length': String(bytes.length),
    ...(gzip ? GZIP_HEADERS : {}),
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
export function beginStream(response: ApiResponse, contentType: string, gzip = false): void {
  response.head(200, { 'cache-control': NO_CACHE, 'content-type': contentType, ...(gzip ? GZIP_HEADERS : {}) });
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
  readonly #gzip: boolean;
  #chunk: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #length = 0;
  #sliceEnd: number;
  #isBehind = false;
  #isOver = false;

  constructor(response: ApiResponse, clock: Clock, signal: AbortSignal, gzip = false) {
    this.#response = response;
    this.#gzip = gzip;
    this.#clock = clock;
    this.#signal = signal;
    this.#sliceEnd = clock.monotonicNow() + SLICE_MS;
  }

  push(piece: Uint8Array): void {
    if (this.#length + piece.length > CHUNK_BYTES) this.flush();
    if (piece.length > CHUNK_BYTES) {
      this.#write(piece);
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
      this.#write(this.#chunk.subarray(0, this.#length));
      this.#chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      this.#length = 0;
    }
    this.#isOver = this.#clock.monotonicNow() >= this.#sliceEnd;
  }

  #write(bytes: Uint8Array): void {
    this.#isBehind = !this.#response.write(this.#gzip ? compressed(bytes) : bytes);
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

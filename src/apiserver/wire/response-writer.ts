import { constants, gzipSync } from 'node:zlib';
import { encodeDocument } from '../../codec/protobuf/document-writer.js';
import type { Status } from '../../meta/errors/status.js';
import type { Clock } from '../../time/clock.js';
import { promptlyInSlices, type Steps } from '../../time/steps.js';
import type { ApiRequest, ApiResponse } from './exchange.js';
import { negotiate } from './media-types.js';
import { printYaml } from './yaml-printer.js';

const PLAIN_JSON = { format: 'json', contentType: 'application/json' } as const;
const NO_CACHE = 'no-cache, private';
const GZIP_HEADERS = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
const encoder = new TextEncoder();

/** Answers of at least this size are compressed if the client accepts gzip, as on kube-apiserver. */
const COMPRESS_BYTES = 128 * 1024;

/** Whether the client accepts gzip. */
export function acceptsGzip(request: ApiRequest): boolean {
  return /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
}

/** Whether an answer of this size is compressed. */
export function isLarge(size: number): boolean {
  return size >= COMPRESS_BYTES;
}

/**
 * Compresses a chunk into a gzip member of its own: clients unpack a sequence of members as one body (RFC 1952). Synchronous,
 * because a stream of `node:zlib` would wait for a thread of libuv's pool for each chunk.
 */
export function compressed(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: constants.Z_BEST_SPEED });
}

/** Answers with a whole body at once, compressed if `gzip`. */
export function send(
  response: ApiResponse,
  status: number,
  contentType: string,
  body: Uint8Array | string,
  gzip = false,
  headers: Readonly<Record<string, string>> = {},
): void {
  const plain = typeof body === 'string' ? encoder.encode(body) : body;
  const bytes = gzip ? compressed(plain) : plain;
  response.head(status, {
    'cache-control': NO_CACHE,
    'content-type': contentType,
    'content-length': String(bytes.length),
    ...(gzip ? GZIP_HEADERS : {}),
    ...headers,
  });
  response.write(bytes);
  response.end();
}

/**
 * Answers with a Status, whose `code` becomes the status code.
 *
 * @param accept the Accept header of the request
 */
export function sendStatus(
  response: ApiResponse,
  status: Status,
  accept?: string,
  code: number = status.code ?? 200,
): void {
  const { format, contentType } = negotiate(accept, []) ?? PLAIN_JSON;
  const bytes =
    format === 'protobuf'
      ? encodeDocument(status)
      : encoder.encode(format === 'yaml' ? printYaml(status) : `${escapeHtml(JSON.stringify(status))}\n`);
  const retryAfter = status.details?.retryAfterSeconds;
  response.head(code, {
    'cache-control': NO_CACHE,
    'content-type': contentType,
    'content-length': String(bytes.length),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.write(bytes);
  response.end();
}

/** JSON as Go prints it, with escapes for the characters that have a meaning in HTML. */
function escapeHtml(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** Begins an answer of unknown length. */
export function beginStream(response: ApiResponse, contentType: string, gzip = false): void {
  response.head(200, { 'cache-control': NO_CACHE, 'content-type': contentType, ...(gzip ? GZIP_HEADERS : {}) });
}

/** Pieces are gathered into chunks of this size: large enough for few writes, small enough to send the first one early. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Writes an answer of many pieces, in slices and no faster than the client reads. Resolves with false if the client has
 * closed the connection.
 */
export async function writePieces(
  response: ApiResponse,
  clock: Clock,
  signal: AbortSignal,
  pieces: Iterable<Uint8Array>,
  gzip = false,
): Promise<boolean> {
  const chunks = chunksOf(pieces);
  while (!signal.aborted) {
    if (await promptlyInSlices(clock, 'response', writeChunks(response, chunks, signal, gzip))) return true;
    await drained(response, signal);
  }
  return false;
}

function* chunksOf(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let length = 0;
  for (const piece of pieces) {
    if (length > 0 && length + piece.length > CHUNK_BYTES) {
      yield chunk.subarray(0, length);
      chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      length = 0;
    }
    if (piece.length > CHUNK_BYTES) yield piece;
    else {
      chunk.set(piece, length);
      length += piece.length;
    }
  }
  if (length > 0) yield chunk.subarray(0, length);
}

/** Returns true after the last chunk, false if the client has to read first. */
function* writeChunks(
  response: ApiResponse,
  chunks: Iterator<Uint8Array, void, void>,
  signal: AbortSignal,
  gzip: boolean,
): Steps<boolean> {
  for (let next = chunks.next(); next.done !== true; next = chunks.next()) {
    const hasRoom = response.write(gzip ? compressed(next.value) : next.value);
    if (!hasRoom || signal.aborted) return false;
    yield;
  }
  return true;
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

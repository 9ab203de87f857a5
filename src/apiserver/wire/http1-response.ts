import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { OpenResponse } from './run-handler.js';

let framedChunk: Uint8Array | undefined;
let frame: Uint8Array = new Uint8Array();

/**
 * The bytes of a chunk in chunked transfer encoding. All watches write the same event in turn, so that the last frame is
 * kept: it is made once, and each socket sends it in one write.
 */
function frameOf(chunk: Uint8Array): Uint8Array {
  if (chunk !== framedChunk) {
    frame = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
    framedChunk = chunk;
  }
  return frame;
}

/** An answer over HTTP/1, chunked unless it has a Content-Length. */
export class Http1Response implements OpenResponse {
  readonly #message: ServerResponse;
  readonly #method: string | undefined;
  readonly #mayChunk: boolean;
  /** Set after the head of a chunked answer: chunks are written to the socket, past the slower framing of node:http. */
  #socket: Socket | undefined;
  #isOver = false;

  constructor(request: IncomingMessage, message: ServerResponse) {
    this.#message = message;
    this.#method = request.method;
    this.#mayChunk = request.httpVersion === '1.1' && request.method !== 'HEAD';
  }

  get isHeadSent(): boolean {
    return this.#message.headersSent;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isOver || this.#message.headersSent) return;
    this.#message.writeHead(status, headers);
    if (headers['content-length'] !== undefined || !this.#mayChunk) return;
    this.#message.flushHeaders();
    // A pipelined response has no socket before the one ahead of it has ended.
    this.#socket = this.#message.socket ?? undefined;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver || this.#method === 'HEAD') return true;
    // An empty chunk would end a chunked body.
    if (chunk.length === 0) return !this.#target.writableNeedDrain;
    return this.#socket === undefined ? this.#message.write(chunk) : this.#socket.write(frameOf(chunk));
  }

  onDrain(callback: () => void): void {
    if (this.#isOver) return;
    if (this.#target.writableNeedDrain) this.#target.once('drain', callback);
    else process.nextTick(callback);
  }

  get pendingBytes(): number {
    return this.#target.writableLength;
  }

  get #target(): Socket | ServerResponse {
    return this.#socket ?? this.#message;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#message.end();
  }

  /** The connection speaks another protocol now: all further calls are ignored. */
  abandon(): void {
    this.#isOver = true;
  }

  reset(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const socket = this.#message.socket;
    // Only a TCP socket can be reset; a TLS connection is destroyed.
    if (socket !== null && socket.constructor === Socket) socket.resetAndDestroy();
    else this.#message.destroy();
  }
}

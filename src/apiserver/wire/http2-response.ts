import type { ServerHttp2Stream } from 'node:http2';
import type { OpenResponse } from './run-handler.js';

/** An answer over HTTP/2. */
export class Http2Response implements OpenResponse {
  readonly #stream: ServerHttp2Stream;
  readonly #isHead: boolean;
  #isOver = false;

  constructor(stream: ServerHttp2Stream, method: string) {
    this.#stream = stream;
    this.#isHead = method === 'HEAD';
  }

  get isHeadSent(): boolean {
    return this.#stream.headersSent;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isOver || this.#stream.headersSent || this.#stream.destroyed) return;
    const { connection: _, ...kept } = headers;
    this.#stream.respond({ ...kept, ':status': status }, { endStream: this.#isHead });
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver || this.#isHead || this.#stream.destroyed) return true;
    return this.#stream.write(chunk);
  }

  onDrain(callback: () => void): void {
    if (this.#isOver) return;
    if (this.#stream.writableNeedDrain) this.#stream.once('drain', callback);
    else process.nextTick(callback);
  }

  get pendingBytes(): number {
    return this.#stream.writableLength;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isHead) this.#stream.end();
  }

  reset(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Closing with an error code would first send the end of the body, which the client would take for a complete answer.
    this.#stream.destroy(new Error('The stream was reset'));
  }
}

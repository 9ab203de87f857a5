import { createGunzip, type Gunzip } from 'node:zlib';
import type { Exchange, ResponseHandler, ResponseHeaders } from './transport.js';

/** Unpacks an answer on its way to a handler. Whoever is too slow holds up who is before it, as without. */
export class GunzipHandler implements ResponseHandler, Exchange {
  readonly #handler: ResponseHandler;
  readonly #resumeSource: () => void;
  readonly #gunzip: Gunzip = createGunzip();
  #isOver = false;

  constructor(handler: ResponseHandler, resumeSource: () => void) {
    this.#handler = handler;
    this.#resumeSource = resumeSource;
    const gunzip = this.#gunzip;
    gunzip.on('data', (bytes: Buffer) => {
      if (!this.#isOver && !handler.chunk(bytes)) gunzip.pause();
    });
    gunzip.on('drain', () => this.#resumeSource());
    gunzip.on('end', () => this.#finish(() => handler.end()));
    gunzip.on('error', (error) => this.#finish(() => handler.fail(error)));
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#handler.head(status, headers);
  }

  chunk(bytes: Uint8Array): boolean {
    return this.#isOver || this.#gunzip.write(Buffer.from(bytes));
  }

  end(): void {
    this.#gunzip.end();
  }

  fail(error: unknown): void {
    this.#finish(() => this.#handler.fail(error));
    this.#gunzip.destroy();
  }

  resume(): void {
    this.#gunzip.resume();
  }

  #finish(tell: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    tell();
  }
}

import { createGunzip, type Gunzip } from 'node:zlib';
import type { Exchange, ResponseHandler, ResponseHeaders } from './transport.js';

/** Where packed bytes come from. */
export interface PackedSource {
  /** Goes on after `chunk` has answered false. */
  resume(): void;
  /** What is still to come is of no use. */
  stop(): void;
}

/** Unpacks an answer on its way to a handler. Whoever is too slow holds up who is before it, as without. */
export class GunzipHandler implements ResponseHandler, Exchange {
  readonly #handler: ResponseHandler;
  readonly #source: PackedSource;
  readonly #gunzip: Gunzip = createGunzip();
  #isEmpty = true;
  #hasEnded = false;
  #isOver = false;

  constructor(handler: ResponseHandler, source: PackedSource) {
    this.#handler = handler;
    this.#source = source;
    const gunzip = this.#gunzip;
    gunzip.on('data', (bytes: Buffer) => {
      if (!this.#isOver && !handler.chunk(bytes)) gunzip.pause();
    });
    gunzip.on('drain', () => source.resume());
    gunzip.on('end', () => this.#finish(() => handler.end()));
    gunzip.on('error', (error) => this.#finish(() => handler.fail(error)));
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#handler.head(status, headers);
  }

  chunk(bytes: Uint8Array): boolean {
    this.#isEmpty = false;
    return this.#isOver || this.#gunzip.write(Buffer.from(bytes));
  }

  end(): void {
    this.#hasEnded = true;
    // An answer without a body may name its encoding all the same; the unpacker would miss the beginning.
    if (this.#isEmpty) this.#finish(() => this.#handler.end());
    else this.#gunzip.end();
  }

  fail(error: unknown): void {
    this.#hasEnded = true;
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
    // Damaged, or longer than what was packed: nobody takes the rest, which may have no end.
    if (!this.#hasEnded) this.#source.stop();
  }
}

import type { Gunzip } from 'node:zlib';
import type { BodySink } from './transport.js';

/** What a {@link GunzipBody} calls beside its sink. */
export interface GunzipOwner {
  /** The compressed bytes may continue after `chunk` has returned false. */
  resume(): void;
  /** The rest of the compressed bytes is not needed. */
  stop(): void;
  /** The sink has received the whole body. */
  end(): void;
  /** The compressed bytes are damaged, or the response failed. */
  fail(error: unknown): void;
}

/** Decompresses the body of a response on its way to a sink. A sink that pauses pauses the compressed bytes too. */
export class GunzipBody implements BodySink {
  readonly #owner: GunzipOwner;
  /** Its module is loaded by the first compressed response. */
  readonly #gunzip: Gunzip = process.getBuiltinModule('node:zlib').createGunzip();
  #isEmpty = true;
  #hasEnded = false;
  #isOver = false;

  constructor(sink: BodySink, owner: GunzipOwner) {
    this.#owner = owner;
    const gunzip = this.#gunzip;
    gunzip.on('data', (bytes: Buffer) => {
      if (!this.#isOver && !sink.chunk(bytes)) gunzip.pause();
    });
    gunzip.on('drain', () => owner.resume());
    gunzip.on('end', () => this.#finish(() => owner.end()));
    gunzip.on('error', (error) => this.#finish(() => owner.fail(error)));
  }

  chunk(bytes: Uint8Array): boolean {
    this.#isEmpty = false;
    return this.#isOver || this.#gunzip.write(Buffer.from(bytes));
  }

  /** All compressed bytes have come; `owner.end` follows when they are decompressed. */
  end(): void {
    this.#hasEnded = true;
    // A response without a body may have `content-encoding: gzip`; zlib would fail on the missing header.
    if (this.#isEmpty) this.#finish(() => this.#owner.end());
    else this.#gunzip.end();
  }

  fail(error: unknown): void {
    this.#hasEnded = true;
    this.#finish(() => this.#owner.fail(error));
    this.#gunzip.destroy();
  }

  /** Continues after the sink has returned false. */
  resume(): void {
    this.#gunzip.resume();
  }

  #finish(tell: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    tell();
    // Damaged, or followed by other bytes: the rest is not read, and it may never end.
    if (!this.#hasEnded) this.#owner.stop();
  }
}

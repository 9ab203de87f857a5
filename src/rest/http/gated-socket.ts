import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A socket for node:http2 that calls `mayLeave` before each write. Node sends the frames of a request at the end of the turn
 * of the event loop; with this socket they can still be held back then.
 *
 * ```
 *   node:http2 ── write ──▶ mayLeave()? ── yes ──▶ socket
 *                                │ no: this write and all later ones are dropped
 * ```
 */
export class GatedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #mayLeave: () => boolean;

  constructor(socket: Socket, mayLeave: () => boolean) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#mayLeave = mayLeave;
    socket.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, callback: (error?: Error | null) => void): void {
    this._writev([{ chunk, encoding: 'utf8' }], callback);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    callback: (error?: Error | null) => void,
  ): void {
    // The callback is not called, so no further write comes.
    if (!this.#mayLeave()) return;
    const socket = this.#socket;
    const last = chunks.length - 1;
    socket.cork();
    for (const [at, { chunk }] of chunks.entries()) socket.write(chunk, at === last ? callback : undefined);
    socket.uncork();
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }
}

import type { OnReadOpts, Socket } from 'node:net';
import { BLOCK_BYTES } from '../../codec/byte-queue.js';

/** All sockets read into this buffer: its bytes are processed before the next socket reads. */
let shared: Buffer | undefined;

/** The most bytes that may come before the connection takes them: a server sends at most its SETTINGS then. */
const MAX_EARLY_BYTES = 16_384;

/**
 * Reads a socket into one shared buffer; Node would allocate a buffer for each read. It is made before the socket, since Node
 * takes it as an option of `connect`, and gets its connection afterwards.
 */
export class SocketReader {
  #take: ((bytes: Buffer) => void) | undefined;
  /** Bytes that came before `begin`. */
  #early: Buffer | undefined;

  get options(): OnReadOpts {
    shared ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    const reader = this;
    return {
      buffer: shared,
      callback(this: Socket, length: number, buffer: Uint8Array): boolean {
        const bytes = (buffer as Buffer).subarray(0, length);
        if (reader.#take !== undefined) reader.#take(bytes);
        else if (!reader.#keep(bytes)) this.destroy();
        return true;
      },
    };
  }

  /** Passes on the bytes that have come, and from now on all others. They are overwritten after the call. */
  begin(take: (bytes: Buffer) => void): void {
    this.#take = take;
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined) take(early);
  }

  #keep(bytes: Buffer): boolean {
    this.#early = this.#early === undefined ? Buffer.from(bytes) : Buffer.concat([this.#early, bytes]);
    return this.#early.length <= MAX_EARLY_BYTES;
  }
}

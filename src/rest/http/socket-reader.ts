import type { OnReadOpts, Socket } from 'node:net';
import { BLOCK_BYTES } from '../../codec/byte-queue.js';

/** All sockets read into this: what is in it has been dealt with before the next one reads. */
let shared: Buffer | undefined;

/**
 * Takes what a plain socket reads, out of one buffer that is used again and again: Node would make a new one for every
 * read. It has to be there before the socket is, which is why it is not part of who takes the bytes.
 */
export class SocketReader {
  /** Gets the bytes, which are gone after the call. Until there is one, a server that speaks unasked is hung up on. */
  take: ((bytes: Buffer) => void) | undefined;

  get options(): OnReadOpts {
    shared ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    const reader = this;
    return {
      buffer: shared,
      callback(this: Socket, length: number, buffer: Uint8Array): boolean {
        if (reader.take === undefined) this.destroy();
        else reader.take((buffer as Buffer).subarray(0, length));
        return true;
      },
    };
  }
}

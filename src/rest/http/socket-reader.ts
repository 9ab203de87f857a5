import type { OnReadOpts, Socket } from 'node:net';
import { BLOCK_BYTES } from '../../codec/byte-queue.js';

/** All sockets read into this buffer: its bytes are processed before the next socket reads. */
let shared: Buffer | undefined;

/**
 * Reads a plain TCP socket into one shared buffer; Node would allocate a buffer for each read. It is made before the socket,
 * since Node takes it as an option of `connect`, and gets its connection afterwards.
 */
export class SocketReader {
  /** Receives the bytes, which are overwritten after the call. While it is undefined, bytes destroy the socket. */
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

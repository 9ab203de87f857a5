import { Duplex, Readable, Writable } from 'node:stream';
import type { WebSocket, WebSocketReader } from '../../wire/web-socket.js';

/*
 * The channel protocols of Kubernetes over a WebSocket: the first byte of each message is the number of its channel. In v5 a
 * message on channel 255 closes the channel that it names.
 */

const CLOSE_CHANNEL = 255;
/** How much of a channel is kept that its reader has not taken, before the whole connection waits. */
const BUFFERED_BYTES = 256 * 1024;

/** The channels of a WebSocket as streams. */
export class ChannelStreams implements WebSocketReader {
  readonly #readers = new Map<number, { push(bytes: Buffer | null): boolean }>();
  readonly #full = new Set<number>();
  readonly #onClosed: () => void;
  #socket: WebSocket | undefined;

  constructor(onClosed: () => void) {
    this.#onClosed = onClosed;
  }

  /** Begins with a connection that calls {@link message} and {@link closed}. */
  attach(socket: WebSocket): void {
    this.#socket = socket;
  }

  message(bytes: Buffer): void {
    const channel = bytes[0];
    if (channel === undefined) return;
    if (channel === CLOSE_CHANNEL) {
      this.#readers.get(bytes[1] ?? CLOSE_CHANNEL)?.push(null);
      return;
    }
    const reader = this.#readers.get(channel);
    if (reader === undefined || bytes.length === 1 || reader.push(bytes.subarray(1))) return;
    this.#full.add(channel);
    this.#socket?.pause();
  }

  closed(): void {
    for (const reader of this.#readers.values()) reader.push(null);
    this.#readers.clear();
    this.#onClosed();
  }

  /** What the client sends on a channel. */
  readable(channel: number): Readable {
    const stream = new Readable({ highWaterMark: BUFFERED_BYTES, read: () => this.#resume(channel) });
    this.#read(channel, stream);
    return stream;
  }

  /** What the client receives on a channel. */
  writable(channel: number): Writable {
    const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => this.#write(channel, chunk, done) });
    // Output after the end of the process is lost, and no error of this program.
    return stream.on('error', () => {});
  }

  /** A channel in both directions. */
  duplex(channel: number): Duplex {
    const stream = new Duplex({
      readableHighWaterMark: BUFFERED_BYTES,
      read: () => this.#resume(channel),
      write: (chunk: Buffer, _encoding, done) => this.#write(channel, chunk, done),
    });
    this.#read(channel, stream);
    return stream;
  }

  /** Sends a message on a channel. */
  send(channel: number, bytes: Uint8Array): void {
    this.#socket?.send(Uint8Array.of(channel), bytes);
  }

  #read(channel: number, stream: Readable): void {
    let hasEnded = false;
    stream.on('error', () => {});
    this.#readers.set(channel, {
      push(bytes) {
        if (hasEnded || stream.destroyed) return true;
        hasEnded = bytes === null;
        return stream.push(bytes);
      },
    });
    // A reader that gives up takes everything, so that the others go on.
    stream.once('close', () => this.#resume(channel));
  }

  #resume(channel: number): void {
    if (this.#full.delete(channel) && this.#full.size === 0) this.#socket?.resume();
  }

  #write(channel: number, chunk: Buffer, done: () => void): void {
    const socket = this.#socket;
    if (socket === undefined || socket.send(Uint8Array.of(channel), chunk)) done();
    else socket.onDrain(done);
  }
}

import { Duplex, Readable, Writable } from 'node:stream';
import type { WebSocket, WebSocketEnd, WebSocketReader } from './web-socket.js';

/*
 * The channel protocols of Kubernetes over a WebSocket: the first byte of each message is the number of its channel. In v5 a
 * message on channel 255 closes the channel that it names.
 */

/** The protocols of exec and attach, the preferred one first. */
export const CHANNEL_PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** The channels of exec and attach. */
export const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

const CLOSE_CHANNEL = 255;
/** How much of a channel is kept that its reader has not taken, before the whole connection waits. */
const BUFFERED_BYTES = 256 * 1024;
/** Longer chunks are sent as several messages, because servers limit the length of one. */
const MESSAGE_BYTES = 64 * 1024;

/** The channels of a WebSocket as streams. */
export class ChannelStreams implements WebSocketReader {
  readonly #readers = new Map<number, { push(bytes: Buffer | null): boolean }>();
  readonly #full = new Set<number>();
  readonly #onClosed: (end: WebSocketEnd) => void;
  #socket: WebSocket | undefined;
  /** The channel of the message under way. */
  #channel = 0;

  constructor(onClosed: (end: WebSocketEnd) => void) {
    this.#onClosed = onClosed;
  }

  /** Begins with a connection that calls {@link data} and {@link closed}. */
  attach(socket: WebSocket): void {
    this.#socket = socket;
  }

  data(bytes: Buffer, isFirst: boolean): void {
    if (isFirst) this.#channel = bytes[0]!;
    const content = isFirst ? bytes.subarray(1) : bytes;
    if (content.length === 0) return;
    const reader = this.#readers.get(this.#channel);
    if (this.#channel === CLOSE_CHANNEL) this.#readers.get(content[0]!)?.push(null);
    else if (reader?.push(content) === false) {
      this.#full.add(this.#channel);
      this.#socket?.pause();
    }
  }

  closed(end: WebSocketEnd): void {
    for (const reader of this.#readers.values()) reader.push(null);
    this.#readers.clear();
    this.#onClosed(end);
  }

  /** What the other side sends on a channel. */
  readable(channel: number): Readable {
    const stream = new Readable({ highWaterMark: BUFFERED_BYTES, read: () => this.#resume(channel) });
    this.#read(channel, stream);
    return stream;
  }

  /**
   * What the other side receives on a channel.
   *
   * @param closes whether the end of the stream closes the channel, as v5 can
   */
  writable(channel: number, closes = false): Writable {
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => this.#write(channel, chunk, done),
      final: (done) => {
        if (closes) this.send(CLOSE_CHANNEL, Uint8Array.of(channel));
        done();
      },
    });
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
    for (let at = 0; socket !== undefined && at < chunk.length; at += MESSAGE_BYTES) {
      const hasRoom = socket.send(Uint8Array.of(channel), chunk.subarray(at, at + MESSAGE_BYTES));
      if (hasRoom) continue;
      const rest = chunk.subarray(at + MESSAGE_BYTES);
      socket.onDrain(() => this.#write(channel, rest, done));
      return;
    }
    done();
  }
}

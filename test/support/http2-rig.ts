import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { HttpConnection } from '../../src/rest/http/http-connection.js';
import * as h2 from '../../src/rest/http/http2/frames.js';
import { HpackDecoder } from '../../src/rest/http/http2/hpack-decoder.js';
import { HpackEncoder } from '../../src/rest/http/http2/hpack-encoder.js';
import { Http2Connection } from '../../src/rest/http/http2/http2-connection.js';
import { SocketReader } from '../../src/rest/http/socket-reader.js';
import type { TransportRequest } from '../../src/rest/http/transport.js';
import type { Clock } from '../../src/time/clock.js';
import { FakeClock } from '../../src/time/fake-clock.js';
import { Asked } from './http1-rig.js';

/** A frame that the client wrote. */
interface WrittenFrame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** The socket of a client whose server is played by the test. Bytes pass at once, in both directions. */
class PlayedSocket extends EventEmitter {
  writable = true;
  destroyed = false;
  written: Buffer = Buffer.alloc(0);
  /** Callbacks of writes that the kernel does not take. */
  held: (() => void)[] | undefined;

  write(bytes: Buffer, done?: () => void): boolean {
    this.written = Buffer.concat([this.written, bytes]);
    if (done !== undefined) {
      if (this.held === undefined) queueMicrotask(done);
      else this.held.push(done);
    }
    return true;
  }

  destroySoon(): void {
    this.destroy();
  }

  destroy(error?: Error): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.writable = false;
    queueMicrotask(() => {
      if (error !== undefined) this.emit('error', error);
      this.emit('close');
    });
  }

  isReading = true;

  pause(): void {
    this.isReading = false;
  }

  resume(): void {
    this.isReading = true;
  }

  /** Whether it keeps the process alive. */
  isAwake = true;

  ref(): void {
    this.isAwake = true;
  }

  unref(): void {
    this.isAwake = false;
  }
}

/** A connection, and the server that the test plays. */
export class PlayedServer {
  readonly socket = new PlayedSocket();
  readonly connection: Http2Connection;
  readonly encoder = new HpackEncoder();
  readonly #decoder = new HpackDecoder();
  gone = 0;
  onRoom: (connection: HttpConnection) => void = () => {};

  constructor(options: { readonly clock?: Clock; readonly maxStreams?: number } = {}) {
    const owner = {
      onRoom: (connection: HttpConnection) => this.onRoom(connection),
      onGone: () => this.gone++,
      onDead: () => {},
    };
    this.connection = new Http2Connection(
      this.socket as unknown as Socket,
      new SocketReader(),
      new URL('https://server.example'),
      options.clock ?? new FakeClock(),
      { pingAfterMs: 10_000, pingTimeoutMs: 5_000, maxStreams: options.maxStreams ?? 1000 },
      owner,
    );
  }

  /** Sends bytes, after the server's SETTINGS. */
  static begun(options?: { readonly clock?: Clock; readonly maxStreams?: number }): PlayedServer {
    const server = new PlayedServer(options);
    server.send(h2.settingsFrame([]));
    return server;
  }

  ask(request: Partial<TransportRequest> = {}, appetite = Number.POSITIVE_INFINITY): Asked {
    const asked = new Asked();
    asked.appetite = appetite;
    asked.exchange = this.connection.send({ method: 'GET', target: '/', headers: {}, ...request }, asked);
    return asked;
  }

  send(...frames: readonly Buffer[]): void {
    this.socket.emit('data', Buffer.concat(frames));
  }

  headers(
    streamId: number,
    fields: Record<string, string> | readonly (readonly [string, string])[],
    flags = 0,
  ): Buffer {
    const list = Array.isArray(fields) ? fields : Object.entries(fields);
    return h2.frame(h2.HEADERS, h2.END_HEADERS | flags, streamId, this.encoder.encode(list));
  }

  data(streamId: number, text: string | Buffer, flags = 0): Buffer {
    return h2.frame(h2.DATA, flags, streamId, Buffer.from(text as string, 'latin1'));
  }

  /** All frames that the client wrote after its preface. */
  get frames(): WrittenFrame[] {
    const bytes = this.socket.written.subarray(h2.preface.length);
    const frames: WrittenFrame[] = [];
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.readUIntBE(at, 3);
      const payload = bytes.subarray(at + 9, at + 9 + length);
      frames.push({ type: bytes[at + 3]!, flags: bytes[at + 4]!, streamId: bytes.readUInt32BE(at + 5), payload });
      at += 9 + length;
    }
    return frames;
  }

  framesOf(type: number): WrittenFrame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** The error codes of the client's RST_STREAM frames. */
  get resets(): [streamId: number, code: number][] {
    return this.framesOf(h2.RST_STREAM).map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]);
  }

  /** The error code of the client's GOAWAY, if it sent one. */
  get farewell(): number | undefined {
    return this.framesOf(h2.GOAWAY)[0]?.payload.readUInt32BE(4);
  }

  /** The fields of the requests, in order. May be read once. */
  takeHeads(): Record<string, string>[] {
    const heads: Record<string, string>[] = [];
    let block: Buffer = Buffer.alloc(0);
    for (const { type, flags, payload } of this.frames) {
      if (type !== h2.HEADERS && type !== h2.CONTINUATION) continue;
      block = Buffer.concat([block, payload]);
      if ((flags & h2.END_HEADERS) === 0) continue;
      const fields = this.#decoder.decode(block)!;
      block = Buffer.alloc(0);
      const head: Record<string, string> = {};
      for (let i = 0; i < fields.length; i += 2) head[fields[i]!] = fields[i + 1]!;
      heads.push(head);
    }
    return heads;
  }
}

/** Lets everything run that needs no turn of the event loop, such as the writing of requests. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => process.nextTick(resolve));
}

import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../time/clock.js';
import {
  CLOSE_CODES,
  encodeFrame,
  type FrameHandler,
  FrameReader,
  MAX_CONTROL_BYTES,
  OPCODES,
} from './web-socket-frames.js';

/** How a WebSocket ended. */
export interface WebSocketEnd {
  /** The code of the other side's close frame; undefined if the connection broke without one. */
  readonly code: number | undefined;
  /** The text of that frame. */
  readonly reason: string;
  /** Set if the connection broke, the other side broke the protocol, or {@link WebSocket.destroy} was called. */
  readonly error: Error | undefined;
}

/** Receives what the other side sends. */
export interface WebSocketReader {
  /** Part of a message. `isFirst`: the message begins with it. */
  data(bytes: Buffer, isFirst: boolean): void;
  /** Called once: the connection is closed. */
  closed(end: WebSocketEnd): void;
}

/** Options of a {@link WebSocket}. */
export interface WebSocketOptions {
  /** A client masks what it sends. */
  readonly role: 'client' | 'server';
  readonly clock: Clock;
  /** A ping is sent after this much time, so that proxies keep the connection; 0: none. @default 0 */
  readonly pingMs?: number | undefined;
  /** A connection that answers no ping for this long is dead. @default no limit */
  readonly silenceMs?: number | undefined;
}

/** How long the other side may take to close the connection after a close frame. */
const CLOSING_MS = 5000;

/** One side of a WebSocket. Text and binary messages are the same to it. It answers pings itself. */
export class WebSocket implements FrameHandler {
  readonly #socket: Duplex;
  readonly #reader: WebSocketReader;
  readonly #clock: Clock;
  readonly #isClient: boolean;
  readonly #frames: FrameReader;
  readonly #pingMs: number;
  readonly #silenceMs: number;
  readonly #waiting: (() => void)[] = [];
  #timer: Timer | undefined;
  #heardAt: number;
  /** Whether messages were sent since the last pong: the other side may not have read the ping behind them. */
  #isAhead = false;
  #isPaused = false;
  #isClosing = false;
  #isClosed = false;
  #code: number | undefined;
  #reason = '';
  #error: Error | undefined;

  constructor(socket: Duplex, reader: WebSocketReader, options: WebSocketOptions) {
    this.#socket = socket;
    this.#reader = reader;
    this.#clock = options.clock;
    this.#isClient = options.role === 'client';
    this.#frames = new FrameReader(this, !this.#isClient);
    this.#pingMs = options.pingMs ?? 0;
    this.#silenceMs = options.silenceMs ?? Number.POSITIVE_INFINITY;
    this.#heardAt = this.#clock.monotonicNow();
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // A half-closed WebSocket is of no use.
    socket.once('end', () => socket.destroy());
    socket.on('drain', () => this.#drained());
    socket.once('close', () => this.#end());
    socket.on('error', (error) => {
      this.#error ??= error;
      socket.destroy();
    });
    if (this.#pingMs > 0) this.#awaitPing();
    socket.resume();
  }

  /** Sends a binary message of several parts. False: wait for {@link onDrain} before sending much more. */
  send(...parts: readonly Uint8Array[]): boolean {
    if (this.#isClosing) return true;
    this.#isAhead = true;
    return this.#write(OPCODES.binary, parts);
  }

  /** Calls back once, when what was sent has left, or the connection is closed. */
  onDrain(callback: () => void): void {
    if (!this.#socket.writableNeedDrain || this.#isClosed) process.nextTick(callback);
    else this.#waiting.push(callback);
  }

  /** Stops reading: the other side is told by TCP that it has to wait. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Sends a close frame and ends the connection. What arrives after it is dropped. */
  close(code: number = CLOSE_CODES.normal): void {
    if (this.#isClosing) return;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#write(OPCODES.close, [payload]);
    this.#isClosing = true;
    this.#frames.stop();
    this.#timer?.cancel();
    this.#socket.end();
    this.#timer = this.#clock.setTimer(CLOSING_MS, () => this.#socket.destroy(), { keepAlive: false });
    // The close frame of the other side is read and dropped, so that the connection is not reset before it has read all.
    this.#socket.resume();
  }

  /** Closes the connection at once. */
  destroy(error?: Error): void {
    this.#error ??= error;
    this.#isClosing = true;
    this.#frames.stop();
    this.#socket.destroy();
  }

  /** Called by the frames: part of a message. */
  data(bytes: Buffer, isFirst: boolean): void {
    this.#reader.data(bytes, isFirst);
  }

  /** Called by the frames: a ping, pong or close. */
  control(opcode: number, payload: Buffer): void {
    if (opcode === OPCODES.ping) {
      if (!this.#write(OPCODES.pong, [payload])) this.#pauseUntilDrain();
    } else if (opcode === OPCODES.pong) this.#isAhead = false;
    else {
      this.#code = payload.length >= 2 ? payload.readUInt16BE() : CLOSE_CODES.normal;
      this.#reason = payload.toString('utf8', 2, MAX_CONTROL_BYTES);
      this.close(this.#code);
    }
  }

  /** A peer that sends pings but reads no pongs must not fill the memory with them. */
  #pauseUntilDrain(): void {
    this.#socket.pause();
    this.onDrain(() => {
      if (!this.#isPaused) this.#socket.resume();
    });
  }

  #drained(): void {
    for (const callback of this.#waiting.splice(0)) callback();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isClosing = true;
    this.#timer?.cancel();
    this.#frames.stop();
    this.#drained();
    this.#reader.closed({ code: this.#code, reason: this.#reason, error: this.#error });
  }

  #read(chunk: Buffer): void {
    if (this.#isClosing) return;
    this.#heardAt = this.#clock.monotonicNow();
    const problem = this.#frames.read(chunk);
    if (problem === undefined) return;
    const what = problem === CLOSE_CODES.tooBig ? 'a message that is too long' : 'bytes that are no WebSocket frame';
    this.#error ??= new Error(`the other side sent ${what}`);
    this.close(problem);
  }

  #write(opcode: number, parts: readonly Uint8Array[]): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true;
    return this.#socket.write(encodeFrame(opcode, parts, this.#isClient));
  }

  #awaitPing(): void {
    this.#timer = this.#clock.setTimer(this.#pingMs, () => this.#ping(), { keepAlive: false });
  }

  #ping(): void {
    const now = this.#clock.monotonicNow();
    // Nothing is read during a pause, and the other side may hold back what was sent before the ping.
    if (this.#isPaused || this.#isAhead || this.#socket.writableLength > 0) this.#heardAt = now;
    if (now - this.#heardAt >= this.#silenceMs) {
      this.destroy(new Error(`the other side has answered no ping for ${now - this.#heardAt} ms`));
      return;
    }
    if (this.#socket.writableLength === 0) this.#write(OPCODES.ping, []);
    this.#awaitPing();
  }
}

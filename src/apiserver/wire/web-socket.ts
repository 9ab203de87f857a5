import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';

/** The text that RFC 6455 adds to the key of a client. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';
/** Messages of clients may be this long, with all their fragments. */
const MOST_BYTES = 1024 * 1024;
const MOST_CONTROL_BYTES = 125;

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Why a WebSocket is closed, as RFC 6455 numbers it. */
const CLOSE = { normal: 1000, protocolError: 1002, tooBig: 1009 } as const;

/** Whether a request asks for a WebSocket. */
export function asksForWebSocket(headers: Readonly<Record<string, string>>): boolean {
  return headers['upgrade']?.toLowerCase() === 'websocket';
}

/** The first of the protocols that the client offers and the server knows. */
export function protocolOf(headers: Readonly<Record<string, string>>, known: readonly string[]): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return offered.find((protocol) => known.includes(protocol));
}

/** The headers that accept a WebSocket; undefined if the request is malformed. */
export function acceptHeaders(
  headers: Readonly<Record<string, string>>,
  protocol: string,
): Record<string, string> | undefined {
  const key = headers['sec-websocket-key'] ?? '';
  if (headers['sec-websocket-version'] !== VERSION || Buffer.from(key, 'base64').length !== 16) return undefined;
  const accept = createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64');
  return {
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Accept': accept,
    'Sec-WebSocket-Protocol': protocol,
  };
}

/** Receives what a client sends. */
export interface WebSocketReader {
  message(bytes: Buffer): void;
  /** Called once: the connection is closed, by the client or by a fault. */
  closed(): void;
}

interface Frame {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
  /** The length of the whole frame. */
  readonly size: number;
}

/** The server's side of a WebSocket. Text and binary messages are the same to it. It answers pings itself. */
export class WebSocket {
  readonly #socket: Duplex;
  readonly #reader: WebSocketReader;
  #received: Buffer = Buffer.alloc(0);
  #fragments: Buffer[] | undefined;
  readonly #waiting: (() => void)[] = [];
  #isPaused = false;
  #isClosing = false;
  #isClosed = false;

  constructor(socket: Duplex, reader: WebSocketReader) {
    this.#socket = socket;
    this.#reader = reader;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // A half-closed WebSocket is of no use.
    socket.once('end', () => socket.destroy());
    socket.on('drain', () => this.#drained());
    socket.once('close', () => this.#end());
    socket.on('error', () => socket.destroy());
    socket.resume();
  }

  /** Sends a binary message of several parts. False: wait for {@link onDrain} before sending much more. */
  send(...parts: readonly Uint8Array[]): boolean {
    if (this.#isClosing) return true;
    return this.#write(OPCODES.binary, parts);
  }

  /** Calls back once, when what was sent has left, or the connection is closed. */
  onDrain(callback: () => void): void {
    if (!this.#socket.writableNeedDrain || this.#isClosed) process.nextTick(callback);
    else this.#waiting.push(callback);
  }

  /** Stops reading: the client is told by TCP that it has to wait. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Sends a close frame and ends the connection. */
  close(code: number = CLOSE.normal): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#write(OPCODES.close, [payload]);
    this.#socket.end();
    // The client's close frame is read and dropped, so that the connection is not reset before it has read all.
    this.#socket.resume();
  }

  /** A client that sends pings but reads no pongs must not fill the memory with them. */
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
    this.#drained();
    this.#reader.closed();
  }

  #read(chunk: Buffer): void {
    if (this.#isClosing) return;
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    for (;;) {
      const frame = readFrame(this.#received);
      if (frame === undefined) return;
      if (typeof frame === 'number') {
        this.#fail(frame);
        return;
      }
      this.#received = this.#received.subarray(frame.size);
      const problem = this.#take(frame);
      if (problem !== undefined) this.#fail(problem);
      if (this.#isClosing) return;
    }
  }

  /** Handles a frame; returns the code to close with if it is not allowed. */
  #take({ isFinal, opcode, payload }: Frame): number | undefined {
    switch (opcode) {
      case OPCODES.ping:
        if (!this.#write(OPCODES.pong, [payload])) this.#pauseUntilDrain();
        return undefined;
      case OPCODES.pong:
        return undefined;
      case OPCODES.close:
        this.close(payload.length >= 2 ? payload.readUInt16BE() : CLOSE.normal);
        return undefined;
      case OPCODES.text:
      case OPCODES.binary:
        if (this.#fragments !== undefined) return CLOSE.protocolError;
        if (isFinal) this.#reader.message(payload);
        else this.#fragments = [payload];
        return undefined;
      case OPCODES.continuation: {
        if (this.#fragments === undefined) return CLOSE.protocolError;
        this.#fragments.push(payload);
        const message = Buffer.concat(this.#fragments);
        if (message.length > MOST_BYTES) return CLOSE.tooBig;
        this.#fragments = isFinal ? undefined : [message];
        if (isFinal) this.#reader.message(message);
        return undefined;
      }
      default:
        return CLOSE.protocolError;
    }
  }

  #fail(code: number): void {
    this.#received = Buffer.alloc(0);
    this.close(code);
  }

  #write(opcode: number, parts: readonly Uint8Array[]): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return this.#socket.write(Buffer.concat([headOf(opcode, length), ...parts]));
  }
}

function headOf(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | opcode, length]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return head;
}

/** The first frame of some bytes: undefined if it is not complete, the code to close with if it is not allowed. */
function readFrame(bytes: Buffer): Frame | number | undefined {
  if (bytes.length < 2) return undefined;
  const [first, second] = [bytes[0]!, bytes[1]!];
  const opcode = first & 0x0f;
  const isFinal = (first & 0x80) !== 0;
  const isControl = opcode >= OPCODES.close;
  // Extensions are never agreed on, and every frame of a client is masked.
  if ((first & 0x70) !== 0 || (second & 0x80) === 0) return CLOSE.protocolError;
  let length = second & 0x7f;
  let at = 2;
  if (isControl && (length > MOST_CONTROL_BYTES || !isFinal)) return CLOSE.protocolError;
  if (length === 126) {
    if (bytes.length < 4) return undefined;
    length = bytes.readUInt16BE(2);
    at = 4;
  } else if (length === 127) {
    if (bytes.length < 10) return undefined;
    const long = bytes.readBigUInt64BE(2);
    if (long > BigInt(MOST_BYTES)) return CLOSE.tooBig;
    length = Number(long);
    at = 10;
  }
  if (length > MOST_BYTES) return CLOSE.tooBig;
  const size = at + 4 + length;
  if (bytes.length < size) return undefined;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(bytes.subarray(at + 4, size));
  for (let index = 0; index < length; index++) payload[index]! ^= mask[index & 3]!;
  return { isFinal, opcode, payload, size };
}

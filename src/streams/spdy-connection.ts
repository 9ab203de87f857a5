import { Duplex } from 'node:stream';
import { constants, createInflate, type Inflate } from 'node:zlib';
import { SPDY_DICTIONARY } from './spdy-dictionary.js';

/*
 * The part of SPDY/3.1 that Kubernetes uses for exec, attach and port-forward, for both sides: streams that the client opens,
 * data in both directions, ping. Kubernetes uses no flow control windows and no priorities.
 */

/** The bytes below a SPDY connection. */
export interface SpdyPipe {
  /** False: wait for `onDrain` before writing much more. */
  write(bytes: Uint8Array): boolean;
  onDrain(callback: () => void): void;
  pause(): void;
  resume(): void;
  close(): void;
}

const VERSION = 3;
const TYPES = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const FIN = 1;
const REFUSED = 3;
const HEAD_BYTES = 8;
/** Limits of what is received: a control frame, a data frame, and the headers of a stream unpacked. */
const MOST_CONTROL_BYTES = 16 * 1024;
const MOST_DATA_BYTES = 1024 * 1024;
const MOST_HEADER_BYTES = 64 * 1024;
const MOST_STREAMS = 1000;
/** How much a stream keeps that its reader has not taken, before the whole connection waits. */
const BUFFERED_BYTES = 256 * 1024;
/** Longer chunks are sent as several frames. */
const SENT_DATA_BYTES = 64 * 1024;

/** A stream. Its headers have names in lower case. */
export class SpdyStream extends Duplex {
  readonly headers: Readonly<Record<string, string>>;
  readonly #connection: SpdyConnection;
  readonly #id: number;

  constructor(connection: SpdyConnection, id: number, headers: Readonly<Record<string, string>>) {
    super({ readableHighWaterMark: BUFFERED_BYTES, allowHalfOpen: true });
    this.headers = headers;
    this.#connection = connection;
    this.#id = id;
    // A reader that does not listen for errors sees the end of the stream.
    this.on('error', () => {});
  }

  override _read(): void {
    this.#connection.resumeReading(this);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#connection.sendData(this.#id, chunk, 0, done);
  }

  override _final(done: () => void): void {
    this.#connection.sendData(this.#id, Buffer.alloc(0), FIN, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#connection.forget(this.#id, this, !this.writableFinished);
    done(error);
  }
}

/** One side of a SPDY/3.1 connection. */
export class SpdyConnection {
  readonly #pipe: SpdyPipe;
  readonly #onStream: ((stream: SpdyStream) => void) | undefined;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #full = new Set<SpdyStream>();
  readonly #inflate: Inflate = createInflate({ dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH });
  #received: Buffer = Buffer.alloc(0);
  /** Whether the headers of a stream are being unpacked; later frames wait. */
  #isUnpacking = false;
  /** Whether the other side has to read answers to its control frames before it may send more. */
  #isBehind = false;
  #hasCompressed = false;
  /** Streams of a client have odd numbers. */
  #nextId = 1;
  #isClosed = false;

  /** @param onStream called with each stream that the client opens; undefined on the client's side, where the server opens none */
  constructor(pipe: SpdyPipe, onStream?: (stream: SpdyStream) => void) {
    this.#pipe = pipe;
    this.#onStream = onStream;
    this.#inflate.on('error', () => this.close());
  }

  /** Opens a stream, on the client's side. */
  open(headers: Readonly<Record<string, string>>): SpdyStream {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = new SpdyStream(this, id, headers);
    if (this.#isClosed) stream.destroy();
    else {
      this.#streams.set(id, stream);
      // No associated stream, no priority.
      const head = Buffer.concat([uint32(id, 0), Buffer.alloc(2)]);
      this.#control(TYPES.synStream, Buffer.concat([head, this.#compressed(writeHeaders(headers))]));
    }
    return stream;
  }

  /** Takes bytes of the other side. */
  receive(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    this.#readFrames();
  }

  /** Ends all streams, with the error if there is one, and closes the pipe. */
  close(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stream of [...this.#streams.values()]) stream.destroy(error);
    this.#inflate.close();
    this.#pipe.close();
  }

  sendData(id: number, bytes: Uint8Array, flags: number, done: () => void): void {
    if (this.#isClosed) {
      done();
      return;
    }
    const part = bytes.subarray(0, SENT_DATA_BYTES);
    const rest = bytes.subarray(SENT_DATA_BYTES);
    const next = rest.length === 0 ? done : (): void => this.sendData(id, rest, flags, done);
    const frame = Buffer.allocUnsafeSlow(HEAD_BYTES + part.length);
    frame.writeUInt32BE(id, 0);
    frame.writeUInt32BE(((rest.length === 0 ? flags : 0) << 24) | part.length, 4);
    frame.set(part, HEAD_BYTES);
    if (this.#pipe.write(frame)) next();
    else this.#pipe.onDrain(next);
  }

  forget(id: number, stream: SpdyStream, isReset: boolean): void {
    this.resumeReading(stream);
    if (this.#streams.delete(id) && isReset && !this.#isClosed) this.#control(TYPES.rstStream, uint32(id, REFUSED));
  }

  /** The reader of a stream takes more. */
  resumeReading(stream: SpdyStream): void {
    if (this.#full.delete(stream)) this.#resume();
  }

  /** Reads on, unless something else has to wait. */
  #resume(): void {
    if (this.#full.size === 0 && !this.#isUnpacking && !this.#isBehind) this.#pipe.resume();
  }

  #readFrames(): void {
    while (!this.#isUnpacking && this.#received.length >= HEAD_BYTES) {
      const first = this.#received.readUInt32BE(0);
      const second = this.#received.readUInt32BE(4);
      const isControl = first >>> 31 === 1;
      const length = second & 0xffffff;
      if (length > (isControl ? MOST_CONTROL_BYTES : MOST_DATA_BYTES)) {
        this.close();
        return;
      }
      if (this.#received.length < HEAD_BYTES + length) return;
      const payload = this.#received.subarray(HEAD_BYTES, HEAD_BYTES + length);
      this.#received = this.#received.subarray(HEAD_BYTES + length);
      const flags = second >>> 24;
      if (!isControl) this.#takeData(first, flags, payload);
      else if (((first >>> 16) & 0x7fff) !== VERSION) {
        this.close();
        return;
      } else this.#takeControl(first & 0xffff, flags, payload);
      if (this.#isClosed) return;
    }
  }

  #takeData(id: number, flags: number, payload: Buffer): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (payload.length > 0 && !stream.push(payload)) {
      this.#full.add(stream);
      this.#pipe.pause();
    }
    if ((flags & FIN) !== 0) stream.push(null);
  }

  #takeControl(type: number, flags: number, payload: Buffer): void {
    if (type === TYPES.synStream && payload.length >= 10) this.#openStream(payload, flags);
    else if (type === TYPES.rstStream && payload.length >= 8) {
      const id = payload.readUInt32BE(0);
      const stream = this.#streams.get(id);
      this.#streams.delete(id);
      // A client that goes away is no error of the server.
      stream?.destroy(this.#onStream === undefined ? new Error('the server has reset the stream') : undefined);
    } else if (type === TYPES.ping && payload.length === 4) this.#control(TYPES.ping, Buffer.from(payload));
    // Settings, windows and headers say nothing that matters here; after GOAWAY the other side only closes.
  }

  #openStream(payload: Buffer, flags: number): void {
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    const onStream = this.#onStream;
    if (onStream === undefined || this.#streams.has(id) || this.#streams.size >= MOST_STREAMS) {
      this.close();
      return;
    }
    this.#isUnpacking = true;
    this.#pipe.pause();
    const chunks: Buffer[] = [];
    let size = 0;
    const collect = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > MOST_HEADER_BYTES) this.close();
      else chunks.push(chunk);
    };
    this.#inflate.on('data', collect);
    this.#inflate.write(payload.subarray(10));
    this.#inflate.flush(constants.Z_SYNC_FLUSH, () => {
      this.#inflate.off('data', collect);
      this.#isUnpacking = false;
      const headers = this.#isClosed ? undefined : readHeaders(Buffer.concat(chunks));
      if (headers === undefined) {
        this.close();
        return;
      }
      const stream = new SpdyStream(this, id, headers);
      this.#streams.set(id, stream);
      if ((flags & FIN) !== 0) stream.push(null);
      this.#control(TYPES.synReply, Buffer.concat([uint32(id), this.#compressed(uint32(0))]));
      onStream(stream);
      this.#resume();
      this.#readFrames();
    });
  }

  #control(type: number, payload: Uint8Array): void {
    const head = uint32(((0x8000 | VERSION) << 16) | type, payload.length);
    if (this.#pipe.write(Buffer.concat([head, payload])) || this.#isBehind) return;
    // A peer that sends pings and streams but reads no answers must not fill the memory with them.
    this.#isBehind = true;
    this.#pipe.pause();
    this.#pipe.onDrain(() => {
      this.#isBehind = false;
      this.#resume();
    });
  }

  /** A block of headers in the format of zlib, stored without compression; the first one names the dictionary. */
  #compressed(block: Uint8Array): Buffer {
    const head = this.#hasCompressed ? Buffer.alloc(0) : ZLIB_HEAD;
    this.#hasCompressed = true;
    const stored = Buffer.alloc(5);
    stored.writeUInt16LE(block.length, 1);
    stored.writeUInt16LE(~block.length & 0xffff, 3);
    return Buffer.concat([head, stored, block, ZLIB_FLUSH]);
  }
}

/** The head of a zlib stream with a dictionary, and the Adler-32 checksum of the dictionary. */
const ZLIB_HEAD: Buffer = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);

/** An empty block, as after a sync flush: readers hand over what they have only then. */
const ZLIB_FLUSH: Buffer = Buffer.from([0, 0, 0, 0xff, 0xff]);

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * at);
  return bytes;
}

/** A block of headers, as {@link readHeaders} reads it. */
function writeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(headers)
    .flat()
    .map((text) => Buffer.from(text));
  return Buffer.concat([uint32(fields.length / 2), ...fields.flatMap((field) => [uint32(field.length), field])]);
}

/** The headers of a block: their number, then the lengths and bytes of names and values. Undefined if it is malformed. */
function readHeaders(block: Buffer): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  let at = 0;
  const number = (): number | undefined => {
    if (at + 4 > block.length) return undefined;
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string | undefined => {
    const length = number();
    if (length === undefined || at + length > block.length) return undefined;
    at += length;
    return block.toString('utf8', at - length, at);
  };
  const count = number();
  if (count === undefined) return undefined;
  for (let n = 0; n < count; n++) {
    const [name, value] = [text(), text()];
    if (name === undefined || value === undefined) return undefined;
    if (name !== '__proto__') headers[name.toLowerCase()] = value;
  }
  return headers;
}

import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../../time/clock.js';
import { type ConnectionOwner, type HttpConnection, NotProcessedError } from '../http-connection.js';
import { ConnectionLostError, InvalidRequestError } from '../request-errors.js';
import { requestFields } from '../request-fields.js';
import { SilenceWatch, setDeadline } from '../silence.js';
import type { SocketReader } from '../socket-reader.js';
import type { Exchange, ResponseHandler, TransportRequest } from '../transport.js';
import { type FrameHandler, FrameReader, MAX_FRAME_BYTES } from './frame-reader.js';
import {
  ACK,
  CANCEL,
  CONTINUATION,
  DATA,
  DEFAULT_FRAME_BYTES,
  DEFAULT_WINDOW_BYTES,
  ENABLE_PUSH,
  END_HEADERS,
  END_STREAM,
  ENHANCE_YOUR_CALM,
  FLOW_CONTROL_ERROR,
  frame,
  GOAWAY,
  HEADER_TABLE_SIZE,
  HEADERS,
  Http2Error,
  INITIAL_WINDOW_SIZE,
  MAX_CONCURRENT_STREAMS,
  MAX_FRAME_SIZE,
  MAX_HEADER_LIST_SIZE,
  MAX_INT31,
  NO_ERROR,
  numberFrame,
  PING,
  PROTOCOL_ERROR,
  preface,
  REFUSED_STREAM,
  RST_STREAM,
  SETTINGS,
  settingsFrame,
  WINDOW_UPDATE,
} from './frames.js';
import { HpackDecoder, MAX_LIST_BYTES } from './hpack-decoder.js';
import { HpackEncoder } from './hpack-encoder.js';
import { Http2Stream, STREAM_WINDOW_BYTES, type StreamOwner } from './http2-stream.js';

/** Options of HTTP/2 connections; see `HttpTransportOptions`. */
export interface Http2Options {
  readonly pingAfterMs: number;
  readonly pingTimeoutMs: number;
  readonly maxStreams: number;
}

/** Flow-control window of the connection. It is refilled as bytes arrive, so that a paused stream does not stop the others. */
const CONNECTION_WINDOW_BYTES = 32 * 1024 * 1024;
/** Streams to open before the server's SETTINGS frame has come; RFC 9113 recommends that servers allow at least 100. */
const STREAMS_BEFORE_SETTINGS = 100;
/** About how many bytes of bodies are written at a time. */
const BODY_BYTES_PER_WRITE = 65_536;
/** The most bytes of unwritten frames that answer the server, which may not be reading them. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;
const PING_BYTES = 8;
/** How long the last frames of a connection may take. */
const CLOSE_TIMEOUT_MS = 1000;

/** Headers that HTTP/2 does not have. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
]);

/**
 * An HTTP/2 connection (RFC 9113): many requests at a time.
 *
 * ```
 *   send ─▶ starting ─▶ flush: HEADERS, DATA ──▶ socket ──▶ FrameReader ─▶ Http2Stream ─▶ handler
 *                         ▲ when the code that runs now has ended, when the bytes before are written,
 *                         └ and when the server widens a window
 * ```
 *
 * A request is checked (`refusal`) and written in one call, so that it cannot be refused in between; a body that has to wait for
 * the server is checked again before each part of it.
 */
export class Http2Connection implements HttpConnection, FrameHandler, StreamOwner {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #clock: Clock;
  readonly #options: Http2Options;
  readonly #scheme: string;
  readonly #authority: string;
  readonly #reader = new FrameReader(this);
  readonly #decoder = new HpackDecoder();
  readonly #encoder = new HpackEncoder();
  readonly #silence: SilenceWatch;
  /** Requests that are not written. */
  readonly #starting = new Set<Http2Stream>();
  /** Requests that were written, until their response has been received and handed over. */
  readonly #streams = new Map<number, Http2Stream>();
  /** Those of them whose body is not written completely. */
  readonly #sending = new Set<Http2Stream>();
  /** Those of them whose handler has paused. */
  readonly #paused = new Set<Http2Stream>();
  /** Whether the socket is not read. */
  #isWaiting = false;
  #nextId = 1;
  /** The stream of the DATA frame that is being read, if it is open; and the bytes of the frame without padding. */
  #receiving: Http2Stream | undefined;
  #frameBytes = 0;
  #dataBytes = 0;
  /** Bytes that came, for the silence watch. */
  #received = 0;
  /** Bytes of DATA that are not in the window of the connection again. */
  #consumed = 0;
  #sendWindow = DEFAULT_WINDOW_BYTES;
  /** Settings of the server. */
  #maxStreams = STREAMS_BEFORE_SETTINGS;
  #streamWindow = DEFAULT_WINDOW_BYTES;
  #maxFrameBytes = DEFAULT_FRAME_BYTES;
  /** Frames that are not written. */
  #out: Buffer[] = [];
  #outBytes = 0;
  #isFlushPlanned = false;
  /** Whether the socket has not passed on all bytes that were written. */
  #isWriting = false;
  #isReading = false;
  #pingDeadline: Timer | undefined;
  #closeDeadline: Timer | undefined;
  #isDraining = false;
  #isClosed = false;
  /** The server has not processed streams with a higher id (GOAWAY). */
  #lastProcessed = MAX_INT31;
  /** What the GOAWAY said, unless it was a usual end. */
  #farewell = '';
  /** The error of the socket, or what was invalid. */
  #failure: unknown;
  /** The reason for which the client closed the connection. */
  #ending: unknown;

  constructor(
    socket: Socket,
    reader: SocketReader,
    url: URL,
    clock: Clock,
    options: Http2Options,
    owner: ConnectionOwner,
  ) {
    this.#socket = socket;
    this.#owner = owner;
    this.#clock = clock;
    this.#options = options;
    this.#scheme = url.protocol.slice(0, -1);
    this.#authority = url.host;
    this.#silence = new SilenceWatch(
      clock,
      () => options.pingAfterMs,
      () => this.#received,
      (silentMs) => this.#ping(silentMs),
    );
    socket.on('end', () => socket.destroy());
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.once('close', () => this.#gone());
    socket.unref();
    this.#write(preface);
    this.#write(
      settingsFrame([
        [ENABLE_PUSH, 0],
        [INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES],
        [MAX_FRAME_SIZE, MAX_FRAME_BYTES],
        [MAX_HEADER_LIST_SIZE, MAX_LIST_BYTES],
      ]),
    );
    this.#write(numberFrame(WINDOW_UPDATE, 0, CONNECTION_WINDOW_BYTES - DEFAULT_WINDOW_BYTES));
    // Bytes come through `reader` if it was passed to the socket, and as 'data' events otherwise.
    const take = (bytes: Buffer): void => this.#read(bytes);
    socket.on('data', take);
    reader.begin(take);
  }

  get active(): number {
    return this.#streams.size + this.#starting.size;
  }

  get room(): number {
    if (this.#isDraining || !this.#socket.writable) return 0;
    return Math.max(Math.min(this.#maxStreams, this.#options.maxStreams) - this.active, 0);
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    const stream = new Http2Stream(request, this.#fieldsOf(request), handler, this);
    if (this.active === 0) this.#socket.ref();
    this.#starting.add(stream);
    this.#readOrWait();
    this.#planFlush();
    return stream;
  }

  drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#owner.onRoom(this);
    this.#endIfDrained();
  }

  destroy(error: unknown): void {
    this.#ending ??= error;
    this.#close();
    this.#socket.destroy();
    this.#failAll();
  }

  // ---- What the streams call

  widen(stream: Http2Stream, bytes: number): void {
    this.#write(numberFrame(WINDOW_UPDATE, stream.id, bytes));
  }

  onPause(stream: Http2Stream): void {
    if (stream.isPaused) this.#paused.add(stream);
    else this.#paused.delete(stream);
    this.#readOrWait();
  }

  onAbort(stream: Http2Stream): void {
    this.#reset(stream, CANCEL, stream.request.signal?.reason);
  }

  onSettled(stream: Http2Stream): void {
    this.#starting.delete(stream);
    this.#sending.delete(stream);
    this.#paused.delete(stream);
    this.#streams.delete(stream.id);
    // The server answered without waiting for the body: the rest of it is not sent.
    if (stream.hasEnded && !stream.isSent) this.#write(numberFrame(RST_STREAM, stream.id, CANCEL));
    if (this.#isClosed) return;
    this.#readOrWait();
    if (this.active === 0) this.#socket.unref();
    this.#owner.onRoom(this);
    this.#endIfDrained();
  }

  /**
   * Stops reading the socket while all streams are paused: what the server sends then stays in the kernel, and is not copied to
   * be held here.
   */
  #readOrWait(): void {
    const mustWait = this.#paused.size > 0 && this.#paused.size === this.active;
    if (mustWait === this.#isWaiting || this.#isClosed) return;
    this.#isWaiting = mustWait;
    if (mustWait) this.#socket.pause();
    else this.#socket.resume();
  }

  // ---- Frames of the server

  #read(bytes: Buffer): void {
    this.#received += bytes.length;
    this.#isReading = true;
    try {
      this.#reader.read(bytes);
    } catch (error) {
      this.#failConnection(error);
    }
    this.#isReading = false;
    if (this.#outBytes > 0) this.#flush();
  }

  dataBegins(streamId: number, length: number): void {
    this.#consumed += length;
    this.#frameBytes = length;
    this.#dataBytes = 0;
    if (this.#consumed >= CONNECTION_WINDOW_BYTES / 2) {
      this.#write(numberFrame(WINDOW_UPDATE, 0, this.#consumed));
      this.#consumed = 0;
    }
    const stream = this.#openStream(streamId, 'DATA');
    this.#receiving = stream;
    if (stream?.receives(length) === false) {
      const why = 'it exceeds the flow-control window of a stream';
      this.#receiving = undefined;
      this.#failStream(stream, new Http2Error(FLOW_CONTROL_ERROR, why));
    }
  }

  data(bytes: Buffer): void {
    const stream = this.#receiving;
    this.#dataBytes += bytes.length;
    // Bytes of a stream that was closed are dropped.
    if (stream === undefined || stream.isSettled) return;
    try {
      stream.data(bytes);
    } catch (error) {
      this.#failStream(stream, error);
    }
  }

  dataEnds(endsStream: boolean): void {
    const stream = this.#receiving;
    this.#receiving = undefined;
    if (stream === undefined || stream.isSettled) return;
    if (this.#frameBytes > this.#dataBytes) stream.consume(this.#frameBytes - this.#dataBytes);
    if (!endsStream) return;
    try {
      stream.ends();
    } catch (error) {
      this.#failStream(stream, error);
    }
  }

  headers(streamId: number, block: Buffer, endsStream: boolean): void {
    // Also the block of a stream that was closed changes the table of the decoder.
    const fields = this.#decoder.decode(block);
    const stream = this.#openStream(streamId, 'HEADERS');
    if (stream === undefined) return;
    try {
      if (fields === undefined) {
        throw new Http2Error(ENHANCE_YOUR_CALM, `a head has more than ${MAX_LIST_BYTES} bytes`);
      }
      stream.headers(fields, endsStream);
    } catch (error) {
      this.#failStream(stream, error);
    }
  }

  reset(streamId: number, code: number): void {
    const stream = this.#openStream(streamId, 'RST_STREAM');
    if (stream === undefined) return;
    if (code === REFUSED_STREAM) {
      stream.fail(new NotProcessedError('the server refused the stream and did not process the request'));
    } else stream.fail(new ConnectionLostError(`the server reset the stream with error code ${code}`));
  }

  settings(pairs: Buffer): void {
    for (let at = 0; at < pairs.length; at += 6) {
      this.#applySetting(pairs.readUInt16BE(at), pairs.readUInt32BE(at + 2));
    }
    this.#answer(frame(SETTINGS, ACK, 0));
    this.#planFlush();
    this.#owner.onRoom(this);
  }

  ping(opaque: Buffer, isAck: boolean): void {
    if (isAck) this.#cancelPingDeadline();
    else this.#answer(frame(PING, ACK, 0, opaque));
  }

  goAway(lastStreamId: number, code: number, debug: Buffer): void {
    if (lastStreamId > this.#lastProcessed) {
      throw new Http2Error(PROTOCOL_ERROR, 'the last stream of a second GOAWAY is higher than that of the first');
    }
    this.#lastProcessed = lastStreamId;
    if (code !== NO_ERROR) {
      this.#farewell = ` after GOAWAY with error code ${code} ${JSON.stringify(debug.toString('latin1', 0, 200))}`;
    }
    this.#isDraining = true;
    const why = 'the server closes this connection and did not process the request (GOAWAY)';
    for (const stream of this.#starting) stream.fail(new NotProcessedError(why));
    for (const stream of [...this.#streams.values()]) {
      if (stream.id > lastStreamId && !stream.hasEnded) stream.fail(new NotProcessedError(why));
    }
    if (this.#isClosed) return;
    this.#owner.onRoom(this);
    this.#endIfDrained();
  }

  windowUpdate(streamId: number, increment: number): void {
    if (streamId === 0) {
      this.#sendWindow += increment;
      if (increment === 0) throw new Http2Error(PROTOCOL_ERROR, 'WINDOW_UPDATE adds nothing');
      if (this.#sendWindow > MAX_INT31) throw windowOverflow();
    } else {
      const stream = this.#openStream(streamId, 'WINDOW_UPDATE');
      if (stream === undefined) return;
      stream.sendWindow += increment;
      if (increment === 0) this.#failStream(stream, new Http2Error(PROTOCOL_ERROR, 'WINDOW_UPDATE adds nothing'));
      else if (stream.sendWindow > MAX_INT31) this.#failStream(stream, windowOverflow());
    }
    if (this.#sending.size > 0) this.#planFlush();
  }

  #applySetting(id: number, value: number): void {
    switch (id) {
      case HEADER_TABLE_SIZE:
        this.#encoder.limit(value);
        break;
      case ENABLE_PUSH:
        if (value !== 0) throw new Http2Error(PROTOCOL_ERROR, 'it enables push, which only a client may');
        break;
      case MAX_CONCURRENT_STREAMS:
        this.#maxStreams = value;
        break;
      case INITIAL_WINDOW_SIZE: {
        if (value > MAX_INT31) throw windowOverflow();
        const change = value - this.#streamWindow;
        this.#streamWindow = value;
        for (const stream of this.#streams.values()) {
          stream.sendWindow += change;
          if (stream.sendWindow > MAX_INT31) throw windowOverflow();
        }
        break;
      }
      case MAX_FRAME_SIZE:
        if (value < DEFAULT_FRAME_BYTES || value >= 2 ** 24) {
          throw new Http2Error(PROTOCOL_ERROR, `its largest frame is ${value} bytes`);
        }
        this.#maxFrameBytes = value;
        break;
      default:
      // MAX_HEADER_LIST_SIZE is advice: the server answers 431 to a larger head.
    }
  }

  /** The stream of a frame; undefined if it is closed or has ended: what still comes for it is dropped. */
  #openStream(streamId: number, what: string): Http2Stream | undefined {
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) return stream.hasEnded ? undefined : stream;
    if (streamId % 2 === 1 && streamId < this.#nextId) return undefined;
    throw new Http2Error(PROTOCOL_ERROR, `${what} is on a stream that was not opened`);
  }

  // ---- Frames to the server

  #fieldsOf(request: TransportRequest): [name: string, value: string][] {
    const fields: [name: string, value: string][] = [
      [':method', request.method],
      [':scheme', this.#scheme],
      [':authority', this.#authority],
      [':path', request.target],
    ];
    for (const [given, value] of requestFields(request)) {
      const name = given.toLowerCase();
      if (connectionHeaders.has(name)) {
        throw new InvalidRequestError(`the header ${name} cannot be set: HTTP/2 does not have it`);
      }
      if (name === 'host') fields[2] = [':authority', value];
      else fields.push([name, value]);
    }
    return fields;
  }

  /** Queues a frame; it is written with the others of this read, or when the code that runs now has ended. */
  #write(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#out.push(bytes);
    this.#outBytes += bytes.length;
    if (!this.#isReading) this.#planFlush();
  }

  /** Queues the answer to a frame of the server, which may send more of them than it reads answers. */
  #answer(bytes: Buffer): void {
    if (this.#outBytes > MAX_UNWRITTEN_BYTES) {
      throw new Http2Error(ENHANCE_YOUR_CALM, 'it does not read the answers to its frames');
    }
    this.#write(bytes);
  }

  #planFlush(): void {
    if (this.#isFlushPlanned || this.#isClosed) return;
    this.#isFlushPlanned = true;
    process.nextTick(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  /** Writes what is queued and may be sent, unless bytes are being written: then it is called again when they are. */
  #flush(): void {
    if (this.#isWriting || this.#isClosed || !this.#socket.writable) return;
    for (const stream of this.#starting) this.#start(stream);
    this.#sendBodies();
    if (this.#outBytes === 0) return;
    this.#isWriting = true;
    this.#socket.write(this.#takeOut(), () => {
      this.#isWriting = false;
      if (this.#outBytes > 0 || this.#starting.size > 0 || this.#sending.size > 0) this.#flush();
    });
  }

  #takeOut(): Buffer {
    const bytes = this.#out.length === 1 ? this.#out[0]! : Buffer.concat(this.#out, this.#outBytes);
    this.#out = [];
    this.#outBytes = 0;
    return bytes;
  }

  #start(stream: Http2Stream): void {
    const { request, fields } = stream;
    if (!this.#isPermitted(stream)) return;
    this.#starting.delete(stream);
    stream.id = this.#nextId;
    stream.sendWindow = this.#streamWindow;
    this.#nextId += 2;
    // Ids cannot be reused: another connection is needed after half of them. The requests that this one has taken get theirs.
    if (this.#nextId > MAX_INT31 / 2) this.#isDraining = true;
    this.#streams.set(stream.id, stream);
    const hasBody = (request.body?.length ?? 0) > 0;
    if (hasBody) this.#sending.add(stream);
    const block = this.#encoder.encode(fields);
    let flags = hasBody ? 0 : END_STREAM;
    let type = HEADERS;
    for (let at = 0; ; at += this.#maxFrameBytes) {
      const end = Math.min(block.length, at + this.#maxFrameBytes);
      if (end === block.length) flags |= END_HEADERS;
      this.#write(frame(type, flags, stream.id, block.subarray(at, end)));
      if (end === block.length) return;
      type = CONTINUATION;
      flags = 0;
    }
  }

  /** Queues parts of the bodies, a frame of each stream in turns, as far as the windows allow. */
  #sendBodies(): void {
    let left = BODY_BYTES_PER_WRITE;
    while (left > 0 && this.#sending.size > 0) {
      const before = left;
      for (const stream of this.#sending) {
        const size = Math.min(left, this.#maxFrameBytes, this.#sendWindow, stream.sendWindow);
        if (size <= 0 || !this.#isPermitted(stream)) continue;
        const body = stream.request.body!;
        const part = body.subarray(stream.sent, stream.sent + size);
        stream.sent += part.length;
        stream.sendWindow -= part.length;
        this.#sendWindow -= part.length;
        left -= part.length;
        this.#write(frame(DATA, stream.isSent ? END_STREAM : 0, stream.id, part));
        if (stream.isSent) this.#sending.delete(stream);
      }
      if (left === before) return;
    }
  }

  /** Fails a request that was aborted or is refused now. */
  #isPermitted(stream: Http2Stream): boolean {
    const { signal, refusal } = stream.request;
    if (signal?.aborted) this.#reset(stream, CANCEL, signal.reason);
    else {
      const refused = refusal?.();
      if (refused === undefined) return true;
      this.#reset(stream, CANCEL, refused);
    }
    return false;
  }

  // ---- Ends

  #failStream(stream: Http2Stream, error: unknown): void {
    if (!(error instanceof Http2Error)) throw error;
    this.#reset(stream, error.http2Code, new ConnectionLostError(error.message, { cause: error }));
  }

  /** Ends a stream on this side. */
  #reset(stream: Http2Stream, code: number, error: unknown): void {
    if (stream.isSettled) return;
    // Nothing more comes for a stream that has ended.
    if (stream.id !== 0 && !(stream.hasEnded && stream.isSent)) this.#write(numberFrame(RST_STREAM, stream.id, code));
    // Its end was waiting for the handler, which does not get it.
    stream.hasEnded = false;
    stream.fail(error);
  }

  /** What the server sent is invalid. */
  #failConnection(error: unknown): void {
    const code = error instanceof Http2Error ? error.http2Code : PROTOCOL_ERROR;
    this.#failure ??= error;
    this.#write(numberFrame(GOAWAY, 0, 0, code));
    this.#hangUp();
    this.#failAll();
  }

  #endIfDrained(): void {
    if (!this.#isDraining || this.active > 0 || this.#isClosed) return;
    this.#write(numberFrame(GOAWAY, 0, 0, NO_ERROR));
    this.#hangUp();
  }

  /** Closes the connection when what is queued has been written. */
  #hangUp(): void {
    const bytes = this.#takeOut();
    this.#close();
    this.#socket.write(bytes);
    this.#socket.destroySoon();
    // The server may not read.
    this.#closeDeadline = this.#clock.setTimer(CLOSE_TIMEOUT_MS, () => this.#socket.destroy(), { keepAlive: false });
  }

  #close(): void {
    this.#isDraining = true;
    this.#isClosed = true;
    this.#reader.stop();
    this.#silence.stop();
    this.#cancelPingDeadline();
  }

  #gone(): void {
    this.#close();
    this.#closeDeadline?.cancel();
    this.#failAll();
    this.#owner.onGone(this);
  }

  /** Fails all requests, except those whose response has come completely and waits for its handler. */
  #failAll(): void {
    for (const stream of [...this.#starting, ...this.#streams.values()]) {
      if (!stream.hasEnded || this.#ending !== undefined) stream.fail(this.#explain(stream));
    }
  }

  /** The error of a request whose connection closed. */
  #explain(stream: Http2Stream): unknown {
    if (this.#ending !== undefined) return this.#ending;
    const cause = this.#failure;
    if (stream.id === 0) return new NotProcessedError('the connection closed before the request was sent', { cause });
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    const where = stream.isAnswered ? 'in the middle of the response' : 'before the server answered';
    return new ConnectionLostError(`the connection closed ${where}${this.#farewell}${why}`, { cause });
  }

  // ---- Silence

  #ping(silentMs: number): void {
    // The answer of a ping would not be read while the handlers are paused.
    if (this.#pingDeadline !== undefined || this.#isClosed || this.#isWaiting) return;
    const { pingTimeoutMs } = this.#options;
    const before = this.#received;
    this.#write(frame(PING, 0, 0, Buffer.alloc(PING_BYTES)));
    const onSilence = (): void => {
      this.#pingDeadline = undefined;
      // Any bytes prove that the connection is alive, even if the PING response is behind a large frame.
      if (this.#received !== before || this.#isWaiting) return;
      const silence = Math.round(silentMs + pingTimeoutMs);
      this.destroy(
        new ConnectionLostError(
          `the connection has been silent for ${silence} ms, and a ping was not answered: it is closed as dead`,
          { silent: true },
        ),
      );
    };
    this.#pingDeadline = setDeadline(this.#clock, pingTimeoutMs, onSilence, { keepAlive: false });
  }

  #cancelPingDeadline(): void {
    this.#pingDeadline?.cancel();
    this.#pingDeadline = undefined;
  }
}

function windowOverflow(): Http2Error {
  return new Http2Error(FLOW_CONTROL_ERROR, 'a flow-control window is larger than 2^31 - 1');
}

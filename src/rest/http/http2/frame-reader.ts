import {
  ACK,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  ENHANCE_YOUR_CALM,
  FRAME_HEAD_BYTES,
  FRAME_SIZE_ERROR,
  GOAWAY,
  HAS_PRIORITY,
  HEADERS,
  Http2Error,
  MAX_INT31,
  PADDED,
  PING,
  PRIORITY,
  PROTOCOL_ERROR,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from './frames.js';

/** Receives the frames of a server. Buffers are overwritten after the call. */
export interface FrameHandler {
  /** A DATA frame of `length` bytes begins, padding included; then `data` is called for each piece of it, then `dataEnds`. */
  dataBegins(streamId: number, length: number): void;
  data(bytes: Buffer): void;
  dataEnds(endsStream: boolean): void;
  /** A whole header block: HEADERS with its CONTINUATION frames. */
  headers(streamId: number, block: Buffer, endsStream: boolean): void;
  reset(streamId: number, code: number): void;
  /** Pairs of id (2 bytes) and value (4 bytes). */
  settings(pairs: Buffer): void;
  ping(opaque: Buffer, isAck: boolean): void;
  goAway(lastStreamId: number, code: number, debug: Buffer): void;
  windowUpdate(streamId: number, increment: number): void;
}

/** The largest payload that is accepted: as large as one read of a socket. */
export const MAX_FRAME_BYTES = 65_536;
/** The largest header block, compressed. */
const MAX_BLOCK_BYTES = 65_536;
/** The most frames of one header block: a block of the largest size in frames of a quarter of what every endpoint accepts. */
const MAX_BLOCK_FRAMES = 16;
/** The most settings in one frame. HTTP/2 has six, extensions some more. */
const MAX_SETTINGS = 32;
/** The most frames in a row without content: neither headers nor bytes of a body. Servers send a few, between responses. */
const MAX_EMPTY_FRAMES = 10_000;

const nothing = Buffer.alloc(0);

type State = 'head' | 'pad-length' | 'data' | 'payload' | 'skip';

/**
 * Cuts the bytes of a server into frames. It can stop at any byte and continue there, passes on the payload of DATA as it comes
 * without copying, and refuses what is too large, out of order, or endless without content.
 *
 * ```
 *   head ─┬─▶ (pad-length) ─▶ data ─▶ (skip: the padding) ─▶ head
 *         ├─▶ payload ──────────────────────────────────────▶ head
 *         └─▶ skip: unknown types ──────────────────────────▶ head
 * ```
 */
export class FrameReader {
  readonly #handler: FrameHandler;
  #state: State = 'head';
  /** The part of a frame's head that has come, if it was cut. */
  readonly #head = Buffer.alloc(FRAME_HEAD_BYTES);
  #headFilled = 0;
  #type = 0;
  #flags = 0;
  #streamId = 0;
  /** Bytes of the payload, or of the part of it that the state is about, that are still to come. */
  #left = 0;
  #padding = 0;
  /** The part of a payload that has come, if it was cut. */
  #payload: Buffer = nothing;
  #payloadFilled = 0;
  /** The header block under way; its stream is 0 if there is none. */
  #blockStream = 0;
  #blockEndsStream = false;
  #blockFrames = 0;
  #block: Buffer = nothing;
  #emptyFrames = 0;
  #hasSettings = false;
  #isStopped = false;

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /** Ignores all further bytes. May be called within `read`. */
  stop(): void {
    this.#isStopped = true;
  }

  /** @throws Http2Error */
  read(bytes: Buffer): void {
    let at = 0;
    while (!this.#isStopped) {
      switch (this.#state) {
        case 'head': {
          const cut = this.#headFilled > 0 || bytes.length - at < FRAME_HEAD_BYTES;
          if (!cut) {
            this.#begin(bytes, at);
            at += FRAME_HEAD_BYTES;
            break;
          }
          const copied = bytes.copy(this.#head, this.#headFilled, at);
          at += copied;
          this.#headFilled += copied;
          if (this.#headFilled < FRAME_HEAD_BYTES) return;
          this.#headFilled = 0;
          this.#begin(this.#head, 0);
          break;
        }
        case 'data': {
          const to = Math.min(bytes.length, at + this.#left);
          if (to > at) {
            this.#left -= to - at;
            const piece = bytes.subarray(at, to);
            at = to;
            this.#handler.data(piece);
          }
          if (this.#left > 0) return;
          this.#left = this.#padding;
          this.#state = 'skip';
          break;
        }
        case 'skip': {
          const skipped = Math.min(bytes.length - at, this.#left);
          at += skipped;
          this.#left -= skipped;
          if (this.#left > 0) return;
          this.#state = 'head';
          if (this.#type === DATA && !this.#isStopped) this.#handler.dataEnds((this.#flags & END_STREAM) !== 0);
          break;
        }
        case 'pad-length':
          if (at >= bytes.length) return;
          this.#padding = bytes[at++]!;
          if (this.#padding >= this.#left) throw new Http2Error(PROTOCOL_ERROR, 'the padding is longer than its frame');
          this.#left -= 1 + this.#padding;
          this.#state = 'data';
          break;
        default: {
          const length = this.#left;
          if (this.#payloadFilled === 0 && bytes.length - at >= length) {
            this.#state = 'head';
            this.#dispatch(bytes.subarray(at, at + length));
            at += length;
            break;
          }
          if (this.#payloadFilled === 0) this.#payload = Buffer.allocUnsafe(length);
          const copied = bytes.copy(this.#payload, this.#payloadFilled, at);
          at += copied;
          this.#payloadFilled += copied;
          if (this.#payloadFilled < length) return;
          const payload = this.#payload;
          this.#payload = nothing;
          this.#payloadFilled = 0;
          this.#state = 'head';
          this.#dispatch(payload);
        }
      }
    }
  }

  /** Checks the head of a frame, before its payload comes. */
  #begin(bytes: Buffer, at: number): void {
    const length = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
    const type = bytes[at + 3]!;
    const flags = bytes[at + 4]!;
    // The highest bit is reserved and ignored.
    const streamId = bytes.readUInt32BE(at + 5) & MAX_INT31;
    this.#type = type;
    this.#flags = flags;
    this.#streamId = streamId;
    this.#left = length;
    if (!this.#hasSettings) {
      if (type !== SETTINGS || (flags & ACK) !== 0) {
        throw new Http2Error(PROTOCOL_ERROR, 'its first frame is not SETTINGS; does it speak HTTP/2?');
      }
      this.#hasSettings = true;
    }
    if (length > MAX_FRAME_BYTES) {
      throw new Http2Error(
        FRAME_SIZE_ERROR,
        `a frame of ${length} bytes is larger than the ${MAX_FRAME_BYTES} allowed`,
      );
    }
    if (this.#blockStream !== 0 && (type !== CONTINUATION || streamId !== this.#blockStream)) {
      throw new Http2Error(PROTOCOL_ERROR, 'a header block is interrupted by another frame');
    }
    if (type === DATA) {
      if (streamId === 0) throw onConnection('DATA');
      this.#countIfEmpty(length > 0 || (flags & END_STREAM) !== 0);
      this.#padding = 0;
      this.#state = (flags & PADDED) === 0 ? 'data' : 'pad-length';
      if (this.#state === 'pad-length' && length === 0) {
        throw new Http2Error(FRAME_SIZE_ERROR, 'a padded frame is empty');
      }
      this.#handler.dataBegins(streamId, length);
      return;
    }
    this.#countIfEmpty(type === HEADERS);
    this.#state = type > CONTINUATION ? 'skip' : 'payload';
    checkHead(type, flags, streamId, length);
    if (type === CONTINUATION && this.#blockStream === 0) {
      throw new Http2Error(PROTOCOL_ERROR, 'CONTINUATION does not follow HEADERS');
    }
  }

  #countIfEmpty(hasContent: boolean): void {
    if (hasContent) this.#emptyFrames = 0;
    else if (++this.#emptyFrames > MAX_EMPTY_FRAMES) {
      throw new Http2Error(ENHANCE_YOUR_CALM, `more than ${MAX_EMPTY_FRAMES} frames in a row have no content`);
    }
  }

  #dispatch(payload: Buffer): void {
    const handler = this.#handler;
    const isAck = (this.#flags & ACK) !== 0;
    switch (this.#type) {
      case HEADERS:
        this.#blockStream = this.#streamId;
        this.#blockEndsStream = (this.#flags & END_STREAM) !== 0;
        this.#blockFrames = 0;
        this.#addToBlock(this.#fragment(payload));
        break;
      case CONTINUATION:
        this.#addToBlock(payload);
        break;
      case RST_STREAM:
        handler.reset(this.#streamId, payload.readUInt32BE(0));
        break;
      case SETTINGS:
        if (!isAck) handler.settings(payload);
        break;
      case PING:
        handler.ping(payload, isAck);
        break;
      case GOAWAY:
        handler.goAway(payload.readUInt32BE(0) & MAX_INT31, payload.readUInt32BE(4), payload.subarray(8));
        break;
      case WINDOW_UPDATE:
        handler.windowUpdate(this.#streamId, payload.readUInt32BE(0) & MAX_INT31);
        break;
      default:
      // PRIORITY is only advice, and deprecated.
    }
  }

  /** The payload of HEADERS without padding and priority. */
  #fragment(payload: Buffer): Buffer {
    const isPadded = (this.#flags & PADDED) !== 0;
    const begin = (isPadded ? 1 : 0) + ((this.#flags & HAS_PRIORITY) === 0 ? 0 : 5);
    if (payload.length < begin) throw new Http2Error(FRAME_SIZE_ERROR, 'HEADERS is shorter than its fields');
    const end = payload.length - (isPadded ? payload[0]! : 0);
    if (end < begin) throw new Http2Error(PROTOCOL_ERROR, 'the padding is longer than its frame');
    return payload.subarray(begin, end);
  }

  #addToBlock(fragment: Buffer): void {
    if (++this.#blockFrames > MAX_BLOCK_FRAMES || this.#block.length + fragment.length > MAX_BLOCK_BYTES) {
      throw new Http2Error(
        ENHANCE_YOUR_CALM,
        `a header block has more than ${MAX_BLOCK_BYTES} bytes or ${MAX_BLOCK_FRAMES} frames`,
      );
    }
    const isWhole = (this.#flags & END_HEADERS) !== 0;
    // A copy if more follows, since the bytes are in the shared read buffer.
    const isSingle = isWhole && this.#block.length === 0;
    const block = isSingle ? fragment : Buffer.concat([this.#block, fragment]);
    this.#block = isWhole ? nothing : block;
    if (!isWhole) return;
    const streamId = this.#blockStream;
    this.#blockStream = 0;
    this.#handler.headers(streamId, block, this.#blockEndsStream);
  }
}

/** Checks the stream and the length of a frame other than DATA. */
function checkHead(type: number, flags: number, streamId: number, length: number): void {
  switch (type) {
    case HEADERS:
    case CONTINUATION:
      if (streamId === 0) throw onConnection('a header block');
      return;
    case PRIORITY:
    case RST_STREAM:
      if (streamId === 0) throw onConnection(type === PRIORITY ? 'PRIORITY' : 'RST_STREAM');
      if (length !== (type === PRIORITY ? 5 : 4)) throw wrongLength(type === PRIORITY ? 'PRIORITY' : 'RST_STREAM');
      return;
    case SETTINGS:
      if (streamId !== 0) throw onStream('SETTINGS');
      if (length % 6 !== 0 || ((flags & ACK) !== 0 && length > 0)) throw wrongLength('SETTINGS');
      if (length > 6 * MAX_SETTINGS) {
        throw new Http2Error(ENHANCE_YOUR_CALM, `SETTINGS has more than ${MAX_SETTINGS} settings`);
      }
      return;
    case PING:
      if (streamId !== 0) throw onStream('PING');
      if (length !== 8) throw wrongLength('PING');
      return;
    case GOAWAY:
      if (streamId !== 0) throw onStream('GOAWAY');
      if (length < 8) throw wrongLength('GOAWAY');
      return;
    case WINDOW_UPDATE:
      if (length !== 4) throw wrongLength('WINDOW_UPDATE');
      return;
    case PUSH_PROMISE:
      throw new Http2Error(PROTOCOL_ERROR, 'PUSH_PROMISE, although push is disabled');
    default:
    // Frames of unknown types are ignored.
  }
}

function onConnection(what: string): Http2Error {
  return new Http2Error(PROTOCOL_ERROR, `${what} is not on a stream`);
}

function onStream(what: string): Http2Error {
  return new Http2Error(PROTOCOL_ERROR, `${what} is on a stream`);
}

function wrongLength(what: string): Http2Error {
  return new Http2Error(FRAME_SIZE_ERROR, `${what} has a wrong length`);
}

/** The numbers of HTTP/2 (RFC 9113), and the frames that a client sends. */

export const DATA = 0;
export const HEADERS = 1;
export const PRIORITY = 2;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PUSH_PROMISE = 5;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;

/** Flags. ACK is one of SETTINGS and PING, END_STREAM one of DATA and HEADERS. */
export const ACK = 0x1;
export const END_STREAM = 0x1;
export const END_HEADERS = 0x4;
export const PADDED = 0x8;
export const HAS_PRIORITY = 0x20;

/** Error codes. */
export const NO_ERROR = 0;
export const PROTOCOL_ERROR = 1;
export const FLOW_CONTROL_ERROR = 3;
export const FRAME_SIZE_ERROR = 6;
export const REFUSED_STREAM = 7;
export const CANCEL = 8;
export const COMPRESSION_ERROR = 9;
export const ENHANCE_YOUR_CALM = 11;

/** Settings. */
export const HEADER_TABLE_SIZE = 1;
export const ENABLE_PUSH = 2;
export const MAX_CONCURRENT_STREAMS = 3;
export const INITIAL_WINDOW_SIZE = 4;
export const MAX_FRAME_SIZE = 5;
export const MAX_HEADER_LIST_SIZE = 6;

/** The bytes of every frame before its payload: length (3), type, flags, stream (4). */
export const FRAME_HEAD_BYTES = 9;
/** Flow-control windows, stream ids. */
export const MAX_INT31 = 0x7fff_ffff;
/** The window of a stream and of the connection, and the largest payload, unless settings change them. */
export const DEFAULT_WINDOW_BYTES = 65_535;
export const DEFAULT_FRAME_BYTES = 16_384;
/** The size of the dynamic table of HPACK unless settings change it. */
export const DEFAULT_TABLE_BYTES = 4096;

/** What a client sends first. */
export const preface: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** A server broke the rules of HTTP/2: the connection is closed with the error code. */
export class Http2Error extends Error {
  static {
    Http2Error.prototype.name = 'Http2Error';
  }

  /** The error code of the GOAWAY or RST_STREAM frame that answers it. */
  readonly http2Code: number;

  constructor(http2Code: number, why: string) {
    super(`the server sent invalid HTTP/2: ${why}`);
    this.http2Code = http2Code;
  }
}

/** A frame with this payload. */
export function frame(type: number, flags: number, streamId: number, ...payload: readonly Uint8Array[]): Buffer {
  let length = 0;
  for (const part of payload) length += part.length;
  const bytes = Buffer.allocUnsafe(FRAME_HEAD_BYTES + length);
  bytes.writeUIntBE(length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(streamId, 5);
  let at = FRAME_HEAD_BYTES;
  for (const part of payload) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A frame whose payload is numbers of 32 bits. */
export function numberFrame(type: number, streamId: number, ...numbers: readonly number[]): Buffer {
  const payload = Buffer.allocUnsafe(4 * numbers.length);
  for (const [at, number] of numbers.entries()) payload.writeUInt32BE(number, 4 * at);
  return frame(type, 0, streamId, payload);
}

/** A SETTINGS frame. */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(6 * settings.length);
  for (const [at, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, 6 * at);
    payload.writeUInt32BE(value, 6 * at + 2);
  }
  return frame(SETTINGS, 0, 0, payload);
}

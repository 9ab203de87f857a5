import { randomFillSync } from 'node:crypto';

/*
 * The frames of a WebSocket (RFC 6455), for both sides: a client masks what it sends, a server does not.
 */

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Why a WebSocket is closed, as RFC 6455 numbers it. */
export const CLOSE_CODES = { normal: 1000, protocolError: 1002, tooBig: 1009 } as const;

/** Limit of a message with all its fragments. Its parts are passed on as they come, so that it costs no memory. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Limit of the payload of a control frame. */
export const MAX_CONTROL_BYTES = 125;
/** A frame begins with at most this many bytes: opcode, length and mask. */
const MAX_HEAD_BYTES = 14;

/** Receives what a {@link FrameReader} finds. */
export interface FrameHandler {
  /** Part of a message; text and binary messages are the same. `isFirst`: the message begins with it. */
  data(bytes: Buffer, isFirst: boolean): void;
  /** A ping, pong or close. */
  control(opcode: number, payload: Buffer): void;
}

/**
 * Parses the frames of the other side. It can stop at any byte, keeps at most the head of a frame or the payload of a control
 * frame, and unmasks in place.
 */
export class FrameReader {
  readonly #handler: FrameHandler;
  readonly #isMasked: boolean;
  readonly #head: Buffer = Buffer.alloc(MAX_HEAD_BYTES);
  #headLength = 0;
  /** Bytes of the payload that are still to come; undefined while a head is read. */
  #left: number | undefined;
  #opcode = 0;
  #isFinal = false;
  readonly #mask: Buffer = Buffer.alloc(4);
  #maskAt = 0;
  /** The payload of a control frame that has come. */
  #control: Buffer[] = [];
  /** Bytes of the current message; undefined between messages. */
  #messageBytes: number | undefined;
  #isFirst = false;
  #isStopped = false;

  /** @param isMasked whether the other side is a client */
  constructor(handler: FrameHandler, isMasked: boolean) {
    this.#handler = handler;
    this.#isMasked = isMasked;
  }

  /** Calls the handler no more, also within a `read` under way. */
  stop(): void {
    this.#isStopped = true;
    this.#control = [];
  }

  /** Parses bytes, which become the handler's. Returns the code to close with if a frame is not allowed. */
  read(bytes: Buffer): number | undefined {
    let at = 0;
    while (!this.#isStopped) {
      if (this.#left === undefined) {
        if (at >= bytes.length) return undefined;
        this.#head[this.#headLength++] = bytes[at++]!;
        if (this.#headLength < headLengthOf(this.#head, this.#headLength)) continue;
        const problem = this.#begin();
        if (problem !== undefined) return problem;
      } else {
        const end = Math.min(bytes.length, at + this.#left);
        const part = bytes.subarray(at, end);
        at = end;
        this.#left -= part.length;
        if (this.#isMasked) this.#maskAt = unmask(part, this.#mask, this.#maskAt);
        this.#take(part);
      }
      if (this.#left === 0) this.#end();
      else if (this.#left !== undefined && at >= bytes.length) return undefined;
    }
    return undefined;
  }

  /** The head is complete. */
  #begin(): number | undefined {
    const head = this.#head;
    const [first, second] = [head[0]!, head[1]!];
    this.#opcode = first & 0x0f;
    this.#isFinal = (first & 0x80) !== 0;
    // Extensions are never agreed on.
    if ((first & 0x70) !== 0 || ((second & 0x80) !== 0) !== this.#isMasked) return CLOSE_CODES.protocolError;
    const short = second & 0x7f;
    const length = short === 126 ? head.readUInt16BE(2) : short === 127 ? Number(head.readBigUInt64BE(2)) : short;
    if (this.#isMasked) head.copy(this.#mask, 0, this.#headLength - 4, this.#headLength);
    this.#maskAt = 0;
    this.#headLength = 0;
    const problem = this.#check(length);
    if (problem === undefined) this.#left = length;
    return problem;
  }

  #check(length: number): number | undefined {
    switch (this.#opcode) {
      case OPCODES.ping:
      case OPCODES.pong:
      case OPCODES.close:
        if (length > MAX_CONTROL_BYTES || !this.#isFinal) return CLOSE_CODES.protocolError;
        return this.#opcode === OPCODES.close && length === 1 ? CLOSE_CODES.protocolError : undefined;
      case OPCODES.text:
      case OPCODES.binary:
        if (this.#messageBytes !== undefined) return CLOSE_CODES.protocolError;
        this.#messageBytes = 0;
        this.#isFirst = true;
        break;
      case OPCODES.continuation:
        if (this.#messageBytes === undefined) return CLOSE_CODES.protocolError;
        break;
      default:
        return CLOSE_CODES.protocolError;
    }
    this.#messageBytes += length;
    return this.#messageBytes > MAX_MESSAGE_BYTES ? CLOSE_CODES.tooBig : undefined;
  }

  #take(part: Buffer): void {
    if (this.#opcode >= OPCODES.close) this.#control.push(part);
    else if (part.length > 0) {
      const isFirst = this.#isFirst;
      this.#isFirst = false;
      this.#handler.data(part, isFirst);
    }
  }

  #end(): void {
    this.#left = undefined;
    if (this.#opcode >= OPCODES.close) {
      const payload = Buffer.concat(this.#control);
      this.#control = [];
      if (!this.#isStopped) this.#handler.control(this.#opcode, payload);
    } else if (this.#isFinal) this.#messageBytes = undefined;
  }
}

/** The length of a head of which `known` bytes have come; at least one more than these until it is known. */
function headLengthOf(head: Buffer, known: number): number {
  if (known < 2) return 2;
  const short = head[1]! & 0x7f;
  const mask = (head[1]! & 0x80) === 0 ? 0 : 4;
  return 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + mask;
}

/** A frame that is a whole message or a control frame, of several parts. */
export function encodeFrame(opcode: number, parts: readonly Uint8Array[], isMasked: boolean): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const begin = 2 + lengthBytes + (isMasked ? 4 : 0);
  // The payload begins at a multiple of four, so that it can be masked four bytes at a time.
  const pad = -begin & 3;
  const frame = Buffer.allocUnsafeSlow(pad + begin + length).subarray(pad);
  frame[0] = 0x80 | opcode;
  frame[1] = (isMasked ? 0x80 : 0) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
  else if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  let at = begin;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  if (isMasked) {
    const mask = nextMask();
    mask.copy(frame, begin - 4);
    unmask(frame.subarray(begin), mask, 0);
  }
  return frame;
}

const MASKS: Buffer = Buffer.alloc(4096);
let masksUsed = MASKS.length;

/** Four random bytes. A proxy must not be able to take the payload for a request, so that they cannot be predicted. */
function nextMask(): Buffer {
  if (masksUsed >= MASKS.length) {
    randomFillSync(MASKS);
    masksUsed = 0;
  }
  masksUsed += 4;
  return MASKS.subarray(masksUsed - 4, masksUsed);
}

/** Masks or unmasks in place, beginning with byte `maskAt` of the mask. Returns the next byte of the mask. */
function unmask(bytes: Buffer, mask: Buffer, maskAt: number): number {
  let at = 0;
  let next = maskAt;
  const byte = (): void => {
    bytes[at]! ^= mask[next]!;
    at++;
    next = (next + 1) & 3;
  };
  while (at < bytes.length && ((bytes.byteOffset + at) & 3) !== 0) byte();
  const count = (bytes.length - at) >>> 2;
  if (count > 0) {
    const pattern = new Uint8Array(4);
    for (let index = 0; index < 4; index++) pattern[index] = mask[(next + index) & 3]!;
    const word = new Uint32Array(pattern.buffer)[0]!;
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset + at, count);
    for (let index = 0; index < count; index++) words[index]! ^= word;
    at += 4 * count;
  }
  while (at < bytes.length) byte();
  return next;
}

import { encodeDocument, eventStart } from '../../codec/protobuf/document-writer.js';
import type { Status } from '../../meta/errors/status.js';
import type { Clock, Timer } from '../../time/clock.js';
import type { ApiRequest, ApiResponse } from '../wire/exchange.js';
import { type Fault, type FaultPhase, type FaultRequest, statusOf } from './fault.js';

/** The faults that may apply to an answer. */
interface AnswerFaults {
  readonly isQuiet: boolean;
  next(phase: FaultPhase, request: FaultRequest): Fault | undefined;
}

/** The request and answer that a {@link FaultyResponse} is put between. */
export interface FaultyExchange {
  readonly faults: AnswerFaults;
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly shown: FaultRequest;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Bytes, the end or a reset, with the time at which it is passed on. */
interface Held {
  readonly due: number;
  readonly what: Uint8Array | 'end' | 'reset';
}

const NEWLINE = 0x0a;
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
/** `write` returns false beyond this, as that of a socket. */
const HIGH_WATER_BYTES = 64 * 1024;
/** Pieces per second of an answer with `bytesPerSecond`. */
const PIECES_PER_SECOND = 10;

/**
 * An answer with faults applied: to each line of a watch, to each chunk of another body. Delayed bytes are queued in
 * order, each with the time at which it is passed on.
 */
export class FaultyResponse implements ApiResponse {
  /** The request as the handler sees it: its signal also aborts when a fault has ended the answer. */
  readonly request: ApiRequest;
  readonly #exchange: FaultyExchange;
  readonly #isWatch: boolean;
  readonly #controller = new AbortController();
  readonly #onAbort = (): void => {
    this.#controller.abort(this.#exchange.request.signal.reason);
    this.#finish();
  };
  /** Whether the answer is protobuf: its events are frames with a length, not lines. */
  #isProtobuf = false;
  #answerFault: Fault | undefined;
  #bytesPerSecond = Number.POSITIVE_INFINITY;
  #queue: Held[] = [];
  #heldBytes = 0;
  /** No byte is passed on before this time. */
  #gate = 0;
  #timer: Timer | undefined;
  #onDrain: (() => void) | undefined;
  #onFinished: (() => void) | undefined;
  /** The handler has ended the answer, or a fault has. */
  #isOver = false;
  /** Also the queue is empty, or its rest is dropped. */
  #isFinished = false;

  constructor(exchange: FaultyExchange) {
    this.#exchange = exchange;
    const { info } = exchange.shown;
    this.#isWatch = info.isResourceRequest && info.verb === 'watch';
    this.request = { ...exchange.request, signal: this.#controller.signal };
    if (exchange.request.signal.aborted) this.#onAbort();
    else exchange.request.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isOver) return;
    this.#isProtobuf = headers['content-type']?.startsWith(PROTOBUF_TYPE) === true;
    const { faults, response, shown, clock } = this.#exchange;
    const fault = faults.isQuiet ? undefined : faults.next('answer', shown);
    let sent = headers;
    if (fault !== undefined && 'bytesPerSecond' in fault) this.#bytesPerSecond = fault.bytesPerSecond;
    else this.#answerFault = fault;
    // A fault may change the length of the body.
    if (fault !== undefined && 'corrupt' in fault && fault.corrupt !== 'garble') sent = withoutLength(headers);
    if (fault !== undefined && 'stallMs' in fault) {
      this.#gate = clock.monotonicNow() + fault.stallMs;
      this.#answerFault = undefined;
    }
    response.head(status, sent);
    if (fault !== undefined && 'reset' in fault && fault.reset === 'afterHeaders') this.#cut();
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver) return true;
    const { faults, response } = this.#exchange;
    if (this.#isWatch && !faults.isQuiet) this.#writeEvents(chunk);
    else if (this.#answerFault !== undefined) this.#writeFaulty(chunk, this.#answerFault);
    else if (this.#queue.length === 0 && this.#isOpen) return response.write(chunk);
    else this.#pass(chunk);
    return this.#heldBytes < HIGH_WATER_BYTES && response.pendingBytes < HIGH_WATER_BYTES;
  }

  onDrain(callback: () => void): void {
    if (this.#isOver) return;
    if (this.#queue.length > 0) this.#onDrain = callback;
    else this.#exchange.response.onDrain(callback);
  }

  get pendingBytes(): number {
    return this.#exchange.response.pendingBytes + this.#heldBytes;
  }

  end(): void {
    if (this.#isOver) return;
    this.#hold('end', this.#gate);
  }

  reset(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#exchange.response.reset();
  }

  /** Resolves when the queue is empty or the client has closed the connection. */
  async whenFinished(): Promise<void> {
    if (this.#isFinished) return;
    await new Promise<void>((resolve) => {
      this.#onFinished = resolve;
    });
  }

  /** Removes the timer and the abort listener. */
  dispose(): void {
    this.#timer?.cancel();
    this.#exchange.request.signal.removeEventListener('abort', this.#onAbort);
  }

  get #isOpen(): boolean {
    if (this.#bytesPerSecond !== Number.POSITIVE_INFINITY) return false;
    return this.#gate === 0 || this.#gate <= this.#exchange.clock.monotonicNow();
  }

  /** Splits a chunk into its events, since a fault may match any of them. */
  #writeEvents(chunk: Uint8Array): void {
    const { faults, shown } = this.#exchange;
    for (let start = 0; start < chunk.length && !this.#isOver; ) {
      const end = this.#eventEnd(chunk, start);
      const line = chunk.subarray(start, end);
      start = end;
      const fault = faults.next('event', { ...shown, event: line });
      if (fault === undefined) this.#pass(line);
      else this.#writeFaulty(line, fault);
    }
  }

  #eventEnd(chunk: Uint8Array, start: number): number {
    if (this.#isProtobuf) {
      const frame = Buffer.from(chunk.buffer, chunk.byteOffset + start, chunk.length - start);
      return frame.length < 4 ? chunk.length : Math.min(chunk.length, start + 4 + frame.readUInt32BE(0));
    }
    const newline = chunk.indexOf(NEWLINE, start);
    return newline < 0 ? chunk.length : newline + 1;
  }

  #writeFaulty(bytes: Uint8Array, fault: Fault): void {
    const { clock } = this.#exchange;
    this.#answerFault = undefined;
    if ('stallMs' in fault) {
      this.#gate = Math.max(this.#gate, clock.monotonicNow() + fault.stallMs);
      this.#pass(bytes);
    } else if ('errorEvent' in fault) {
      this.#pass(this.#errorEvent(statusOf(fault.errorEvent)));
      this.end();
      this.#controller.abort(new Error('A fault has ended the watch'));
    } else if ('reset' in fault) {
      this.#pass(bytes.subarray(0, bytes.length >> 1));
      this.#cut();
    } else if ('corrupt' in fault) {
      this.#corrupt(bytes, fault.corrupt);
    }
  }

  #errorEvent(status: Status): Uint8Array {
    if (!this.#isProtobuf) return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    const document = encodeDocument(status);
    return Buffer.concat([eventStart('ERROR', document.length), document]);
  }

  #corrupt(bytes: Uint8Array, how: 'truncate' | 'garble' | 'duplicate'): void {
    if (how === 'truncate') {
      if (this.#isWatch && this.#isProtobuf) {
        // The length is that of the rest, as the newline after a line in JSON: otherwise the next event would be read as part of this one.
        const rest = bytes.subarray(4, 4 + ((bytes.length - 4) >> 1));
        const length = Buffer.alloc(4);
        length.writeUInt32BE(rest.length);
        this.#pass(Buffer.concat([length, rest]));
        return;
      }
      this.#pass(bytes.subarray(0, bytes.length >> 1));
      if (this.#isWatch) this.#pass(Uint8Array.of(NEWLINE));
      else this.end();
    } else if (how === 'duplicate') {
      this.#pass(bytes);
      this.#pass(bytes);
    } else {
      // All watches share the bytes of an event, so that a copy is changed. A NUL makes any JSON text invalid; in protobuf
      // it does so in place of the first tag of an event, or of the first byte of a document.
      const spoilt = Uint8Array.from(bytes);
      const at = Math.floor(this.#exchange.random() * Math.max(1, spoilt.length - 1));
      spoilt[this.#isProtobuf ? (this.#isWatch ? 4 : 0) : at] = 0;
      this.#pass(spoilt);
    }
  }

  /** Resets the connection after the queue, one turn later, so that the socket has sent what was written. */
  #cut(): void {
    this.#hold('reset', this.#gate);
    this.#controller.abort(new Error('A fault has cut the connection'));
  }

  #pass(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#queue.length === 0 && this.#isOpen) {
      this.#exchange.response.write(bytes);
      return;
    }
    const size = Math.ceil(this.#bytesPerSecond / PIECES_PER_SECOND);
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      this.#gate = Math.max(this.#gate, this.#exchange.clock.monotonicNow());
      this.#gate += (piece.length * 1000) / this.#bytesPerSecond;
      this.#hold(piece, this.#gate);
    }
  }

  #hold(what: Held['what'], due: number): void {
    if (this.#queue.length === 0 && due <= this.#exchange.clock.monotonicNow() && what === 'end') {
      this.#release(what);
      return;
    }
    this.#queue.push({ what, due });
    if (typeof what === 'object') this.#heldBytes += what.length;
    else this.#isOver = true;
    this.#arm();
  }

  #arm(): void {
    const next = this.#queue[0];
    if (next === undefined || this.#timer !== undefined) return;
    const wait = next.due - this.#exchange.clock.monotonicNow();
    if (wait === Number.POSITIVE_INFINITY) return;
    const fire = (): void => {
      this.#timer = undefined;
      this.#flush();
    };
    this.#timer = wait > 0 ? this.#exchange.clock.setTimer(wait, fire) : this.#exchange.clock.defer(fire);
  }

  #flush(): void {
    const now = this.#exchange.clock.monotonicNow();
    let released = 0;
    while (released < this.#queue.length && this.#queue[released]!.due <= now)
      this.#release(this.#queue[released++]!.what);
    this.#queue.splice(0, released);
    this.#arm();
    if (this.#queue.length === 0 && this.#onDrain !== undefined) {
      const callback = this.#onDrain;
      this.#onDrain = undefined;
      this.#exchange.response.onDrain(callback);
    }
  }

  #release(what: Held['what']): void {
    const { response } = this.#exchange;
    if (typeof what === 'object') {
      this.#heldBytes -= what.length;
      response.write(what);
      return;
    }
    this.#finish();
    if (what === 'end') response.end();
    else response.reset();
  }

  #finish(): void {
    this.#isOver = true;
    this.#isFinished = true;
    this.#onFinished?.();
  }
}

function withoutLength(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { 'content-length': _, ...kept } = headers;
  return kept;
}

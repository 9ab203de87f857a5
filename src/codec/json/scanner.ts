import { DecodeError } from '../decode-error.js';
import { type Engine, type EngineKind, engineOf } from './engine.js';
import {
  AFTER_VALUE,
  AT_ROOT,
  BAD_BYTE,
  BAD_DEPTH,
  BAD_ITEMS,
  BAD_SECOND_ITEMS,
  CONTEXT,
  DEPTH,
  DONE,
  EDGES,
  EMIT_END,
  EMIT_START,
  EMIT_TAG,
  EMITTED,
  ESCAPED_KEY,
  FAILED,
  FAILURE,
  FIRST_SLOT,
  IRREGULAR,
  KEY_BUFFER,
  KEY_BUFFER_SIZE,
  KEY_LENGTH,
  KEY_START,
  MAX_DEPTH,
  MAX_EDGES,
  MEMBER,
  NODES,
  NOWHERE,
  POSITION,
  SLOTS,
  STATE,
  WINDOW,
  WINDOW_SIZE,
} from './scan-layout.js';
import type { ScanProgram } from './scan-program.js';

const noBytes: Buffer = Buffer.alloc(0);

/** The buffer for objects that span chunks is reused up to this size. */
const MAX_REUSED_PENDING = 1_048_576;

/** The largest chunk that {@link Scanner.put} accepts: the size of a block of `ByteQueue`. */
export const MAX_CHUNK: number = WINDOW_SIZE;

/**
 * Passes the chunks of a stream to `scan` and locates each emission: in the chunk or, if it started in an earlier chunk, in a
 * buffer that its parts were copied to. Positions are indexes into {@link source}.
 *
 * ```
 *   chunk n-1        chunk n
 *  ──────────┐ ┌───────────────────
 *      {"ki… │ │ …nd":"Pod"} {"kind…
 *      └─────┴─┴───────────┘ └─────
 *        source: pending        source: the chunk
 * ```
 */
export class Scanner {
  readonly #what: string;
  readonly #engine: Engine;
  readonly #program: ScanProgram;
  readonly #maxObjectBytes: number;
  readonly #state: Uint8Array;

  #chunk: Buffer = noBytes;
  /** Addresses: the start of the chunk, and the range that has not been scanned. */
  #base = WINDOW;
  #from = WINDOW;
  #to = WINDOW;
  /** Bytes of the stream before the chunk. */
  #before = 0;

  #pending: Buffer = Buffer.alloc(0);
  #pendingLength = 0;
  #failure: DecodeError | undefined;
  #finished = false;
  #unreadable: string | undefined;
  /** For an object that is too large: the slots at the point where its bytes were no longer stored. */
  #truncatedSlots: Int32Array | undefined;
  /** The number of open containers beyond the nesting limit; `scan` does not see these. */
  #excessDepth = 0;
  #inString = false;
  #escaped = false;

  /** The bytes that contain the current emission. */
  source: Buffer = this.#chunk;
  /** An address plus this is the index in {@link source}. */
  #shift = 0;

  constructor(what: string, program: ScanProgram, maxObjectBytes: number, engine?: EngineKind) {
    this.#what = what;
    this.#engine = engineOf(engine);
    this.#program = program;
    this.#maxObjectBytes = maxObjectBytes;
    this.#state = program.start.slice();
  }

  /** The start of the current emission. */
  get start(): number {
    if (this.#truncatedSlots !== undefined) return 0;
    return this.#engine.words[EMIT_START]! + this.#shift;
  }

  /** The end of the current emission. */
  get end(): number {
    if (this.#truncatedSlots !== undefined) return this.#pendingLength;
    return this.#engine.words[EMIT_END]! + this.#shift;
  }

  /** Whether the current emission has duplicates of a field that is looked for: its slots show only one of them. */
  get irregular(): boolean {
    return this.#engine.words[IRREGULAR] !== 0;
  }

  /**
   * Why the current emission cannot be decoded; undefined if it can. Only its slots are valid then: its bytes are incomplete
   * or not validated.
   */
  get unreadable(): string | undefined {
    return this.#unreadable;
  }

  /** The start of the value of a slot, or -1 if it has none. */
  startOf(slot: number): number {
    if (this.#truncatedSlots !== undefined) return this.#truncatedSlots[slot * 3 + 1]!;
    const at = this.#engine.words[SLOTS + slot * 3 + 1]!;
    return at === NOWHERE ? -1 : at + this.#shift;
  }

  /** The end of the value of a slot that has one. */
  endOf(slot: number): number {
    if (this.#truncatedSlots !== undefined) return this.#truncatedSlots[slot * 3 + 2]!;
    return this.#engine.words[SLOTS + slot * 3 + 2]! + this.#shift;
  }

  /** The start of the key of a slot that has a value. */
  keyOf(slot: number): number {
    return this.#engine.words[SLOTS + slot * 3]! + this.#shift;
  }

  /** The number of bytes of the stream that have been scanned. */
  get offset(): number {
    return this.#before + (this.#from - this.#base);
  }

  /**
   * Sets the next chunk, of at most {@link MAX_CHUNK} bytes, after `next` has returned 0 for the previous one. Its bytes must
   * not change until it has been scanned.
   */
  put(chunk: Buffer): void {
    this.#engine.enter(this.#state);
    const base = this.#engine.load(chunk);
    if (base !== WINDOW) this.#move(base - WINDOW);
    this.#chunk = chunk;
    this.#base = this.#from = base;
    this.#to = base + chunk.length;
  }

  /**
   * The tag of the next emission in the chunk, or 0 at the end of the chunk. The getters are valid until the next call of this
   * or any other scanner. An object that is too large or nested too deeply is an emission too, which is {@link unreadable};
   * scanning continues after it.
   *
   * @throws DecodeError at invalid bytes; every further call throws too.
   */
  next(): number {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#finished) return 0;
    const engine = this.#engine;
    const words = engine.words;
    if (engine.enter(this.#state) && this.#base === WINDOW) engine.load(this.#chunk);
    // The caller is done with the previous emission.
    if (this.source === this.#pending) this.#dropPending();
    if (words[EMIT_TAG] === 0) this.#unreadable = undefined;
    while (this.#from < this.#to) {
      if (this.#excessDepth > 0 && !this.#skipDeep(words)) break;
      const result = engine.run(this.#from, this.#to);
      this.#from = words[POSITION]!;
      if (result === EMITTED) {
        this.#locate(words);
        const tag = words[EMIT_TAG]!;
        words[EMIT_TAG] = 0;
        return tag;
      }
      if (result === ESCAPED_KEY) this.#resolveKey(words);
      else if (result === FAILED && words[FAILURE] === BAD_DEPTH) {
        if (words[EMIT_TAG] !== 0) this.#unreadable = `it is nested deeper than ${MAX_DEPTH} levels`;
        this.#excessDepth = 1;
        this.#from++;
      } else if (result === FAILED) throw this.#fail(reasons[words[FAILURE]!] ?? '', this.offset);
    }
    if (words[EMIT_TAG] !== 0) this.#storePending(words);
    // The chunk is not read any more.
    this.#before += this.#chunk.length;
    this.#chunk = noBytes;
    this.#base = this.#from = this.#to = WINDOW;
    return 0;
  }

  /** The stream has ended. @throws DecodeError if that is in the middle of a document */
  finish(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.complete) throw this.#fail('the bytes end in the middle of it', this.#before + this.#chunk.length, true);
    this.#finished = true;
    this.#close();
  }

  /** Whether the stream may end here: no document is incomplete. */
  get complete(): boolean {
    if (this.#finished) return true;
    if (this.#failure !== undefined) return false;
    if (this.#engine.enter(this.#state) && this.#base === WINDOW) this.#engine.load(this.#chunk);
    const state = this.#engine.words[STATE];
    return state === DONE || (state === AT_ROOT && this.#program.type >= 0);
  }

  #close(): void {
    this.#engine.leave(this.#state);
    this.#chunk = this.#pending = this.source = Buffer.alloc(0);
    this.#pendingLength = 0;
  }

  #fail(reason: string, offset: number, truncated = false): DecodeError {
    this.#failure = new DecodeError(this.#what, offset, reason, { truncated });
    this.#close();
    return this.#failure;
  }

  #locate(words: Int32Array): void {
    if (words[EMIT_START]! >= this.#base && this.#truncatedSlots === undefined) {
      if (words[EMIT_END]! - words[EMIT_START]! > this.#maxObjectBytes) this.#unreadable = this.#tooLarge();
      this.source = this.#chunk;
      this.#shift = -this.#base;
      return;
    }
    this.#shift = this.#pendingLength - this.#base;
    this.#append(0, words[EMIT_END]! - this.#base);
    this.source = this.#pending;
  }

  #tooLarge(): string {
    return `it is larger than the ${this.#maxObjectBytes} bytes that maxObjectBytes allows`;
  }

  /** At the end of a chunk: stores the part of an incomplete emission and adjusts its positions. */
  #storePending(words: Int32Array): void {
    this.#append(Math.max(words[EMIT_START]! - this.#base, 0), this.#chunk.length);
    // As if the next chunk followed this one directly, at the start of the window; `put` corrects this.
    this.#move(WINDOW - this.#to);
  }

  /** Shifts the positions of an incomplete emission. */
  #move(by: number): void {
    const { words } = this.#engine;
    if (words[EMIT_TAG] === 0) return;
    words[EMIT_START]! += by;
    words[KEY_START]! += by;
    const last = SLOTS + this.#program.slotCount * 3;
    for (let i = SLOTS + words[FIRST_SLOT]! * 3; i < last; i++) if (words[i] !== NOWHERE) words[i]! += by;
  }

  #append(from: number, to: number): void {
    if (this.#truncatedSlots !== undefined) return;
    const before = this.#pendingLength;
    const length = Math.min(before + (to - from), this.#maxObjectBytes);
    if (length > this.#pending.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, this.#pending.length * 2, WINDOW_SIZE));
      this.#pending.copy(larger, 0, 0, before);
      this.#pending = larger;
    }
    this.#chunk.copy(this.#pending, before, from, from + (length - before));
    this.#pendingLength = length;
    if (length === before + (to - from)) return;
    this.#unreadable = this.#tooLarge();
    this.#truncatedSlots = this.#slotsSoFar(before - (this.#base + from));
  }

  /** The slots as indexes into the stored bytes; -1 for values that are incomplete or beyond these bytes. */
  #slotsSoFar(shift: number): Int32Array {
    const { words } = this.#engine;
    const kept = words.slice(SLOTS, SLOTS + this.#program.slotCount * 3);
    const open = words.subarray(MEMBER, MEMBER + Math.min(words[DEPTH]!, MAX_EDGES) + 1);
    for (let slot = 0; slot < this.#program.slotCount; slot++) {
      const at = slot * 3;
      const end = kept[at + 2]! + shift;
      const isComplete = kept[at + 1] !== NOWHERE && !open.includes(slot + 1) && end <= this.#pendingLength;
      kept[at + 1] = isComplete ? kept[at + 1]! + shift : -1;
      kept[at + 2] = end;
    }
    return kept;
  }

  /** Skips containers beyond the nesting limit, or the rest of the chunk; returns whether `scan` can continue. */
  #skipDeep(words: Int32Array): boolean {
    const { bytes } = this.#engine;
    let p = this.#from;
    while (p < this.#to && this.#excessDepth > 0) {
      const c = bytes[p++]!;
      if (this.#escaped) this.#escaped = false;
      else if (c === 0x22) this.#inString = !this.#inString;
      else if (this.#inString) this.#escaped = c === 0x5c;
      else if (c === 0x7b || c === 0x5b) this.#excessDepth++;
      else if (c === 0x7d || c === 0x5d) this.#excessDepth--;
    }
    this.#from = p;
    // No node is that deep, so the value that has ended has no slot.
    words[STATE] = AFTER_VALUE;
    return this.#excessDepth === 0 && p < this.#to;
  }

  #dropPending(): void {
    this.#pendingLength = 0;
    this.#truncatedSlots = undefined;
    if (this.#pending.length > MAX_REUSED_PENDING) this.#pending = Buffer.alloc(0);
    this.source = noBytes;
  }

  /** Compares a key with escapes, which `scan` leaves in the key buffer as it was written. */
  #resolveKey(words: Int32Array): void {
    const length = words[KEY_LENGTH]!;
    if (length >= KEY_BUFFER_SIZE) return;
    const memory = this.#engine.bytes.buffer as ArrayBuffer;
    const key: unknown = JSON.parse(`"${Buffer.from(memory, KEY_BUFFER, length).toString()}"`);
    const node = NODES + words[CONTEXT]! * 4;
    const first = words[node]!;
    for (let edge = first; edge < first + words[node + 1]!; edge++) {
      const name = Buffer.from(memory, words[EDGES + edge * 4]!, words[EDGES + edge * 4 + 1]!);
      if (name.toString() !== key) continue;
      words[MEMBER + words[DEPTH]!] = edge + 1;
      if (words[SLOTS + edge * 3 + 1] !== NOWHERE) {
        words[IRREGULAR] = 1;
        const child = words[EDGES + edge * 4 + 2]!;
        if (words[NODES + child * 4 + 2]! > 0) throw this.#fail(reasons[BAD_SECOND_ITEMS] ?? '', this.offset);
      }
      words[SLOTS + edge * 3] = words[KEY_START]!;
    }
  }
}

const reasons: Readonly<Record<number, string>> = {
  [BAD_BYTE]: 'this is not JSON',
  [BAD_SECOND_ITEMS]: 'the list has two fields "items"',
  [BAD_ITEMS]: 'the items of the list are not an array',
};

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

/** A buffer for objects that span chunks is kept for the next one up to this size. */
const KEPT_PENDING = 1_048_576;

/** The largest chunk that {@link Scanner.put} takes: as much as comes out of a `ByteQueue` in one piece. */
export const MAX_CHUNK: number = WINDOW_SIZE;

/**
 * Feeds chunks of a stream to the scan and says where each emission is: in the chunk itself, or, when it began in an
 * earlier one, in a buffer that its pieces were put together in. Positions are indexes into {@link source}.
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
  /** Where the chunk begins, and what has not been read of it, as addresses. */
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
  /** Of an object that is too large: where the slots were when its bytes were no longer kept. */
  #kept: Int32Array | undefined;
  /** How many containers are open below the limit of nesting; the scan knows nothing of these. */
  #tooDeep = 0;
  #inString = false;
  #escaped = false;

  /** The bytes that the current emission is in. */
  source: Buffer = this.#chunk;
  /** Added to an address, gives the index in {@link source}. */
  #shift = 0;

  constructor(what: string, program: ScanProgram, maxObjectBytes: number, engine?: EngineKind) {
    this.#what = what;
    this.#engine = engineOf(engine);
    this.#program = program;
    this.#maxObjectBytes = maxObjectBytes;
    this.#state = program.start.slice();
  }

  /** Start of the current emission. */
  get start(): number {
    if (this.#kept !== undefined) return 0;
    return this.#engine.words[EMIT_START]! + this.#shift;
  }

  /** End of the current emission. */
  get end(): number {
    if (this.#kept !== undefined) return this.#pendingLength;
    return this.#engine.words[EMIT_END]! + this.#shift;
  }

  /** Whether something that was wanted came twice in the current emission, so that slots do not tell the whole truth. */
  get irregular(): boolean {
    return this.#engine.words[IRREGULAR] !== 0;
  }

  /**
   * Why nothing can be made of the current emission but what its slots say; undefined when it is as it should be. Its bytes
   * are not whole then, or were not checked.
   */
  get unreadable(): string | undefined {
    return this.#unreadable;
  }

  /** Start of the value of a slot, or -1 when there is none. */
  startOf(slot: number): number {
    if (this.#kept !== undefined) return this.#kept[slot * 3 + 1]!;
    const at = this.#engine.words[SLOTS + slot * 3 + 1]!;
    return at === NOWHERE ? -1 : at + this.#shift;
  }

  /** End of the value of a slot that has one. */
  endOf(slot: number): number {
    if (this.#kept !== undefined) return this.#kept[slot * 3 + 2]!;
    return this.#engine.words[SLOTS + slot * 3 + 2]! + this.#shift;
  }

  /** Start of the key of a slot that has a value. */
  keyOf(slot: number): number {
    return this.#engine.words[SLOTS + slot * 3]! + this.#shift;
  }

  /** How many bytes of the stream have been read. */
  get offset(): number {
    return this.#before + (this.#from - this.#base);
  }

  /**
   * Takes the next chunk, of at most {@link MAX_CHUNK} bytes; the one before must have been read up. Its bytes have to stay
   * as they are until this one has been, too.
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
   * The tag of the next emission in the chunk, or 0 when the chunk has been read up. What the getters say holds until the
   * next call, of this or any other scanner. An object that is too large, or nested too deeply, is an emission too, one that
   * is {@link unreadable}: what comes behind it is not lost.
   *
   * @throws DecodeError where the bytes are not acceptable; then always.
   */
  next(): number {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#finished) return 0;
    const engine = this.#engine;
    const words = engine.words;
    if (engine.enter(this.#state) && this.#base === WINDOW) engine.load(this.#chunk);
    // The last emission has been dealt with by now.
    if (this.source === this.#pending) this.#dropPending();
    if (words[EMIT_TAG] === 0) this.#unreadable = undefined;
    while (this.#from < this.#to) {
      if (this.#tooDeep > 0 && !this.#skipDeep(words)) break;
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
        this.#tooDeep = 1;
        this.#from++;
      } else if (result === FAILED) throw this.#fail(reasons[words[FAILURE]!] ?? '', this.offset);
    }
    if (words[EMIT_TAG] !== 0) this.#keep(words);
    // Nothing looks at the chunk from here on.
    this.#before += this.#chunk.length;
    this.#chunk = noBytes;
    this.#base = this.#from = this.#to = WINDOW;
    return 0;
  }

  /** The stream has ended. @throws DecodeError when that is in the middle of something. */
  finish(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.complete) throw this.#fail('the bytes end in the middle of it', this.#before + this.#chunk.length, true);
    this.#finished = true;
    this.#close();
  }

  /** Whether what has been read so far is complete in itself. */
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
    if (words[EMIT_START]! >= this.#base && this.#kept === undefined) {
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

  /** The chunk has been read and an emission is not complete: what there is of it is kept, and its positions move back. */
  #keep(words: Int32Array): void {
    this.#append(Math.max(words[EMIT_START]! - this.#base, 0), this.#chunk.length);
    // As if the next chunk were going to be in the window, right behind this one.
    this.#move(WINDOW - this.#to);
  }

  /** Moves the positions of an emission under way. */
  #move(by: number): void {
    const { words } = this.#engine;
    if (words[EMIT_TAG] === 0) return;
    words[EMIT_START]! += by;
    words[KEY_START]! += by;
    const last = SLOTS + this.#program.slotCount * 3;
    for (let i = SLOTS + words[FIRST_SLOT]! * 3; i < last; i++) if (words[i] !== NOWHERE) words[i]! += by;
  }

  #append(from: number, to: number): void {
    if (this.#kept !== undefined) return;
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
    this.#kept = this.#keptSlots(before - (this.#base + from));
  }

  /** Where values are in the bytes that were kept; nowhere for those that are not whole, or behind what was kept. */
  #keptSlots(shift: number): Int32Array {
    const { words } = this.#engine;
    const kept = words.slice(SLOTS, SLOTS + this.#program.slotCount * 3);
    const open = words.subarray(MEMBER, MEMBER + Math.min(words[DEPTH]!, MAX_EDGES) + 1);
    for (let slot = 0; slot < this.#program.slotCount; slot++) {
      const at = slot * 3;
      const end = kept[at + 2]! + shift;
      const isWhole = kept[at + 1] !== NOWHERE && !open.includes(slot + 1) && end <= this.#pendingLength;
      kept[at + 1] = isWhole ? kept[at + 1]! + shift : -1;
      kept[at + 2] = end;
    }
    return kept;
  }

  /** Goes over what is nested too deeply, up to its end or that of the chunk; answers whether the scan can go on. */
  #skipDeep(words: Int32Array): boolean {
    const { bytes } = this.#engine;
    let p = this.#from;
    while (p < this.#to && this.#tooDeep > 0) {
      const c = bytes[p++]!;
      if (this.#escaped) this.#escaped = false;
      else if (c === 0x22) this.#inString = !this.#inString;
      else if (this.#inString) this.#escaped = c === 0x5c;
      else if (c === 0x7b || c === 0x5b) this.#tooDeep++;
      else if (c === 0x7d || c === 0x5d) this.#tooDeep--;
    }
    this.#from = p;
    // Nodes are never that deep: nothing is wanted of the value that has ended.
    words[STATE] = AFTER_VALUE;
    return this.#tooDeep === 0 && p < this.#to;
  }

  #dropPending(): void {
    this.#pendingLength = 0;
    this.#kept = undefined;
    if (this.#pending.length > KEPT_PENDING) this.#pending = Buffer.alloc(0);
    this.source = noBytes;
  }

  /** The scan leaves keys with escapes to us; the buffer holds one as it was written. */
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

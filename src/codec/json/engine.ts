import { BlockPool } from '../byte-queue.js';
import { scan } from './scan.js';
import { BLOCK_COUNT, BLOCKS, DEPTH, MEMORY_SIZE, PADDING, STACK, WINDOW, WINDOW_SIZE } from './scan-layout.js';
import { scannerModule } from './scan-wasm.js';

/** The parts of WebAssembly that are used here; its types are in the DOM library, which Node code does not include. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer };
      scan(from: number, to: number): number;
      mark(from: number, to: number): void;
    };
  };
};

/** The used part of a state: the stack ends at the innermost open container. */
function stateSize(state: Uint8Array): number {
  return STACK + (state[DEPTH * 4]! | (state[DEPTH * 4 + 1]! << 8));
}

/** The two implementations of `scan`. They give the same results. */
export type EngineKind = 'wasm' | 'javascript';

/**
 * An implementation of `scan` and its memory, which all decoders of the process share: each decoder copies its own state in
 * before it scans. The memory never grows, so that its views stay valid.
 */
export class Engine {
  readonly kind: EngineKind;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  /** Blocks inside the memory: chunks that are stored here are scanned without a copy. */
  readonly blocks: BlockPool;
  /** Scans the bytes between two addresses; see `scan`. */
  readonly run: (from: number, to: number) => number;
  readonly #mark: ((from: number, to: number) => void) | undefined;
  #owner: Uint8Array | undefined;

  constructor(kind: EngineKind) {
    this.kind = kind;
    if (kind === 'wasm') {
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(scannerModule, 'base64')));
      this.bytes = new Uint8Array(exports.memory.buffer);
      this.words = new Int32Array(exports.memory.buffer);
      this.run = exports.scan;
      this.#mark = exports.mark;
    } else {
      const memory = new ArrayBuffer(MEMORY_SIZE);
      const bytes = new Uint8Array(memory);
      const words = new Int32Array(memory);
      this.bytes = bytes;
      this.words = words;
      this.run = (from, to) => scan(bytes, words, from, to);
    }
    const memory = this.bytes.buffer as ArrayBuffer;
    const blockAt = (i: number): Buffer => Buffer.from(memory, BLOCKS + i * (WINDOW_SIZE + PADDING), WINDOW_SIZE);
    this.blocks = new BlockPool(Array.from({ length: BLOCK_COUNT }, (_, i) => blockAt(i)));
  }

  /**
   * Copies `state` in and saves the previous one. Returns whether the state has changed: then the window holds the bytes of
   * another decoder.
   */
  enter(state: Uint8Array): boolean {
    if (this.#owner === state) return false;
    if (this.#owner !== undefined) this.#owner.set(this.bytes.subarray(0, stateSize(this.bytes)));
    this.bytes.set(state.subarray(0, stateSize(state)));
    this.#owner = state;
    return true;
  }

  /** Prepares a chunk for scanning and returns its address: in its block or, if it is elsewhere, copied to the window. */
  load(chunk: Uint8Array): number {
    const isHere = chunk.buffer === this.bytes.buffer;
    const start = isHere ? chunk.byteOffset : WINDOW;
    const end = start + chunk.length;
    if (!isHere) this.bytes.set(chunk, WINDOW);
    // The scan reads up to two bytes ahead without a check of the length.
    this.bytes[end] = 0;
    this.bytes[end + 1] = 0;
    this.#mark?.(start, end);
    return start;
  }

  /** Drops a state that is not used any more, without saving it. */
  leave(state: Uint8Array): void {
    if (this.#owner === state) this.#owner = undefined;
  }
}

const engines: Partial<Record<EngineKind, Engine>> = {};

/** WebAssembly is twice as fast, for lists and for single events of a watch. */
let preferred: EngineKind = 'wasm';

/** The shared engine of the process, created on first use so that the import is cheap. */
export function engineOf(kind: EngineKind = preferred): Engine {
  let engine = engines[kind];
  if (engine === undefined) {
    try {
      engine = new Engine(kind);
    } catch (error) {
      // No WebAssembly (as with --jitless), or none with SIMD: the JavaScript scanner is slower, but gives the same results.
      if (kind === 'javascript') throw error;
      preferred = 'javascript';
      engine = engineOf('javascript');
    }
    engines[kind] = engine;
  }
  return engine;
}

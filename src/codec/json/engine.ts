import { BlockPool } from '../byte-queue.js';
import { scan } from './scan.js';
import { BLOCK_COUNT, BLOCKS, DEPTH, MEMORY_SIZE, PADDING, STACK, WINDOW, WINDOW_SIZE } from './scan-layout.js';
import { scannerModule } from './scan-wasm.js';

/** The little of WebAssembly that is used here: its types come with a browser's, which Node's do not include. */
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

/** How much of a state is in use: the stack ends at the innermost open container. */
function stateSize(state: Uint8Array): number {
  return STACK + (state[DEPTH * 4]! | (state[DEPTH * 4 + 1]! << 8));
}

/** Which of the two scanners to use. They give the same answers. */
export type EngineKind = 'wasm' | 'javascript';

/**
 * A scanner and its memory, which all decoders of a process share: each has its own state and brings it in when it is its
 * turn. The memory never grows, so its views stay valid.
 */
export class Engine {
  readonly kind: EngineKind;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  /** What comes in is best put here. */
  readonly blocks: BlockPool;
  /** Reads a chunk from one address to another; see `scan`. */
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
   * Makes `state` the one that is worked on, and saves the one before it. Answers whether anything had to be swapped: then
   * the window holds somebody else's bytes.
   */
  enter(state: Uint8Array): boolean {
    if (this.#owner === state) return false;
    if (this.#owner !== undefined) this.#owner.set(this.bytes.subarray(0, stateSize(this.bytes)));
    this.bytes.set(state.subarray(0, stateSize(state)));
    this.#owner = state;
    return true;
  }

  /** Makes a chunk ready to be read: where it is, if it is in a block, else in the window. Returns its address. */
  load(chunk: Uint8Array): number {
    const isHere = chunk.buffer === this.bytes.buffer;
    const start = isHere ? chunk.byteOffset : WINDOW;
    const end = start + chunk.length;
    if (!isHere) this.bytes.set(chunk, WINDOW);
    // Whoever looks one or two bytes ahead finds nothing there, and need not ask whether there are any.
    this.bytes[end] = 0;
    this.bytes[end + 1] = 0;
    this.#mark?.(start, end);
    return start;
  }

  /** Forgets a state that nobody will come back to. */
  leave(state: Uint8Array): void {
    if (this.#owner === state) this.#owner = undefined;
  }
}

const engines: Partial<Record<EngineKind, Engine>> = {};

/** WebAssembly wherever there is any: it was measured to be twice as fast, for lists and for single lines of a watch. */
let preferred: EngineKind = 'wasm';

/** The process's scanner; made on first use, so that importing this costs nothing. */
export function engineOf(kind: EngineKind = preferred): Engine {
  let engine = engines[kind];
  if (engine === undefined) {
    try {
      engine = new Engine(kind);
    } catch (error) {
      // No WebAssembly here (as with --jitless), or none with vectors: the plain scanner does the same, only slower.
      if (kind === 'javascript') throw error;
      preferred = 'javascript';
      engine = engineOf('javascript');
    }
    engines[kind] = engine;
  }
  return engine;
}

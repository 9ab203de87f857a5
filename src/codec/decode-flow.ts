import type { Clock } from '../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../time/scheduler.js';
import type { StreamDecoder } from './codec.js';
import type { BatchSink, Flow } from './watch-source.js';

/** What a {@link DecodeFlow} reads from: a StreamDecoder, or another class that turns input of type `C` into entries. */
export interface FlowDecoder<E, C> extends Omit<StreamDecoder<E>, 'push'> {
  push(chunk: C): void;
}

/** What a {@link DecodeFlow} connects. */
export interface DecodeFlowOptions<E, C = Uint8Array> {
  /** @default the one of {@link DecodeFlow.decodeWith}, which is called before the first chunk */
  readonly decoder?: FlowDecoder<E, C> | undefined;
  readonly sink: BatchSink<E>;
  readonly clock: Clock;
  /** Names the task in the scheduler's diagnostics. */
  readonly name: string;
  /** Called when a source that was paused by `chunk` returning false may continue. */
  onDrain(): void;
}

/** With this many undecoded bytes `chunk` returns false; `onDrain` is called at half of it. */
const HIGH_WATER_BYTES = 1_048_576;
/** How many bytes are decoded between two reads of the clock: about 50 µs of work. */
const BYTES_PER_READ = 65_536;

/**
 * Passes the chunks of a response through a decoder into a sink. `chunk` only stores the bytes; the clock's scheduler
 * decodes them in its slices. A slow sink pauses the decoding, and slow decoding pauses the socket.
 *
 * ```
 *   socket ── chunk() ──▶ decoder's inbox ── step ──▶ sink.batch()
 *          ◀── false ──   over high water            ◀── false: until resume()
 * ```
 */
export class DecodeFlow<E, C = Uint8Array> implements Flow<void> {
  readonly done: Promise<void>;
  /** Undefined until the head of the response has told the format. */
  #decoder: FlowDecoder<E, C> | undefined;
  readonly #sink: BatchSink<E>;
  readonly #onDrain: () => void;
  readonly #task: Task;
  readonly #batch: E[] = [];
  #resolve!: () => void;
  #reject!: (error: unknown) => void;
  /** Whether `sink.batch` returned false. */
  #paused = false;
  /** Whether `chunk` returned false. */
  #sourcePaused = false;
  #settled = false;
  #received = 0;
  /** Settles `done`; set when the source has ended, called when everything before that has been handed over. */
  #settle: (() => void) | undefined;

  constructor({ decoder, sink, clock, name, onDrain }: DecodeFlowOptions<E, C>) {
    this.#decoder = decoder;
    this.#sink = sink;
    this.#onDrain = onDrain;
    this.done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#task = schedulerOf(clock).add(name, (budget) => this.#step(budget), { onError: (e) => this.cancel(e) });
  }

  /** Sets the decoder, by the head of the response. */
  decodeWith(decoder: FlowDecoder<E, C>): void {
    this.#decoder = decoder;
    if (this.#settled) decoder.close();
  }

  /** How many chunks were received, decoded or not. */
  get received(): number {
    return this.#received;
  }

  /** Stores a part of the body. Returns false if the source should pause until `onDrain`. */
  chunk(bytes: C): boolean {
    this.#received++;
    if (this.#settled) return true;
    const decoder = this.#decoder as FlowDecoder<E, C>;
    decoder.push(bytes);
    this.#wake();
    this.#sourcePaused = decoder.buffered >= HIGH_WATER_BYTES || decoder.isCrowded;
    return !this.#sourcePaused;
  }

  /** The body is complete. `done` resolves when it has been handed over. */
  end(): void {
    this.#decoder?.end();
    this.#settle ??= this.#resolve;
    this.#wake();
  }

  /** The body broke off. `done` rejects when everything before that has been handed over. */
  fail(error: unknown): void {
    this.#settle ??= () => this.#reject(error);
    this.#wake();
  }

  /** Stops at once: nothing more is handed over, and `done` rejects. */
  cancel(reason: unknown): void {
    this.#close();
    this.#reject(reason);
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#task.wake();
  }

  #wake(): void {
    if (!this.#paused) this.#task.wake();
  }

  #close(): void {
    this.#settled = true;
    this.#decoder?.close();
    this.#task.remove();
  }

  #step(budget: SliceBudget): boolean {
    let more = true;
    let settle: (() => void) | undefined;
    while (more && !this.#paused && !this.#settled) {
      if (!budget.takeSlow()) return true;
      // Taken before the read: if the source ends during it, bytes may have come with the end, and are read first.
      settle = this.#settle;
      more = this.#decoder?.read(this.#batch, BYTES_PER_READ) ?? false;
      if (this.#batch.length > 0) this.#handOver();
    }
    if (!more && !this.#paused && !this.#settled && settle !== undefined) {
      this.#close();
      settle();
    } else if (this.#sourcePaused && (this.#decoder?.buffered ?? 0) <= HIGH_WATER_BYTES / 2) {
      this.#sourcePaused = false;
      // The source may push its remaining chunks and its end from within this call: both wake the task.
      this.#onDrain();
    }
    return false;
  }

  #handOver(): void {
    try {
      if (!this.#sink.batch(this.#batch)) this.#paused = true;
    } finally {
      // The array is reused, and must not keep its entries alive.
      this.#batch.length = 0;
    }
  }
}

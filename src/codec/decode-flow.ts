import { requireInteger } from '../meta/validate.js';
import type { Clock } from '../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../time/scheduler.js';
import type { StreamDecoder } from './codec.js';
import type { BatchSink, Flow } from './watch-source.js';

/** What a {@link DecodeFlow} reads from: a StreamDecoder, or anything else that turns input of type `C` into entries. */
export interface FlowDecoder<E, C> extends Omit<StreamDecoder<E>, 'push'> {
  push(chunk: C): void;
}

/** What a {@link DecodeFlow} connects. */
export interface DecodeFlowOptions<E, C = Uint8Array> {
  readonly decoder: FlowDecoder<E, C>;
  readonly sink: BatchSink<E>;
  readonly clock: Clock;
  /** How the scheduler calls this work in its reports. */
  readonly name: string;
  /**
   * From how many undecoded bytes on the source is asked to pause; earlier when many sources share what memory there is. It
   * goes on at half of that.
   * @default 1048576
   */
  readonly highWaterBytes?: number | undefined;
  /** Called when a source that was asked to pause may go on. @default none */
  onDrain?(): void;
}

interface Outcome {
  readonly error?: unknown;
}

/** How much is decoded between two looks at the clock: some fifty microseconds' worth. */
const PIECE = 65_536;

/**
 * Leads the chunks of an answer through a decoder into a sink. A chunk is only put aside when it comes; the clock's
 * scheduler decodes it in its slices. Whoever is too slow holds up who is before it: the sink the decoding, the decoding
 * the socket.
 *
 * ```
 *   socket ── chunk() ──▶ decoder's inbox ── step ──▶ sink.batch()
 *          ◀── false ──   over high water            ◀── false: until resume()
 * ```
 */
export class DecodeFlow<E, C = Uint8Array> implements Flow<void> {
  readonly done: Promise<void>;
  readonly #decoder: FlowDecoder<E, C>;
  readonly #sink: BatchSink<E>;
  readonly #onDrain: (() => void) | undefined;
  readonly #highWater: number;
  readonly #task: Task;
  readonly #settle: { resolve(): void; reject(error: unknown): void };
  readonly #batch: E[] = [];
  #paused = false;
  /** Whether the source was asked to pause. */
  #held = false;
  #settled = false;
  /** How the source came to its end, once it has: with an error, or without. */
  #outcome: Outcome | undefined;

  constructor(options: DecodeFlowOptions<E, C>) {
    const { decoder, sink, clock, name, onDrain } = options;
    this.#decoder = decoder;
    this.#sink = sink;
    this.#onDrain = onDrain?.bind(options);
    this.#highWater = requireInteger('highWaterBytes', options.highWaterBytes ?? 1_048_576, 1);
    let settle: { resolve(): void; reject(error: unknown): void } | undefined;
    this.done = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.#settle = settle as NonNullable<typeof settle>;
    this.#task = schedulerOf(clock).add(name, (budget) => this.#step(budget), { onError: (e) => this.cancel(e) });
  }

  /** Takes a piece of the body. Answers false when the source should pause until `onDrain`. */
  chunk(bytes: C): boolean {
    if (this.#settled) return true;
    this.#decoder.push(bytes);
    if (!this.#paused) this.#task.wake();
    this.#held = this.#decoder.buffered >= this.#highWater || this.#decoder.isCrowded;
    return !this.#held;
  }

  /** The body is complete. */
  end(): void {
    this.#decoder.end();
    this.#finish({});
  }

  /** The body broke off. What came before is handed over first, then `done` rejects. */
  fail(error: unknown): void {
    this.#finish({ error });
  }

  /** Stops at once: nothing more is handed over, and `done` rejects. */
  cancel(reason: unknown): void {
    this.#end();
    this.#settle.reject(reason);
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#task.wake();
  }

  #finish(outcome: Outcome): void {
    this.#outcome ??= outcome;
    if (!this.#paused) this.#task.wake();
  }

  #end(): void {
    this.#settled = true;
    this.#decoder.close();
    this.#task.remove();
  }

  #step(budget: SliceBudget): boolean {
    let more = true;
    let outcome: Outcome | undefined;
    while (more && !this.#paused && !this.#settled) {
      if (!budget.takeSlow()) return true;
      // An end that comes while this is read or handed over may bring bytes with it: they are read before it counts.
      outcome = this.#outcome;
      more = this.#decoder.read(this.#batch, PIECE);
      if (this.#batch.length > 0) this.#handOver();
    }
    if (!more && !this.#paused && !this.#settled && outcome !== undefined) {
      this.#end();
      if ('error' in outcome) this.#settle.reject(outcome.error);
      else this.#settle.resolve();
    } else if (this.#held && this.#decoder.buffered <= this.#highWater / 2) {
      this.#held = false;
      // The source may bring all that is left before this returns, and its end: both wake the task.
      this.#onDrain?.();
    }
    return false;
  }

  #handOver(): void {
    try {
      if (!this.#sink.batch(this.#batch)) this.#paused = true;
    } finally {
      // The array is used again; nothing may stay alive by having been in it.
      this.#batch.length = 0;
    }
  }
}

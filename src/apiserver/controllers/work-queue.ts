import type { Clock, Timer } from '../../time/clock.js';

/** How long a controller may keep the event loop to itself. */
const SLICE_MS = 8;

/**
 * The work of a controller inside the server: each item once, in the order it came, in turns of its own so that the
 * write which caused it is answered first.
 */
export class ControllerQueue {
  readonly #clock: Clock;
  readonly #work: (item: string) => void;
  readonly #onError: (error: unknown) => void;
  readonly #items = new Set<string>();
  #turn: Timer | undefined;

  constructor(clock: Clock, work: (item: string) => void, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#work = work;
    this.#onError = onError;
  }

  add(item: string): void {
    this.#items.add(item);
    this.#turn ??= this.#clock.defer(() => this.#run());
  }

  stop(): void {
    this.#turn?.cancel();
    this.#turn = undefined;
    this.#items.clear();
  }

  #run(): void {
    this.#turn = undefined;
    const deadline = this.#clock.monotonicNow() + SLICE_MS;
    for (const item of this.#items) {
      this.#items.delete(item);
      try {
        this.#work(item);
      } catch (error) {
        this.#onError(error);
      }
      if (this.#clock.monotonicNow() >= deadline) break;
    }
    if (this.#items.size > 0) this.#turn ??= this.#clock.defer(() => this.#run());
  }
}

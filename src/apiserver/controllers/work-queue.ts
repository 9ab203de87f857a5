import type { Clock, Timer } from '../../time/clock.js';
import type { Steps } from '../../time/steps.js';

/** How long a controller may keep the event loop to itself. */
const SLICE_MS = 8;

/**
 * The work of a controller inside the server: each item once, in the order it came, in turns of its own so that the
 * write which caused it is answered first.
 */
export class ControllerQueue {
  readonly #clock: Clock;
  readonly #work: (item: string) => Steps<void> | void;
  readonly #onError: (error: unknown) => void;
  readonly #items = new Set<string>();
  /** Work that was left because time was up. */
  #left: Steps<void> | undefined;
  #turn: Timer | undefined;

  constructor(clock: Clock, work: (item: string) => Steps<void> | void, onError: (error: unknown) => void) {
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
    this.#left = undefined;
  }

  #run(): void {
    this.#turn = undefined;
    const deadline = this.#clock.monotonicNow() + SLICE_MS;
    while (this.#left !== undefined || this.#items.size > 0) {
      try {
        this.#step();
      } catch (error) {
        this.#left = undefined;
        this.#onError(error);
      }
      if (this.#clock.monotonicNow() >= deadline) break;
    }
    if (this.#left !== undefined || this.#items.size > 0) this.#turn ??= this.#clock.defer(() => this.#run());
  }

  /** Goes on with what was left, else begins with the next item. */
  #step(): void {
    if (this.#left !== undefined) {
      if (this.#left.next().done === true) this.#left = undefined;
      return;
    }
    const item = this.#items.values().next().value as string;
    this.#items.delete(item);
    this.#left = this.#work(item) ?? undefined;
  }
}

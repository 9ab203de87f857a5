import { abortable } from '../../time/signals.js';

/**
 * Whether the first list has passed one stage: it was processed (queue), is in the cache (informer), or was handled
 * (subscription). Each stage has a state of its own, and each state is completed in one place.
 */
export class SyncState {
  #completed = false;
  #resolve!: () => void;
  #reject!: (error: Error) => void;
  readonly #promise: Promise<void>;

  constructor() {
    this.#promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#promise.catch(() => {});
  }

  get isCompleted(): boolean {
    return this.#completed;
  }

  complete(): void {
    this.#completed = true;
    this.#resolve();
  }

  /** The first list will not pass this stage. Without effect after `complete`. */
  fail(error: Error): void {
    this.#reject(error);
  }

  /** Resolves after `complete`, rejects after `fail` or when the signal aborts. */
  whenCompleted(signal: AbortSignal | undefined): Promise<void> {
    return abortable(this.#promise, signal);
  }
}

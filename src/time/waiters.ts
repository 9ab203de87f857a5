import { onAbort } from './signals.js';

interface Waiter<T> {
  readonly resolve: (value: T | undefined) => void;
  /** Removes its callback from the signal. */
  undoAbort: () => void;
  previous: Waiter<T> | undefined;
  next: Waiter<T> | undefined;
}

/**
 * A FIFO queue of callers that wait for a value. On abort a wait resolves with `undefined` instead of rejecting: the loops
 * that use it end normally when they are stopped.
 */
export class Waiters<T> {
  // A linked list, because an abort removes waiters from the middle.
  #first: Waiter<T> | undefined;
  #last: Waiter<T> | undefined;
  readonly #onChange: ((any: boolean) => void) | undefined;

  /** @param onChange is called with true when the first waiter comes, and with false when the last one has gone */
  constructor(onChange?: (any: boolean) => void) {
    this.#onChange = onChange;
  }

  wait(signal: AbortSignal | undefined): Promise<T | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiter: Waiter<T> = { resolve, undoAbort: ignore, previous: this.#last, next: undefined };
      if (this.#last === undefined) this.#first = waiter;
      else this.#last.next = waiter;
      this.#last = waiter;
      waiter.undoAbort = onAbort(signal, () => this.#release(waiter, undefined));
      if (this.#first === waiter) this.#onChange?.(true);
    });
  }

  /** Whether there are waiters. */
  get any(): boolean {
    return this.#first !== undefined;
  }

  /** Resolves the oldest wait with a value; returns false if there is none. */
  serve(value: T): boolean {
    const waiter = this.#first;
    if (waiter === undefined) return false;
    this.#release(waiter, value);
    return true;
  }

  /** Resolves all waits with `undefined`. */
  dismiss(): void {
    while (this.#first !== undefined) this.#release(this.#first, undefined);
  }

  #release(waiter: Waiter<T>, value: T | undefined): void {
    if (waiter.previous === undefined) this.#first = waiter.next;
    else waiter.previous.next = waiter.next;
    if (waiter.next === undefined) this.#last = waiter.previous;
    else waiter.next.previous = waiter.previous;
    waiter.undoAbort();
    if (this.#first === undefined) this.#onChange?.(false);
    waiter.resolve(value);
  }
}

function ignore(): void {}

import { onAbort } from './signals.js';

interface Waiter<T> {
  readonly resolve: (value: T | undefined) => void;
  /** Ends the following of its signal. */
  unfollow: () => void;
  previous: Waiter<T> | undefined;
  next: Waiter<T> | undefined;
}

/**
 * Those who wait for an item, first come, first served. An aborted waiter gets `undefined`: a loop that was told to stop
 * has ended, not failed.
 */
export class Waiters<T> {
  // A linked list, because an abort takes waiters out of the middle.
  #first: Waiter<T> | undefined;
  #last: Waiter<T> | undefined;
  readonly #onChange: ((any: boolean) => void) | undefined;

  /** @param onChange is told when somebody waits, and when nobody does any more */
  constructor(onChange?: (any: boolean) => void) {
    this.#onChange = onChange;
  }

  wait(signal: AbortSignal | undefined): Promise<T | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiter: Waiter<T> = { resolve, unfollow: ignore, previous: this.#last, next: undefined };
      if (this.#last === undefined) this.#first = waiter;
      else this.#last.next = waiter;
      this.#last = waiter;
      waiter.unfollow = onAbort(signal, () => this.#release(waiter, undefined));
      if (this.#first === waiter) this.#onChange?.(true);
    });
  }

  /** Whether anybody waits. */
  get any(): boolean {
    return this.#first !== undefined;
  }

  /** Hands a value to whoever has waited longest; false if nobody waits. */
  serve(value: T): boolean {
    const waiter = this.#first;
    if (waiter === undefined) return false;
    this.#release(waiter, value);
    return true;
  }

  /** Sends everybody away with `undefined`. */
  dismiss(): void {
    while (this.#first !== undefined) this.#release(this.#first, undefined);
  }

  #release(waiter: Waiter<T>, value: T | undefined): void {
    if (waiter.previous === undefined) this.#first = waiter.next;
    else waiter.previous.next = waiter.next;
    if (waiter.next === undefined) this.#last = waiter.previous;
    else waiter.next.previous = waiter.previous;
    waiter.unfollow();
    if (this.#first === undefined) this.#onChange?.(false);
    waiter.resolve(value);
  }
}

function ignore(): void {}

import type { InformerEvent, SyncedMark } from './informer-event.js';

type Entry<T> = InformerEvent<T> | SyncedMark;

/**
 * Events for a loop that asks for one at a time. It holds one event; the others wait in the ring of the subscription, where
 * they can be merged. Ends, without an error, when the subscription does or the loop is left.
 */
export class EventStream<T> implements AsyncIterableIterator<Entry<T>> {
  /** Called once, when nobody will ask any more. */
  onReturn: (() => void) | undefined;
  readonly #held: Entry<T>[] = [];
  #taken: (() => void) | undefined;
  #asking: ((result: IteratorResult<Entry<T>>) => void) | undefined;
  #over = false;

  /** Hands over an event; resolves when it has been taken. */
  put(event: InformerEvent<T>): Promise<void> | undefined {
    if (this.#over) return undefined;
    this.#give(event);
    return this.#held.length === 0 ? undefined : new Promise((resolve) => (this.#taken = resolve));
  }

  /** Hands over a mark, which nobody waits for. */
  mark(mark: SyncedMark): void {
    if (!this.#over) this.#give(mark);
  }

  next(): Promise<IteratorResult<Entry<T>>> {
    const entry = this.#held.shift();
    if (entry !== undefined) {
      if (this.#held.length === 0) this.#release();
      return Promise.resolve({ done: false, value: entry });
    }
    if (this.#over) return Promise.resolve({ done: true, value: undefined });
    if (this.#asking !== undefined) return Promise.reject(new Error('events() has one reader at a time'));
    return new Promise((resolve) => (this.#asking = resolve));
  }

  return(): Promise<IteratorResult<Entry<T>>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Nothing more comes: whoever asks is told so. Idempotent. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#held.length = 0;
    this.#asking?.({ done: true, value: undefined });
    this.#asking = undefined;
    this.#release();
    this.onReturn?.();
  }

  #give(entry: Entry<T>): void {
    const asking = this.#asking;
    if (asking === undefined) {
      this.#held.push(entry);
      return;
    }
    this.#asking = undefined;
    asking({ done: false, value: entry });
  }

  #release(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }
}

import type { InformerEvent, SyncedMark } from './informer-event.js';

type Entry<T> = InformerEvent<T> | SyncedMark;

/**
 * The iterator behind `events()`. It holds one event; further events wait in the ring of the subscription, where they can be
 * merged. Ends without an error when the subscription is removed or the loop is left.
 */
export class EventStream<T> implements AsyncIterableIterator<Entry<T>> {
  /** Called once, when the iterator has ended. */
  onReturn: (() => void) | undefined;
  readonly #buffer: Entry<T>[] = [];
  #taken: (() => void) | undefined;
  #pendingNext: ((result: IteratorResult<Entry<T>>) => void) | undefined;
  #ended = false;

  /** Delivers an event; resolves when the reader has taken it. */
  put(event: InformerEvent<T>): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#deliver(event);
    return this.#buffer.length === 0 ? undefined : new Promise((resolve) => (this.#taken = resolve));
  }

  /** Delivers a mark, without waiting for the reader. */
  mark(mark: SyncedMark): void {
    if (!this.#ended) this.#deliver(mark);
  }

  next(): Promise<IteratorResult<Entry<T>>> {
    const entry = this.#buffer.shift();
    if (entry !== undefined) {
      if (this.#buffer.length === 0) this.#release();
      return Promise.resolve({ done: false, value: entry });
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    if (this.#pendingNext !== undefined) return Promise.reject(new Error('events() has one reader at a time'));
    return new Promise((resolve) => (this.#pendingNext = resolve));
  }

  return(): Promise<IteratorResult<Entry<T>>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Ends the iterator; a pending `next()` resolves with `done: true`. Idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#buffer.length = 0;
    this.#pendingNext?.({ done: true, value: undefined });
    this.#pendingNext = undefined;
    this.#release();
    this.onReturn?.();
  }

  #deliver(entry: Entry<T>): void {
    const pendingNext = this.#pendingNext;
    if (pendingNext === undefined) {
      this.#buffer.push(entry);
      return;
    }
    this.#pendingNext = undefined;
    pendingNext({ done: false, value: entry });
  }

  #release(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }
}

import { requireNumber } from '../meta/validate.js';
import type { Clock, Timer } from './clock.js';

/**
 * Waiting that can be called off. Whatever is set up here (timers, abort listeners) is gone when the wait is over,
 * however it ended: a signal that lives as long as the process must not collect listeners.
 */

/** An error that says that somebody called it off; for `controller.abort(abortError('the informer was stopped'))`. */
export function abortError(message: string, options?: ErrorOptions): Error {
  const error = new Error(message, options);
  error.name = 'AbortError';
  return error;
}

/** An error that says that something took too long. */
export function timeoutError(message: string, options?: ErrorOptions): Error {
  const error = new Error(message, options);
  error.name = 'TimeoutError';
  return error;
}

/**
 * Everybody who follows a signal. A program has one signal for all that it does, and Node takes the eleventh listener of a
 * signal for a leak and says so: we have one on each, for as long as somebody follows it.
 */
class Followers {
  static readonly #of = new WeakMap<AbortSignal, Followers>();
  readonly #signal: AbortSignal;
  readonly #callbacks = new Set<{ readonly callback: () => void }>();
  readonly #tell = (): void => {
    for (const { callback } of this.#callbacks) {
      try {
        callback();
      } catch (error) {
        // As an event target does with a listener that throws: the others are called all the same.
        process.nextTick(() => {
          throw error;
        });
      }
    }
    this.#callbacks.clear();
  };

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  static of(signal: AbortSignal): Followers {
    let followers = Followers.#of.get(signal);
    if (followers === undefined) {
      followers = new Followers(signal);
      Followers.#of.set(signal, followers);
    }
    return followers;
  }

  add(callback: () => void): () => void {
    const follower = { callback };
    if (this.#callbacks.size === 0) this.#signal.addEventListener('abort', this.#tell, { once: true });
    this.#callbacks.add(follower);
    return () => {
      if (!this.#callbacks.delete(follower) || this.#callbacks.size > 0) return;
      this.#signal.removeEventListener('abort', this.#tell);
    };
  }
}

/** Calls back once when the signal aborts, at once if it already has. Returns the undo, which must be called when done. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  return Followers.of(signal).add(callback);
}

/** The promise's outcome, or a rejection with the signal's reason, whichever comes first. A loser's error is dropped. */
export function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(promise);
  return new Promise((resolve, reject) => {
    const undo = onAbort(signal, () => reject(signal.reason));
    promise.then(
      (value) => {
        undo();
        resolve(value);
      },
      (error) => {
        undo();
        reject(error);
      },
    );
  });
}

/** What {@link linkSignals} follows besides the signals themselves. */
export interface LinkOptions {
  /** Aborts by itself after this long, with a TimeoutError; needs `clock`. @default none: no timeout */
  readonly timeoutMs?: number | undefined;
  /** Measures `timeoutMs`, which needs it. @default none */
  readonly clock?: Clock | undefined;
  /** Names in the TimeoutError what took too long. @default 'the operation' */
  readonly what?: string | undefined;
}

/** A signal that follows others until it is released. */
export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Aborts this signal and none of those it follows. */
  abort(reason?: unknown): void;
  /** Stops following. The signal keeps the state it has; call this in `finally`. */
  release(): void;
}

/**
 * A signal of one's own that aborts when any of the given ones does. Unlike `AbortSignal.any`, which on Node 20 leaves
 * something behind on long-lived parents for every call, its listeners are gone once it aborted or was released.
 */
export function linkSignals(signals: readonly (AbortSignal | undefined)[], options: LinkOptions = {}): LinkedSignal {
  const { timeoutMs, clock, what = 'the operation' } = options;
  const controller = new AbortController();
  const undos: (() => void)[] = [];
  let timer: Timer | undefined;
  const release = (): void => {
    timer?.cancel();
    for (const undo of undos.splice(0)) undo();
  };
  const abort = (reason?: unknown): void => {
    release();
    controller.abort(reason);
  };
  for (const parent of signals) {
    if (controller.signal.aborted) break;
    undos.push(onAbort(parent, () => abort(parent?.reason)));
  }
  if (timeoutMs !== undefined && !controller.signal.aborted) {
    if (clock === undefined) throw new TypeError('timeoutMs needs a clock');
    requireNumber('timeoutMs', timeoutMs);
    timer = clock.setTimer(timeoutMs, () => abort(timeoutError(`${what} took more than ${timeoutMs} ms`)));
  }
  return { signal: controller.signal, abort, release, [Symbol.dispose]: release };
}

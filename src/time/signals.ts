import { requireNumber } from '../meta/options/validate.js';
import type { Clock, Timer } from './clock.js';

/**
 * Helpers for `AbortSignal`. Each removes its timers and abort listeners when it ends, in whatever way: a signal that lives
 * as long as the process must not collect listeners. `sleep.ts` and `waiters.ts` are built on {@link onAbort}.
 */

/** The reason of an abort, with the name `AbortError`: `controller.abort(abortError('the informer was stopped'))`. */
export function abortError(message: string, options?: ErrorOptions): Error {
  const error = new Error(message, options);
  error.name = 'AbortError';
  return error;
}

/** An error with the name `TimeoutError`, for an operation that took too long. */
export function timeoutError(message: string, options?: ErrorOptions): Error {
  const error = new Error(message, options);
  error.name = 'TimeoutError';
  return error;
}

/**
 * The callbacks of one signal, behind a single event listener. Programs share one signal among everything they start, and
 * Node prints a MaxListenersExceededWarning for the eleventh listener of a signal.
 */
class AbortCallbacks {
  static readonly #of = new WeakMap<AbortSignal, AbortCallbacks>();
  readonly #signal: AbortSignal;
  readonly #callbacks = new Set<{ readonly callback: () => void }>();
  readonly #listener = (): void => {
    for (const { callback } of this.#callbacks) {
      try {
        callback();
      } catch (error) {
        // As with listeners of an EventTarget: the other callbacks are still called, and the error becomes uncaught.
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

  static of(signal: AbortSignal): AbortCallbacks {
    let callbacks = AbortCallbacks.#of.get(signal);
    if (callbacks === undefined) {
      callbacks = new AbortCallbacks(signal);
      AbortCallbacks.#of.set(signal, callbacks);
    }
    return callbacks;
  }

  add(callback: () => void): () => void {
    // An object of its own, because the same function may be added twice.
    const entry = { callback };
    if (this.#callbacks.size === 0) this.#signal.addEventListener('abort', this.#listener, { once: true });
    this.#callbacks.add(entry);
    return () => {
      if (!this.#callbacks.delete(entry) || this.#callbacks.size > 0) return;
      this.#signal.removeEventListener('abort', this.#listener);
    };
  }
}

/**
 * Calls `callback` once when the signal aborts, synchronously if it already has. Returns the undo, which the caller must
 * call when it no longer waits.
 *
 * The undo is a plain idempotent function and not an `Undo`, because every `queue.get`, sleep and request makes one: the
 * `Symbol.dispose` property would be one more allocation for each.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  return AbortCallbacks.of(signal).add(callback);
}

/** Settles as the promise does, or rejects with `signal.reason` on abort, whichever is first. A later rejection is ignored. */
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

/** Options of {@link linkSignals}. */
export interface LinkOptions {
  /** Aborts with a TimeoutError after this time; requires `clock`. @default none: no timeout */
  readonly timeoutMs?: number | undefined;
  /** Measures `timeoutMs`. @default none */
  readonly clock?: Clock | undefined;
  /** The subject of the TimeoutError's message. @default 'the operation' */
  readonly what?: string | undefined;
}

/** A signal that aborts with its parents until it is released. */
export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Aborts this signal, not its parents. */
  abort(reason?: unknown): void;
  /** Detaches the signal from its parents and its timeout; call this in `finally`. The signal keeps its state. */
  release(): void;
}

/**
 * A signal that aborts when any of the given ones does. `AbortSignal.any` on Node 20 leaks memory on long-lived parents
 * with every call; this removes its listeners when it aborts or is released.
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

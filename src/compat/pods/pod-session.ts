import { EventEmitter } from 'node:events';
import { asError } from '../../meta/errors/errors.js';

/**
 * What the stream methods return instead of a WebSocket: `close()` ends the connection; `close` is emitted when it has ended, after
 * `error` if it failed.
 */
export class PodSession extends EventEmitter<{ close: []; error: [Error] }> {
  readonly #controller = new AbortController();
  #hasEnded = false;

  /** @internal */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(): void {
    this.#controller.abort(new Error('The session was closed'));
  }

  /** @internal Says that the connection has ended. */
  end(error?: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // As with a WebSocket, an error without a listener would end the process; here it is for those that listen.
    if (error !== undefined && !this.signal.aborted && this.listenerCount('error') > 0)
      this.emit('error', asError(error));
    this.emit('close');
  }
}

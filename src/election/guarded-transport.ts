import type { Undo } from '../meta/undo.js';
import type { Exchange, ResponseHandler, Transport, TransportRequest } from '../rest/http/transport.js';

/** A transport that sends requests only while `refusal` returns undefined. */
export class GuardedTransport implements Transport {
  readonly #inner: Transport;
  readonly #refusal: () => Error | undefined;

  /** @param refusal called for every request: when it is made, and again when a connection is ready to send it */
  constructor(inner: Transport, refusal: () => Error | undefined) {
    this.#inner = inner;
    this.#refusal = refusal;
  }

  get server(): string {
    return this.#inner.server;
  }

  get isLocal(): boolean {
    return this.#inner.isLocal;
  }

  get silenceMs(): number | undefined {
    return this.#inner.silenceMs;
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    const refused = this.#refusal();
    if (refused === undefined) return this.#inner.send({ ...request, refusal: this.#refusal }, handler);
    queueMicrotask(() => handler.fail(refused));
    return { resume: () => {} };
  }

  onConnect(listener: () => void): Undo {
    return this.#inner.onConnect(listener);
  }

  /** Does nothing: the connections belong to the client that was guarded. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

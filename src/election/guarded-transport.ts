import type { Undo } from '../meta/undo.js';
import type { Exchange, ResponseHandler, Transport, TransportRequest } from '../rest/http/transport.js';

/** Stands in front of a transport and lets requests through only while it is allowed. */
export class GuardedTransport implements Transport {
  readonly #inner: Transport;
  readonly #refusal: () => Error | undefined;

  /** `refusal` is asked for every request: right away, and again when a connection is there to take it. */
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

  /** The connections belong to the client that was guarded: they stay. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

import type { Undo } from '../meta/undo.js';
import type { BodySink, Exchange, ResponseHandler, Transport, TransportRequest } from '../rest/http/transport.js';

/** Decides which requests are sent. */
export interface RequestGuard {
  /** Called for every request: when it is made, and again when a connection is ready to send it. Undefined: it may be sent. */
  refusal(): Error | undefined;
  /** Called when a write is sent; the function that it returns is called once, when it is answered or has failed. @default none */
  writeSent?(): (isAnswered: boolean) => void;
}

/** A transport that sends requests only while the guard does not refuse them. */
export class GuardedTransport implements Transport {
  readonly #inner: Transport;
  readonly #guard: RequestGuard;
  readonly #refusal = (): Error | undefined => this.#guard.refusal();

  constructor(inner: Transport, guard: RequestGuard) {
    this.#inner = inner;
    this.#guard = guard;
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
    if (refused === undefined) {
      const settled = request.method === 'GET' ? undefined : this.#guard.writeSent?.();
      const told = settled === undefined ? handler : tellingHandler(handler, settled);
      return this.#inner.send({ ...request, refusal: this.#refusal }, told);
    }
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

/** Passes everything on, and tells when the answer begins to arrive or the request fails. */
function tellingHandler(handler: ResponseHandler, settled: (isAnswered: boolean) => void): ResponseHandler {
  let isSettled = false;
  const settle = (isAnswered: boolean): void => {
    if (isSettled) return;
    isSettled = true;
    settled(isAnswered);
  };
  return {
    head(status, headers): BodySink {
      settle(true);
      return handler.head(status, headers);
    },
    end: () => handler.end(),
    fail: (error) => {
      settle(false);
      handler.fail(error);
    },
  };
}

import type { Exchange, ResponseHandler, TransportRequest } from './transport.js';

/** A connection to a server, over HTTP/1.1 or HTTP/2. The pool in http-transport.ts owns it. */
export interface HttpConnection {
  /** How many more requests it accepts now. */
  readonly room: number;
  /** How many requests it carries. */
  readonly active: number;
  /** Sends a request. Must only be called if `room` is above 0. */
  send(request: TransportRequest, handler: ResponseHandler): Exchange;
  /** Accepts no new request, and closes when those it carries have ended. */
  drain(): void;
  /** Closes at once; the requests it carries fail with the error. */
  destroy(error: unknown): void;
}

/** The callbacks of a connection to its pool. */
export interface ConnectionOwner {
  /** `room` may have changed. */
  onRoom(connection: HttpConnection): void;
  /** The connection is closed. */
  onGone(connection: HttpConnection): void;
  /** The connection was dead while it was idle, so other idle connections may be dead too. */
  onDead(connection: HttpConnection): void;
}

/**
 * A request can be sent again on another connection at once: either the server cannot have received all of it, or it is a GET
 * or HEAD and no byte of a response came.
 */
export class NotProcessedError extends Error {
  static {
    NotProcessedError.prototype.name = 'NotProcessedError';
  }
}

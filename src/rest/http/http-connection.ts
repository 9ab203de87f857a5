import type { Exchange, ResponseHandler, TransportRequest } from './transport.js';

/** One connection to a server, whichever version of HTTP it speaks. The pool in http-transport.ts owns them. */
export interface HttpConnection {
  /** How many more requests it can take now. */
  readonly room: number;
  /** How many requests it carries. */
  readonly active: number;
  /** Sends a request. Only when there is room. */
  send(request: TransportRequest, handler: ResponseHandler): Exchange;
  /** Takes nothing new, and closes once what it carries has ended. */
  drain(): void;
  /** Closes at once; what it carries fails with the error. */
  destroy(error: unknown): void;
}

/** What a connection tells its pool. */
export interface ConnectionOwner {
  /** There may be room again, or none any more. */
  onRoom(connection: HttpConnection): void;
  /** The connection is gone for good. */
  onGone(connection: HttpConnection): void;
  /** The connection was dead before it was used again: those that have been idle beside it are not to be trusted. */
  onDead(connection: HttpConnection): void;
}

/**
 * A request that can be sent again on another connection at once: the server's application has certainly not had the whole
 * of it, or it changes nothing and no byte of an answer came.
 */
export class NotProcessedError extends Error {
  static {
    NotProcessedError.prototype.name = 'NotProcessedError';
  }
}

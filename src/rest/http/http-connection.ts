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
}

/**
 * A request that this connection has certainly not carried to the server's application: it can be sent again on another
 * one, whatever it asks for.
 */
export class NotProcessedError extends Error {
  static {
    NotProcessedError.prototype.name = 'NotProcessedError';
  }
}

import type { Duplex } from 'node:stream';

/**
 * One request and its answer, without sockets: the HTTP listener and the connection in memory call the core with these
 * types, and faults are applied between the two.
 */

/** The user that a verified client certificate names. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** A request whose head and body have arrived. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query as sent, still percent-encoded: `/api/v1/pods?watch=1`. */
  readonly target: string;
  /** Header names in lower case; repeated headers joined with ', '. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborts when the client has closed the connection or the server stops. */
  readonly signal: AbortSignal;
  /** The client certificate, if there is one; 'invalid' if it has expired, or its authority is not the one that the server trusts. */
  readonly clientCertificate?: ClientCertificate | 'invalid' | undefined;
  /**
   * Answers 101 Switching Protocols with these headers and hands over the connection. Undefined unless the client has asked
   * for another protocol over HTTP/1.1. After the call the response must not be used.
   */
  readonly upgrade?: ((headers: Readonly<Record<string, string>>) => Duplex) | undefined;
}

/** The answer. `head` is called first and once; after `end` or `reset` all calls are ignored. */
export interface ApiResponse {
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Queues a chunk. False: wait for `onDrain` before writing much more. */
  write(chunk: Uint8Array): boolean;
  /** Calls back once, when the queued chunks have been sent. */
  onDrain(callback: () => void): void;
  /** Bytes that are queued and not yet sent. */
  readonly pendingBytes: number;
  end(): void;
  /** Resets the connection, as a crash would. */
  reset(): void;
}

/** Answers one request. Resolves when the answer is complete; a rejection is a bug of the server and becomes a 500. */
export type ApiHandler = (request: ApiRequest, response: ApiResponse) => Promise<void>;

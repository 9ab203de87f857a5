/**
 * One request and its answer, free of sockets: the HTTP listener and the in-memory transport both speak this to the
 * core, and faults sit between the two. Bytes are the same whichever way they travel.
 */

/** A request whose head and body have arrived. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query as sent, still percent-encoded: `/api/v1/pods?watch=1`. */
  readonly target: string;
  /** Header names in lower case; repeated headers joined with ', '. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborts when the client has gone away or the server stops. */
  readonly signal: AbortSignal;
  /** What TLS proved of the client, if anything. */
  readonly clientCertificate?: { readonly commonName: string; readonly organizations: readonly string[] } | undefined;
}

/** Where the answer goes. `head` comes first and once; after `end` or `reset` everything is ignored. */
export interface ApiResponse {
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /** Queues a chunk; false says that the reader is behind: wait for `onDrain` before writing much more. */
  write(chunk: Uint8Array): boolean;
  /** Calls back once, when what was queued has been taken. */
  onDrain(callback: () => void): void;
  /** Bytes written and not yet taken by the other side. */
  readonly pendingBytes: number;
  end(): void;
  /** Tears the connection down in the middle of whatever is under way, as a crash would. */
  reset(): void;
}

/** Answers one request. Resolves when the answer is complete; a rejection is a bug of the server and becomes a 500. */
export type ApiHandler = (request: ApiRequest, response: ApiResponse) => Promise<void>;

import type { Undo } from '../../meta/undo.js';

/**
 * How bytes travel. A transport knows sockets, TLS and HTTP and nothing of Kubernetes; requests, retries and credentials
 * are built on it. It pushes: there is no promise, stream or iterator between a socket and what takes its bytes.
 */

/** Header names in lower case. A list of values is sent as as many headers. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Header names in lower case; repeated headers joined with ', '. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** One HTTP request. */
export interface TransportRequest {
  readonly method: string;
  /** Path and query, percent-encoded: `/api/v1/pods?watch=true`. */
  readonly target: string;
  /** Header names in lower case. A list of values is sent as as many headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | undefined;
  /** Whether its answer has no end of its own, as those of watches and followed logs: it must not keep others waiting. @default false */
  readonly isLongRunning?: boolean | undefined;
  /** Gives up: the answer's handler fails with the reason, at once. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Asked each time right before the request leaves, after it may have waited for a connection: what this returns, the
   * handler fails with, and nothing is sent. For those whose right to ask can expire while they wait.
   */
  readonly refusal?: (() => Error | undefined) | undefined;
}

/**
 * Receives a response: `head`, then chunks of the body, then `end`; or `fail` at any point, which is the last call. The
 * transport makes no call before `send` has returned. A handler does not throw.
 */
export interface ResponseHandler {
  /**
   * Decides by status and headers what receives the body, and returns it: the connection calls its `chunk` directly.
   *
   * `chunk` must copy the bytes that it keeps: their buffer is overwritten after the call. It returns false to pause: no chunk
   * comes until {@link Exchange.resume}, and flow control holds the server back.
   *
   * @param headers names in lower case; repeated headers joined with ', '
   */
  head(status: number, headers: Readonly<Record<string, string>>): { chunk(bytes: Uint8Array): boolean };
  end(): void;
  /** With `signal.reason`, or with what went wrong. */
  fail(error: unknown): void;
}

/** What receives the body of a response. */
export type BodySink = ReturnType<ResponseHandler['head']>;

/** A request under way. */
export interface Exchange {
  /** Continues after `chunk` has returned false. Does nothing otherwise. */
  resume(): void;
}

/** The way to one server, for one who asks. */
export interface Transport {
  /** Scheme, host and port: what errors call the server. */
  readonly server: string;
  /** Whether the other side is on this machine: bytes are cheap then, and not worth compressing. */
  readonly isLocal: boolean;
  /**
   * A watch that has brought nothing for this long is reopened: its connection may be dead, and nothing else would tell.
   * It may change with the protocol of the connection.
   * @default 15000
   */
  readonly silenceMs?: number | undefined;
  send(request: TransportRequest, handler: ResponseHandler): Exchange;
  /**
   * Calls `listener` when a connection is made while there was none: the server behind it may be another one, or have another
   * version.
   */
  onConnect(listener: () => void): Undo;
  /** Fails what is under way and closes all connections. Nothing is alive when it resolves. Idempotent. */
  close(): Promise<void>;
}

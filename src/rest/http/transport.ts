import type { Duplex } from 'node:stream';
import type { Undo } from '../../meta/undo.js';

/**
 * The seam between HTTP and Kubernetes. A transport knows sockets, TLS and HTTP; requests, retries and credentials are built on
 * it. It pushes bytes: there is no promise, stream or iterator between a socket and a decoder.
 */

/** Header names in lower case. A list of values is sent as several headers. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Header names in lower case; repeated headers joined with ', '. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** One HTTP request. */
export interface TransportRequest {
  readonly method: string;
  /** Path and query, percent-encoded: `/api/v1/pods?watch=true`. */
  readonly target: string;
  /** Header names in lower case. A list of values is sent as several headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | undefined;
  /** Whether the response may never end, as that of a watch or a followed log: it must not keep other requests waiting. @default false */
  readonly isLongRunning?: boolean | undefined;
  /**
   * The protocol to switch to, such as `websocket`, on an HTTP/1.1 connection of its own. If the server agrees with 101, the
   * handler gets the connection by {@link ResponseHandler.upgraded}. @default none
   */
  readonly upgrade?: string | undefined;
  /** Aborts the request: the handler fails with `signal.reason` at once. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called each time right before the request is written, when it may have waited for a connection. If it returns an error,
   * nothing is sent and the handler fails with that error. For a permission that can expire, such as leadership.
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
  /** With `signal.reason`, or with the error of the connection. */
  fail(error: unknown): void;
  /**
   * The server has switched to the protocol of {@link TransportRequest.upgrade}; no other call follows. The connection is paused
   * and belongs to the handler; closing the transport destroys it.
   */
  upgraded?(headers: Readonly<Record<string, string>>, connection: Duplex): void;
}

/** What receives the body of a response. */
export type BodySink = ReturnType<ResponseHandler['head']>;

/** A request under way. */
export interface Exchange {
  /** Continues after `chunk` has returned false. Does nothing otherwise. */
  resume(): void;
}

/** Sends requests to one server, with one set of TLS credentials. */
export interface Transport {
  /** Scheme, host and port, as errors name the server. */
  readonly server: string;
  /** Whether the server is on this machine, so that compressing responses is not worth it. */
  readonly isLocal: boolean;
  /**
   * A watch that has received nothing for this long is reopened, since its connection may be dead. The value may change with
   * the protocol of the connection.
   * @default 15000
   */
  readonly silenceMs?: number | undefined;
  send(request: TransportRequest, handler: ResponseHandler): Exchange;
  /**
   * Calls `listener` when a connection is made while there was none: the server behind it may be another one, or have another
   * version.
   */
  onConnect(listener: () => void): Undo;
  /** Fails all requests under way and closes all connections; resolves when they are closed. Idempotent. */
  close(): Promise<void>;
}

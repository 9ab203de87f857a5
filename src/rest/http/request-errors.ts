import { asError, describeRequest, type FailedRequest, KubeflectError } from '../../meta/errors/errors.js';

/** A connection ended before the response was complete. `isConnectionLost` is true for it and for errors that it caused. */
export class ConnectionLostError extends KubeflectError {
  static {
    ConnectionLostError.prototype.name = 'ConnectionLostError';
  }

  /** Whether nothing came any more, as from a host that lost power or its network, rather than the connection being closed. */
  readonly silent: boolean;
  /** Whether it ended before the server had sent any byte. */
  readonly wordless: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { readonly silent?: boolean | undefined; readonly wordless?: boolean | undefined } = {},
  ) {
    super('CONNECTION_LOST', message, options);
    this.silent = options.silent ?? false;
    this.wordless = options.wordless ?? false;
  }
}

/** A request as errors name it. */
export interface AskedRequest extends FailedRequest {
  /** Scheme, host and port. */
  readonly server: string;
  /** The number of the attempt that failed. @default 1 */
  readonly attempt?: number | undefined;
  /** The error of the attempt before, if it was another one. */
  readonly previous?: unknown;
}

/**
 * A request got no response, or not all of it: the connection was refused or broke, a timeout expired, or the body cannot be
 * decoded. An error response of the API server is a StatusError instead.
 *
 * `cause` is the error of the connection; predicates such as `isConnectionLost` look there.
 */
export class RequestError extends KubeflectError {
  static {
    RequestError.prototype.name = 'RequestError';
  }

  /** Scheme, host and port of the server. */
  readonly server: string;
  readonly verb: string;
  readonly resource: string;
  readonly objectName: string | undefined;
  readonly namespace: string | undefined;

  /** @internal */
  constructor(request: AskedRequest, cause: unknown) {
    super('REQUEST', describe(request, cause), { cause });
    this.server = request.server;
    this.verb = request.verb ?? '';
    this.resource = request.resource ?? '';
    this.objectName = request.objectName;
    this.namespace = request.namespace;
  }
}

/** A server that expects TLS answered a plain HTTP request with an error page. */
export class HttpsServerError extends KubeflectError {
  static {
    HttpsServerError.prototype.name = 'HttpsServerError';
  }

  constructor(said: string) {
    super('HTTPS_SERVER', `the server answered ${JSON.stringify(said)}`);
  }

  /** Recognizes the 400 responses of Go's server and nginx to plain HTTP on a TLS port. */
  static fromAnswer(status: number, body: string): HttpsServerError | undefined {
    if (status !== 400) return undefined;
    const said = body
      .slice(0, 2000)
      .split(/[<>\n]/)
      .find((text) => /\bHTTP request\b.*\bHTTPS (?:server|port)\b/.test(text));
    return said === undefined ? undefined : new HttpsServerError(said.trim());
  }
}

/** A request that cannot be sent: a part is missing, was set twice, or has characters that a URL or header cannot carry. */
export class InvalidRequestError extends KubeflectError {
  static {
    InvalidRequestError.prototype.name = 'InvalidRequestError';
  }

  constructor(message: string) {
    super('INVALID_REQUEST', message);
  }
}

function describe(request: AskedRequest, cause: unknown): string {
  const asked = describeRequest(request) || 'a request';
  const attempt = (request.attempt ?? 1) > 1 ? ` (attempt ${request.attempt})` : '';
  const before =
    request.previous === undefined ? '' : `; the previous attempt failed with: ${messageOf(request.previous)}`;
  return `${asked} of ${request.server}${attempt}: ${messageOf(cause)}${hintFor(cause, request.server)}${before}`;
}

/**
 * The message of anything thrown. An AggregateError of a dial to several addresses has an empty message: its errors are joined.
 * Of an OpenSSL error only library and reason are used, not the places in its source.
 */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return [...new Set(error.errors.map(messageOf))].join('; ');
  }
  const { library, reason } = (error ?? {}) as { readonly library?: unknown; readonly reason?: unknown };
  if (typeof library === 'string' && typeof reason === 'string') return `${library}: ${reason}`;
  return asError(error).message;
}

type Hint = string | ((server: string) => string);

const useHttp: Hint = (server) =>
  `the server at this address does not speak TLS: use ${otherScheme(server)} if this is the right server`;
const hints: Readonly<Record<string, Hint>> = {
  ECONNREFUSED: 'no server listens at this address: check that the server is running and that the address is right',
  EMFILE: 'this process has too many files and sockets open: raise its limit, or lower `maxConnections`',
  ENOTFOUND: 'no host has this name: check the URL of the server, and DNS',
  ERR_SSL_WRONG_VERSION_NUMBER: useHttp,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: useHttp,
  HTTPS_SERVER: (server) => `the server at this address speaks TLS: use ${otherScheme(server)}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is not trusted: configure its certificate authority (CA)",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not trusted: configure its certificate authority (CA)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not trusted: configure its certificate authority (CA)",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "the server's certificate is not trusted: configure its certificate authority (CA)",
  CERT_HAS_EXPIRED: "the server's certificate has expired: renew it, or correct the clock of this machine",
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate is for another name: set the TLS server name if this is the right server',
};

function otherScheme(server: string): string {
  return server.startsWith('https:') ? server.replace('https:', 'http:') : server.replace('http:', 'https:');
}

function hintFor(cause: unknown, server: string): string {
  // Some TLS servers close the connection when they get plain HTTP.
  if (cause instanceof ConnectionLostError && cause.wordless && server.startsWith('http:')) {
    return ` (if the server at this address speaks TLS: use ${otherScheme(server)})`;
  }
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code;
  const hint = typeof code === 'string' && Object.hasOwn(hints, code) ? hints[code] : undefined;
  return hint === undefined ? '' : ` (${typeof hint === 'string' ? hint : hint(server)})`;
}

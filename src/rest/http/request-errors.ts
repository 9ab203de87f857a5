import { asError, describeRequest, type FailedRequest, KubeflectError } from '../../meta/errors.js';

/**
 * A connection came to its end while something was still expected of it. `isConnectionLost` is true of it and of
 * whatever it is the cause of.
 */
export class ConnectionLostError extends KubeflectError {
  static {
    ConnectionLostError.prototype.name = 'ConnectionLostError';
  }

  /** Whether the other side simply said nothing any more, as one does that has lost power or its network. */
  readonly silent: boolean;
  /** Whether it ended before the other side had said anything at all. */
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

/** What was asked, and of whom. */
export interface AskedRequest extends FailedRequest {
  /** Where it went: scheme, host and port. */
  readonly server: string;
  /** Which of several attempts failed. @default 1 */
  readonly attempt?: number | undefined;
  /** How the attempt before it failed, if in another way. */
  readonly previous?: unknown;
}

/**
 * A request got no answer, or not the whole of it: nobody was there, the connection broke, time was up, or the bytes made
 * no sense. What an API server answers with an error is a StatusError instead.
 *
 * `cause` is what happened; the predicates (`isConnectionRefused`, `isConnectionLost`, `isNetworkTimeout`) look there.
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

/** An answer that says, outside of the protocol, that the server speaks TLS and was not asked in it. */
export class HttpsServerError extends KubeflectError {
  static {
    HttpsServerError.prototype.name = 'HttpsServerError';
  }

  constructor(said: string) {
    super('HTTPS_SERVER', `the server answers ${JSON.stringify(said)}`);
  }

  /** What Go's and nginx's servers answer to plain HTTP on a port of TLS. */
  static fromAnswer(status: number, body: string): HttpsServerError | undefined {
    const said = /[^<>\n]*\bHTTP request\b[^<>\n]*\bHTTPS (?:server|port)\b[^<>\n]*/.exec(body.slice(0, 2000))?.[0];
    return status === 400 && said !== undefined ? new HttpsServerError(said.trim()) : undefined;
  }
}

/** A request that cannot be sent as it was put together: a name that no URL can carry, or a part given twice. */
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
  const before = request.previous === undefined ? '' : `; the attempt before: ${messageOf(request.previous)}`;
  return `${asked} of ${request.server}${attempt}: ${messageOf(cause)}${hintFor(cause, request.server)}${before}`;
}

/**
 * The words of whatever was thrown. An AggregateError, as a dial to several addresses ends with, has none of its own; those
 * of OpenSSL are addresses and places in its source around a reason.
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
  `the server at this address does not speak TLS: use ${otherScheme(server)} if that is right`;
const hints: Readonly<Record<string, Hint>> = {
  ECONNREFUSED: 'nobody listens there: is the server up, and is this its address?',
  EMFILE: 'this process has too many files and sockets open: raise its limit, or lower `maxConnections`',
  ENOTFOUND: 'there is no host of that name',
  ERR_SSL_WRONG_VERSION_NUMBER: useHttp,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: useHttp,
  HTTPS_SERVER: (server) => `the server at this address speaks TLS: use ${otherScheme(server)}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is not trusted: give its authority",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not trusted: give its authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not trusted: give its authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate is not trusted: give its authority",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name: set the TLS server name if that is right',
};

function otherScheme(server: string): string {
  return server.startsWith('https:') ? server.replace('https:', 'http:') : server.replace('http:', 'https:');
}

function hintFor(cause: unknown, server: string): string {
  // As servers of TLS do that are asked in plain HTTP.
  if (cause instanceof ConnectionLostError && cause.wordless && server.startsWith('http:')) {
    return ` (if the server at this address speaks TLS: use ${otherScheme(server)})`;
  }
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code;
  const hint = typeof code === 'string' && Object.hasOwn(hints, code) ? hints[code] : undefined;
  return hint === undefined ? '' : ` (${typeof hint === 'string' ? hint : hint(server)})`;
}

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

  constructor(message: string, options: ErrorOptions & { readonly silent?: boolean | undefined } = {}) {
    super('CONNECTION_LOST', message, options);
    this.silent = options.silent ?? false;
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
  return `${asked} of ${request.server}${attempt}: ${messageOf(cause)}${hintFor(cause)}${before}`;
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

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there: is the server up, and is this its address?',
  ENOTFOUND: 'there is no host of that name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'that is no TLS: is it a server of http://?',
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is not trusted: give its authority",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not trusted: give its authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not trusted: give its authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate is not trusted: give its authority",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name: set the TLS server name if that is right',
};

function hintFor(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code;
  const hint = typeof code === 'string' && Object.hasOwn(hints, code) ? hints[code] : undefined;
  return hint === undefined ? '' : ` (${hint})`;
}

import { StatusError } from './errors.js';
import { type StatusReason, statusReasons, tooLargeCause } from './status.js';

/**
 * Tests whether an error is a StatusError of one kind. Also finds a StatusError that is the `cause` of another error or a part
 * of an AggregateError; {@link statusErrorOf} returns it, for reading its fields.
 *
 * The first overload keeps TypeScript from narrowing a StatusError of another kind to `never`.
 */
export interface StatusPredicate {
  (error: StatusError): boolean;
  (error: unknown): error is StatusError;
}

/** Calls `visit` for an error, its causes and the parts of AggregateErrors until it returns true. Stops at cycles. */
export function someError(error: unknown, visit: (error: object) => boolean): boolean {
  const seen = new Set<object>();
  const walk = (current: unknown): boolean => {
    if (typeof current !== 'object' || current === null || seen.has(current)) return false;
    seen.add(current);
    if (visit(current)) return true;
    if (walk((current as { cause?: unknown }).cause)) return true;
    const { errors } = current as { errors?: unknown };
    return Array.isArray(errors) && errors.some(walk);
  };
  return walk(error);
}

/** The StatusError that an error is, or that is among its causes; undefined if there is none. */
export function statusErrorOf(error: unknown): StatusError | undefined {
  if (error instanceof StatusError) return error;
  let found: StatusError | undefined;
  someError(error, (candidate) => {
    if (candidate instanceof StatusError) found = candidate;
    return found !== undefined;
  });
  return found;
}

/** The HTTP code of each reason, for responses without a known reason, such as those of proxies. */
const codeOfReason: Readonly<Partial<Record<string, number>>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  Conflict: 409,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
};

/** Reasons whose HTTP code decides even if the response has another reason. */
const decidedByCode: ReadonlySet<string> = new Set(['RequestEntityTooLarge', 'TooManyRequests']);

const knownReasons: ReadonlySet<string> = new Set(statusReasons);

function hasReason(error: StatusError, reason: StatusReason): boolean {
  if (error.reason === reason) return true;
  if (error.status !== codeOfReason[reason]) return false;
  return decidedByCode.has(reason) || !knownReasons.has(error.reason);
}

function predicate(test: (error: StatusError) => boolean): StatusPredicate {
  return ((error: unknown) => {
    const status = statusErrorOf(error);
    return status !== undefined && test(status);
  }) as StatusPredicate;
}

/**
 * Whether an error is, or was caused by, a StatusError with this reason. A response without a known reason is judged by its
 * HTTP code.
 *
 * @example
 * if (isReason(error, 'RequestEntityTooLarge')) splitTheList();
 */
export function isReason(error: StatusError, reason: StatusReason): boolean;
export function isReason(error: unknown, reason: StatusReason): error is StatusError;
export function isReason(error: unknown, reason: StatusReason): boolean {
  const status = statusErrorOf(error);
  return status !== undefined && hasReason(status, reason);
}

function forReason(reason: StatusReason): StatusPredicate {
  return predicate((error) => hasReason(error, reason));
}

/** 401 Unauthorized: the server does not accept the credentials. */
export const isUnauthorized: StatusPredicate = forReason('Unauthorized');
/** 403 Forbidden: the user lacks a permission, or admission refused the request. */
export const isForbidden: StatusPredicate = forReason('Forbidden');
/** 404 NotFound: the object or the resource does not exist. */
export const isNotFound: StatusPredicate = forReason('NotFound');
/** 409 AlreadyExists: an object of that name exists. */
export const isAlreadyExists: StatusPredicate = forReason('AlreadyExists');
/** 409 Conflict: the object was changed since it was read. Read it again and retry. */
export const isConflict: StatusPredicate = forReason('Conflict');
/** 410 Gone, by reason `Expired` or `Gone`: the resourceVersion or continue token was compacted. List again. */
export const isExpired: StatusPredicate = predicate((error) => hasReason(error, 'Expired') || hasReason(error, 'Gone'));
/** 422 Invalid: the object breaks a rule; `causes` names the fields. */
export const isInvalid: StatusPredicate = forReason('Invalid');
/** 429 TooManyRequests: the server asks for fewer requests; `retryAfterMs` says when to try again. */
export const isTooManyRequests: StatusPredicate = forReason('TooManyRequests');
/**
 * The request asked for a resourceVersion that the server has not reached yet. Releases of Kubernetes report this in three
 * ways: by the reason of a cause, by the message of a cause, and in the message alone.
 */
export const isTooLargeResourceVersion: StatusPredicate = predicate((error) => {
  if (hasStatusCause(error, tooLargeCause.reason)) return true;
  if (!hasReason(error, 'Timeout')) return false;
  if (error.causes.some((cause) => cause.message === tooLargeCause.message)) return true;
  return error.document.message?.includes(tooLargeCause.message) ?? false;
});

/** Whether a StatusError has a cause with this reason, such as `FieldManagerConflict`. */
export function hasStatusCause(error: unknown, reason: string): boolean {
  return statusErrorOf(error)?.causes.some((cause) => cause.reason === reason) ?? false;
}

/** The delay before the next attempt that the server asks for; undefined if it asks for none. */
export function suggestsClientDelay(error: unknown): number | undefined {
  const status = statusErrorOf(error);
  if (status === undefined) return undefined;
  return status.retryAfterMs ?? (status.reason === 'ServerTimeout' ? 0 : undefined);
}

function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  return someError(error, (candidate) => codes.has((candidate as { code?: unknown }).code as string));
}

const refusedCodes: ReadonlySet<string> = new Set(['ECONNREFUSED']);
/** The UND_ERR codes are those of Node's `fetch`, which programs use beside kubeflect. */
const lostCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_SOCKET_CLOSED',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_INVALID_STREAM',
  'ERR_HTTP2_PING_CANCEL',
  'CONNECTION_LOST',
]);
const timeoutCodes: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** The connection was refused: no server listens at the address. */
export function isConnectionRefused(error: unknown): boolean {
  return hasCode(error, refusedCodes);
}

/**
 * The connection ended before the response was complete: reset, closed by the peer, or an HTTP/2 session that went away.
 * The server may or may not have carried out the request.
 */
export function isConnectionLost(error: unknown): boolean {
  return hasCode(error, lostCodes);
}

/** A time limit of the client expired while it connected or waited for bytes. A 504 of the server has the reason `Timeout`. */
export function isNetworkTimeout(error: unknown): boolean {
  return (
    hasCode(error, timeoutCodes) ||
    someError(error, (candidate) => (candidate as { name?: unknown }).name === 'TimeoutError')
  );
}

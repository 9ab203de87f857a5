import { StatusError } from './errors.js';
import { type StatusReason, statusReasons, tooLargeCause } from './status.js';

/**
 * Says whether an error is an answer of a certain meaning. An answer that is the `cause` of another error, or one of an
 * AggregateError, counts too; {@link statusErrorOf} gets hold of it, and is where to read fields if errors may be wrapped:
 * the type that TypeScript infers is then that of the answer and not of its wrapper.
 *
 * The first form keeps TypeScript from concluding that a StatusError which is not this one is nothing at all.
 */
export interface StatusPredicate {
  (error: StatusError): boolean;
  (error: unknown): error is StatusError;
}

/** Calls `visit` for an error, its causes and the parts of AggregateErrors, until it says true. Cycles are harmless. */
function someError(error: unknown, visit: (error: object) => boolean): boolean {
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

/** The answer of a server that an error is, or was caused by. */
export function statusErrorOf(error: unknown): StatusError | undefined {
  if (error instanceof StatusError) return error;
  let found: StatusError | undefined;
  someError(error, (candidate) => {
    if (candidate instanceof StatusError) found = candidate;
    return found !== undefined;
  });
  return found;
}

const knownReasons: ReadonlySet<string> = new Set(statusReasons);

function predicate(test: (error: StatusError) => boolean): StatusPredicate {
  return ((error: unknown) => {
    const status = statusErrorOf(error);
    return status !== undefined && test(status);
  }) as StatusPredicate;
}

/** By reason; by HTTP code only when the reason is none that is known, as proxies answer. */
function byReasonOrCode(reason: StatusReason, code: number): StatusPredicate {
  return predicate((error) => error.reason === reason || (error.status === code && !knownReasons.has(error.reason)));
}

/** By reason or by HTTP code, whatever the reason says. */
function byReasonAndAlwaysCode(reason: StatusReason, code: number): StatusPredicate {
  return predicate((error) => error.reason === reason || error.status === code);
}

function byReason(reason: StatusReason): StatusPredicate {
  return predicate((error) => error.reason === reason);
}

/** The request makes no sense (400). */
export const isBadRequest: StatusPredicate = byReasonOrCode('BadRequest', 400);
/** The server does not know who asks (401). */
export const isUnauthorized: StatusPredicate = byReasonOrCode('Unauthorized', 401);
/** Who asks may not do this (403). */
export const isForbidden: StatusPredicate = byReasonOrCode('Forbidden', 403);
/** There is no such object or resource (404). */
export const isNotFound: StatusPredicate = byReasonOrCode('NotFound', 404);
/** The resource has no such verb (405). */
export const isMethodNotSupported: StatusPredicate = byReasonOrCode('MethodNotAllowed', 405);
/** None of the media types asked for can be had (406). */
export const isNotAcceptable: StatusPredicate = byReasonOrCode('NotAcceptable', 406);
/** Something of that name is there already (409). */
export const isAlreadyExists: StatusPredicate = byReason('AlreadyExists');
/** Somebody else wrote first (409): read again and retry. */
export const isConflict: StatusPredicate = byReasonOrCode('Conflict', 409);
/** Gone for good (410), by the older reason or none. A 410 with reason `Expired` is {@link isResourceExpired}. */
export const isGone: StatusPredicate = byReasonOrCode('Gone', 410);
/** The version or continue token asked for is too old (410, reason `Expired`). */
export const isResourceExpired: StatusPredicate = byReason('Expired');
/** {@link isResourceExpired} or {@link isGone}: either way a list has to start over. */
export const isExpired: StatusPredicate = predicate((error) => isResourceExpired(error) || isGone(error));
/** The request body is over the limit (413). */
export const isRequestEntityTooLarge: StatusPredicate = byReasonAndAlwaysCode('RequestEntityTooLarge', 413);
/** The body is in a format the server does not read (415). */
export const isUnsupportedMediaType: StatusPredicate = byReasonOrCode('UnsupportedMediaType', 415);
/** The object breaks a rule (422); `causes` says which. */
export const isInvalid: StatusPredicate = byReasonOrCode('Invalid', 422);
/** The server asks to come back later (429). */
export const isTooManyRequests: StatusPredicate = byReasonAndAlwaysCode('TooManyRequests', 429);
/** The server's own fault (500). */
export const isInternalError: StatusPredicate = byReasonOrCode('InternalError', 500);
/** The server could not do it now and asks to be tried again. */
export const isServerTimeout: StatusPredicate = byReason('ServerTimeout');
/** The server cannot read what it stored. */
export const isStoreReadError: StatusPredicate = byReason('StorageReadError');
/** The server cannot serve at present (503). */
export const isServiceUnavailable: StatusPredicate = byReasonOrCode('ServiceUnavailable', 503);
/** The request took too long on the server (504); what it asked for may still happen. */
export const isTimeout: StatusPredicate = byReasonOrCode('Timeout', 504);
/** The answer was no Status: something other than an API server may have answered. */
export const isUnexpectedServerError: StatusPredicate = predicate((error) =>
  hasStatusCause(error, 'UnexpectedServerResponse'),
);
/**
 * A version was asked for that the server has not seen yet. Servers have said so in three ways: by the reason of a cause,
 * by the message of a cause, and in the message alone.
 */
export const isTooLargeResourceVersion: StatusPredicate = predicate((error) => {
  if (hasStatusCause(error, tooLargeCause.reason)) return true;
  if (!isTimeout(error)) return false;
  if (error.causes.some((cause) => cause.message === tooLargeCause.message)) return true;
  return error.document.message?.includes(tooLargeCause.message) ?? false;
});

/** Whether an answer lists a cause of this type, such as `FieldManagerConflict`. */
export function hasStatusCause(error: unknown, reason: string): boolean {
  return statusErrorOf(error)?.causes.some((cause) => cause.reason === reason) ?? false;
}

/** How long an answer asks to wait before the next attempt; undefined when it does not. */
export function suggestsClientDelay(error: unknown): number | undefined {
  const status = statusErrorOf(error);
  if (status === undefined) return undefined;
  return status.retryAfterMs ?? (status.reason === 'ServerTimeout' ? 0 : undefined);
}

function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  return someError(error, (candidate) => codes.has((candidate as { code?: unknown }).code as string));
}

const refusedCodes: ReadonlySet<string> = new Set(['ECONNREFUSED']);
const resetCodes: ReadonlySet<string> = new Set(['ECONNRESET']);
/** Some of them are of Node's `fetch`, whose errors may well be among those of who uses both. */
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

/** Nobody listens there: the server is not up, or not yet. */
export function isConnectionRefused(error: unknown): boolean {
  return hasCode(error, refusedCodes);
}

/** The other side tore the connection down. */
export function isConnectionReset(error: unknown): boolean {
  return hasCode(error, resetCodes);
}

/**
 * The connection ended before the answer did, in one of the many ways in which Node says so: reset, closed by the other
 * side, an HTTP/2 session that went away. Whether the request was carried out is unknown.
 */
export function isConnectionLost(error: unknown): boolean {
  return hasCode(error, lostCodes);
}

/** Connecting, or waiting for bytes, took too long on this side; {@link isTimeout} is the server's own word. */
export function isNetworkTimeout(error: unknown): boolean {
  return (
    hasCode(error, timeoutCodes) ||
    someError(error, (candidate) => (candidate as { name?: unknown }).name === 'TimeoutError')
  );
}

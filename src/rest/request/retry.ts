import { isConnectionLost, isNetworkTimeout } from '../../meta/errors/error-predicates.js';
import type { ResponseHeaders } from '../http/transport.js';

/** How a response is read, which decides about retries. */
export type CallMode = 'do' | 'stream' | 'watch' | 'upgrade';

/** Limit of a delay that the server asks for, so that a request does not wait for hours. */
export const MAX_RETRY_AFTER_MS = 60_000;
/** The delay after a network error, which comes without a `Retry-After`. */
const NETWORK_RETRY_MS = 1000;

/**
 * The delay before a request is sent again after an error response; undefined if it is not. Only 429 and 5xx responses with a
 * `Retry-After` in seconds are retried: the server has then not executed the request, whatever its method.
 */
export function retryAfterResponse(status: number, headers: ResponseHeaders): number | undefined {
  const askedMs = status === 429 || status >= 500 ? retryAfterMs(headers) : undefined;
  return askedMs === undefined ? undefined : Math.min(askedMs, MAX_RETRY_AFTER_MS);
}

/** The `Retry-After` header, if it is a number of seconds; a date is ignored, since clocks differ. */
export function retryAfterMs(headers: ResponseHeaders): number | undefined {
  const value = headers['retry-after'];
  return value !== undefined && /^\d+$/.test(value) ? Number(value) * 1000 : undefined;
}

/**
 * The delay before a request is sent again that got no response; undefined if it is not. Only a GET is retried, since the
 * server may have executed the request; a watch also after a timeout; a stream or a request for another protocol never.
 */
export function retryAfterFailure(mode: CallMode, method: string, error: unknown): number | undefined {
  if (mode === 'stream' || mode === 'upgrade') return undefined;
  if (isConnectionLost(error) && method === 'GET') return NETWORK_RETRY_MS;
  return mode === 'watch' && isNetworkTimeout(error) ? NETWORK_RETRY_MS : undefined;
}

import { isConnectionLost, isNetworkTimeout } from '../../meta/error-predicates.js';
import type { ResponseHeaders } from '../http/transport.js';

/** How an answer is read; it decides what is worth another attempt. */
export type CallMode = 'do' | 'stream' | 'watch';

/** A server that asks for a longer wait is asked again sooner: nobody would sleep for hours in the middle of a call. */
export const MAX_RETRY_AFTER_MS = 60_000;
/** After a network error there is no word of a server to go by. */
const NETWORK_RETRY_MS = 1000;

/**
 * How long to wait before a request is sent again because of this answer; undefined when it is not to be. The server has
 * to ask for it with a number of seconds: then it has not done anything yet, whatever the request was. A minute at most.
 */
export function retryAfterAnswer(status: number, headers: ResponseHeaders): number | undefined {
  const askedMs = status === 429 || status >= 500 ? retryAfterMs(headers) : undefined;
  return askedMs === undefined ? undefined : Math.min(askedMs, MAX_RETRY_AFTER_MS);
}

/** The `Retry-After` header, if it is a number of seconds; a date is not followed, since clocks differ. */
export function retryAfterMs(headers: ResponseHeaders): number | undefined {
  const value = headers['retry-after'];
  return value !== undefined && /^\d+$/.test(value) ? Number(value) * 1000 : undefined;
}

/**
 * The same for a request that got no answer. Only a GET can be repeated without knowing what became of it; a watch also
 * after a timeout; a stream never, since somebody may be reading it.
 */
export function retryAfterFailure(mode: CallMode, method: string, error: unknown): number | undefined {
  if (mode === 'stream') return undefined;
  if (isConnectionLost(error) && method === 'GET') return NETWORK_RETRY_MS;
  return mode === 'watch' && isNetworkTimeout(error) ? NETWORK_RETRY_MS : undefined;
}

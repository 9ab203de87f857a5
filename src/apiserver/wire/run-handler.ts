import { internal } from '../../meta/errors/status.js';
import type { ApiHandler, ApiRequest, ApiResponse } from './exchange.js';
import { sendStatus } from './response-writer.js';

/** An answer that can still be replaced by an error until its head is sent. */
export interface OpenResponse extends ApiResponse {
  readonly isHeadSent: boolean;
}

/** Calls a handler and ends its answer; if the handler rejects, with a 500 or a reset. */
export function runHandler(
  handler: ApiHandler,
  request: ApiRequest,
  response: OpenResponse,
  onError: (error: unknown) => void,
): void {
  handler(request, response).then(
    () => response.end(),
    (error: unknown) => {
      onError(error);
      // A reset shows the client that the answer is incomplete.
      if (response.isHeadSent) response.reset();
      else sendStatus(response, internal(error instanceof Error ? error.message : String(error)));
    },
  );
}

/** The default `onError`. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

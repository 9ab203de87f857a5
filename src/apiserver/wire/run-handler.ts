import { internal } from '../../meta/status.js';
import type { ApiHandler, ApiRequest, ApiResponse } from './exchange.js';
import { sendStatus } from './response-writer.js';

/** An answer that knows how far it has come. */
export interface OpenResponse extends ApiResponse {
  readonly isHeadSent: boolean;
}

/** Calls a handler and sees to it that its answer comes to an end, even if the handler fails. */
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
      // Half an answer cannot be taken back: the client must see that it is one.
      if (response.isHeadSent) response.reset();
      else sendStatus(response, internal(error instanceof Error ? error.message : String(error)));
    },
  );
}

/** What becomes of errors that nobody asked to hear of. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

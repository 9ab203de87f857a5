import { KubeflectError, StatusError } from '../meta/errors/errors.js';

/**
 * The error of a watch, with the fields that programs for the official client read. `cause` is the original error.
 */
export class WatchError extends Error {
  static {
    WatchError.prototype.name = 'WatchError';
  }

  /** The HTTP status code, if the server responded. */
  readonly statusCode: number | undefined;
  /** The HTTP status code, or the system's code of a connection error, such as `ECONNRESET`. */
  readonly code: number | string | undefined;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.statusCode = cause instanceof StatusError ? cause.status : undefined;
    this.code = this.statusCode ?? systemCode(cause);
  }
}

/** Wraps a KubeflectError for callbacks; other errors are returned as they are. */
export function toWatchError(error: unknown): unknown {
  return error instanceof KubeflectError && !(error instanceof WatchError) ? new WatchError(error) : error;
}

/** The `code` of the innermost cause that has one: the error of the system. */
function systemCode(error: unknown): string | undefined {
  let found: string | undefined;
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string') found = code;
  }
  return found;
}

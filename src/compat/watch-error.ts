import { KubeflectError, StatusError } from '../meta/errors.js';

/**
 * Why a watch failed, with the fields that programs written for the official client look at. `cause` is the error as the
 * rest of this library knows it.
 */
export class WatchError extends Error {
  static {
    WatchError.prototype.name = 'WatchError';
  }

  /** The HTTP status, where the server answered. */
  readonly statusCode: number | undefined;
  /** The HTTP status too, or what the system called the trouble with the connection, such as `ECONNRESET`. */
  readonly code: number | string | undefined;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.statusCode = cause instanceof StatusError ? cause.status : undefined;
    this.code = this.statusCode ?? systemCode(cause);
  }
}

/** What a callback is told of an error: one of ours in the shape of the official client's, any other as it is. */
export function toWatchError(error: unknown): unknown {
  return error instanceof KubeflectError && !(error instanceof WatchError) ? new WatchError(error) : error;
}

/** The code of the innermost cause that has one: that is where the system speaks. */
function systemCode(error: unknown): string | undefined {
  let found: string | undefined;
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string') found = code;
  }
  return found;
}

import { StatusError } from '../../meta/errors/errors.js';

/** An error answer of the API server. `body` is the text of its Status. */
export class ApiException extends Error {
  static {
    ApiException.prototype.name = 'ApiException';
  }

  readonly code: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: number, message: string, body: string, headers: Readonly<Record<string, string>> = {}) {
    super(`HTTP-Code: ${code}\nMessage: ${message}\nBody: ${body}`);
    this.code = code;
    this.body = body;
    this.headers = headers;
  }
}

/** A failure in the form of the official client: other errors than answers of the server stay as they are. */
export function officialError(error: unknown): unknown {
  if (!(error instanceof StatusError)) return error;
  const exception = new ApiException(
    error.status,
    error.document.message ?? error.message,
    JSON.stringify(error.document),
  );
  exception.cause = error;
  return exception;
}

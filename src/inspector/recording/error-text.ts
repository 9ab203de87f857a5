import { asError } from '../../meta/errors/errors.js';

/** The longest text of an error that is kept and sent. */
const longest = 500;

/** The message of an error, cut. Errors themselves are not kept: they may refer to much. */
export function errorText(error: unknown): string {
  const { message } = asError(error);
  return message.length > longest ? `${message.slice(0, longest - 1)}…` : message;
}

import { statusErrorOf } from './error-predicates.js';

/** Client errors that pass: a timeout, a conflict, an expired version, too early, too many requests. */
const passing: ReadonlySet<number> = new Set([408, 409, 410, 425, 429]);

/** Whether a server would answer the same request the same again: the request, or who sends it, has to change (4xx). */
export function isRefusal(error: unknown): boolean {
  const { status = 0 } = statusErrorOf(error) ?? {};
  return status >= 400 && status < 500 && !passing.has(status);
}

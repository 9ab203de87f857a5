import { statusErrorOf } from './error-predicates.js';

/** 4xx codes that a retry may get past: request timeout, conflict, gone, too early, too many requests. */
const transient: ReadonlySet<number> = new Set([408, 409, 410, 425, 429]);

/** Whether an error is a 4xx that a retry of the same request gets again: the request or the user's permissions must change. */
export function isRefusal(error: unknown): boolean {
  const { status = 0 } = statusErrorOf(error) ?? {};
  return status >= 400 && status < 500 && !transient.has(status);
}

import type { Client } from '../../client/client.js';
import { asError } from '../../meta/errors/errors.js';
import { explain } from '../explain.js';

/** How much a finding matters. `fail` makes the exit code 1. */
export type Level = 'ok' | 'warn' | 'fail';

/** What a check found. */
export interface Finding {
  readonly level: Level;
  /** What was checked, in a word or two. */
  readonly check: string;
  readonly message: string;
  /** What to do about it. @default nothing to do */
  readonly fix?: string | undefined;
}

/** What checks need. */
export interface Patient {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** The longest that one request of a check may take. */
export const REQUEST_MS = 10_000;

/** A finding about an error: its first line is the message, the others say what to do. */
export function failure(check: string, error: unknown, level: Level = 'fail'): Finding {
  const [message = asError(error).message, ...hints] = explain(error).split('\n');
  return { level, check, message, fix: hints.join(' ') || undefined };
}

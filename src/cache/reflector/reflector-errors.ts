import { isExpired } from '../../meta/error-predicates.js';
import { KubeflectError } from '../../meta/errors.js';
import { escapeTextControls } from '../../meta/escape-controls.js';
import { messageOf } from '../../rest/http/request-errors.js';
import type { FailureReason, WatchErrorHandler } from './reflector.js';

/** A watch ended within a second without a single event: the server does not want it, or something in between does not. */
export class VeryShortWatchError extends KubeflectError {
  static {
    VeryShortWatchError.prototype.name = 'VeryShortWatchError';
  }

  constructor(name: string) {
    super(
      'VERY_SHORT_WATCH',
      `very short watch: ${name}: unexpected watch close - watch lasted less than a second and no items received`,
    );
  }
}

/** The collection could not be read, or not be stored. */
export class ListError extends KubeflectError {
  static {
    ListError.prototype.name = 'ListError';
  }

  constructor(message: string, cause: unknown) {
    super('LIST', message, { cause });
  }
}

/** Carries what a resync threw through the watch that it ends. */
export class ResyncError extends Error {
  constructor(cause: unknown) {
    super('resync failed', { cause });
  }
}

/** Tells the handler, or the process where there is none. What the handler throws goes no further. */
export function reportFailure(
  onError: WatchErrorHandler | undefined,
  error: Error,
  context: Parameters<WatchErrorHandler>[1],
): void {
  const { reason, reflector } = context;
  try {
    if (onError !== undefined) onError(error, context);
    else if (reason !== 'expired' && reason !== 'silent') warn(`${reflector}: ${reason}: ${error.message}`);
  } catch (broken) {
    warn(`${reflector}: the error handler failed: ${messageOf(broken)}`);
  }
}

/** Tells the process. */
export function warn(message: string): void {
  process.emitWarning(escapeTextControls(message), 'KubeflectWatchWarning');
}

/** Why a round has failed. */
export function reasonOf(error: unknown): FailureReason {
  if (error instanceof ListError) return 'list';
  return isExpired(error) ? 'expired' : 'watch';
}

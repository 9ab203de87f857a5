import { KubeflectError } from '../../meta/errors/errors.js';
import { messageOf } from '../../rest/http/request-errors.js';
import { warn } from '../source/watch-warning.js';

/** What failed, in one word. The reflector's next step follows from it. */
export type FailureReason =
  /** The list failed: relist after a backoff. */
  | 'list'
  /** A watch-list failed: list at once. Or its end bookmark is late: only a warning. */
  | 'stream'
  /** The watch request was refused: relist after a backoff. */
  | 'watch'
  /** 429, connection refused, or watch requests without an answer: watch again after a backoff, without a relist. */
  | 'unavailable'
  /** 410 Gone: the resourceVersion was compacted. Relist after a backoff. */
  | 'expired'
  /** 500 InternalError within `maxInternalErrorRetryMs`: reopen the watch without a relist. */
  | 'internal'
  /** The connection of an open watch broke: watch again at once; after the second in a row without an event, relist. */
  | 'silent'
  /** Anything else that ended a watch: relist after a backoff. */
  | 'broken'
  /** One object or event was left out and counted in `status.skipped`; the watch continues. */
  | 'skipped'
  /** A resync failed: relist after a backoff. */
  | 'resync';

/** Called with every failure. It cannot change what the reflector does next. */
export type WatchErrorHandler = (
  error: Error,
  context: {
    readonly reason: FailureReason;
    readonly reflector: string;
    /** The key of the object that was left out, if it could be read. */
    readonly key?: string | undefined;
  },
) => void;

/** Calls the handler, or emits a process warning if there is none. What the handler throws becomes a warning. */
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

/** A watch ended within a second and without an event: the server, or a proxy before it, closes watches at once. */
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

/** The list request failed, or the store rejected the list. */
export class ListError extends KubeflectError {
  static {
    ListError.prototype.name = 'ListError';
  }

  constructor(message: string, cause: unknown) {
    super('LIST', message, { cause });
  }
}

import { KubeflectError } from '../meta/errors/errors.js';

/**
 * This candidate is not the leader, or another one may be by now. It is the `reason` of the signal that `lead` was called with,
 * and the cause of the `RequestError` of a request through `elector.guard(client)`, which is not sent.
 */
export class LeadershipLostError extends KubeflectError {
  static {
    LeadershipLostError.prototype.name = 'LeadershipLostError';
  }

  /** Namespace and name of the lease. */
  readonly lease: string;
  readonly identity: string;

  constructor(lease: string, identity: string, message: string, options?: ErrorOptions) {
    super('LEADERSHIP_LOST', `${identity} does not lead ${lease}: ${message}`, options);
    this.lease = lease;
    this.identity = identity;
  }
}

/** Whether an error, or one of its causes, is `reason` or a LeadershipLostError. */
export function isCausedBy(error: unknown, reason: unknown): boolean {
  const seen = new Set<unknown>();
  for (
    let current = error;
    current !== undefined && !seen.has(current);
    seen.add(current), current = causeOf(current)
  ) {
    if (current === reason || current instanceof LeadershipLostError) return true;
  }
  return false;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

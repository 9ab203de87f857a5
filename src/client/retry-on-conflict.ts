import { isConflict } from '../meta/errors/error-predicates.js';
import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { defaultRetry, type RetryPolicy, retry, withDefaults } from '../time/backoff.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';

/** Options of {@link retryOnConflict}. */
export interface RetryOnConflictOptions extends Abortable {
  /**
   * Number of attempts and delays between them; a field that is left out has its value of the default. For objects that
   * others write often: `{ steps: 4, factor: 5 }`, which waits about 10, 50 and 250 ms.
   * @default { steps: 5, initialMs: 10, factor: 1, jitter: 0.1 }
   */
  readonly policy?: Partial<RetryPolicy> | undefined;
  /** @default realClock */
  readonly clock?: Clock | undefined;
}

const retryOnConflictNames: OptionNames<RetryOnConflictOptions> = { ...abortableNames, policy: true, clock: true };

/**
 * Repeats a read-modify-write while it fails with 409 Conflict: up to 5 attempts, about 10 ms apart. Each attempt has to
 * read the object again. Rejects with the last conflict, and with any other error at once.
 *
 * @example
 * await retryOnConflict(async () => {
 *   const deployment = await deployments.get('web');
 *   deployment.metadata.annotations = { ...deployment.metadata.annotations, seen: 'yes' };
 *   return deployments.update(deployment);
 * });
 */
export function retryOnConflict<R>(attempt: () => Promise<R>, options: RetryOnConflictOptions = {}): Promise<R> {
  const { clock = realClock, signal, policy } = checkOptions('retryOnConflict', options, retryOnConflictNames);
  return retry(attempt, { clock, policy: withDefaults(policy, defaultRetry), retriable: isConflict, signal });
}

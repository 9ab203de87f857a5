import { withGroup } from '../meta/names.js';
import { checkOptions } from '../meta/options/known-options.js';
import { requireInteger, requireNumber } from '../meta/options/validate.js';
import type { HealthCheck } from './health.js';

/** The properties of an informer that the check reads. */
interface InformerLike {
  readonly resource: { readonly group: string; readonly resource: string };
  readonly hasSynced: boolean;
  readonly status: {
    readonly state: string;
    /** The time since the last event or bookmark. */
    readonly stalenessMs: number;
    readonly consecutiveFailures: number;
    readonly lastError: Error | undefined;
  };
}

/** Options of {@link informersCheck}. */
interface InformersCheckOptions {
  /** @default 'informers' */
  readonly name?: string | undefined;
  /**
   * An informer without an event or bookmark for longer is stale. Servers send a bookmark about every minute: with less than
   * two minutes the check would fail now and then for no reason.
   * @default 180000
   */
  readonly staleAfterMs?: number | undefined;
  /** An informer with this many failures in a row is deaf: it has no watch. @default 5 */
  readonly deafAfterFailures?: number | undefined;
}

/**
 * A health check that fails while an informer has not synced, is deaf, stale or stopped; the message names it and the reason.
 *
 * @param informers the informers, or a function that returns the current ones
 */
export function informersCheck(
  informers: Iterable<InformerLike> | (() => Iterable<InformerLike>),
  options: InformersCheckOptions = {},
): HealthCheck {
  checkOptions('informersCheck', options, { name: true, staleAfterMs: true, deafAfterFailures: true });
  const limits: Limits = {
    staleAfterMs: requireNumber('staleAfterMs', options.staleAfterMs ?? 180_000),
    deafAfterFailures: requireInteger('deafAfterFailures', options.deafAfterFailures ?? 5, 1),
  };
  const current = typeof informers === 'function' ? informers : () => informers;
  return {
    name: options.name ?? 'informers',
    check() {
      const problems: string[] = [];
      for (const informer of current()) {
        const problem = problemOf(informer, limits);
        const { resource, group } = informer.resource;
        if (problem !== undefined) problems.push(`${withGroup(resource, group)} ${problem}`);
      }
      return problems.length === 0 ? undefined : problems.join('; ');
    },
  };
}

interface Limits {
  readonly staleAfterMs: number;
  readonly deafAfterFailures: number;
}

function problemOf({ hasSynced, status }: InformerLike, limits: Limits): string | undefined {
  const { state, stalenessMs, consecutiveFailures, lastError } = status;
  const error = lastError === undefined ? '' : `, last error: ${lastError.message}`;
  if (state === 'stopped') return `is stopped${error}`;
  if (!hasSynced) return `has not synced (${state}${error})`;
  if (consecutiveFailures >= limits.deafAfterFailures)
    return `is deaf: ${consecutiveFailures} failures in a row (${state}${error})`;
  if (stalenessMs > limits.staleAfterMs)
    return `is stale: no event or bookmark for ${Math.round(stalenessMs / 1000)} s (${state}${error})`;
  return undefined;
}

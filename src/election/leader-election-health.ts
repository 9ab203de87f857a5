import { checkOptions } from '../meta/options/known-options.js';
import { requireNumber } from '../meta/options/validate.js';
import type { LeaderElector } from './leader-elector.js';

/** Options of {@link LeaderElectionHealth}. */
interface LeaderElectionHealthOptions {
  /** @default none, set {@link LeaderElectionHealth.elector} later */
  readonly elector?: LeaderElector | undefined;
  /** How long `lead` may run after the Lease has expired before the check fails. @default 20000 */
  readonly toleranceMs?: number | undefined;
}

/**
 * A health check (`health.addLive(…)`) that fails while `lead` goes on although the Lease has expired: it did not end when its
 * signal aborted.
 */
export class LeaderElectionHealth {
  readonly name = 'leaderElection';
  /** The elector to check; without one the check passes. */
  elector: LeaderElector | undefined;
  readonly #toleranceMs: number;

  constructor(options: LeaderElectionHealthOptions = {}) {
    checkOptions('new LeaderElectionHealth', options, { elector: true, toleranceMs: true });
    this.elector = options.elector;
    this.#toleranceMs = requireNumber('toleranceMs', options.toleranceMs ?? 20_000);
  }

  check(): string | undefined {
    return this.elector?.check(this.#toleranceMs);
  }
}

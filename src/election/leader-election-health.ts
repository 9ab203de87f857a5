import { checkOptions } from '../meta/known-options.js';
import { requireNumber } from '../meta/validate.js';
import type { LeaderElector } from './leader-elector.js';

/** Options of {@link LeaderElectionHealth}. */
export interface LeaderElectionHealthOptions {
  /** @default none yet, see {@link LeaderElectionHealth.elector} */
  readonly elector?: LeaderElector | undefined;
  /** How long past the end of its lease a leader may go on before it counts as sick. @default 20000 */
  readonly toleranceMs?: number | undefined;
}

/**
 * A health check (`health.addLive(…)`) for those who lead although they should have stopped: `lead` did not end when its
 * signal aborted.
 */
export class LeaderElectionHealth {
  readonly name = 'leaderElection';
  /** Whom to ask; while there is none all is well. */
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

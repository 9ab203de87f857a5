import type { Undo } from '../meta/undo.js';
import { type DiagnosticsChannel, listen, openChannel } from './diagnostics-channel.js';
import type { MetricsRegistry } from './metrics/metrics-registry.js';

interface FromElection {
  /** Namespace and name of the Lease. */
  readonly lease: string;
  readonly identity: string;
}

interface ElectionAcquiredMessage extends FromElection {
  /** `leaseTransitions` of the Lease: how often its holder has changed. */
  readonly transitions: number;
}

interface ElectionLostMessage extends FromElection {
  /** Missing if the elector released the Lease. */
  readonly error?: unknown;
}

interface ElectionRenewMessage extends FromElection {
  readonly durationMs: number;
  /** Whether the Lease had to be read before it could be written. */
  readonly slowPath: boolean;
  readonly error?: unknown;
}

export interface ElectionChannels {
  /** An elector began to run and is not leader yet. */
  readonly electionStarted: DiagnosticsChannel<FromElection>;
  /** An elector became leader. */
  readonly electionAcquired: DiagnosticsChannel<ElectionAcquiredMessage>;
  /** An elector is no longer leader. */
  readonly electionLost: DiagnosticsChannel<ElectionLostMessage>;
  /** A leader tried to renew its Lease. */
  readonly electionRenew: DiagnosticsChannel<ElectionRenewMessage>;
}

export const electionChannels: ElectionChannels = {
  electionStarted: openChannel('election:started'),
  electionAcquired: openChannel('election:acquired'),
  electionLost: openChannel('election:lost'),
  electionRenew: openChannel('election:renew'),
};

/** The label `name` is the name of the Lease without its namespace, as in client-go. */
export function feedElectionMetrics(registry: MetricsRegistry): Undo[] {
  const status = registry.gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process is the leader (1) or not (0).',
    labels: ['name'],
  });
  const slowPath = registry.counter({
    name: 'leader_election_slowpath_total',
    help: 'Renewals that had to read the lease before they could write it.',
    labels: ['name'],
  });
  const { electionStarted, electionAcquired, electionLost, electionRenew } = electionChannels;
  return [
    listen(electionStarted, ({ lease }) => status.labels(nameOf(lease)).set(0)),
    listen(electionAcquired, ({ lease }) => status.labels(nameOf(lease)).set(1)),
    listen(electionLost, ({ lease }) => status.labels(nameOf(lease)).set(0)),
    listen(electionRenew, (message) => {
      if (message.slowPath) slowPath.labels(nameOf(message.lease)).inc();
    }),
  ];
}

function nameOf(lease: string): string {
  return lease.slice(lease.indexOf('/') + 1);
}

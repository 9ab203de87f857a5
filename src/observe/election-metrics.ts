import { channels, listen } from './channels.js';
import type { MetricsRegistry } from './metrics-registry.js';

/** Counts what leader electors tell. The label is the name of the lease without its namespace. Returns the undos. */
export function feedElectionMetrics(registry: MetricsRegistry): (() => void)[] {
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
  return [
    listen(channels.electionStarted, ({ lease }) => status.labels(nameOf(lease)).set(0)),
    listen(channels.electionAcquired, ({ lease }) => status.labels(nameOf(lease)).set(1)),
    listen(channels.electionLost, ({ lease }) => status.labels(nameOf(lease)).set(0)),
    listen(channels.electionRenew, (message) => {
      if (message.slowPath) slowPath.labels(nameOf(message.lease)).inc();
    }),
  ];
}

function nameOf(lease: string): string {
  return lease.slice(lease.indexOf('/') + 1);
}

/** `kubeflect/election`: the lock and the health check behind `LeaderElector`, which is in `kubeflect`. */
export type { ElectionRecord } from './election-record.js';
export { LeaderElectionHealth, type LeaderElectionHealthOptions } from './leader-election-health.js';
export { type LeaseClient, type LeaseClients, LeaseLock, type LeaseLockOptions } from './lease-lock.js';

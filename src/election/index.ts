/** `kubeflect/election`: the lock and the health check behind `LeaderElector`, which is in `kubeflect`. */
export type { ElectionRecord } from './election-record.js';
export { LeaderElectionHealth } from './leader-election-health.js';
export type { LeaderElectorOptions } from './leader-elector.js';
export { type LeaseClient, type LeaseClients, LeaseLock, type LeaseLockOptions } from './lease-lock.js';

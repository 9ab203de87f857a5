/** `kubeflect/election`: of many candidates, one leads. */
export { LeadershipLostError } from './election-errors.js';
export { type ElectionRecord, recordOf, specOf } from './election-record.js';
export { LeaderElectionHealth, type LeaderElectionHealthOptions } from './leader-election-health.js';
export { LeaderElector, type LeaderElectorOptions } from './leader-elector.js';
export {
  type LeaseClient,
  type LeaseClients,
  LeaseLock,
  type LeaseLockOptions,
  type LockEventRecorder,
  type ReadRecord,
} from './lease-lock.js';

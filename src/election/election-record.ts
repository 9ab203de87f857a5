import type { DeepReadonly } from '../meta/objects.js';
import type { LeaseSpec } from '../resources/types/coordination-v1.js';

/**
 * Who leads, as it is written into a lease. The times are for people: nobody decides by them, since clocks differ; what
 * counts is that they change.
 */
export interface ElectionRecord {
  /** Empty: nobody, and whoever wants may take it at once. */
  readonly holderIdentity: string;
  /** How long after its last change others have to leave the lease alone. */
  readonly leaseDurationSeconds: number;
  /** RFC 3339 with microseconds; empty where nobody has written any. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often the lease has changed hands. */
  readonly leaseTransitions: number;
  /** Only where elections are coordinated by the server. */
  readonly strategy?: string | undefined;
  readonly preferredHolder?: string | undefined;
}

/** The record in a lease; a lease without any is held by nobody. */
export function recordOf(spec: DeepReadonly<LeaseSpec> = {}): ElectionRecord {
  return {
    holderIdentity: spec.holderIdentity ?? '',
    leaseDurationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTime: spec.acquireTime ?? '',
    renewTime: spec.renewTime ?? '',
    leaseTransitions: spec.leaseTransitions ?? 0,
    ...(spec.strategy ? { strategy: spec.strategy } : {}),
    ...(spec.preferredHolder ? { preferredHolder: spec.preferredHolder } : {}),
  };
}

/** A record as a lease has it: what is empty is left out, except for a holder who has left. */
export function specOf(record: ElectionRecord): LeaseSpec {
  return {
    holderIdentity: record.holderIdentity,
    leaseDurationSeconds: record.leaseDurationSeconds,
    ...(record.acquireTime ? { acquireTime: record.acquireTime } : {}),
    ...(record.renewTime ? { renewTime: record.renewTime } : {}),
    leaseTransitions: record.leaseTransitions,
    ...(record.strategy ? { strategy: record.strategy } : {}),
    ...(record.preferredHolder ? { preferredHolder: record.preferredHolder } : {}),
  };
}

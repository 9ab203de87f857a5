import type { DeepReadonly } from '../meta/objects.js';
import type { LeaseSpec } from '../resources/types/coordination-v1.js';

/**
 * The content of a Lease: its holder and times. Candidates do not compare the times with their clocks, which differ; they only
 * notice that a record has changed.
 */
export interface ElectionRecord {
  /** Empty if the Lease was released: any candidate may take it at once. */
  readonly holderIdentity: string;
  /** How long after its last change other candidates must not take the Lease. */
  readonly leaseDurationSeconds: number;
  /** RFC 3339 with microseconds; empty if the Lease has none. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often the holder has changed. */
  readonly leaseTransitions: number;
  /** Only with coordinated leader election. */
  readonly strategy?: string | undefined;
  readonly preferredHolder?: string | undefined;
}

/** Reads the record of a Lease; an empty spec has no holder. */
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

/** Writes the record as a LeaseSpec. Empty fields are left out, except `holderIdentity`, which is empty after a release. */
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

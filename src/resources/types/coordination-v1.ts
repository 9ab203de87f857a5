// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of coordination-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** `leases` of `coordination.k8s.io/v1`, namespaced. */
export interface Lease {
  apiVersion: 'coordination.k8s.io/v1';
  kind: 'Lease';
  metadata: StoredObjectMeta;
  spec?: LeaseSpec | undefined;
}

/** A list of {@link Lease}. */
export interface LeaseList {
  apiVersion: 'coordination.k8s.io/v1';
  kind: 'LeaseList';
  items: Lease[];
  metadata: ListMeta;
}

/** Part of `coordination.k8s.io/v1`. */
export interface LeaseSpec {
  acquireTime?: string | undefined;
  holderIdentity?: string | undefined;
  leaseDurationSeconds?: number | undefined;
  leaseTransitions?: number | undefined;
  preferredHolder?: string | undefined;
  renewTime?: string | undefined;
  strategy?: string | undefined;
}

// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of scheduling-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** `priorityclasses`, `pc` of `scheduling.k8s.io/v1`, cluster-scoped. */
export interface PriorityClass {
  apiVersion: 'scheduling.k8s.io/v1';
  kind: 'PriorityClass';
  description?: string | undefined;
  globalDefault?: boolean | undefined;
  metadata: StoredObjectMeta;
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority' | undefined;
  value?: number | undefined;
}

/** A list of {@link PriorityClass}. */
export interface PriorityClassList {
  apiVersion: 'scheduling.k8s.io/v1';
  kind: 'PriorityClassList';
  items: PriorityClass[];
  metadata: ListMeta;
}

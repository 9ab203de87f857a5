// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of policy-v1.
import type { Condition, LabelSelector, ListMeta, ObjectMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { DeleteOptions, IntOrString } from './meta-v1.js';

/** The body or the result of a subresource, of `policy/v1`. */
export interface Eviction {
  apiVersion: 'policy/v1';
  kind: 'Eviction';
  deleteOptions?: DeleteOptions | undefined;
  metadata: ObjectMeta;
}

/** `poddisruptionbudgets`, `pdb` of `policy/v1`, namespaced. */
export interface PodDisruptionBudget {
  apiVersion: 'policy/v1';
  kind: 'PodDisruptionBudget';
  metadata: StoredObjectMeta;
  spec?: PodDisruptionBudgetSpec | undefined;
  status?: PodDisruptionBudgetStatus | undefined;
}

/** A list of {@link PodDisruptionBudget}. */
export interface PodDisruptionBudgetList {
  apiVersion: 'policy/v1';
  kind: 'PodDisruptionBudgetList';
  items: PodDisruptionBudget[];
  metadata: ListMeta;
}

/** Part of `policy/v1`. */
export interface PodDisruptionBudgetSpec {
  maxUnavailable?: IntOrString | undefined;
  minAvailable?: IntOrString | undefined;
  selector?: LabelSelector | undefined;
  unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget' | undefined;
}

/** Part of `policy/v1`. */
export interface PodDisruptionBudgetStatus {
  conditions?: Condition[] | undefined;
  currentHealthy?: number | undefined;
  desiredHealthy?: number | undefined;
  disruptedPods?: Record<string, string> | undefined;
  disruptionsAllowed?: number | undefined;
  expectedPods?: number | undefined;
  observedGeneration?: number | undefined;
}

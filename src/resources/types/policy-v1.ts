// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of policy-v1.
import type { Condition, LabelSelector, ListMeta, ObjectMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { DeleteOptions, IntOrString } from './meta-v1.js';

/** What a subresource takes or gives, of `policy/v1`. */
export interface Eviction {
  apiVersion: 'policy/v1';
  kind: 'Eviction';
  deleteOptions?: DeleteOptions;
  metadata: ObjectMeta;
}

/** `poddisruptionbudgets`, `pdb` of `policy/v1`, in a namespace. */
export interface PodDisruptionBudget {
  apiVersion: 'policy/v1';
  kind: 'PodDisruptionBudget';
  metadata: StoredObjectMeta;
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
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
  maxUnavailable?: IntOrString;
  minAvailable?: IntOrString;
  selector?: LabelSelector;
  unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget';
}

/** Part of `policy/v1`. */
export interface PodDisruptionBudgetStatus {
  conditions?: Condition[];
  currentHealthy?: number;
  desiredHealthy?: number;
  disruptedPods?: Record<string, string>;
  disruptionsAllowed?: number;
  expectedPods?: number;
  observedGeneration?: number;
}

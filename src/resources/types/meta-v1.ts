// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of meta-v1.

/** A number, or a string such as `50%` or the name of a port. */
export type IntOrString = number | string;

/** An amount with an optional suffix, such as `500m`, `2` or `128Mi`. */
export type Quantity = string;

/** Part of `meta/v1`. */
export interface DeleteOptions {
  apiVersion?: string | undefined;
  dryRun?: string[] | undefined;
  gracePeriodSeconds?: number | undefined;
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
  kind?: string | undefined;
  orphanDependents?: boolean | undefined;
  preconditions?: Preconditions | undefined;
  propagationPolicy?: string | undefined;
}

/** Part of `meta/v1`. */
export interface FieldSelectorRequirement {
  key: string;
  operator: string;
  values?: string[] | undefined;
}

/** Part of `meta/v1`. */
export interface Preconditions {
  resourceVersion?: string | undefined;
  uid?: string | undefined;
}

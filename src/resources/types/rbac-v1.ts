// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of rbac-v1.
import type { LabelSelector, ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** Part of `rbac.authorization.k8s.io/v1`. */
export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[] | undefined;
}

/** `clusterroles` of `rbac.authorization.k8s.io/v1`, cluster-scoped. */
export interface ClusterRole {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'ClusterRole';
  aggregationRule?: AggregationRule | undefined;
  metadata: StoredObjectMeta;
  rules?: PolicyRule[] | undefined;
}

/** `clusterrolebindings` of `rbac.authorization.k8s.io/v1`, cluster-scoped. */
export interface ClusterRoleBinding {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'ClusterRoleBinding';
  metadata: StoredObjectMeta;
  roleRef: RoleRef;
  subjects?: Subject[] | undefined;
}

/** A list of {@link ClusterRoleBinding}. */
export interface ClusterRoleBindingList {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'ClusterRoleBindingList';
  items: ClusterRoleBinding[];
  metadata: ListMeta;
}

/** A list of {@link ClusterRole}. */
export interface ClusterRoleList {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'ClusterRoleList';
  items: ClusterRole[];
  metadata: ListMeta;
}

/** Part of `rbac.authorization.k8s.io/v1`. */
export interface PolicyRule {
  apiGroups?: string[] | undefined;
  nonResourceURLs?: string[] | undefined;
  resourceNames?: string[] | undefined;
  resources?: string[] | undefined;
  verbs: string[];
}

/** `roles` of `rbac.authorization.k8s.io/v1`, namespaced. */
export interface Role {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'Role';
  metadata: StoredObjectMeta;
  rules?: PolicyRule[] | undefined;
}

/** `rolebindings` of `rbac.authorization.k8s.io/v1`, namespaced. */
export interface RoleBinding {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'RoleBinding';
  metadata: StoredObjectMeta;
  roleRef: RoleRef;
  subjects?: Subject[] | undefined;
}

/** A list of {@link RoleBinding}. */
export interface RoleBindingList {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'RoleBindingList';
  items: RoleBinding[];
  metadata: ListMeta;
}

/** A list of {@link Role}. */
export interface RoleList {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'RoleList';
  items: Role[];
  metadata: ListMeta;
}

/** Part of `rbac.authorization.k8s.io/v1`. */
export interface RoleRef {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
}

/** Part of `rbac.authorization.k8s.io/v1`. */
export interface Subject {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
  namespace?: string | undefined;
}

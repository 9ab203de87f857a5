// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of authorization-v1.
import type { LabelSelectorRequirement, ObjectMeta } from '../../meta/objects.js';
import type { FieldSelectorRequirement } from './meta-v1.js';

/** Part of `authorization.k8s.io/v1`. */
export interface FieldSelectorAttributes {
  rawSelector?: string | undefined;
  requirements?: FieldSelectorRequirement[] | undefined;
}

/** Part of `authorization.k8s.io/v1`. */
export interface LabelSelectorAttributes {
  rawSelector?: string | undefined;
  requirements?: LabelSelectorRequirement[] | undefined;
}

/** `localsubjectaccessreviews` of `authorization.k8s.io/v1`, namespaced. */
export interface LocalSubjectAccessReview {
  apiVersion: 'authorization.k8s.io/v1';
  kind: 'LocalSubjectAccessReview';
  metadata: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus | undefined;
}

/** Part of `authorization.k8s.io/v1`. */
export interface NonResourceAttributes {
  path?: string | undefined;
  verb?: string | undefined;
}

/** Part of `authorization.k8s.io/v1`. */
export interface NonResourceRule {
  nonResourceURLs?: string[] | undefined;
  verbs: string[];
}

/** Part of `authorization.k8s.io/v1`. */
export interface ResourceAttributes {
  fieldSelector?: FieldSelectorAttributes | undefined;
  group?: string | undefined;
  labelSelector?: LabelSelectorAttributes | undefined;
  name?: string | undefined;
  namespace?: string | undefined;
  resource?: string | undefined;
  subresource?: string | undefined;
  verb?: string | undefined;
  version?: string | undefined;
}

/** Part of `authorization.k8s.io/v1`. */
export interface ResourceRule {
  apiGroups?: string[] | undefined;
  resourceNames?: string[] | undefined;
  resources?: string[] | undefined;
  verbs: string[];
}

/** `selfsubjectaccessreviews` of `authorization.k8s.io/v1`, cluster-scoped. */
export interface SelfSubjectAccessReview {
  apiVersion: 'authorization.k8s.io/v1';
  kind: 'SelfSubjectAccessReview';
  metadata: ObjectMeta;
  spec: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus | undefined;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SelfSubjectAccessReviewSpec {
  nonResourceAttributes?: NonResourceAttributes | undefined;
  resourceAttributes?: ResourceAttributes | undefined;
}

/** `selfsubjectrulesreviews` of `authorization.k8s.io/v1`, cluster-scoped. */
export interface SelfSubjectRulesReview {
  apiVersion: 'authorization.k8s.io/v1';
  kind: 'SelfSubjectRulesReview';
  metadata: ObjectMeta;
  spec: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus | undefined;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SelfSubjectRulesReviewSpec {
  namespace?: string | undefined;
}

/** `subjectaccessreviews` of `authorization.k8s.io/v1`, cluster-scoped. */
export interface SubjectAccessReview {
  apiVersion: 'authorization.k8s.io/v1';
  kind: 'SubjectAccessReview';
  metadata: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus | undefined;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SubjectAccessReviewSpec {
  extra?: Record<string, string[]> | undefined;
  groups?: string[] | undefined;
  nonResourceAttributes?: NonResourceAttributes | undefined;
  resourceAttributes?: ResourceAttributes | undefined;
  uid?: string | undefined;
  user?: string | undefined;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SubjectAccessReviewStatus {
  allowed: boolean;
  denied?: boolean | undefined;
  evaluationError?: string | undefined;
  reason?: string | undefined;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SubjectRulesReviewStatus {
  evaluationError?: string | undefined;
  incomplete: boolean;
  nonResourceRules: NonResourceRule[];
  resourceRules: ResourceRule[];
}

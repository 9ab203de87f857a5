// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of authorization-v1.
import type { LabelSelectorRequirement, ObjectMeta } from '../../meta/objects.js';
import type { FieldSelectorRequirement } from './meta-v1.js';

/** Part of `authorization.k8s.io/v1`. */
export interface FieldSelectorAttributes {
  rawSelector?: string;
  requirements?: FieldSelectorRequirement[];
}

/** Part of `authorization.k8s.io/v1`. */
export interface LabelSelectorAttributes {
  rawSelector?: string;
  requirements?: LabelSelectorRequirement[];
}

/** `localsubjectaccessreviews` of `authorization.k8s.io/v1`, in a namespace. */
export interface LocalSubjectAccessReview {
  apiVersion: 'authorization.k8s.io/v1';
  kind: 'LocalSubjectAccessReview';
  metadata: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

/** Part of `authorization.k8s.io/v1`. */
export interface NonResourceAttributes {
  path?: string;
  verb?: string;
}

/** Part of `authorization.k8s.io/v1`. */
export interface NonResourceRule {
  nonResourceURLs?: string[];
  verbs: string[];
}

/** Part of `authorization.k8s.io/v1`. */
export interface ResourceAttributes {
  fieldSelector?: FieldSelectorAttributes;
  group?: string;
  labelSelector?: LabelSelectorAttributes;
  name?: string;
  namespace?: string;
  resource?: string;
  subresource?: string;
  verb?: string;
  version?: string;
}

/** Part of `authorization.k8s.io/v1`. */
export interface ResourceRule {
  apiGroups?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs: string[];
}

/** `selfsubjectaccessreviews` of `authorization.k8s.io/v1`, for the whole cluster. */
export interface SelfSubjectAccessReview {
  apiVersion: 'authorization.k8s.io/v1';
  kind: 'SelfSubjectAccessReview';
  metadata: ObjectMeta;
  spec: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SelfSubjectAccessReviewSpec {
  nonResourceAttributes?: NonResourceAttributes;
  resourceAttributes?: ResourceAttributes;
}

/** `selfsubjectrulesreviews` of `authorization.k8s.io/v1`, for the whole cluster. */
export interface SelfSubjectRulesReview {
  apiVersion: 'authorization.k8s.io/v1';
  kind: 'SelfSubjectRulesReview';
  metadata: ObjectMeta;
  spec: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SelfSubjectRulesReviewSpec {
  namespace?: string;
}

/** `subjectaccessreviews` of `authorization.k8s.io/v1`, for the whole cluster. */
export interface SubjectAccessReview {
  apiVersion: 'authorization.k8s.io/v1';
  kind: 'SubjectAccessReview';
  metadata: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SubjectAccessReviewSpec {
  extra?: Record<string, string[]>;
  groups?: string[];
  nonResourceAttributes?: NonResourceAttributes;
  resourceAttributes?: ResourceAttributes;
  uid?: string;
  user?: string;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SubjectAccessReviewStatus {
  allowed: boolean;
  denied?: boolean;
  evaluationError?: string;
  reason?: string;
}

/** Part of `authorization.k8s.io/v1`. */
export interface SubjectRulesReviewStatus {
  evaluationError?: string;
  incomplete: boolean;
  nonResourceRules: NonResourceRule[];
  resourceRules: ResourceRule[];
}

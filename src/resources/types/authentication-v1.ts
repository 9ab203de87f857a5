// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of authentication-v1.
import type { ObjectMeta } from '../../meta/objects.js';

/** Part of `authentication.k8s.io/v1`. */
export interface BoundObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
}

/** `selfsubjectreviews` of `authentication.k8s.io/v1`, for the whole cluster. */
export interface SelfSubjectReview {
  apiVersion: 'authentication.k8s.io/v1';
  kind: 'SelfSubjectReview';
  metadata: ObjectMeta;
  status?: SelfSubjectReviewStatus;
}

/** Part of `authentication.k8s.io/v1`. */
export interface SelfSubjectReviewStatus {
  userInfo?: UserInfo;
}

/** What a subresource takes or gives, of `authentication.k8s.io/v1`. */
export interface TokenRequest {
  apiVersion: 'authentication.k8s.io/v1';
  kind: 'TokenRequest';
  metadata: ObjectMeta;
  spec?: TokenRequestSpec;
  status?: TokenRequestStatus;
}

/** Part of `authentication.k8s.io/v1`. */
export interface TokenRequestSpec {
  audiences?: string[];
  boundObjectRef?: BoundObjectReference;
  expirationSeconds?: number;
}

/** Part of `authentication.k8s.io/v1`. */
export interface TokenRequestStatus {
  expirationTimestamp?: string;
  token?: string;
}

/** `tokenreviews` of `authentication.k8s.io/v1`, for the whole cluster. */
export interface TokenReview {
  apiVersion: 'authentication.k8s.io/v1';
  kind: 'TokenReview';
  metadata: ObjectMeta;
  spec: TokenReviewSpec;
  status?: TokenReviewStatus;
}

/** Part of `authentication.k8s.io/v1`. */
export interface TokenReviewSpec {
  audiences?: string[];
  token: string;
}

/** Part of `authentication.k8s.io/v1`. */
export interface TokenReviewStatus {
  audiences?: string[];
  authenticated?: boolean;
  error?: string;
  user?: UserInfo;
}

/** Part of `authentication.k8s.io/v1`. */
export interface UserInfo {
  extra?: Record<string, string[]>;
  groups?: string[];
  uid?: string;
  username?: string;
}

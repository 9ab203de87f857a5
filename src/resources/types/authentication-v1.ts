// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of authentication-v1.
import type { ObjectMeta } from '../../meta/objects.js';

/** Part of `authentication.k8s.io/v1`. */
export interface BoundObjectReference {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
}

/** `selfsubjectreviews` of `authentication.k8s.io/v1`, cluster-scoped. */
export interface SelfSubjectReview {
  apiVersion: 'authentication.k8s.io/v1';
  kind: 'SelfSubjectReview';
  metadata: ObjectMeta;
  status?: SelfSubjectReviewStatus | undefined;
}

/** Part of `authentication.k8s.io/v1`. */
export interface SelfSubjectReviewStatus {
  userInfo?: UserInfo | undefined;
}

/** The body or the result of a subresource, of `authentication.k8s.io/v1`. */
export interface TokenRequest {
  apiVersion: 'authentication.k8s.io/v1';
  kind: 'TokenRequest';
  metadata: ObjectMeta;
  spec?: TokenRequestSpec | undefined;
  status?: TokenRequestStatus | undefined;
}

/** Part of `authentication.k8s.io/v1`. */
export interface TokenRequestSpec {
  audiences?: string[] | undefined;
  boundObjectRef?: BoundObjectReference | undefined;
  expirationSeconds?: number | undefined;
}

/** Part of `authentication.k8s.io/v1`. */
export interface TokenRequestStatus {
  expirationTimestamp?: string | undefined;
  token?: string | undefined;
}

/** `tokenreviews` of `authentication.k8s.io/v1`, cluster-scoped. */
export interface TokenReview {
  apiVersion: 'authentication.k8s.io/v1';
  kind: 'TokenReview';
  metadata: ObjectMeta;
  spec: TokenReviewSpec;
  status?: TokenReviewStatus | undefined;
}

/** Part of `authentication.k8s.io/v1`. */
export interface TokenReviewSpec {
  audiences?: string[] | undefined;
  token: string;
}

/** Part of `authentication.k8s.io/v1`. */
export interface TokenReviewStatus {
  audiences?: string[] | undefined;
  authenticated?: boolean | undefined;
  error?: string | undefined;
  user?: UserInfo | undefined;
}

/** Part of `authentication.k8s.io/v1`. */
export interface UserInfo {
  extra?: Record<string, string[]> | undefined;
  groups?: string[] | undefined;
  uid?: string | undefined;
  username?: string | undefined;
}

// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of certificates-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** `certificatesigningrequests`, `csr` of `certificates.k8s.io/v1`, cluster-scoped. */
export interface CertificateSigningRequest {
  apiVersion: 'certificates.k8s.io/v1';
  kind: 'CertificateSigningRequest';
  metadata: StoredObjectMeta;
  spec: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus | undefined;
}

/** Part of `certificates.k8s.io/v1`. */
export interface CertificateSigningRequestCondition {
  lastTransitionTime?: string | undefined;
  lastUpdateTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  status: string;
  type: string;
}

/** A list of {@link CertificateSigningRequest}. */
export interface CertificateSigningRequestList {
  apiVersion: 'certificates.k8s.io/v1';
  kind: 'CertificateSigningRequestList';
  items: CertificateSigningRequest[];
  metadata: ListMeta;
}

/** Part of `certificates.k8s.io/v1`. */
export interface CertificateSigningRequestSpec {
  expirationSeconds?: number | undefined;
  extra?: Record<string, string[]> | undefined;
  groups?: string[] | undefined;
  request: string;
  signerName: string;
  uid?: string | undefined;
  usages?: ('any' | 'cert sign' | 'client auth' | 'code signing' | 'content commitment' | 'crl sign' | 'data encipherment' | 'decipher only' | 'digital signature' | 'email protection' | 'encipher only' | 'ipsec end system' | 'ipsec tunnel' | 'ipsec user' | 'key agreement' | 'key encipherment' | 'microsoft sgc' | 'netscape sgc' | 'ocsp signing' | 's/mime' | 'server auth' | 'signing' | 'timestamping')[] | undefined;
  username?: string | undefined;
}

/** Part of `certificates.k8s.io/v1`. */
export interface CertificateSigningRequestStatus {
  certificate?: string | undefined;
  conditions?: CertificateSigningRequestCondition[] | undefined;
}

// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of apiregistration-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** `apiservices` of `apiregistration.k8s.io/v1`, cluster-scoped. */
export interface APIService {
  apiVersion: 'apiregistration.k8s.io/v1';
  kind: 'APIService';
  metadata: StoredObjectMeta;
  spec?: APIServiceSpec | undefined;
  status?: APIServiceStatus | undefined;
}

/** Part of `apiregistration.k8s.io/v1`. */
export interface APIServiceCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  status: string;
  type: string;
}

/** A list of {@link APIService}. */
export interface APIServiceList {
  apiVersion: 'apiregistration.k8s.io/v1';
  kind: 'APIServiceList';
  items: APIService[];
  metadata: ListMeta;
}

/** Part of `apiregistration.k8s.io/v1`. */
export interface APIServiceSpec {
  caBundle?: string | undefined;
  group?: string | undefined;
  groupPriorityMinimum: number;
  insecureSkipTLSVerify?: boolean | undefined;
  service?: ServiceReference | undefined;
  version?: string | undefined;
  versionPriority: number;
}

/** Part of `apiregistration.k8s.io/v1`. */
export interface APIServiceStatus {
  conditions?: APIServiceCondition[] | undefined;
}

/** Part of `apiregistration.k8s.io/v1`. */
export interface ServiceReference {
  name?: string | undefined;
  namespace?: string | undefined;
  port?: number | undefined;
}

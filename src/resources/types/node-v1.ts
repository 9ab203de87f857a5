// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of node-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { Toleration } from './core-v1.js';
import type { Quantity } from './meta-v1.js';

/** Part of `node.k8s.io/v1`. */
export interface Overhead {
  podFixed?: Record<string, Quantity> | undefined;
}

/** `runtimeclasses` of `node.k8s.io/v1`, cluster-scoped. */
export interface RuntimeClass {
  apiVersion: 'node.k8s.io/v1';
  kind: 'RuntimeClass';
  handler: string;
  metadata: StoredObjectMeta;
  overhead?: Overhead | undefined;
  scheduling?: Scheduling | undefined;
}

/** A list of {@link RuntimeClass}. */
export interface RuntimeClassList {
  apiVersion: 'node.k8s.io/v1';
  kind: 'RuntimeClassList';
  items: RuntimeClass[];
  metadata: ListMeta;
}

/** Part of `node.k8s.io/v1`. */
export interface Scheduling {
  nodeSelector?: Record<string, string> | undefined;
  tolerations?: Toleration[] | undefined;
}

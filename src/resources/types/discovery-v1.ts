// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of discovery-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { ObjectReference } from './core-v1.js';

/** Part of `discovery.k8s.io/v1`. */
export interface Endpoint {
  addresses: string[];
  conditions?: EndpointConditions;
  deprecatedTopology?: Record<string, string>;
  hints?: EndpointHints;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
  zone?: string;
}

/** Part of `discovery.k8s.io/v1`. */
export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

/** Part of `discovery.k8s.io/v1`. */
export interface EndpointHints {
  forNodes?: ForNode[];
  forZones?: ForZone[];
}

/** Part of `discovery.k8s.io/v1`. */
export interface EndpointPort {
  appProtocol?: string;
  name?: string;
  port?: number;
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

/** `endpointslices` of `discovery.k8s.io/v1`, in a namespace. */
export interface EndpointSlice {
  apiVersion: 'discovery.k8s.io/v1';
  kind: 'EndpointSlice';
  addressType: 'FQDN' | 'IPv4' | 'IPv6';
  endpoints?: Endpoint[];
  metadata: StoredObjectMeta;
  ports?: EndpointPort[];
}

/** A list of {@link EndpointSlice}. */
export interface EndpointSliceList {
  apiVersion: 'discovery.k8s.io/v1';
  kind: 'EndpointSliceList';
  items: EndpointSlice[];
  metadata: ListMeta;
}

/** Part of `discovery.k8s.io/v1`. */
export interface ForNode {
  name: string;
}

/** Part of `discovery.k8s.io/v1`. */
export interface ForZone {
  name: string;
}

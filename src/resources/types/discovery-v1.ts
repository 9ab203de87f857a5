// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of discovery-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { ObjectReference } from './core-v1.js';

/** Part of `discovery.k8s.io/v1`. */
export interface Endpoint {
  addresses: string[];
  conditions?: EndpointConditions | undefined;
  deprecatedTopology?: Record<string, string> | undefined;
  hints?: EndpointHints | undefined;
  hostname?: string | undefined;
  nodeName?: string | undefined;
  targetRef?: ObjectReference | undefined;
  zone?: string | undefined;
}

/** Part of `discovery.k8s.io/v1`. */
export interface EndpointConditions {
  ready?: boolean | undefined;
  serving?: boolean | undefined;
  terminating?: boolean | undefined;
}

/** Part of `discovery.k8s.io/v1`. */
export interface EndpointHints {
  forNodes?: ForNode[] | undefined;
  forZones?: ForZone[] | undefined;
}

/** Part of `discovery.k8s.io/v1`. */
export interface EndpointPort {
  appProtocol?: string | undefined;
  name?: string | undefined;
  port?: number | undefined;
  protocol?: 'SCTP' | 'TCP' | 'UDP' | undefined;
}

/** `endpointslices` of `discovery.k8s.io/v1`, namespaced. */
export interface EndpointSlice {
  apiVersion: 'discovery.k8s.io/v1';
  kind: 'EndpointSlice';
  addressType: 'FQDN' | 'IPv4' | 'IPv6';
  endpoints?: Endpoint[] | undefined;
  metadata: StoredObjectMeta;
  ports?: EndpointPort[] | undefined;
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

// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of networking-v1.
import type { Condition, LabelSelector, ListMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { TypedLocalObjectReference } from './core-v1.js';
import type { IntOrString } from './meta-v1.js';

/** Part of `networking.k8s.io/v1`. */
export interface HTTPIngressPath {
  backend: IngressBackend;
  path?: string | undefined;
  pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix';
}

/** Part of `networking.k8s.io/v1`. */
export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[];
}

/** `ipaddresses`, `ip` of `networking.k8s.io/v1`, cluster-scoped. */
export interface IPAddress {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'IPAddress';
  metadata: StoredObjectMeta;
  spec: IPAddressSpec;
}

/** A list of {@link IPAddress}. */
export interface IPAddressList {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'IPAddressList';
  items: IPAddress[];
  metadata: ListMeta;
}

/** Part of `networking.k8s.io/v1`. */
export interface IPAddressSpec {
  parentRef: ParentReference;
}

/** Part of `networking.k8s.io/v1`. */
export interface IPBlock {
  cidr: string;
  except?: string[] | undefined;
}

/** `ingresses`, `ing` of `networking.k8s.io/v1`, namespaced. */
export interface Ingress {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'Ingress';
  metadata: StoredObjectMeta;
  spec?: IngressSpec | undefined;
  status?: IngressStatus | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressBackend {
  resource?: TypedLocalObjectReference | undefined;
  service?: IngressServiceBackend | undefined;
}

/** `ingressclasses` of `networking.k8s.io/v1`, cluster-scoped. */
export interface IngressClass {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'IngressClass';
  metadata: StoredObjectMeta;
  spec?: IngressClassSpec | undefined;
}

/** A list of {@link IngressClass}. */
export interface IngressClassList {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'IngressClassList';
  items: IngressClass[];
  metadata: ListMeta;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressClassParametersReference {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
  namespace?: string | undefined;
  scope?: string | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressClassSpec {
  controller?: string | undefined;
  parameters?: IngressClassParametersReference | undefined;
}

/** A list of {@link Ingress}. */
export interface IngressList {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'IngressList';
  items: Ingress[];
  metadata: ListMeta;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressLoadBalancerIngress {
  hostname?: string | undefined;
  ip?: string | undefined;
  ports?: IngressPortStatus[] | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[] | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressPortStatus {
  error?: string | undefined;
  port: number;
  protocol: 'SCTP' | 'TCP' | 'UDP';
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressRule {
  host?: string | undefined;
  http?: HTTPIngressRuleValue | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressServiceBackend {
  name: string;
  port?: ServiceBackendPort | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressSpec {
  defaultBackend?: IngressBackend | undefined;
  ingressClassName?: string | undefined;
  rules?: IngressRule[] | undefined;
  tls?: IngressTLS[] | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressTLS {
  hosts?: string[] | undefined;
  secretName?: string | undefined;
}

/** `networkpolicies`, `netpol` of `networking.k8s.io/v1`, namespaced. */
export interface NetworkPolicy {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'NetworkPolicy';
  metadata: StoredObjectMeta;
  spec?: NetworkPolicySpec | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[] | undefined;
  to?: NetworkPolicyPeer[] | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface NetworkPolicyIngressRule {
  from?: NetworkPolicyPeer[] | undefined;
  ports?: NetworkPolicyPort[] | undefined;
}

/** A list of {@link NetworkPolicy}. */
export interface NetworkPolicyList {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'NetworkPolicyList';
  items: NetworkPolicy[];
  metadata: ListMeta;
}

/** Part of `networking.k8s.io/v1`. */
export interface NetworkPolicyPeer {
  ipBlock?: IPBlock | undefined;
  namespaceSelector?: LabelSelector | undefined;
  podSelector?: LabelSelector | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface NetworkPolicyPort {
  endPort?: number | undefined;
  port?: IntOrString | undefined;
  protocol?: 'SCTP' | 'TCP' | 'UDP' | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface NetworkPolicySpec {
  egress?: NetworkPolicyEgressRule[] | undefined;
  ingress?: NetworkPolicyIngressRule[] | undefined;
  podSelector?: LabelSelector | undefined;
  policyTypes?: ('Egress' | 'Ingress')[] | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface ParentReference {
  group?: string | undefined;
  name: string;
  namespace?: string | undefined;
  resource: string;
}

/** Part of `networking.k8s.io/v1`. */
export interface ServiceBackendPort {
  name?: string | undefined;
  number?: number | undefined;
}

/** `servicecidrs` of `networking.k8s.io/v1`, cluster-scoped. */
export interface ServiceCIDR {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'ServiceCIDR';
  metadata: StoredObjectMeta;
  spec?: ServiceCIDRSpec | undefined;
  status?: ServiceCIDRStatus | undefined;
}

/** A list of {@link ServiceCIDR}. */
export interface ServiceCIDRList {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'ServiceCIDRList';
  items: ServiceCIDR[];
  metadata: ListMeta;
}

/** Part of `networking.k8s.io/v1`. */
export interface ServiceCIDRSpec {
  cidrs?: string[] | undefined;
}

/** Part of `networking.k8s.io/v1`. */
export interface ServiceCIDRStatus {
  conditions?: Condition[] | undefined;
}

// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of networking-v1.
import type { Condition, LabelSelector, ListMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { TypedLocalObjectReference } from './core-v1.js';
import type { IntOrString } from './meta-v1.js';

/** Part of `networking.k8s.io/v1`. */
export interface HTTPIngressPath {
  backend: IngressBackend;
  path?: string;
  pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix';
}

/** Part of `networking.k8s.io/v1`. */
export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[];
}

/** `ipaddresses`, `ip` of `networking.k8s.io/v1`, for the whole cluster. */
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
  except?: string[];
}

/** `ingresses`, `ing` of `networking.k8s.io/v1`, in a namespace. */
export interface Ingress {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'Ingress';
  metadata: StoredObjectMeta;
  spec?: IngressSpec;
  status?: IngressStatus;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressBackend {
  resource?: TypedLocalObjectReference;
  service?: IngressServiceBackend;
}

/** `ingressclasses` of `networking.k8s.io/v1`, for the whole cluster. */
export interface IngressClass {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'IngressClass';
  metadata: StoredObjectMeta;
  spec?: IngressClassSpec;
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
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
  scope?: string;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressClassSpec {
  controller?: string;
  parameters?: IngressClassParametersReference;
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
  hostname?: string;
  ip?: string;
  ports?: IngressPortStatus[];
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressPortStatus {
  error?: string;
  port: number;
  protocol: 'SCTP' | 'TCP' | 'UDP';
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressRule {
  host?: string;
  http?: HTTPIngressRuleValue;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressServiceBackend {
  name: string;
  port?: ServiceBackendPort;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressSpec {
  defaultBackend?: IngressBackend;
  ingressClassName?: string;
  rules?: IngressRule[];
  tls?: IngressTLS[];
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

/** Part of `networking.k8s.io/v1`. */
export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

/** `networkpolicies`, `netpol` of `networking.k8s.io/v1`, in a namespace. */
export interface NetworkPolicy {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'NetworkPolicy';
  metadata: StoredObjectMeta;
  spec?: NetworkPolicySpec;
}

/** Part of `networking.k8s.io/v1`. */
export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

/** Part of `networking.k8s.io/v1`. */
export interface NetworkPolicyIngressRule {
  from?: NetworkPolicyPeer[];
  ports?: NetworkPolicyPort[];
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
  ipBlock?: IPBlock;
  namespaceSelector?: LabelSelector;
  podSelector?: LabelSelector;
}

/** Part of `networking.k8s.io/v1`. */
export interface NetworkPolicyPort {
  endPort?: number;
  port?: IntOrString;
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

/** Part of `networking.k8s.io/v1`. */
export interface NetworkPolicySpec {
  egress?: NetworkPolicyEgressRule[];
  ingress?: NetworkPolicyIngressRule[];
  podSelector?: LabelSelector;
  policyTypes?: ('Egress' | 'Ingress')[];
}

/** Part of `networking.k8s.io/v1`. */
export interface ParentReference {
  group?: string;
  name: string;
  namespace?: string;
  resource: string;
}

/** Part of `networking.k8s.io/v1`. */
export interface ServiceBackendPort {
  name?: string;
  number?: number;
}

/** `servicecidrs` of `networking.k8s.io/v1`, for the whole cluster. */
export interface ServiceCIDR {
  apiVersion: 'networking.k8s.io/v1';
  kind: 'ServiceCIDR';
  metadata: StoredObjectMeta;
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
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
  cidrs?: string[];
}

/** Part of `networking.k8s.io/v1`. */
export interface ServiceCIDRStatus {
  conditions?: Condition[];
}

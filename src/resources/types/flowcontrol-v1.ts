// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of flowcontrol-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface ExemptPriorityLevelConfiguration {
  lendablePercent?: number;
  nominalConcurrencyShares?: number;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface FlowDistinguisherMethod {
  type: string;
}

/** `flowschemas` of `flowcontrol.apiserver.k8s.io/v1`, for the whole cluster. */
export interface FlowSchema {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1';
  kind: 'FlowSchema';
  metadata: StoredObjectMeta;
  spec?: FlowSchemaSpec;
  status?: FlowSchemaStatus;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface FlowSchemaCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

/** A list of {@link FlowSchema}. */
export interface FlowSchemaList {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1';
  kind: 'FlowSchemaList';
  items: FlowSchema[];
  metadata: ListMeta;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface FlowSchemaSpec {
  distinguisherMethod?: FlowDistinguisherMethod;
  matchingPrecedence?: number;
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  rules?: PolicyRulesWithSubjects[];
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface FlowSchemaStatus {
  conditions?: FlowSchemaCondition[];
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface GroupSubject {
  name: string;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface LimitResponse {
  queuing?: QueuingConfiguration;
  type: string;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface LimitedPriorityLevelConfiguration {
  borrowingLimitPercent?: number;
  lendablePercent?: number;
  limitResponse?: LimitResponse;
  nominalConcurrencyShares?: number;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface NonResourcePolicyRule {
  nonResourceURLs: string[];
  verbs: string[];
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface PolicyRulesWithSubjects {
  nonResourceRules?: NonResourcePolicyRule[];
  resourceRules?: ResourcePolicyRule[];
  subjects: Subject[];
}

/** `prioritylevelconfigurations` of `flowcontrol.apiserver.k8s.io/v1`, for the whole cluster. */
export interface PriorityLevelConfiguration {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1';
  kind: 'PriorityLevelConfiguration';
  metadata: StoredObjectMeta;
  spec?: PriorityLevelConfigurationSpec;
  status?: PriorityLevelConfigurationStatus;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface PriorityLevelConfigurationCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

/** A list of {@link PriorityLevelConfiguration}. */
export interface PriorityLevelConfigurationList {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1';
  kind: 'PriorityLevelConfigurationList';
  items: PriorityLevelConfiguration[];
  metadata: ListMeta;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface PriorityLevelConfigurationReference {
  name: string;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface PriorityLevelConfigurationSpec {
  exempt?: ExemptPriorityLevelConfiguration;
  limited?: LimitedPriorityLevelConfiguration;
  type: string;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface PriorityLevelConfigurationStatus {
  conditions?: PriorityLevelConfigurationCondition[];
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface QueuingConfiguration {
  handSize?: number;
  queueLengthLimit?: number;
  queues?: number;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface ResourcePolicyRule {
  apiGroups: string[];
  clusterScope?: boolean;
  namespaces?: string[];
  resources: string[];
  verbs: string[];
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface ServiceAccountSubject {
  name: string;
  namespace: string;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface Subject {
  group?: GroupSubject;
  kind: string;
  serviceAccount?: ServiceAccountSubject;
  user?: UserSubject;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface UserSubject {
  name: string;
}

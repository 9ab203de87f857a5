// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of flowcontrol-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface ExemptPriorityLevelConfiguration {
  lendablePercent?: number | undefined;
  nominalConcurrencyShares?: number | undefined;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface FlowDistinguisherMethod {
  type: string;
}

/** `flowschemas` of `flowcontrol.apiserver.k8s.io/v1`, cluster-scoped. */
export interface FlowSchema {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1';
  kind: 'FlowSchema';
  metadata: StoredObjectMeta;
  spec?: FlowSchemaSpec | undefined;
  status?: FlowSchemaStatus | undefined;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface FlowSchemaCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  status?: string | undefined;
  type?: string | undefined;
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
  distinguisherMethod?: FlowDistinguisherMethod | undefined;
  matchingPrecedence?: number | undefined;
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  rules?: PolicyRulesWithSubjects[] | undefined;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface FlowSchemaStatus {
  conditions?: FlowSchemaCondition[] | undefined;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface GroupSubject {
  name: string;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface LimitResponse {
  queuing?: QueuingConfiguration | undefined;
  type: string;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface LimitedPriorityLevelConfiguration {
  borrowingLimitPercent?: number | undefined;
  lendablePercent?: number | undefined;
  limitResponse?: LimitResponse | undefined;
  nominalConcurrencyShares?: number | undefined;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface NonResourcePolicyRule {
  nonResourceURLs: string[];
  verbs: string[];
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface PolicyRulesWithSubjects {
  nonResourceRules?: NonResourcePolicyRule[] | undefined;
  resourceRules?: ResourcePolicyRule[] | undefined;
  subjects: Subject[];
}

/** `prioritylevelconfigurations` of `flowcontrol.apiserver.k8s.io/v1`, cluster-scoped. */
export interface PriorityLevelConfiguration {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1';
  kind: 'PriorityLevelConfiguration';
  metadata: StoredObjectMeta;
  spec?: PriorityLevelConfigurationSpec | undefined;
  status?: PriorityLevelConfigurationStatus | undefined;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface PriorityLevelConfigurationCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  status?: string | undefined;
  type?: string | undefined;
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
  exempt?: ExemptPriorityLevelConfiguration | undefined;
  limited?: LimitedPriorityLevelConfiguration | undefined;
  type: string;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface PriorityLevelConfigurationStatus {
  conditions?: PriorityLevelConfigurationCondition[] | undefined;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface QueuingConfiguration {
  handSize?: number | undefined;
  queueLengthLimit?: number | undefined;
  queues?: number | undefined;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface ResourcePolicyRule {
  apiGroups: string[];
  clusterScope?: boolean | undefined;
  namespaces?: string[] | undefined;
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
  group?: GroupSubject | undefined;
  kind: string;
  serviceAccount?: ServiceAccountSubject | undefined;
  user?: UserSubject | undefined;
}

/** Part of `flowcontrol.apiserver.k8s.io/v1`. */
export interface UserSubject {
  name: string;
}

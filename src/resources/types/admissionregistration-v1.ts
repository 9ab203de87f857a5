// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of admissionregistration-v1.
import type { Condition, LabelSelector, ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ApplyConfiguration {
  expression?: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface AuditAnnotation {
  key: string;
  valueExpression: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ExpressionWarning {
  fieldRef: string;
  warning: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface JSONPatch {
  expression?: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface MatchCondition {
  expression: string;
  name: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface MatchResources {
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: 'Equivalent' | 'Exact';
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
}

/** `mutatingadmissionpolicies` of `admissionregistration.k8s.io/v1`, for the whole cluster. */
export interface MutatingAdmissionPolicy {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingAdmissionPolicy';
  metadata: StoredObjectMeta;
  spec?: MutatingAdmissionPolicySpec;
}

/** `mutatingadmissionpolicybindings` of `admissionregistration.k8s.io/v1`, for the whole cluster. */
export interface MutatingAdmissionPolicyBinding {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingAdmissionPolicyBinding';
  metadata: StoredObjectMeta;
  spec?: MutatingAdmissionPolicyBindingSpec;
}

/** A list of {@link MutatingAdmissionPolicyBinding}. */
export interface MutatingAdmissionPolicyBindingList {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingAdmissionPolicyBindingList';
  items: MutatingAdmissionPolicyBinding[];
  metadata: ListMeta;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface MutatingAdmissionPolicyBindingSpec {
  matchResources?: MatchResources;
  paramRef?: ParamRef;
  policyName?: string;
}

/** A list of {@link MutatingAdmissionPolicy}. */
export interface MutatingAdmissionPolicyList {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingAdmissionPolicyList';
  items: MutatingAdmissionPolicy[];
  metadata: ListMeta;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface MutatingAdmissionPolicySpec {
  failurePolicy?: 'Fail' | 'Ignore';
  matchConditions?: MatchCondition[];
  matchConstraints?: MatchResources;
  mutations?: Mutation[];
  paramKind?: ParamKind;
  reinvocationPolicy?: 'IfNeeded' | 'Never';
  variables?: Variable[];
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface MutatingWebhook {
  admissionReviewVersions: string[];
  clientConfig: WebhookClientConfig;
  failurePolicy?: 'Fail' | 'Ignore';
  matchConditions?: MatchCondition[];
  matchPolicy?: 'Equivalent' | 'Exact';
  name: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  reinvocationPolicy?: 'IfNeeded' | 'Never';
  rules?: RuleWithOperations[];
  sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  timeoutSeconds?: number;
}

/** `mutatingwebhookconfigurations` of `admissionregistration.k8s.io/v1`, for the whole cluster. */
export interface MutatingWebhookConfiguration {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingWebhookConfiguration';
  metadata: StoredObjectMeta;
  webhooks?: MutatingWebhook[];
}

/** A list of {@link MutatingWebhookConfiguration}. */
export interface MutatingWebhookConfigurationList {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingWebhookConfigurationList';
  items: MutatingWebhookConfiguration[];
  metadata: ListMeta;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface Mutation {
  applyConfiguration?: ApplyConfiguration;
  jsonPatch?: JSONPatch;
  patchType: 'ApplyConfiguration' | 'JSONPatch';
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface NamedRuleWithOperations {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[];
  resourceNames?: string[];
  resources?: string[];
  scope?: '*' | 'Cluster' | 'Namespaced';
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ParamRef {
  name?: string;
  namespace?: string;
  parameterNotFoundAction?: string;
  selector?: LabelSelector;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface RuleWithOperations {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[];
  resources?: string[];
  scope?: '*' | 'Cluster' | 'Namespaced';
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ServiceReference {
  name: string;
  namespace: string;
  path?: string;
  port?: number;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[];
}

/** `validatingadmissionpolicies` of `admissionregistration.k8s.io/v1`, for the whole cluster. */
export interface ValidatingAdmissionPolicy {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingAdmissionPolicy';
  metadata: StoredObjectMeta;
  spec?: ValidatingAdmissionPolicySpec;
  status?: ValidatingAdmissionPolicyStatus;
}

/** `validatingadmissionpolicybindings` of `admissionregistration.k8s.io/v1`, for the whole cluster. */
export interface ValidatingAdmissionPolicyBinding {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingAdmissionPolicyBinding';
  metadata: StoredObjectMeta;
  spec: ValidatingAdmissionPolicyBindingSpec;
}

/** A list of {@link ValidatingAdmissionPolicyBinding}. */
export interface ValidatingAdmissionPolicyBindingList {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingAdmissionPolicyBindingList';
  items: ValidatingAdmissionPolicyBinding[];
  metadata: ListMeta;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ValidatingAdmissionPolicyBindingSpec {
  matchResources?: MatchResources;
  paramRef?: ParamRef;
  policyName: string;
  validationActions: ('Audit' | 'Deny' | 'Warn')[];
}

/** A list of {@link ValidatingAdmissionPolicy}. */
export interface ValidatingAdmissionPolicyList {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingAdmissionPolicyList';
  items: ValidatingAdmissionPolicy[];
  metadata: ListMeta;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ValidatingAdmissionPolicySpec {
  auditAnnotations?: AuditAnnotation[];
  failurePolicy?: 'Fail' | 'Ignore';
  matchConditions?: MatchCondition[];
  matchConstraints?: MatchResources;
  paramKind?: ParamKind;
  validations?: Validation[];
  variables?: Variable[];
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ValidatingAdmissionPolicyStatus {
  conditions?: Condition[];
  observedGeneration?: number;
  typeChecking?: TypeChecking;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ValidatingWebhook {
  admissionReviewVersions: string[];
  clientConfig: WebhookClientConfig;
  failurePolicy?: 'Fail' | 'Ignore';
  matchConditions?: MatchCondition[];
  matchPolicy?: 'Equivalent' | 'Exact';
  name: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  rules?: RuleWithOperations[];
  sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  timeoutSeconds?: number;
}

/** `validatingwebhookconfigurations` of `admissionregistration.k8s.io/v1`, for the whole cluster. */
export interface ValidatingWebhookConfiguration {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingWebhookConfiguration';
  metadata: StoredObjectMeta;
  webhooks?: ValidatingWebhook[];
}

/** A list of {@link ValidatingWebhookConfiguration}. */
export interface ValidatingWebhookConfigurationList {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingWebhookConfigurationList';
  items: ValidatingWebhookConfiguration[];
  metadata: ListMeta;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface Validation {
  expression: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface Variable {
  expression: string;
  name: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface WebhookClientConfig {
  caBundle?: string;
  service?: ServiceReference;
  url?: string;
}

// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of admissionregistration-v1.
import type { Condition, LabelSelector, ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ApplyConfiguration {
  expression?: string | undefined;
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
  expression?: string | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface MatchCondition {
  expression: string;
  name: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface MatchResources {
  excludeResourceRules?: NamedRuleWithOperations[] | undefined;
  matchPolicy?: 'Equivalent' | 'Exact' | undefined;
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
  resourceRules?: NamedRuleWithOperations[] | undefined;
}

/** `mutatingadmissionpolicies` of `admissionregistration.k8s.io/v1`, cluster-scoped. */
export interface MutatingAdmissionPolicy {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingAdmissionPolicy';
  metadata: StoredObjectMeta;
  spec?: MutatingAdmissionPolicySpec | undefined;
}

/** `mutatingadmissionpolicybindings` of `admissionregistration.k8s.io/v1`, cluster-scoped. */
export interface MutatingAdmissionPolicyBinding {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingAdmissionPolicyBinding';
  metadata: StoredObjectMeta;
  spec?: MutatingAdmissionPolicyBindingSpec | undefined;
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
  matchResources?: MatchResources | undefined;
  paramRef?: ParamRef | undefined;
  policyName?: string | undefined;
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
  failurePolicy?: 'Fail' | 'Ignore' | undefined;
  matchConditions?: MatchCondition[] | undefined;
  matchConstraints?: MatchResources | undefined;
  mutations?: Mutation[] | undefined;
  paramKind?: ParamKind | undefined;
  reinvocationPolicy?: 'IfNeeded' | 'Never' | undefined;
  variables?: Variable[] | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface MutatingWebhook {
  admissionReviewVersions: string[];
  clientConfig: WebhookClientConfig;
  failurePolicy?: 'Fail' | 'Ignore' | undefined;
  matchConditions?: MatchCondition[] | undefined;
  matchPolicy?: 'Equivalent' | 'Exact' | undefined;
  name: string;
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
  reinvocationPolicy?: 'IfNeeded' | 'Never' | undefined;
  rules?: RuleWithOperations[] | undefined;
  sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  timeoutSeconds?: number | undefined;
}

/** `mutatingwebhookconfigurations` of `admissionregistration.k8s.io/v1`, cluster-scoped. */
export interface MutatingWebhookConfiguration {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingWebhookConfiguration';
  metadata: StoredObjectMeta;
  webhooks?: MutatingWebhook[] | undefined;
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
  applyConfiguration?: ApplyConfiguration | undefined;
  jsonPatch?: JSONPatch | undefined;
  patchType: 'ApplyConfiguration' | 'JSONPatch';
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface NamedRuleWithOperations {
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  operations?: ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[] | undefined;
  resourceNames?: string[] | undefined;
  resources?: string[] | undefined;
  scope?: '*' | 'Cluster' | 'Namespaced' | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ParamKind {
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ParamRef {
  name?: string | undefined;
  namespace?: string | undefined;
  parameterNotFoundAction?: string | undefined;
  selector?: LabelSelector | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface RuleWithOperations {
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  operations?: ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[] | undefined;
  resources?: string[] | undefined;
  scope?: '*' | 'Cluster' | 'Namespaced' | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ServiceReference {
  name: string;
  namespace: string;
  path?: string | undefined;
  port?: number | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[] | undefined;
}

/** `validatingadmissionpolicies` of `admissionregistration.k8s.io/v1`, cluster-scoped. */
export interface ValidatingAdmissionPolicy {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingAdmissionPolicy';
  metadata: StoredObjectMeta;
  spec?: ValidatingAdmissionPolicySpec | undefined;
  status?: ValidatingAdmissionPolicyStatus | undefined;
}

/** `validatingadmissionpolicybindings` of `admissionregistration.k8s.io/v1`, cluster-scoped. */
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
  matchResources?: MatchResources | undefined;
  paramRef?: ParamRef | undefined;
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
  auditAnnotations?: AuditAnnotation[] | undefined;
  failurePolicy?: 'Fail' | 'Ignore' | undefined;
  matchConditions?: MatchCondition[] | undefined;
  matchConstraints?: MatchResources | undefined;
  paramKind?: ParamKind | undefined;
  validations?: Validation[] | undefined;
  variables?: Variable[] | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ValidatingAdmissionPolicyStatus {
  conditions?: Condition[] | undefined;
  observedGeneration?: number | undefined;
  typeChecking?: TypeChecking | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface ValidatingWebhook {
  admissionReviewVersions: string[];
  clientConfig: WebhookClientConfig;
  failurePolicy?: 'Fail' | 'Ignore' | undefined;
  matchConditions?: MatchCondition[] | undefined;
  matchPolicy?: 'Equivalent' | 'Exact' | undefined;
  name: string;
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
  rules?: RuleWithOperations[] | undefined;
  sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  timeoutSeconds?: number | undefined;
}

/** `validatingwebhookconfigurations` of `admissionregistration.k8s.io/v1`, cluster-scoped. */
export interface ValidatingWebhookConfiguration {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingWebhookConfiguration';
  metadata: StoredObjectMeta;
  webhooks?: ValidatingWebhook[] | undefined;
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
  message?: string | undefined;
  messageExpression?: string | undefined;
  reason?: string | undefined;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface Variable {
  expression: string;
  name: string;
}

/** Part of `admissionregistration.k8s.io/v1`. */
export interface WebhookClientConfig {
  caBundle?: string | undefined;
  service?: ServiceReference | undefined;
  url?: string | undefined;
}

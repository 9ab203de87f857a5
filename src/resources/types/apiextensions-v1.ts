// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of apiextensions-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceColumnDefinition {
  description?: string;
  format?: string;
  jsonPath: string;
  name: string;
  priority?: number;
  type: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceConversion {
  strategy: string;
  webhook?: WebhookConversion;
}

/** `customresourcedefinitions`, `crd`, `crds` of `apiextensions.k8s.io/v1`, for the whole cluster. */
export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: StoredObjectMeta;
  spec: CustomResourceDefinitionSpec;
  status?: CustomResourceDefinitionStatus;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionCondition {
  lastTransitionTime?: string;
  message?: string;
  observedGeneration?: number;
  reason?: string;
  status: string;
  type: string;
}

/** A list of {@link CustomResourceDefinition}. */
export interface CustomResourceDefinitionList {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinitionList';
  items: CustomResourceDefinition[];
  metadata: ListMeta;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionNames {
  categories?: string[];
  kind: string;
  listKind?: string;
  plural: string;
  shortNames?: string[];
  singular?: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionSpec {
  conversion?: CustomResourceConversion;
  group: string;
  names: CustomResourceDefinitionNames;
  preserveUnknownFields?: boolean;
  scope: string;
  versions: CustomResourceDefinitionVersion[];
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionStatus {
  acceptedNames?: CustomResourceDefinitionNames;
  conditions?: CustomResourceDefinitionCondition[];
  observedGeneration?: number;
  storedVersions?: string[];
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionVersion {
  additionalPrinterColumns?: CustomResourceColumnDefinition[];
  deprecated?: boolean;
  deprecationWarning?: string;
  name: string;
  schema?: CustomResourceValidation;
  selectableFields?: SelectableField[];
  served: boolean;
  storage: boolean;
  subresources?: CustomResourceSubresources;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceSubresourceScale {
  labelSelectorPath?: string;
  specReplicasPath: string;
  statusReplicasPath: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export type CustomResourceSubresourceStatus = Record<string, never>;

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceSubresources {
  scale?: CustomResourceSubresourceScale;
  status?: CustomResourceSubresourceStatus;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceValidation {
  openAPIV3Schema?: JSONSchemaProps;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface ExternalDocumentation {
  description?: string;
  url?: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface JSONSchemaProps {
  $ref?: string;
  $schema?: string;
  additionalItems?: JSONSchemaProps | boolean;
  additionalProperties?: JSONSchemaProps | boolean;
  allOf?: JSONSchemaProps[];
  anyOf?: JSONSchemaProps[];
  default?: unknown;
  definitions?: Record<string, JSONSchemaProps>;
  dependencies?: Record<string, JSONSchemaProps | string[]>;
  description?: string;
  enum?: unknown[];
  example?: unknown;
  exclusiveMaximum?: boolean;
  exclusiveMinimum?: boolean;
  externalDocs?: ExternalDocumentation;
  format?: string;
  id?: string;
  items?: JSONSchemaProps | JSONSchemaProps[];
  maxItems?: number;
  maxLength?: number;
  maxProperties?: number;
  maximum?: number;
  minItems?: number;
  minLength?: number;
  minProperties?: number;
  minimum?: number;
  multipleOf?: number;
  not?: JSONSchemaProps;
  nullable?: boolean;
  oneOf?: JSONSchemaProps[];
  pattern?: string;
  patternProperties?: Record<string, JSONSchemaProps>;
  properties?: Record<string, JSONSchemaProps>;
  required?: string[];
  title?: string;
  type?: string;
  uniqueItems?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: ValidationRule[];
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface SelectableField {
  jsonPath: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface ServiceReference {
  name: string;
  namespace: string;
  path?: string;
  port?: number;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface ValidationRule {
  fieldPath?: string;
  message?: string;
  messageExpression?: string;
  optionalOldSelf?: boolean;
  reason?: 'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired';
  rule: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface WebhookClientConfig {
  caBundle?: string;
  service?: ServiceReference;
  url?: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface WebhookConversion {
  clientConfig?: WebhookClientConfig;
  conversionReviewVersions: string[];
}

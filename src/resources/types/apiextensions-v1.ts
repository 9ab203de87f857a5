// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of apiextensions-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceColumnDefinition {
  description?: string | undefined;
  format?: string | undefined;
  jsonPath: string;
  name: string;
  priority?: number | undefined;
  type: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceConversion {
  strategy: string;
  webhook?: WebhookConversion | undefined;
}

/** `customresourcedefinitions`, `crd`, `crds` of `apiextensions.k8s.io/v1`, cluster-scoped. */
export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: StoredObjectMeta;
  spec: CustomResourceDefinitionSpec;
  status?: CustomResourceDefinitionStatus | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  observedGeneration?: number | undefined;
  reason?: string | undefined;
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
  categories?: string[] | undefined;
  kind: string;
  listKind?: string | undefined;
  plural: string;
  shortNames?: string[] | undefined;
  singular?: string | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionSpec {
  conversion?: CustomResourceConversion | undefined;
  group: string;
  names: CustomResourceDefinitionNames;
  preserveUnknownFields?: boolean | undefined;
  scope: string;
  versions: CustomResourceDefinitionVersion[];
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionStatus {
  acceptedNames?: CustomResourceDefinitionNames | undefined;
  conditions?: CustomResourceDefinitionCondition[] | undefined;
  observedGeneration?: number | undefined;
  storedVersions?: string[] | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinitionVersion {
  additionalPrinterColumns?: CustomResourceColumnDefinition[] | undefined;
  deprecated?: boolean | undefined;
  deprecationWarning?: string | undefined;
  name: string;
  schema?: CustomResourceValidation | undefined;
  selectableFields?: SelectableField[] | undefined;
  served: boolean;
  storage: boolean;
  subresources?: CustomResourceSubresources | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceSubresourceScale {
  labelSelectorPath?: string | undefined;
  specReplicasPath: string;
  statusReplicasPath: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export type CustomResourceSubresourceStatus = Record<string, never>;

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceSubresources {
  scale?: CustomResourceSubresourceScale | undefined;
  status?: CustomResourceSubresourceStatus | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface CustomResourceValidation {
  openAPIV3Schema?: JSONSchemaProps | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface ExternalDocumentation {
  description?: string | undefined;
  url?: string | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface JSONSchemaProps {
  $ref?: string | undefined;
  $schema?: string | undefined;
  additionalItems?: JSONSchemaProps | boolean | undefined;
  additionalProperties?: JSONSchemaProps | boolean | undefined;
  allOf?: JSONSchemaProps[] | undefined;
  anyOf?: JSONSchemaProps[] | undefined;
  default?: unknown;
  definitions?: Record<string, JSONSchemaProps> | undefined;
  dependencies?: Record<string, JSONSchemaProps | string[]> | undefined;
  description?: string | undefined;
  enum?: unknown[] | undefined;
  example?: unknown;
  exclusiveMaximum?: boolean | undefined;
  exclusiveMinimum?: boolean | undefined;
  externalDocs?: ExternalDocumentation | undefined;
  format?: string | undefined;
  id?: string | undefined;
  items?: JSONSchemaProps | JSONSchemaProps[] | undefined;
  maxItems?: number | undefined;
  maxLength?: number | undefined;
  maxProperties?: number | undefined;
  maximum?: number | undefined;
  minItems?: number | undefined;
  minLength?: number | undefined;
  minProperties?: number | undefined;
  minimum?: number | undefined;
  multipleOf?: number | undefined;
  not?: JSONSchemaProps | undefined;
  nullable?: boolean | undefined;
  oneOf?: JSONSchemaProps[] | undefined;
  pattern?: string | undefined;
  patternProperties?: Record<string, JSONSchemaProps> | undefined;
  properties?: Record<string, JSONSchemaProps> | undefined;
  required?: string[] | undefined;
  title?: string | undefined;
  type?: string | undefined;
  uniqueItems?: boolean | undefined;
  'x-kubernetes-embedded-resource'?: boolean | undefined;
  'x-kubernetes-int-or-string'?: boolean | undefined;
  'x-kubernetes-list-map-keys'?: string[] | undefined;
  'x-kubernetes-list-type'?: string | undefined;
  'x-kubernetes-map-type'?: string | undefined;
  'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  'x-kubernetes-validations'?: ValidationRule[] | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface SelectableField {
  jsonPath: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface ServiceReference {
  name: string;
  namespace: string;
  path?: string | undefined;
  port?: number | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface ValidationRule {
  fieldPath?: string | undefined;
  message?: string | undefined;
  messageExpression?: string | undefined;
  optionalOldSelf?: boolean | undefined;
  reason?: 'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired' | undefined;
  rule: string;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface WebhookClientConfig {
  caBundle?: string | undefined;
  service?: ServiceReference | undefined;
  url?: string | undefined;
}

/** Part of `apiextensions.k8s.io/v1`. */
export interface WebhookConversion {
  clientConfig?: WebhookClientConfig | undefined;
  conversionReviewVersions: string[];
}

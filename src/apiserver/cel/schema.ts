/**
 * The parts of a structural schema that expressions depend on. The JSON of a `JSONSchemaProps` fits: fields of other names
 * are ignored.
 */
export interface CelSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, CelSchema>>;
  readonly items?: CelSchema;
  readonly additionalProperties?: boolean | CelSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

const string: CelSchema = { type: 'string' };
const metadata: CelSchema = { type: 'object', properties: { name: string, generateName: string } };

/** The schema with the fields that rules see at the root of every object: apiVersion, kind, metadata.name and generateName. */
export function withTypeAndObjectMeta(schema: CelSchema): CelSchema {
  const properties = schema.properties;
  const metadataProperties = properties?.metadata?.properties;
  if (
    properties?.kind?.type === 'string' &&
    properties.apiVersion?.type === 'string' &&
    properties.metadata?.type === 'object' &&
    metadataProperties?.name?.type === 'string' &&
    metadataProperties.generateName?.type === 'string'
  )
    return schema;
  return { ...schema, properties: { ...properties, kind: string, apiVersion: string, metadata } };
}

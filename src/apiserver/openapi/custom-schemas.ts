import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { OpenApiSchema } from './schema.js';
import { customSchemaName, schemaName } from './schema-names.js';

/** A custom kind and the schema in its definition. */
export interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly schema: JsonObject;
}

const STRING: OpenApiSchema = { type: 'string' };
const METADATA: OpenApiSchema = { allOf: [{ $ref: schemaName('meta/v1.ObjectMeta') }] };
const TYPE_META = { apiVersion: STRING, kind: STRING, metadata: METADATA };

/** The schemas of a custom kind and of its list, by their OpenAPI names. */
export function customSchemas(custom: CustomKind, openApi: 2 | 3): [string, OpenApiSchema][] {
  const { group, version, kind, listKind } = custom;
  const name = customSchemaName(group, version, kind);
  const kindOf = (of: string) => ({ 'x-kubernetes-group-version-kind': [{ group, kind: of, version }] });
  return [
    [name, { ...(openApi === 2 ? rootV2(custom.schema) : rootV3(custom.schema)), ...kindOf(kind) }],
    [
      customSchemaName(group, version, listKind),
      {
        type: 'object',
        required: ['items'],
        properties: {
          apiVersion: STRING,
          items: { type: 'array', items: { $ref: name } },
          kind: STRING,
          metadata: { allOf: [{ $ref: schemaName('meta/v1.ListMeta') }] },
        },
        ...kindOf(listKind),
      },
    ],
  ];
}

function rootV3(schema: JsonObject): OpenApiSchema {
  const converted = toV3(schema);
  return { ...converted, properties: { ...(converted['properties'] as object | undefined), ...TYPE_META } };
}

/** A structural schema as OpenAPI 3.0: what embedded resources and int-or-string imply is written out. */
function toV3(schema: JsonObject): JsonObject {
  const copy = eachPart(schema, toV3);
  if (schema['x-kubernetes-embedded-resource'] === true) {
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    copy['required'] = [...new Set([...required, 'kind', 'apiVersion'])];
    copy['properties'] = { ...(copy['properties'] as object | undefined), ...TYPE_META };
  }
  if (schema['x-kubernetes-int-or-string'] === true && schema['anyOf'] === undefined && schema['allOf'] === undefined) {
    copy['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
  }
  return copy;
}

function rootV2(schema: JsonObject): OpenApiSchema {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object' };
  const converted = toV2(schema);
  return { ...converted, properties: { ...(converted['properties'] as object | undefined), ...TYPE_META } };
}

const NOT_IN_V2 = ['default', 'nullable', 'oneOf', 'anyOf', 'allOf', 'not'];

/** A structural schema as OpenAPI 2.0, which has no words for null and for alternatives. */
function toV2(schema: JsonObject): JsonObject {
  const copy = eachPart(schema, toV2);
  for (const word of NOT_IN_V2) delete copy[word];
  if (schema['nullable'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true) {
    for (const word of ['type', 'items', 'properties']) delete copy[word];
  }
  return copy;
}

/** A copy of a schema with each schema in it converted. */
function eachPart(schema: JsonObject, convert: (schema: JsonObject) => JsonObject): JsonObject {
  const copy = { ...schema };
  const { properties, items, additionalProperties } = schema;
  if (isJsonObject(properties)) {
    copy['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, isJsonObject(part) ? convert(part) : part]),
    );
  }
  if (isJsonObject(items)) copy['items'] = convert(items);
  if (isJsonObject(additionalProperties)) copy['additionalProperties'] = convert(additionalProperties);
  return copy;
}

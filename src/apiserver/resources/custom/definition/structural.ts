import { getField, isJsonObject, type JsonObject } from '../../../../meta/json-values.js';

/** One of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

/**
 * A node of the OpenAPI schema of a custom resource, parsed once per version of a definition. Alternatives (`allOf`, `anyOf`,
 * `oneOf`, `not`) have the same form. Limits that are not set are undefined; texts and lists that are not set are empty.
 */
export interface Structural {
  /** The JSON that it was parsed from. */
  readonly json: JsonObject;
  readonly type: string;
  readonly nullable: boolean;
  /** Undefined without a default; `default: null` is none too. */
  readonly default: unknown;
  readonly title: string;
  readonly description: string;
  readonly properties: ReadonlyMap<string, Structural>;
  readonly additionalProperties: Structural | boolean | undefined;
  readonly items: Structural | undefined;

  readonly preservesUnknown: boolean;
  readonly isEmbedded: boolean;
  readonly isIntOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly rules: readonly ValidationRule[];

  readonly format: string;
  readonly pattern: string;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];
  readonly enum: readonly unknown[];
  readonly allOf: readonly Structural[];
  readonly anyOf: readonly Structural[];
  readonly oneOf: readonly Structural[];
  readonly not: Structural | undefined;
}

/** Parses a schema. What kube-apiserver does not support in schemas (`$ref`, `definitions` and others) is left out. */
export function parseStructural(schema: JsonObject): Structural {
  const additional = schema['additionalProperties'];
  const { items, not } = schema;
  return {
    json: schema,
    type: text(schema['type']),
    nullable: schema['nullable'] === true,
    default: schema['default'] ?? undefined,
    title: text(schema['title']),
    description: text(schema['description']),
    properties: parseProperties(schema['properties']),
    additionalProperties: isJsonObject(additional)
      ? parseStructural(additional)
      : typeof additional === 'boolean'
        ? additional
        : undefined,
    items: isJsonObject(items) ? parseStructural(items) : undefined,
    preservesUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    isEmbedded: schema['x-kubernetes-embedded-resource'] === true,
    isIntOrString: schema['x-kubernetes-int-or-string'] === true,
    listType: textOrNone(schema['x-kubernetes-list-type']),
    listMapKeys: texts(schema['x-kubernetes-list-map-keys']),
    mapType: textOrNone(schema['x-kubernetes-map-type']),
    rules: objects(schema['x-kubernetes-validations']).map(parseRule),
    format: text(schema['format']),
    pattern: text(schema['pattern']),
    minLength: number(schema['minLength']),
    maxLength: number(schema['maxLength']),
    minimum: number(schema['minimum']),
    maximum: number(schema['maximum']),
    exclusiveMinimum: schema['exclusiveMinimum'] === true,
    exclusiveMaximum: schema['exclusiveMaximum'] === true,
    multipleOf: number(schema['multipleOf']),
    minItems: number(schema['minItems']),
    maxItems: number(schema['maxItems']),
    minProperties: number(schema['minProperties']),
    maxProperties: number(schema['maxProperties']),
    required: texts(schema['required']),
    enum: Array.isArray(schema['enum']) ? schema['enum'] : [],
    allOf: objects(schema['allOf']).map(parseStructural),
    anyOf: objects(schema['anyOf']).map(parseStructural),
    oneOf: objects(schema['oneOf']).map(parseStructural),
    not: isJsonObject(not) ? parseStructural(not) : undefined,
  };
}

function parseProperties(properties: unknown): ReadonlyMap<string, Structural> {
  const parsed = new Map<string, Structural>();
  if (!isJsonObject(properties)) return parsed;
  for (const name of Object.keys(properties)) {
    const property = getField(properties, name);
    parsed.set(name, parseStructural(isJsonObject(property) ? property : {}));
  }
  return parsed;
}

function parseRule(rule: JsonObject): ValidationRule {
  const optional = rule['optionalOldSelf'];
  return {
    rule: text(rule['rule']),
    message: text(rule['message']),
    messageExpression: text(rule['messageExpression']),
    reason: textOrNone(rule['reason']),
    fieldPath: text(rule['fieldPath']),
    optionalOldSelf: typeof optional === 'boolean' ? optional : undefined,
  };
}

/** The schema of a field: of the property of that name, or of all keys of a map. */
export function fieldOf(schema: Structural | undefined, name: string): Structural | undefined {
  if (schema === undefined) return undefined;
  const property = schema.properties.get(name);
  return property ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
}

/** Whether a field of an object that has metadata of its own is read by Kubernetes' own types instead of the schema. */
export function isMetaField(name: string): boolean {
  return name === 'metadata' || name === 'kind' || name === 'apiVersion';
}

/** The same schema at the root of a resource, whose metadata is not part of the schema. */
export function asResource(schema: Structural): Structural {
  return schema.isEmbedded ? schema : { ...schema, isEmbedded: true };
}

/** Whether a schema or one below it, except in alternatives, has rules. */
export function hasRules(schema: Structural | undefined): boolean {
  if (schema === undefined) return false;
  if (schema.rules.length > 0 || hasRules(schema.items)) return true;
  if (typeof schema.additionalProperties === 'object' && hasRules(schema.additionalProperties)) return true;
  for (const property of schema.properties.values()) if (hasRules(property)) return true;
  return false;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

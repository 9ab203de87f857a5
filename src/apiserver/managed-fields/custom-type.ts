import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { ATOMIC_ANY, DEDUCED, metadataType, type OwnedField, type OwnedType } from './owned-type.js';

/** The type of a custom kind by the schema of its definition. */
export function typeOfCustomKind(schema: unknown, preservesUnknown = false): OwnedType {
  if (!isJsonObject(schema)) return DEDUCED;
  return typeOfSchema(withObjectFields(schema), preservesUnknown, true);
}

const STRING_FIELD = { type: 'string' };

function withObjectFields(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return { ...schema, properties: { ...properties, apiVersion: STRING_FIELD, kind: STRING_FIELD, metadata: {} } };
}

function typeOfSchema(schema: JsonObject, preservesUnknown: boolean, hasMetadata = false): OwnedType {
  const preserves = preservesUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema['type']) {
    case 'object':
      return { map: mapOf(schema, preserves, hasMetadata) };
    case 'array':
      return { list: listOf(schema, preserves) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string': {
      const { format } = schema;
      return { scalar: format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped' };
    }
    default:
      return { scalar: 'untyped', list: listOf(schema, preserves), map: mapOf(schema, preserves, hasMetadata) };
  }
}

function mapOf(given: JsonObject, preserves: boolean, hasMetadata: boolean): OwnedType['map'] {
  const isEmbedded = given['x-kubernetes-embedded-resource'] === true;
  const schema = isEmbedded ? withObjectFields(given) : given;
  const fields = new Map<string, OwnedField>();
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  for (const name of Object.keys(properties)) {
    const property = properties[name];
    if (name === 'metadata' && (hasMetadata || isEmbedded)) fields.set(name, { type: metadataType() });
    else if (isJsonObject(property)) {
      fields.set(name, { type: typeOfSchema(property, preserves), default: property['default'] });
    }
  }
  return {
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields,
    values: valuesOf(schema, preserves, fields),
  };
}

function valuesOf(schema: JsonObject, preserves: boolean, fields: ReadonlyMap<string, unknown>): OwnedType | undefined {
  const additional = schema['additionalProperties'];
  if (isJsonObject(additional)) return typeOfSchema(additional, preserves);
  if (additional === true) return DEDUCED;
  return additional === undefined && (preserves || fields.size === 0) ? DEDUCED : undefined;
}

function listOf(schema: JsonObject, preserves: boolean): OwnedType['list'] {
  const type = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const items = schema['items'];
  return {
    isAtomic: type !== 'set' && type !== 'map',
    keys: type === 'map' && Array.isArray(keys) ? keys.map(String) : [],
    items: isJsonObject(items) ? typeOfSchema(items, preserves) : ATOMIC_ANY,
  };
}

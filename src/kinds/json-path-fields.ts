import { nearNames } from '../meta/options/nearest-names.js';
import type { JSONSchemaProps } from '../resources/types/apiextensions-v1.js';

/** A JSONPath that a schema has no field for, or that cannot be parsed. */
export class PathError extends Error {}

const text: JSONSchemaProps = { type: 'string' };
const time: JSONSchemaProps = { type: 'string', format: 'date-time' };
const texts: JSONSchemaProps = { type: 'object', additionalProperties: text };
/** The fields of metadata that columns show. */
const metadata: JSONSchemaProps = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer' },
    creationTimestamp: time,
    deletionTimestamp: time,
    labels: texts,
    annotations: texts,
    finalizers: { type: 'array', items: text },
    ownerReferences: {
      type: 'array',
      items: { type: 'object', properties: { apiVersion: text, kind: text, name: text, uid: text } },
    },
  },
};

/** A field, an item by its number, all items, or the items that a filter selects. */
const STEP = /\.((?:[^.[\]\\\s,$@{}]|\\.)+)|\[(-?\d+|\*|\?\((?:[^"')]|"[^"]*"|'[^']*')+\)|'[^']+')\]/y;

/**
 * The schema that a JSONPath leads to, such as `.spec.ports[0].name` or `.status.conditions[?(@.type=="Ready")].status`, from
 * the schema of a whole object; undefined if the path leads into a value of any type.
 *
 * @throws PathError
 */
export function schemaAtPath(root: JSONSchemaProps, path: string): JSONSchemaProps | undefined {
  if (typeof path !== 'string' || !path.startsWith('.')) {
    throw new PathError(`${path} is no JSONPath: it must begin with a dot, as .spec.host`);
  }
  let schema: JSONSchemaProps | undefined = {
    ...root,
    properties: { ...root.properties, apiVersion: text, kind: text, metadata },
  };
  for (STEP.lastIndex = 0; STEP.lastIndex < path.length && schema !== undefined; ) {
    const before = path.slice(0, STEP.lastIndex);
    const [, field, bracket] = STEP.exec(path) ?? [];
    if (field === undefined && bracket === undefined) {
      throw new PathError(`${path} is no JSONPath that is understood after ${JSON.stringify(before)}`);
    }
    const name = field?.replace(/\\(.)/g, '$1') ?? (bracket?.startsWith("'") ? bracket.slice(1, -1) : undefined);
    schema = name === undefined ? itemOf(schema, path, before) : fieldOf(schema, name, path, before);
  }
  return schema;
}

function fieldOf(schema: JSONSchemaProps, name: string, path: string, before: string): JSONSchemaProps | undefined {
  const { type, properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, name)) return properties[name];
  if (typeof additionalProperties === 'object') return additionalProperties;
  if (additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true) return undefined;
  const [near] = type === 'object' ? nearNames(name, Object.keys(properties)) : [];
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw new PathError(`${path} leads nowhere: ${before === '' ? 'the object' : before} has no field ${name}${hint}`);
}

function itemOf(schema: JSONSchemaProps, path: string, before: string): JSONSchemaProps | undefined {
  const { type, items, additionalProperties } = schema;
  if (type === 'array' && items !== undefined && !Array.isArray(items)) return items;
  if (typeof additionalProperties === 'object') return additionalProperties;
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return undefined;
  throw new PathError(`${path} leads nowhere: ${before} is no list`);
}

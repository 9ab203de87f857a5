import { groupVersionKindOf } from '../meta/resource.js';
import { type ObjectSchema, type Schema, schemaOf, typeSchema } from '../resources/schema.js';
import type { CompatList, CompatObject } from './informer.js';
import { V1MicroTime } from './model.js';

/**
 * The official client converts lists to its model classes, where times are Dates and fields with reserved names are renamed; its
 * watches have plain JSON. Here watched objects have the same form as listed ones.
 */

/** Whether a list has model classes, or Dates in its metadata. */
export function isModelList(list: CompatList<CompatObject>): boolean {
  const { getAttributeTypeMap } = list.constructor as { getAttributeTypeMap?: unknown };
  if (typeof getAttributeTypeMap === 'function') return true;
  const metadata = list.items?.[0]?.metadata as { readonly creationTimestamp?: unknown } | undefined;
  return metadata?.creationTimestamp instanceof Date;
}

/** Converts an object in place to the form of the model classes, and returns it. */
export function toModelForm<T extends CompatObject>(object: T): T {
  const { kind, apiVersion } = object;
  const schema = kind && apiVersion ? schemaOf(groupVersionKindOf({ kind, apiVersion })) : undefined;
  if (schema !== undefined) return convert(object, schema) as T;
  // The official client converts only the metadata of custom resources.
  const metadata = typeSchema('meta/v1.ObjectMeta');
  if (metadata !== undefined && object.metadata !== undefined) convert(object.metadata, metadata);
  return object;
}

/** The JSON of an object in the form of the model classes, by its own kind. */
export function modelToJson(object: CompatObject): unknown {
  const { kind, apiVersion } = object;
  return fromModelForm(object, kind && apiVersion ? schemaOf(groupVersionKindOf({ kind, apiVersion })) : undefined);
}

/** The JSON of an object in the form of the model classes: a copy, which may be sent. Objects without a schema are copied as they are. */
export function fromModelForm(object: unknown, schema: Schema | undefined): unknown {
  if (object instanceof Date)
    return schema?.type === 'microTime' ? new V1MicroTime(object).toISOString() : timeText(object);
  if (Array.isArray(object)) {
    const items = schema?.type === 'list' ? schema.items : undefined;
    return object.map((item) => fromModelForm(item, items));
  }
  if (typeof object !== 'object' || object === null) return object;
  const fields = schema?.type === 'object' ? schema.fields : undefined;
  const entries = Object.entries(object).map(([name, value]): [string, unknown] => {
    if (schema?.type === 'map') return [name, fromModelForm(value, schema.values)];
    const json = fields === undefined || fields.has(name) ? name : jsonName(name, fields);
    return [json, fromModelForm(value, fields?.get(json)?.schema)];
  });
  return Object.fromEntries(entries);
}

/** Times of Kubernetes have whole seconds. */
function timeText(time: Date): string {
  return time.toISOString().replace(/\.[0-9]+Z$/, 'Z');
}

function jsonName(model: string, fields: ReadonlyMap<string, unknown>): string {
  for (const name of fields.keys()) if (modelName(name) === model) return name;
  return model;
}

/** The name of a field in the model classes. @internal */
export function modelName(field: string): string {
  if (reserved.has(field)) return `_${field}`;
  return field.replace(/^\$/, '').replaceAll('-', '_');
}

const reserved = new Set(['continue', 'default', 'enum', 'from', 'int']);

function convert(value: unknown, schema: Schema): unknown {
  if (value === null || value === undefined) return value;
  switch (schema.type) {
    case 'time':
      return new Date(value as string);
    case 'list':
      if (Array.isArray(value) && mayNeedConversion(schema.items)) {
        for (let i = 0; i < value.length; i++) value[i] = convert(value[i], schema.items);
      }
      return value;
    case 'map':
      if (typeof value === 'object' && mayNeedConversion(schema.values)) {
        const map = value as Record<string, unknown>;
        for (const key of Object.keys(map)) map[key] = convert(map[key], schema.values);
      }
      return value;
    case 'object':
      if (typeof value === 'object') convertFields(value as Record<string, unknown>, schema);
      return value;
    default:
      return value;
  }
}

function convertFields(object: Record<string, unknown>, { fields }: ObjectSchema): void {
  for (const name of Object.keys(object)) {
    const field = fields.get(name);
    if (field === undefined) continue;
    const model = modelName(name);
    const value = convert(object[name], field.schema);
    if (model !== name) delete object[name];
    object[model] = value;
  }
}

/** Whether values of this type may need conversion. Most maps and lists have strings, and are skipped. */
function mayNeedConversion({ type }: Schema): boolean {
  return type === 'time' || type === 'list' || type === 'map' || type === 'object';
}

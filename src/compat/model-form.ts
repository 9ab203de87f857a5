import { groupVersionKindOf } from '../meta/resource.js';
import { type ObjectSchema, type Schema, schemaOf, typeSchema } from '../resources/schema.js';
import type { CompatList, CompatObject } from './informer.js';

/**
 * The official client reads lists into its model classes: times are Dates there, and fields whose names are words of some
 * language are called otherwise. Its watches bring plain JSON. Here a watch brings what the list function brings, so that
 * a program need not ask where an object came from.
 */

/** Whether a list was read into model classes, or at least with Dates in its metadata. */
export function isModelList(list: CompatList<CompatObject>): boolean {
  const { getAttributeTypeMap } = list.constructor as { getAttributeTypeMap?: unknown };
  if (typeof getAttributeTypeMap === 'function') return true;
  const metadata = list.items?.[0]?.metadata as { readonly creationTimestamp?: unknown } | undefined;
  return metadata?.creationTimestamp instanceof Date;
}

/** Gives an object, just decoded and nobody else's, the form that the model classes give it. Returns the same object. */
export function toModelForm<T extends CompatObject>(object: T): T {
  const { kind, apiVersion } = object;
  const schema = kind && apiVersion ? schemaOf(groupVersionKindOf({ kind, apiVersion })) : undefined;
  if (schema !== undefined) return convert(object, schema) as T;
  // Of custom resources the official client knows the metadata alone.
  const metadata = typeSchema('meta/v1.ObjectMeta');
  if (metadata !== undefined && object.metadata !== undefined) convert(object.metadata, metadata);
  return object;
}

/** What a model class calls a field. @internal */
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
      if (Array.isArray(value) && mayHoldMore(schema.items)) {
        for (let i = 0; i < value.length; i++) value[i] = convert(value[i], schema.items);
      }
      return value;
    case 'map':
      if (typeof value === 'object' && mayHoldMore(schema.values)) {
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

/** Most maps and lists are of strings: there is nothing to look for in those. */
function mayHoldMore({ type }: Schema): boolean {
  return type === 'time' || type === 'list' || type === 'map' || type === 'object';
}

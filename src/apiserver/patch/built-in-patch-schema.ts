import type { GroupVersionKind } from '../../meta/resource.js';
import { type Schema, schemaOf } from '../../resources/schema.js';
import type { PatchField, PatchSchema } from './strategic-merge-patch.js';

/** The schema for strategic merge patches of a built-in kind; undefined for custom kinds. */
export function patchSchemaOf(kind: GroupVersionKind): PatchSchema | undefined {
  const schema = schemaOf(kind);
  return schema === undefined ? undefined : fieldsOf(schema);
}

/** The fields of an object, of the items of a list, or of the values of a map. */
function fieldsOf(schema: Schema): PatchSchema | undefined {
  if (schema.type === 'list') return fieldsOf(schema.items);
  if (schema.type === 'map') return { name: '', field: () => ({ schema: fieldsOf(schema.values) }) };
  if (schema.type !== 'object') return undefined;
  return {
    name: schema.name.slice(schema.name.lastIndexOf('.') + 1),
    field(name): PatchField | undefined {
      const field = schema.fields.get(name);
      if (field === undefined) return undefined;
      return { strategy: field.strategy, mergeKey: field.mergeKey, schema: fieldsOf(field.schema) };
    },
  };
}

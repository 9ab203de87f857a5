import { isJsonObject, setField } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import type { OpenApiSchema } from './schema.js';

/** Finds a schema by its OpenAPI name. */
export type SchemaSource = (name: string) => OpenApiSchema | undefined;

/** The schemas of some names and all that they refer to, in the order of names. */
export function* referencedSchemas(
  names: readonly (string | undefined)[],
  source: SchemaSource,
): Steps<Map<string, OpenApiSchema>> {
  const found = new Map<string, OpenApiSchema>();
  const waiting = names.filter((name) => name !== undefined);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const schema = source(name);
    if (schema === undefined) continue;
    found.set(name, schema);
    waiting.push(...referencesIn(schema));
    yield;
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function* referencesIn(value: unknown): Generator<string, void, void> {
  if (Array.isArray(value)) for (const item of value) yield* referencesIn(item);
  else if (isJsonObject(value)) {
    if (typeof value['$ref'] === 'string') yield value['$ref'];
    else for (const field of Object.values(value)) yield* referencesIn(field);
  }
}

/** A schema with the prefix of a document before the names that it refers to. */
export function withReferences(schema: OpenApiSchema, prefix: string): OpenApiSchema {
  return replaced(schema, prefix) as OpenApiSchema;
}

function replaced(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, prefix));
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    setField(copy, name, name === '$ref' && typeof field === 'string' ? `${prefix}${field}` : replaced(field, prefix));
  }
  return copy;
}

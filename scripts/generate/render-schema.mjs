// @ts-check
import { header, propertyKey, quote } from './names.mjs';

/**
 * @import { Schema } from './documents.mjs'
 * @import { Model, TypeModel } from './model.mjs'
 */

/** The letters that src/resources/schema.ts reads for schemas of scalars, and of any value. */
const letters = new Map([
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', 't'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', 'u'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', '*'],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', '*'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'x'],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'q'],
]);

/** @param {Model} model */
export function renderSchema(model) {
  const types = model.types
    .filter((type) => type.role !== 'list' && type.schema.properties !== undefined)
    .sort((a, b) => (typeName(a) < typeName(b) ? -1 : 1));
  const atomic = types.filter((type) => type.schema['x-kubernetes-map-type'] === 'atomic').map(typeName);
  const lines = types.map((type) => {
    const required = new Set(type.schema.required ?? []);
    const fields = Object.entries(type.schema.properties).map(([name, property]) => {
      const text = [typeText(model, type, property), required.has(name) ? '!' : '', ...flagsOf(property)]
        .filter(Boolean)
        .join(' ');
      return `${propertyKey(name)}: ${quote(text)}`;
    });
    return `  ${quote(typeName(type))}: { ${fields.join(', ')} },\n`;
  });
  return `${header(model.version, 'The fields of the built-in types, in the notation that schema.ts documents and parses.')}
/** Types that server-side apply owns as a whole. */
export const atomicTypes: readonly string[] = [
${atomic.map((name) => `  ${quote(name)},\n`).join('')}];

/** Type → field → notation. */
export const typeFields: { readonly [type: string]: { readonly [field: string]: string } } = {
${lines.join('')}};
`;
}

/** @param {TypeModel} type */
function typeName(type) {
  return `${type.groupProperty}/${type.version}.${type.name}`;
}

/**
 * @param {Model} model
 * @param {TypeModel} inside
 * @param {Schema} schema
 * @returns {string}
 */
function typeText(model, inside, schema) {
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0].$ref : undefined);
  if (reference !== undefined) {
    const schemaName = reference.slice(reference.lastIndexOf('/') + 1);
    const letter = letters.get(schemaName);
    if (letter !== undefined) return letter;
    const type = model.typeOf(schemaName);
    if (type?.schema.properties === undefined) return '*';
    return type.module === inside.module ? `.${type.name}` : typeName(type);
  }
  if (schema.type === 'array') return `[${typeText(model, inside, schema.items)}`;
  if (schema.type === 'object') {
    return `{${typeof schema.additionalProperties === 'object' ? typeText(model, inside, schema.additionalProperties) : '*'}`;
  }
  if (schema.type === 'string') return schema.format === 'byte' ? 'y' : 's';
  if (schema.type === 'integer') return 'i';
  if (schema.type === 'number') return 'n';
  if (schema.type === 'boolean') return 'b';
  throw new Error(`${inside.schemaName} has a field of a shape that is not known: ${JSON.stringify(schema)}`);
}

/** @param {Schema} schema */
function flagsOf(schema) {
  const flags = [];
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') flags.push('set');
  else if (listType === 'map') flags.push(`map=${schema['x-kubernetes-list-map-keys'].join(',')}`);
  else if (listType === 'atomic') flags.push('atomic');
  if (schema['x-kubernetes-map-type'] !== undefined) flags.push(schema['x-kubernetes-map-type']);
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  for (const strategy of schema['x-kubernetes-patch-strategy']?.split(',') ?? []) {
    flags.push(strategy === 'merge' && mergeKey !== undefined ? `merge=${mergeKey}` : strategy);
  }
  const isZero = ['', 0, false, undefined].includes(schema.default) || typeof schema.default === 'object';
  if (!isZero) flags.push(`default=${JSON.stringify(schema.default)}`);
  return flags;
}

// @ts-check
import { header, quote } from './names.mjs';

/**
 * @import { GoField, Schema } from './documents.mjs'
 * @import { Model, TypeModel } from './model.mjs'
 */

/** Shapes of Go structs that JSON shows as one value. Like other structs they are printed even if they are empty. */
const structLetters = new Set(['t', 'u', 'q', 'x', '*', 'A', 'B', 'P']);

/**
 * Renders the fields of all types: their order, protobuf numbers and rules of omission come from the Go types; what is
 * required, enumerations, defaults and the rules of patches come from OpenAPI. The two must name the same fields.
 *
 * @param {Model} model
 */
export function renderSchema(model) {
  const openApi = openApiProperties(model);
  const isList = new Set(model.types.filter(({ role }) => role === 'list').map(typeName));
  const lines = Object.keys(model.goTypes)
    .filter((name) => !isList.has(name))
    .sort()
    .map((name) => {
      const fields = (model.goTypes[name] ?? []).map((field) => fieldText(name, field, openApi.get(name)));
      return `  ${quote(name)}: ${quote(fields.join(';'))},\n`;
    });
  const atomic = model.types.filter((type) => type.schema['x-kubernetes-map-type'] === 'atomic').map(typeName);
  return `${header(model.version, 'The fields of the built-in types, in the notation that schema.ts documents and parses.')}
/** Types that server-side apply owns as a whole. */
export const atomicTypes: readonly string[] = [
${atomic
  .sort()
  .map((name) => `  ${quote(name)},\n`)
  .join('')}];

/** Type → its fields. Lists of kinds are not here: all of them have the same fields. */
export const typeFields: { readonly [type: string]: string } = {
${lines.join('')}};
`;
}

/** @typedef {Map<string, { property: Schema, required: boolean }>} Properties */

/**
 * The OpenAPI properties of each Go type. Structs that others inline have no schema of their own: theirs are found in a
 * type that inlines them.
 *
 * @param {Model} model
 * @returns {Map<string, Properties>}
 */
function openApiProperties(model) {
  /** @type {Map<string, Properties>} */
  const found = new Map();
  /**
   * @param {string} name
   * @param {Properties} properties
   */
  const assign = (name, properties) => {
    if (!found.has(name)) found.set(name, properties);
    for (const field of model.goTypes[name] ?? []) {
      if (field.inline) assign(field.shape, properties);
      else if (properties.size > 0 && !properties.has(field.name ?? ''))
        throw new Error(`OpenAPI has no field ${field.name} of ${name}`);
    }
  };
  for (const type of model.types) {
    const required = new Set(type.schema.required ?? []);
    const entries = Object.entries(type.schema.properties ?? {});
    assign(
      typeName(type),
      new Map(entries.map(([name, property]) => [name, { property, required: required.has(name) }])),
    );
  }
  return found;
}

/** @param {TypeModel} type */
function typeName(type) {
  return `${type.groupProperty}/${type.version}.${type.name}`;
}

/**
 * @param {string} inside
 * @param {GoField} field
 * @param {Properties | undefined} properties
 */
function fieldText(inside, field, properties) {
  const home = inside.slice(0, inside.lastIndexOf('.') + 1);
  const shape = field.shape.replace(home, '.');
  const isStruct = structLetters.has(field.shape) || /^[a-z]+[/.]/.test(field.shape);
  const isAlways = field.omitZero !== true && (field.omitEmpty !== true || (isStruct && field.pointer !== true));
  const { property, required } = properties?.get(field.name ?? '') ?? {};
  return [
    `${field.name ?? ''} ${shape}`,
    field.number === undefined ? '' : `#${field.number}`,
    field.pointer ? '~' : '',
    isAlways && !field.inline ? '+' : '',
    required ? '!' : '',
    ...(property === undefined ? [] : flagsOf(property)),
  ]
    .filter(Boolean)
    .join(' ');
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
  if (schema.enum !== undefined) flags.push(`enum=${schema.enum.join(',')}`);
  return flags;
}

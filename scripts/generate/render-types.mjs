// @ts-check
import { header, propertyKey, quote } from './names.mjs';

/**
 * @import { Schema } from './documents.mjs'
 * @import { Model, ResourceModel, TypeModel } from './model.mjs'
 */

/** Types that are written by hand in src/meta, because `meta` may not import the generated ones. */
export const handWritten = new Map([
  ['Condition', 'objects'],
  ['LabelSelector', 'objects'],
  ['LabelSelectorRequirement', 'objects'],
  ['ListMeta', 'objects'],
  ['ManagedFieldsEntry', 'objects'],
  ['ObjectMeta', 'objects'],
  ['OwnerReference', 'objects'],
  ['New', 'objects'],
  ['StoredObjectMeta', 'objects'],
  ['TypeMeta', 'objects'],
  ['Status', 'errors/status'],
  ['StatusCause', 'errors/status'],
  ['StatusDetails', 'errors/status'],
]);

/** Schemas that OpenAPI cannot express, or that are scalars in JSON. */
const special = new Map([
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', 'string'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', 'string'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', 'Record<string, unknown>'],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', 'Record<string, unknown>'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'IntOrString'],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'Quantity'],
  ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON', 'unknown'],
  [
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
    'JSONSchemaProps | JSONSchemaProps[]',
  ],
  ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool', 'JSONSchemaProps | boolean'],
  [
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
    'JSONSchemaProps | string[]',
  ],
]);

const namedScalars = ['IntOrString', 'Quantity'];
const scalars = `/** A number, or a string such as \`50%\` or the name of a port. */
export type IntOrString = number | string;

/** An amount with an optional suffix, such as \`500m\`, \`2\` or \`128Mi\`. */
export type Quantity = string;
`;

/**
 * Renders one file per group and version, and an index.
 *
 * @param {Model} model
 * @returns {[path: string, content: string][]}
 */
export function renderTypes(model) {
  /** @type {Map<string, TypeModel[]>} */
  const modules = new Map();
  for (const type of wanted(model)) modules.set(type.module, [...(modules.get(type.module) ?? []), type]);
  const files = [...modules].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...files.map(
      ([module, types]) => /** @type {[string, string]} */ ([`types/${module}.ts`, renderModule(model, module, types)]),
    ),
    ['types/index.ts', renderIndex(model, new Map(files))],
  ];
}

/**
 * All kinds and lists, and the types that they contain.
 *
 * @param {Model} model
 */
export function wanted(model) {
  /** @type {Set<TypeModel>} */
  const found = new Set();
  /** @param {TypeModel} type */
  const add = (type) => {
    if (found.has(type) || isElsewhere(type)) return;
    found.add(type);
    for (const name of referencesOf(type.schema)) {
      const target = model.typeOf(name);
      if (target !== undefined) add(target);
    }
  };
  for (const type of model.types) if (type.role !== 'part') add(type);
  return [...found].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param {TypeModel} type */
function isElsewhere(type) {
  return special.has(type.schemaName) || (type.module === 'meta-v1' && handWritten.has(type.name));
}

/**
 * @param {Schema} schema
 * @returns {string[]}
 */
function referencesOf(schema) {
  const own = schema.$ref === undefined ? [] : [schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];
  const inner = [
    ...(schema.allOf ?? []),
    ...Object.values(schema.properties ?? {}),
    schema.items,
    schema.additionalProperties,
  ];
  return [...own, ...inner.filter((part) => typeof part === 'object').flatMap(referencesOf)];
}

/**
 * @param {Model} model
 * @param {string} module
 * @param {TypeModel[]} types
 */
function renderModule(model, module, types) {
  /** @type {Map<string, Set<string>>} specifier → names */
  const imports = new Map();
  /** @param {string} from @param {string} name */
  const use = (from, name) => {
    imports.set(from, (imports.get(from) ?? new Set()).add(name));
    return name;
  };
  const body = types.map((type) => renderType(model, type, use)).join('\n');
  const own = module === 'meta-v1' ? `${scalars}\n` : '';
  const importLines = [...imports]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}';\n`)
    .join('');
  return `${header(model.version, `Types of ${module}.`)}${importLines}\n${own}${body}`;
}

/**
 * @param {Model} model
 * @param {TypeModel} type
 * @param {(from: string, name: string) => string} use
 */
function renderType(model, type, use) {
  const { schema, role } = type;
  const isKind = role === 'stored' || role === 'sent';
  const required = new Set(schema.required ?? []);
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    if (role !== 'part') {
      if (name === 'apiVersion') return `  apiVersion: ${quote(apiVersion)};`;
      if (name === 'kind') return `  kind: ${quote(type.name)};`;
      if (name === 'metadata') {
        const meta = isKind ? (role === 'stored' ? 'StoredObjectMeta' : 'ObjectMeta') : 'ListMeta';
        return `  metadata: ${use('../../meta/objects.js', meta)};`;
      }
    }
    const isRequired = required.has(name) || (role === 'list' && name === 'items');
    const value = expression(model, type, property, use);
    // JSON.stringify leaves out undefined, so it is allowed with exactOptionalPropertyTypes too.
    const optional = value === 'unknown' ? value : `${value} | undefined`;
    return `${defaultComment(property)}  ${propertyKey(name)}${isRequired ? `: ${value}` : `?: ${optional}`};`;
  });
  // An interface without fields would accept any value.
  if (lines.length === 0)
    return `/** ${commentOf(model, type)} */\nexport type ${type.name} = Record<string, never>;\n`;
  const first = lines.findIndex((line) => line.startsWith('  apiVersion: '));
  const kind = lines.findIndex((line) => line.startsWith('  kind: '));
  if (role !== 'part' && first >= 0 && kind >= 0) lines.unshift(...[first, kind].map((at) => lines[at] ?? ''));
  const ordered = [...new Set(lines)];
  return `/** ${commentOf(model, type)} */\nexport interface ${type.name} {\n${ordered.join('\n')}\n}\n`;
}

/** @param {Schema} property */
function defaultComment(property) {
  const value = property.default;
  const isZero = value === undefined || value === '' || value === 0 || value === false || typeof value === 'object';
  return isZero ? '' : `  /** @default ${typeof value === 'string' ? quote(value) : JSON.stringify(value)} */\n`;
}

/**
 * @param {Model} model
 * @param {TypeModel} type
 */
function commentOf(model, type) {
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  if (type.role === 'part') return `Part of \`${type.group === 'meta.k8s.io' ? 'meta/v1' : apiVersion}\`.`;
  if (type.role === 'list') return `A list of {@link ${type.name.slice(0, -'List'.length)}}.`;
  const resource = model.resources.find(
    ({ group, version, kind }) => group === type.group && version === type.version && kind === type.name,
  );
  if (resource === undefined) return `The body or the result of a subresource, of \`${apiVersion}\`.`;
  const names = [resource.resource, ...resource.shortNames].map((name) => `\`${name}\``).join(', ');
  return `${names} of \`${apiVersion}\`, ${resource.namespaced ? 'namespaced' : 'cluster-scoped'}.`;
}

/**
 * @param {Model} model
 * @param {TypeModel} inside
 * @param {Schema} schema
 * @param {(from: string, name: string) => string} use
 * @returns {string}
 */
function expression(model, inside, schema, use) {
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0].$ref : undefined);
  if (reference !== undefined) return named(model, inside, reference.slice(reference.lastIndexOf('/') + 1), use);
  if (schema.enum !== undefined) return schema.enum.map(quote).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = expression(model, inside, schema.items, use);
      return /[| ]/.test(item) && !item.endsWith('>') ? `(${item})[]` : `${item}[]`;
    }
    case 'object': {
      const value = schema.additionalProperties;
      return `Record<string, ${typeof value === 'object' ? expression(model, inside, value, use) : 'unknown'}>`;
    }
    default:
      throw new Error(`${inside.schemaName} has a field of a shape that is not known: ${JSON.stringify(schema)}`);
  }
}

/**
 * @param {Model} model
 * @param {TypeModel} inside
 * @param {string} schemaName
 * @param {(from: string, name: string) => string} use
 */
function named(model, inside, schemaName, use) {
  const fixed = special.get(schemaName);
  if (fixed !== undefined) return namedScalars.includes(fixed) ? use('./meta-v1.js', fixed) : fixed;
  const type = model.typeOf(schemaName);
  if (type === undefined) throw new Error(`${inside.schemaName} refers to ${schemaName}, which is in no document`);
  const { name, module } = type;
  const source = module === 'meta-v1' ? handWritten.get(name) : undefined;
  if (source !== undefined) use(`../../meta/${source}.js`, name);
  else if (module !== inside.module) use(`./${module}.js`, name);
  // A kind inside another, such as a claim template, is not stored: it lacks the fields that the server sets.
  const isEmbedded = type.role !== 'part' && inside.role !== 'list';
  return isEmbedded ? `${use('../../meta/objects.js', 'New')}<${name}>` : name;
}

/**
 * @param {Model} model
 * @param {Map<string, TypeModel[]>} modules
 */
function renderIndex(model, modules) {
  const preferred = new Set(
    model.groups.map(({ property, versions }) => `${property}-${versions[0]}`).concat('meta-v1'),
  );
  const order = [...model.groups.map(({ property }) => property), 'meta'];
  const rank = (/** @type {TypeModel} */ type) => order.indexOf(type.groupProperty);
  /** @type {Map<string, TypeModel[]>} */
  const byName = new Map();
  for (const type of [...modules.values()].flat()) {
    if (preferred.has(type.module)) byName.set(type.name, [...(byName.get(type.name) ?? []), type]);
  }
  const flat = [...byName.values()].flatMap((claimants) => {
    const kinds = claimants.filter(({ role }) => role !== 'part').sort((a, b) => rank(a) - rank(b));
    if (kinds.length > 0) return kinds.slice(0, 1);
    // Parts of the same name are ambiguous, unless one is of the core group.
    return claimants.length === 1 ? claimants : claimants.filter(({ groupProperty }) => groupProperty === 'core');
  });
  const moduleName = (/** @type {string} */ module) => module.replace(/-v/, 'V');
  const lines = [...modules.keys()].flatMap((module) => {
    const names = flat.filter((type) => type.module === module).map(({ name }) => name);
    if (module === 'meta-v1') names.push(...namedScalars);
    return names.length === 0 ? [] : [exportLine(names, `./${module}.js`)];
  });
  const meta = [...new Set(handWritten.values())].map((source) =>
    exportLine(
      [...handWritten].filter(([, from]) => from === source).map(([name]) => name),
      `../../meta/${source}.js`,
    ),
  );
  const namespaces = [...modules.keys()].map(
    (module) => `export type * as ${moduleName(module)} from './${module}.js';\n`,
  );
  return `${header(
    model.version,
    'The types of preferred versions by their bare names, and each group and version as a namespace. If two groups have a kind\n// of the same name, the bare name is that of the first in discovery. A kind wins over a part of other kinds. Parts with the\n// same name are exported in the namespaces only, unless one is of the core group.',
  )}${meta.join('')}${lines.join('')}${namespaces.join('')}`;
}

/**
 * @param {string[]} names
 * @param {string} from
 */
function exportLine(names, from) {
  return `export type {\n${names
    .sort()
    .map((name) => `  ${name},\n`)
    .join('')}} from '${from}';\n`;
}

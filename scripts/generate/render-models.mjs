// @ts-check
import { header } from './names.mjs';
import { handWritten, wanted } from './render-types.mjs';

/** @import { Model, TypeModel } from './model.mjs' */

/** Types of this library that are no models of the official client. */
const noModels = new Set(['New', 'StoredObjectMeta', 'TypeMeta']);

/**
 * Renders the models of the official client: its names for the generated types. A name that two groups have begins with the group.
 *
 * @param {Model} model
 */
export function renderModels(model) {
  const types = wanted(model);
  /** @type {Map<string, number>} */
  const uses = new Map();
  for (const type of types) uses.set(versioned(type), (uses.get(versioned(type)) ?? 0) + 1);
  const modules = new Map();
  const names = new Map();
  for (const type of types) {
    const { module, name, groupProperty: property } = type;
    const alias = `${property}${capitalized(type.version)}`;
    modules.set(alias, module);
    const own = versioned(type);
    names.set(uses.get(own) === 1 ? own : `${capitalized(property)}${own}`, `${alias}.${name}`);
  }
  for (const [name, file] of handWritten) {
    if (noModels.has(name)) continue;
    const alias = file === 'objects' ? 'objects' : 'status';
    modules.set(alias, `../../meta/${file}`);
    names.set(`V1${name}`, `${alias}.${name}`);
  }
  const times = new Set(model.types.flatMap(({ schema }) => timeFields(schema)));
  for (const { name, schema } of types) {
    for (const field of Object.keys(schema.properties ?? {})) {
      if (times.has(field) && !timeFields(schema).includes(field)) {
        throw new Error(`${name}.${field} is no time, although that field of other types is one`);
      }
    }
  }
  const imports = [...modules]
    .sort()
    .map(([alias, module]) => `import type * as ${alias} from '${importPath(module)}.js';\n`);
  const lines = [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, type]) =>
        `/** The model of \`${type.replace('.', ' ')}\`. */\nexport type ${name} = ModelOf<${type}>;\nexport const ${name}: ModelClass<${name}> = Model;\n`,
    );
  return `${header(model.version, 'The models of the official client: its names and its form of the generated types.')}import { Model, type ModelClass, type ModelForm } from './model.js';
${imports.join('')}
/** The fields whose values are Dates in models. */
type TimeField =
${[...times]
  .sort()
  .map((name) => `  | '${name}'`)
  .join('\n')};

/** The model of a generated type. */
export type ModelOf<T> = ModelForm<T, TimeField>;

${lines.join('')}`;
}

/** @param {string} module */
function importPath(module) {
  return module.startsWith('../') ? module.slice('../'.length) : `../resources/types/${module}`;
}

/** @param {TypeModel} type */
function versioned({ name, version }) {
  return `${capitalized(version)}${name}`;
}

/** @param {string} text */
function capitalized(text) {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

/** @param {any} schema */
function timeFields(schema) {
  return Object.entries(schema.properties ?? {})
    .filter(([, field]) => /\.(?:Micro)?Time"/.test(JSON.stringify(field)))
    .map(([name]) => name);
}

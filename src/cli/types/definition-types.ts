import { compareVersionPriority } from '../../apiserver/resources/discovery.js';
import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { docComment } from './doc-comment.js';
import { Identifiers, typeName, variableName } from './identifiers.js';
import { SchemaTypes } from './schema-types.js';

/** A served version of a definition. */
interface ServedVersion {
  readonly name: string;
  readonly schema: unknown;
  /** Why users should not use it; undefined if they may. */
  readonly deprecation: string | undefined;
}

/** The parts of a definition that types depend on. */
export interface KindDefinition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The most preferred version first. */
  readonly versions: readonly ServedVersion[];
}

/** A document that is no complete CustomResourceDefinition; the message says why. */
export class DefinitionError extends Error {}

/**
 * Reads a CustomResourceDefinition of `apiextensions.k8s.io/v1`.
 *
 * @throws DefinitionError
 */
export function readDefinition(object: JsonObject): KindDefinition {
  const { apiVersion } = object;
  if (apiVersion !== 'apiextensions.k8s.io/v1') {
    throw new DefinitionError(`its apiVersion must be apiextensions.k8s.io/v1, not ${JSON.stringify(apiVersion)}`);
  }
  const spec = objectIn(object, 'spec');
  const names = objectIn(spec, 'names');
  const versions = getField(spec, 'versions');
  if (!Array.isArray(versions)) throw new DefinitionError('spec.versions must be a list');
  const served = versions.filter((version) => isJsonObject(version) && getField(version, 'served') === true);
  if (served.length === 0) throw new DefinitionError('it serves no version');
  return {
    group: textIn(spec, 'group'),
    kind: textIn(names, 'kind'),
    plural: textIn(names, 'plural'),
    namespaced: getField(spec, 'scope') === 'Namespaced',
    versions: served.map(readVersion).sort((a, b) => compareVersionPriority(a.name, b.name)),
  };
}

function readVersion(version: JsonObject): ServedVersion {
  const schema = getField(version, 'schema');
  const warning = getField(version, 'deprecationWarning');
  return {
    name: textIn(version, 'name'),
    schema: isJsonObject(schema) ? getField(schema, 'openAPIV3Schema') : undefined,
    deprecation:
      getField(version, 'deprecated') !== true
        ? undefined
        : typeof warning === 'string'
          ? warning
          : 'Use another version.',
  };
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = getField(object, name);
  if (!isJsonObject(value)) throw new DefinitionError(`${name} must be an object`);
  return value;
}

function textIn(object: JsonObject, name: string): string {
  const value = getField(object, name);
  // These are parts of URLs, and become parts of identifiers and strings.
  if (typeof value !== 'string' || !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(value)) {
    throw new DefinitionError(`${name} must be a name, not ${JSON.stringify(value)?.slice(0, 80)}`);
  }
  return value;
}

/** The names that a written module imports or uses. */
const USED = ['KubernetesObject', 'Unstructured', 'Resource', 'ObjectMeta', 'Record', 'defineResource'];

/**
 * A TypeScript module with the types of all served versions of definitions, and a resource for each. The most preferred
 * version of a kind has the bare names; those of others end with their version: `Certificate`, `CertificateV1beta1`.
 */
export function typesModule(definitions: readonly KindDefinition[]): string {
  const names = new Identifiers(USED);
  // The bare names go to kinds, whatever the parts of other kinds are called.
  const named = definitions.flatMap((definition) =>
    definition.versions.map((version, at) => {
      const words = at === 0 ? [] : [version.name];
      return {
        definition,
        version,
        type: names.unique(typeName(definition.kind, ...words)),
        variable: names.unique(variableName(definition.plural, ...words)),
      };
    }),
  );
  const parts = named.map(({ definition, version, type, variable }) => {
    const types = new SchemaTypes(names);
    const object = objectType(types, definition, version, type);
    return { types, text: [object, ...types.declarations, resource(definition, version, type, variable)].join('\n') };
  });
  const usesObjectMeta = parts.some(({ types }) => types.usesObjectMeta);
  const isUntyped = named.some(({ version }) => !isJsonObject(version.schema));
  const base = [
    ...(named.every(({ version }) => !isJsonObject(version.schema)) ? [] : ['type KubernetesObject']),
    'type Resource',
    ...(isUntyped ? ['type Unstructured'] : []),
  ];
  const header =
    `// Written by kubeflect types. Do not edit: write it again when the definition changes.\n` +
    `import { defineResource, ${base.join(', ')} } from 'kubeflect';\n` +
    (usesObjectMeta ? `import type { ObjectMeta } from 'kubeflect/types';\n` : '');
  return [header, ...parts.map(({ text }) => text)].join('\n');
}

function objectType(
  types: SchemaTypes,
  { group, kind }: KindDefinition,
  { name, schema, deprecation }: ServedVersion,
  type: string,
): string {
  const apiVersion = JSON.stringify(`${group}/${name}`);
  const own = `  apiVersion: ${apiVersion};\n  kind: ${JSON.stringify(kind)};\n`;
  const about = [
    isJsonObject(schema) && typeof schema['description'] === 'string'
      ? schema['description']
      : `A ${kind} of ${group}/${name}.`,
    ...(deprecation === undefined ? [] : [`@deprecated ${deprecation}`]),
  ];
  const comment = docComment(about.join('\n'), '');
  if (!isJsonObject(schema)) return `${comment}export interface ${type} extends Unstructured {\n${own}}\n`;
  const fields = types.fieldsOf(schema, [type], 0, ['apiVersion', 'kind', 'metadata']);
  return `${comment}export interface ${type} extends KubernetesObject {\n${own}${fields}}\n`;
}

function resource(
  { group, kind, plural, namespaced }: KindDefinition,
  { name }: ServedVersion,
  type: string,
  variable: string,
): string {
  const names = { group, version: name, resource: plural, kind };
  const fields = Object.entries(names).map(([field, value]) => `  ${field}: ${JSON.stringify(value)},\n`);
  return (
    docComment(`The resource ${plural}.${group} in version ${name}, for clients, informers and controllers.`, '') +
    `export const ${variable}: Resource<${type}> = defineResource<${type}>({\n${fields.join('')}  namespaced: ${namespaced},\n});\n`
  );
}

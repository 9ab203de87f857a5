// @ts-check
import { camelPlural, groupProperty } from './names.mjs';

/**
 * @import { Documents, GoField, Schema } from './documents.mjs'
 *
 * @typedef {{ name: string, kind: string, group?: string, version?: string, verbs: string[] }} Subresource
 * @typedef {{ group: string, version: string, preferred: boolean, resource: string, property: string, singular: string,
 *   kind: string, namespaced: boolean, verbs: string[], shortNames: string[], categories: string[], subresources: Subresource[] }} ResourceModel
 *
 * One schema of the OpenAPI documents. `role` is `stored` for a kind that can be read (the server sets its metadata), `sent`
 * for a kind that exists in requests and responses only, `list` for a list of a kind, `part` for a part of others.
 * @typedef {{ schemaName: string, name: string, group: string, groupProperty: string, version: string, module: string,
 *   role: 'stored' | 'sent' | 'list' | 'part', schema: Schema }} TypeModel
 *
 * @typedef {{ version: string, groups: { group: string, property: string, versions: string[] }[], resources: ResourceModel[],
 *   types: TypeModel[], typeOf: (schemaName: string) => TypeModel | undefined, goTypes: Record<string, GoField[]> }} Model
 */

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/**
 * @param {Documents} documents
 * @returns {Model}
 */
export function buildModel(documents) {
  const groups = documents.groups.map(({ group, versions }) => ({
    group,
    property: groupProperty(group),
    versions: versions.map(({ version }) => version),
  }));
  assertUnique(
    groups.map(({ property }) => property),
    'two groups share the property',
  );
  const resources = documents.groups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }, index) =>
      resources
        .map((resource) => resourceModel(group, version, index === 0, resource))
        .sort((a, b) => (a.resource < b.resource ? -1 : 1)),
    ),
  );
  assertUnique(
    resources.map(({ group, version, property }) => `${group}/${version} ${property}`),
    'two resources share the property',
  );
  const types = typeModels(documents.schemas, resources);
  const bySchema = new Map(types.map((type) => [type.schemaName, type]));
  return {
    version: documents.version,
    groups,
    resources,
    types,
    typeOf: (name) => bySchema.get(name),
    goTypes: documents.goTypes,
  };
}

/**
 * @param {string} group
 * @param {string} version
 * @param {boolean} preferred
 * @param {any} found
 * @returns {ResourceModel}
 */
function resourceModel(group, version, preferred, found) {
  const { kind } = found.responseKind;
  return {
    group,
    version,
    preferred,
    resource: found.resource,
    property: camelPlural(kind, found.resource),
    singular: found.singularResource,
    kind,
    namespaced: found.scope === 'Namespaced',
    verbs: found.verbs,
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    subresources: (found.subresources ?? []).map((/** @type {any} */ sub) => {
      const { group: kindGroup, version: kindVersion, kind } = sub.responseKind;
      // Group and version may be empty if they are those of the resource.
      const isElsewhere = kindVersion !== '' && (kindGroup !== group || kindVersion !== version);
      return {
        name: sub.subresource,
        kind,
        ...(isElsewhere ? { group: kindGroup, version: kindVersion } : {}),
        verbs: sub.verbs,
      };
    }),
  };
}

/**
 * @param {Record<string, Schema>} schemas
 * @param {ResourceModel[]} resources
 * @returns {TypeModel[]}
 */
function typeModels(schemas, resources) {
  const readable = new Set();
  for (const { group, version, kind, verbs, subresources } of resources) {
    if (verbs.includes('get')) readable.add(`${group}/${version}/${kind}`);
    for (const sub of subresources) {
      if (sub.verbs.includes('get')) readable.add(`${sub.group ?? group}/${sub.version ?? version}/${sub.kind}`);
    }
  }
  const groupOfPackage = packageGroups(schemas);
  return Object.entries(schemas).flatMap(([schemaName, schema]) => {
    const dot = schemaName.lastIndexOf('.');
    const packageName = schemaName.slice(0, dot);
    const name = schemaName.slice(dot + 1);
    const version = packageName.slice(packageName.lastIndexOf('.') + 1);
    const group = groupOfPackage.get(packageName);
    if (group === undefined) return [];
    const property = packageName === metaPackage ? 'meta' : groupProperty(group);
    /** @type {TypeModel['role']} */
    let role = 'part';
    if (packageName !== metaPackage && schema['x-kubernetes-group-version-kind'] !== undefined) {
      if (schema.properties.items !== undefined) role = 'list';
      else role = readable.has(`${group}/${version}/${name}`) ? 'stored' : 'sent';
    }
    return [
      { schemaName, name, group, groupProperty: property, version, module: `${property}-${version}`, role, schema },
    ];
  });
}

/**
 * Maps Go packages to API groups, which have different names, by the kinds of each package.
 *
 * @param {Record<string, Schema>} schemas
 */
function packageGroups(schemas) {
  /** @type {Map<string, string>} */
  const groups = new Map([[metaPackage, 'meta.k8s.io']]);
  for (const [schemaName, schema] of Object.entries(schemas)) {
    const packageName = schemaName.slice(0, schemaName.lastIndexOf('.'));
    const kinds = schema['x-kubernetes-group-version-kind'] ?? [];
    if (packageName !== metaPackage && kinds.length > 0) groups.set(packageName, kinds[0].group);
  }
  return groups;
}

/**
 * @param {string[]} names
 * @param {string} complaint
 */
function assertUnique(names, complaint) {
  const seen = new Set();
  for (const name of names) {
    if (seen.has(name)) throw new Error(`${complaint} ${name}`);
    seen.add(name);
  }
}

// @ts-check
import { header, quote } from './names.mjs';

/** @import { Model, ResourceModel, Subresource } from './model.mjs' */

/** Sets of verbs that many resources share: the name of the generated constant, and the verbs. */
const verbSets = /** @type {const} */ ([
  ['all', ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']],
  ['change', ['get', 'patch', 'update']],
  ['create', ['create']],
]);

/** @param {Model} model */
export function renderCatalogue(model) {
  const constants = verbSets.map(([name, verbs]) => `const ${name} = ${list(verbs)};\n`).join('');
  const groups = model.groups.map(({ group, property }) => `  ${property}: ${quote(group)},\n`).join('');
  const entries = model.resources.map((resource) => `  ${entry(resource)},\n`).join('');
  return `${header(model.version, 'The built-in resources in the order of discovery.')}import type { BuiltinResource } from './builtin-resource.js';

/** The version of Kubernetes that the built-in resources are taken from. */
export const kubernetesVersion = ${quote(model.version)};

/** API groups by their properties on clients and factories. */
export const groupProperties: { readonly [property: string]: string } = {
${groups}};

${constants}
/** All built-in resources; the preferred version of a group comes first. */
export const builtinResources: readonly BuiltinResource[] = [
${entries}];
`;
}

/** @param {ResourceModel} resource */
function entry(resource) {
  const fields = [
    `group: ${quote(resource.group)}`,
    `version: ${quote(resource.version)}`,
    `resource: ${quote(resource.resource)}`,
    `property: ${quote(resource.property)}`,
    `singular: ${quote(resource.singular)}`,
    `kind: ${quote(resource.kind)}`,
    `namespaced: ${resource.namespaced}`,
    `preferred: ${resource.preferred}`,
    `verbs: ${verbs(resource.verbs)}`,
    `shortNames: ${list(resource.shortNames)}`,
    `categories: ${list(resource.categories)}`,
    `subresources: [${resource.subresources.map(subresource).join(', ')}]`,
  ];
  return `{ ${fields.join(', ')} }`;
}

/** @param {Subresource} sub */
function subresource(sub) {
  const elsewhere =
    sub.version === undefined ? '' : `, group: ${quote(sub.group ?? '')}, version: ${quote(sub.version)}`;
  return `{ name: ${quote(sub.name)}, kind: ${quote(sub.kind)}${elsewhere}, verbs: ${verbs(sub.verbs)} }`;
}

/** @param {readonly string[]} names */
function verbs(names) {
  return verbSets.find(([, set]) => set.join() === names.join())?.[0] ?? list(names);
}

/** @param {readonly string[]} names */
function list(names) {
  return `[${names.map(quote).join(', ')}]`;
}

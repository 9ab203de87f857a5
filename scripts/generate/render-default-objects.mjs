// @ts-check
import { header, quote } from './names.mjs';

/** @import { DefaultObjects } from './documents.mjs' */

const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-';

/**
 * @param {string} version
 * @param {DefaultObjects} objects
 */
export function renderDefaultObjects(version, objects) {
  const roles = [...objects.clusterroles, ...objects.roles].map((role) => `  ${printRole(role)},\n`).join('');
  const bindings = [...objects.clusterrolebindings, ...objects.rolebindings];
  const services = objects.apiservices.map(({ metadata, spec }) => {
    const { groupPriorityMinimum, versionPriority } = spec;
    return `  { name: ${quote(metadata.name)}, groupPriorityMinimum: ${groupPriorityMinimum}, versionPriority: ${versionPriority} },\n`;
  });
  return `${header(version, 'The objects of RBAC and the APIServices that kube-apiserver creates at its start.')}
import type { DefaultApiService, DefaultBinding, DefaultRole } from './default-object.js';

export const defaultRoles: readonly DefaultRole[] = [
${roles}];

export const defaultBindings: readonly DefaultBinding[] = [
${bindings.map((binding) => `  ${printBinding(binding)},\n`).join('')}];

export const defaultApiServices: readonly DefaultApiService[] = [
${services.join('')}];
`;
}

/** @param {any} role */
function printRole({ metadata, rules, aggregationRule }) {
  const addsTo = Object.keys(metadata.labels).find((label) => label.startsWith(AGGREGATE));
  const lines = (rules ?? []).map(
    (/** @type {any} */ { verbs, apiGroups, resources, resourceNames, nonResourceURLs }) =>
      [verbs, apiGroups, resources, resourceNames, nonResourceURLs].filter(Boolean).join('|'),
  );
  return `{ ${[
    ...names(metadata),
    ...(addsTo === undefined ? [] : [`addsTo: ${quote(addsTo.slice(AGGREGATE.length))}`]),
    ...(aggregationRule === undefined ? [] : ['isAggregated: true']),
    `rules: ${list(lines)}`,
  ].join(', ')} }`;
}

/** @param {any} binding */
function printBinding({ metadata, roleRef, subjects = [] }) {
  const lines = subjects.map((/** @type {any} */ { kind, name, namespace }) =>
    [kind, name, namespace].filter(Boolean).join('|'),
  );
  return `{ ${[...names(metadata), `role: ${quote(roleRef.name)}`, `subjects: ${list(lines)}`].join(', ')} }`;
}

/** @param {any} metadata */
function names({ namespace, name }) {
  return [...(namespace === undefined ? [] : [`namespace: ${quote(namespace)}`]), `name: ${quote(name)}`];
}

/** @param {string[]} items */
function list(items) {
  return `[${items.map(quote).join(', ')}]`;
}

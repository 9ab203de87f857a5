// @ts-check

/**
 * The property of a group on clients and factories: the first word of its name, and `core` for the group without one.
 *
 * @param {string} group
 */
export function groupProperty(group) {
  return group === '' ? 'core' : (group.split('.')[0] ?? group);
}

/**
 * The property of a resource: its plural with the capitals of its kind. `NetworkPolicy`, `networkpolicies` →
 * `networkPolicies`; `CSIDriver`, `csidrivers` → `csiDrivers`.
 *
 * @param {string} kind
 * @param {string} resource
 */
export function camelPlural(kind, resource) {
  let shared = 0;
  while (shared < kind.length && kind[shared]?.toLowerCase() === resource[shared]) shared++;
  const plural = kind.slice(0, shared) + resource.slice(shared);
  // A leading abbreviation becomes lower case as a whole, up to the capital letter of the next word.
  return plural.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());
}

/** @param {string} text */
export function quote(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** @param {string} name */
export function propertyKey(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/**
 * The first lines of a generated file.
 *
 * @param {string} version
 * @param {string} about
 */
export function header(version, about) {
  return `// Generated from Kubernetes ${version} by \`npm run generate\`; do not edit.\n// ${about}\n`;
}

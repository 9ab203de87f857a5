// @ts-check
import { header } from './names.mjs';

/** @import { Model } from './model.mjs' */

/** @param {Model} model */
export function renderTree(model) {
  const modules = new Set();
  const groups = model.groups.map(({ group, property, versions }) => {
    const inGroup = versions.map((version) => {
      const namespace = `${property}V${version.slice(1)}`;
      modules.add(`import type * as ${namespace} from './types/${property}-${version}.js';\n`);
      const entries = model.resources
        .filter((resource) => resource.group === group && resource.version === version)
        .sort((a, b) => (a.property < b.property ? -1 : 1))
        .map((resource) => {
          const scope = resource.namespaced ? 'namespaced' : 'cluster';
          const watchable = resource.verbs.includes('list') && resource.verbs.includes('watch');
          const use = watchable ? '' : ", 'requests'";
          return `      readonly ${resource.property}: ResourceEntry<${namespace}.${resource.kind}, '${scope}'${use}>;\n`;
        });
      return `    readonly ${version}: {\n${entries.join('')}    };\n`;
    });
    return `  readonly ${property}: {\n${inGroup.join('')}  };\n`;
  });
  return `${header(model.version, 'The built-in resources as types: group, version, resource.')}import type { ResourceEntry } from './builtin-resource.js';
${[...modules].sort().join('')}
/** The types of typed clients and factories are derived from this: \`BuiltinResources['apps']['v1']['deployments']\`. */
export interface BuiltinResources {
${groups.join('')}}
`;
}

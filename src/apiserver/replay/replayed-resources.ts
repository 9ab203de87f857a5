import { builtinResources } from '../../resources/catalogue.js';
import { type ApiResource, apiResource } from '../resources/registry.js';
import { strategyOf } from '../resources/strategies.js';
import { customResourceStrategy } from '../resources/strategy.js';
import type { Storage } from '../storage/storage.js';
import type { RecordedResource } from './recording.js';

const READ_VERBS = ['get', 'list', 'watch'];

/**
 * The resources of a recording, in their order, each with a collection of its own: objects are served in the version in which they were
 * recorded. Built-in kinds have their tables and selectable fields; the definitions of other kinds are not known, so that only
 * `metadata.name` and `metadata.namespace` can be selected.
 */
export function replayedResources(storage: Storage, recorded: readonly RecordedResource[]): ApiResource[] {
  return recorded.map(({ group, version, resource, singular, kind, namespaced, shortNames, categories }) => {
    const isBuiltIn = builtinResources.some((one) => one.group === group && one.resource === resource);
    return apiResource({
      group,
      version,
      resource,
      singular,
      kind,
      namespaced,
      shortNames,
      categories,
      verbs: READ_VERBS,
      strategy: isBuiltIn ? strategyOf(group, resource, version) : customResourceStrategy,
      isCustom: !isBuiltIn,
      collection: storage.collection(`${group}/${version}/${resource}`),
    });
  });
}

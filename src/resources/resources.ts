import type { Resource } from '../meta/resource.js';
import type { ResourceEntry } from './builtin-resource.js';
import { builtinResources, groupProperties } from './catalogue.js';
import type { BuiltinResources } from './tree.js';

/** All built-in resources as values: `resources.apps.v1.deployments` is a `Resource<Deployment>`. */
export type ResourceTree = {
  readonly [G in keyof BuiltinResources]: {
    readonly [V in keyof BuiltinResources[G]]: {
      readonly [R in keyof BuiltinResources[G][V]]: BuiltinResources[G][V][R] extends ResourceEntry<
        infer T,
        infer _Scope,
        infer _Use
      >
        ? Resource<T>
        : never;
    };
  };
};

/**
 * The built-in resources, for calls that take any resource: `client.forResource`, `factory.forResource`, `factory.metadata`.
 *
 * @example
 * const namespaces = factory.metadata(resources.core.v1.namespaces);
 */
export const resources: ResourceTree = resourceTree();

/** A getter per group builds the group when it is first read, so that the import is cheap. */
function resourceTree(): ResourceTree {
  const tree = {};
  for (const [property, group] of Object.entries(groupProperties)) {
    Object.defineProperty(tree, property, {
      configurable: true,
      enumerable: true,
      get() {
        const value = versionsOf(group);
        Object.defineProperty(tree, property, { value, enumerable: true });
        return value;
      },
    });
  }
  return tree as ResourceTree;
}

function versionsOf(of: string): object {
  const versions: Record<string, Record<string, Resource<unknown>>> = {};
  for (const { group, version, resource, kind, namespaced, property } of builtinResources) {
    if (group !== of) continue;
    versions[version] ??= {};
    versions[version][property] = Object.freeze({ group, version, resource, kind, namespaced });
  }
  return versions;
}

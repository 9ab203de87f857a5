import type { BuiltinResource, ResourceEntry } from '../resources/builtin-resource.js';
import { builtinResources, groupProperties } from '../resources/catalogue.js';
import type { BuiltinResources } from '../resources/tree.js';
import type { ComponentStatus } from '../resources/types/core-v1.js';
import type { CollectionClient, ResourceClient } from './resource-client.js';

/** A resource of namespaces: called with one, everything in it; called without, what can be read of all of them. */
export interface NamespacedResource<T> {
  (namespace: string): ResourceClient<T>;
  (namespace?: string): CollectionClient<T>;
}

/** A resource of the cluster. */
export type ClusterResource<T> = () => ResourceClient<T>;

/** What can be done with what is asked and not kept, such as an access review. */
export type RequestClient<T> = T extends ComponentStatus
  ? Pick<ResourceClient<T>, 'get' | 'list'>
  : Pick<ResourceClient<T>, 'create'>;

type Accessor<E> =
  E extends ResourceEntry<infer T, infer Scope, infer Use>
    ? Scope extends 'namespaced'
      ? Use extends 'objects'
        ? NamespacedResource<T>
        : (namespace: string) => RequestClient<T>
      : Use extends 'objects'
        ? ClusterResource<T>
        : () => RequestClient<T>
    : never;

/** Every built-in resource as a property: `client.apps.v1.deployments`. */
export type BuiltinClients = {
  readonly [G in keyof BuiltinResources]: {
    readonly [V in keyof BuiltinResources[G]]: {
      readonly [R in keyof BuiltinResources[G][V]]: Accessor<BuiltinResources[G][V][R]>;
    };
  };
};

/**
 * Gives a class one getter per API group. A group is built when it is first looked at, once per instance; `make` says what
 * stands for a resource there.
 */
export function defineGroups<Owner extends object>(
  prototype: Owner,
  make: (owner: Owner, resource: BuiltinResource) => unknown,
): void {
  for (const [property, group] of Object.entries(groupProperties)) {
    Object.defineProperty(prototype, property, {
      configurable: true,
      get(this: Owner): unknown {
        const versions: Record<string, Record<string, unknown>> = {};
        for (const resource of builtinResources) {
          if (resource.group !== group) continue;
          versions[resource.version] ??= {};
          (versions[resource.version] as Record<string, unknown>)[resource.property] = make(this, resource);
        }
        Object.defineProperty(this, property, { value: versions });
        return versions;
      },
    });
  }
}

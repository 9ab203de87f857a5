import type { BuiltinResource, ResourceEntry } from '../resources/builtin-resource.js';
import { builtinResources, groupProperties } from '../resources/catalogue.js';
import type { BuiltinResources } from '../resources/tree.js';
import type { ComponentStatus, Pod } from '../resources/types/core-v1.js';
import type { CollectionClient, ResourceClient } from './resource-client.js';
import type { PodClient } from './streams/pod-client.js';

/** A namespaced resource: with a namespace, all methods; without, those that read all namespaces. */
export interface NamespacedResource<T> {
  (namespace: string): [T] extends [Pod] ? PodClient : ResourceClient<T>;
  (namespace?: string): CollectionClient<T>;
}

/** A cluster-scoped resource. */
export type ClusterResource<T> = () => ResourceClient<T>;

/** A resource that the server does not store, such as an access review: it is created, and the answer is the result. */
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
 * Gives a class one getter per API group. The first read builds the group, once per instance, with `make` for each of its
 * resources.
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

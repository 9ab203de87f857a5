import type { GroupVersionResource } from '../meta/resource.js';

/** A subresource as discovery shows it. */
export interface BuiltinSubresource {
  /** As in the path: `status`, `scale`, `eviction`. */
  readonly name: string;
  readonly kind: string;
  /** Where its kind lives, when that is not the group and version of the resource: a scale is `autoscaling/v1`. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** A built-in resource as discovery shows it. */
export interface BuiltinResource extends GroupVersionResource {
  /** The plural in camel case, as clients and factories spell it: `configMaps`. */
  readonly property: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Whether its version is the one that the server prefers in its group. */
  readonly preferred: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly BuiltinSubresource[];
}

/**
 * What TypeScript knows of a built-in resource: the type of its objects, where they live, and whether they can be listed
 * and watched (`'objects'`) or not (`'requests'`, such as access reviews). It has no value at run time.
 */
export interface ResourceEntry<
  T,
  Scope extends 'namespaced' | 'cluster',
  Use extends 'objects' | 'requests' = 'objects',
> {
  readonly object: T;
  readonly scope: Scope;
  readonly use: Use;
}

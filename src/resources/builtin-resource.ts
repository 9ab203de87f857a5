import type { GroupVersionResource } from '../meta/resource.js';

/** A subresource as in discovery. */
export interface BuiltinSubresource {
  /** The last part of the path: `status`, `scale`, `eviction`. */
  readonly name: string;
  readonly kind: string;
  /** Group and version of its kind, if they differ from those of the resource: a `Scale` is in `autoscaling/v1`. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** A built-in resource as in discovery. */
export interface BuiltinResource extends GroupVersionResource {
  /** The plural in camel case, which is the property on clients and factories: `configMaps`. */
  readonly property: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Whether its version is the preferred version of its group. */
  readonly preferred: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly BuiltinSubresource[];
}

/**
 * The types of a built-in resource: its objects, its scope, and whether it can be listed and watched (`'objects'`) or not
 * (`'requests'`, such as access reviews). There is no value of this type at run time.
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

import type { JsonObject } from '../../meta/json-values.js';
import type { GroupResource } from '../../meta/resource.js';
import type { Collection } from '../storage/storage.js';
import { Discovery, type DiscoveryOptions, type ServedResource } from './discovery.js';
import type { SelectableFields, Strategy } from './strategies.js';

/** How the scale of a custom resource is read off its objects. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector: readonly string[] | undefined;
}

/**
 * A resource in one of its versions: what discovery shows of it, where its objects are stored and how it behaves.
 * Versions of one resource share a collection; objects lie there in the storage version.
 */
export interface ApiResource extends ServedResource {
  readonly groupResource: GroupResource;
  /** `v1`, or `apps/v1`. */
  readonly apiVersion: string;
  readonly listKind: string;
  readonly strategy: Strategy;
  readonly collection: Collection;
  /** Whether it comes from a CustomResourceDefinition. */
  readonly isCustom: boolean;
  /** Whether objects are stored in this version. Exactly one version of a resource is. */
  readonly isStorageVersion: boolean;
  /** From a stored object to one of this version, and back. Undefined where they are the same. */
  readonly conversion: Conversion | undefined;
  /** What of a stored object is kept beside it for field selectors. */
  readonly storedFields: SelectableFields;
  readonly scale: ScalePaths | undefined;
  /** Whether nothing new may be made. */
  readonly isClosed?: (() => boolean) | undefined;
}

/** Turns objects of one version into those of another. Both may change what they are given, and return it. */
export interface Conversion {
  fromStorage(object: JsonObject): JsonObject;
  toStorage(object: JsonObject): JsonObject;
}

/** What of a resource its maker has to say; the rest of an {@link ApiResource} follows from it. */
export interface ResourceSpec extends ServedResource {
  readonly listKind?: string | undefined;
  readonly strategy: Strategy;
  readonly collection: Collection;
  readonly isCustom?: boolean | undefined;
  readonly isStorageVersion?: boolean | undefined;
  readonly storedFields?: SelectableFields | undefined;
  readonly conversion?: Conversion | undefined;
  readonly scale?: ScalePaths | undefined;
  readonly isClosed?: (() => boolean) | undefined;
}

/** An {@link ApiResource} of its parts. */
export function apiResource(spec: ResourceSpec): ApiResource {
  return {
    ...spec,
    groupResource: { group: spec.group, resource: spec.resource },
    apiVersion: spec.group === '' ? spec.version : `${spec.group}/${spec.version}`,
    listKind: spec.listKind ?? `${spec.kind}List`,
    isCustom: spec.isCustom ?? false,
    isStorageVersion: spec.isStorageVersion ?? true,
    storedFields: spec.storedFields ?? spec.strategy.fields,
    conversion: spec.conversion,
    scale: spec.scale,
  };
}

/** Whether a resource has a subresource of that name. */
export function hasSubresource(resource: ApiResource, name: string): boolean {
  return resource.subresources?.some((subresource) => subresource.name === name) ?? false;
}

/** The resources that are served now. Custom ones come and go while the server runs. */
export class Registry {
  readonly #resources = new Map<string, ApiResource>();
  readonly #discoveryOptions: DiscoveryOptions;
  #discovery: Discovery | undefined;

  constructor(discoveryOptions: DiscoveryOptions = {}) {
    this.#discoveryOptions = discoveryOptions;
  }

  add(resource: ApiResource): void {
    this.#resources.set(pathOf(resource.group, resource.version, resource.resource), resource);
    this.#discovery = undefined;
  }

  /** Takes all versions of a resource away. */
  remove({ group, resource }: GroupResource): void {
    for (const [path, served] of this.#resources) {
      if (served.group === group && served.resource === resource) this.#resources.delete(path);
    }
    this.#discovery = undefined;
  }

  find(group: string, version: string, resource: string): ApiResource | undefined {
    const found = this.#resources.get(pathOf(group, version, resource));
    return found !== undefined && isServed(found) ? found : undefined;
  }

  /** The resource of a kind, in any of its versions. */
  findKind(group: string, kind: string): ApiResource | undefined {
    for (const resource of this.#resources.values()) {
      if (resource.group === group && resource.kind === kind) return resource;
    }
    return undefined;
  }

  /** The first resource of a kind that is served, in a version if one is given. */
  findServed(kind: string, apiVersion: string | undefined): ApiResource | undefined {
    for (const resource of this.#resources.values()) {
      if (resource.kind !== kind || !isServed(resource)) continue;
      if (apiVersion === undefined || resource.apiVersion === apiVersion) return resource;
    }
    return undefined;
  }

  hasGroup(group: string): boolean {
    for (const resource of this.#resources.values()) if (resource.group === group && isServed(resource)) return true;
    return false;
  }

  /** Whether something in a group is there without a CustomResourceDefinition. */
  isBuiltInGroup(group: string): boolean {
    for (const resource of this.#resources.values()) if (resource.group === group && !resource.isCustom) return true;
    return false;
  }

  /** The storage version of each resource. */
  *stored(): Iterable<ApiResource> {
    for (const resource of this.#resources.values()) if (resource.isStorageVersion) yield resource;
  }

  /** The paths that the root of the server names. */
  paths(): string[] {
    const paths = new Set(['/api', '/apis', '/healthz', '/livez', '/readyz', '/version']);
    for (const { group, version } of this.#resources.values()) {
      if (group === '') paths.add(`/api/${version}`);
      else paths.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
    }
    return [...paths].sort();
  }

  /** The discovery documents of what is served now. */
  get discovery(): Discovery {
    this.#discovery ??= new Discovery([...this.#resources.values()].filter(isServed), this.#discoveryOptions);
    return this.#discovery;
  }
}

/** A version without verbs is there for the server itself only. */
function isServed(resource: ApiResource): boolean {
  return resource.verbs.length > 0;
}

function pathOf(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}

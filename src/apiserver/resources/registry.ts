import type { JsonObject } from '../../meta/json-values.js';
import type { GroupResource } from '../../meta/resource.js';
import type { Steps } from '../../time/steps.js';
import type { Collection } from '../storage/storage.js';
import type { KindTable } from '../tables/kind-table.js';
import type { CustomVersion } from './custom/custom-version.js';
import { Discovery, type DiscoveryOptions, type ServedResource } from './discovery.js';
import type { SelectableFields, Strategy } from './strategy.js';

/** Where the replicas and selector of a custom resource's scale are in its objects. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector: readonly string[] | undefined;
}

/**
 * A resource in one of its versions: its discovery, its collection and its strategy. The versions of one resource share a
 * collection; objects are stored in the storage version.
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
  /** The version of the definition that it comes from; undefined for built-in resources. */
  readonly custom?: CustomVersion | undefined;
  /** Whether objects are stored in this version: true for exactly one version of a resource. */
  readonly isStorageVersion: boolean;
  /** Converts between the stored version and this one. Undefined if they are the same. */
  readonly conversion: Conversion | undefined;
  /** The fields of a stored object that are kept beside it for field selectors. */
  readonly storedFields: SelectableFields;
  readonly scale: ScalePaths | undefined;
  /** Its table. @default that of its kind */
  readonly table?: KindTable | undefined;
  /** Whether creates are refused, because the definition is terminating. */
  readonly isClosed?: (() => boolean) | undefined;
}

/** Converts objects between two versions. Both methods may change and return their argument. */
export interface Conversion {
  fromStorage(object: JsonObject): JsonObject;
  toStorage(object: JsonObject): JsonObject;
  /** The webhook that converts objects. If there is one, the methods above are not enough: they only change `apiVersion`. */
  readonly remote?: RemoteConversion | undefined;
}

/** The conversion webhook of a custom resource. */
export interface RemoteConversion {
  /** The apiVersion that objects are stored in. */
  readonly storageApiVersion: string;
  /** Converts objects of any versions to one version, with one call. Those that have it already are returned as they are. */
  convert(objects: readonly JsonObject[], apiVersion: string): Steps<JsonObject[]>;
}

/** The parts that {@link apiResource} derives the rest of an {@link ApiResource} from. */
export interface ResourceSpec extends ServedResource {
  readonly listKind?: string | undefined;
  readonly strategy: Strategy;
  readonly collection: Collection;
  readonly isCustom?: boolean | undefined;
  readonly custom?: CustomVersion | undefined;
  readonly isStorageVersion?: boolean | undefined;
  readonly storedFields?: SelectableFields | undefined;
  readonly conversion?: Conversion | undefined;
  readonly scale?: ScalePaths | undefined;
  readonly table?: KindTable | undefined;
  readonly isClosed?: (() => boolean) | undefined;
}

/** Makes an {@link ApiResource}, or all of it but the collection. */
export function apiResource(spec: ResourceSpec): ApiResource;
export function apiResource(spec: Omit<ResourceSpec, 'collection'>): Omit<ApiResource, 'collection'>;
export function apiResource(spec: Omit<ResourceSpec, 'collection'>): Omit<ApiResource, 'collection'> {
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

/** The resources that are served now. Custom resources are added and removed while the server runs. */
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

  /** Removes all versions of a resource. */
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

  /** Another version of a resource, or the same one: it shares the collection. */
  findVersion({ collection }: ApiResource, apiVersion: string): ApiResource | undefined {
    for (const resource of this.#resources.values()) {
      if (resource.collection === collection && resource.apiVersion === apiVersion) return resource;
    }
    return undefined;
  }

  hasGroup(group: string): boolean {
    for (const resource of this.#resources.values()) if (resource.group === group && isServed(resource)) return true;
    return false;
  }

  /** Whether a group has a built-in resource. */
  isBuiltInGroup(group: string): boolean {
    for (const resource of this.#resources.values()) if (resource.group === group && !resource.isCustom) return true;
    return false;
  }

  /** All resources that are served, in all versions. */
  *served(): Iterable<ApiResource> {
    for (const resource of this.#resources.values()) if (isServed(resource)) yield resource;
  }

  /** The storage version of each resource. */
  *stored(): Iterable<ApiResource> {
    for (const resource of this.#resources.values()) if (resource.isStorageVersion) yield resource;
  }

  /** The paths of the document at `/`. */
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

/** A version without verbs is stored but not served. */
function isServed(resource: ApiResource): boolean {
  return resource.verbs.length > 0;
}

function pathOf(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}

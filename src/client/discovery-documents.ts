import { type GroupVersion, parseApiVersion } from '../meta/resource.js';
import type { BuiltinResource, BuiltinSubresource } from '../resources/builtin-resource.js';

/** A resource as a server's discovery describes it. It is a `Resource`: every client and factory takes it. */
export interface ApiResource extends Omit<BuiltinResource, 'property'> {}

/** An API group that a server serves. */
export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** The preferred one comes first. */
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

/** The resources of one version of a group. */
export interface VersionResources extends GroupVersion {
  readonly resources: readonly ApiResource[];
}

/** A version in aggregated discovery, where one document describes all groups. */
interface AggregatedVersion {
  readonly version: string;
  readonly resources?: readonly AggregatedResource[];
  readonly freshness?: 'Current' | 'Stale';
}
interface AggregatedKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}
interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: AggregatedKind | null;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind?: AggregatedKind | null;
    readonly verbs?: readonly string[];
  }[];
}

/** `/api` and `/apis` in the aggregated form. */
export interface AggregatedDocument {
  readonly kind: 'APIGroupDiscoveryList';
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly AggregatedVersion[];
  }[];
}

/** `/api`, not aggregated. */
export interface CoreVersionsDocument {
  readonly kind: 'APIVersions';
  readonly versions?: readonly string[];
}

/** `/apis`, not aggregated. */
export interface GroupListDocument {
  readonly kind: 'APIGroupList';
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

/** `/api/v1` and `/apis/apps/v1`, not aggregated. */
export interface ResourceListDocument {
  readonly groupVersion: string;
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly group?: string;
    readonly version?: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** The Accept header: prefers the aggregated form, and accepts the other. */
export const discoveryMediaTypes: string = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** Whether a document has the aggregated form. */
export function isAggregated(document: unknown): document is AggregatedDocument {
  return (document as { readonly kind?: unknown } | null)?.kind === 'APIGroupDiscoveryList';
}

/** Reads an aggregated document: groups, their resources, and the versions whose aggregated API server was not reached. */
export function readAggregated(document: AggregatedDocument): {
  readonly groups: readonly ApiGroup[];
  readonly versions: readonly VersionResources[];
  readonly stale: readonly GroupVersion[];
} {
  const groups: ApiGroup[] = [];
  const versions: VersionResources[] = [];
  const stale: GroupVersion[] = [];
  for (const item of document.items ?? []) {
    const served = item.versions ?? [];
    const group = item.metadata?.name ?? '';
    const preferredVersion = served[0]?.version;
    if (preferredVersion === undefined) continue;
    groups.push({ name: group, versions: served.map((one) => one.version), preferredVersion });
    for (const { version, resources = [], freshness } of served) {
      const preferred = version === preferredVersion;
      const of = { group, version };
      versions.push({ ...of, resources: resources.map((one) => aggregatedResource(of, preferred, one)) });
      if (freshness === 'Stale') stale.push(of);
    }
  }
  return { groups, versions, stale };
}

function aggregatedResource(of: GroupVersion, preferred: boolean, one: AggregatedResource): ApiResource {
  const kind = one.responseKind?.kind ?? '';
  return {
    ...of,
    resource: one.resource,
    singular: one.singularResource || kind.toLowerCase(),
    kind,
    namespaced: one.scope === 'Namespaced',
    preferred,
    verbs: one.verbs ?? [],
    shortNames: one.shortNames ?? [],
    categories: one.categories ?? [],
    subresources: (one.subresources ?? []).map(({ subresource, responseKind, verbs }) =>
      subresourceOf(of, { name: subresource, kind: responseKind?.kind, ...withoutKind(responseKind), verbs }),
    ),
  };
}

function withoutKind(kind: AggregatedKind | null | undefined): Partial<GroupVersion> {
  return kind?.version ? { group: kind.group ?? '', version: kind.version } : {};
}

/** Leaves out group and version if they are those of the resource; servers send them or leave them out. */
function subresourceOf(
  of: GroupVersion,
  given: {
    name: string;
    kind?: string | undefined;
    group?: string;
    version?: string;
    verbs?: readonly string[] | undefined;
  },
): BuiltinSubresource {
  const { name, kind = '', group = of.group, version = of.version, verbs = [] } = given;
  const elsewhere = group !== of.group || version !== of.version;
  return elsewhere ? { name, kind, group, version, verbs } : { name, kind, verbs };
}

/** Reads the groups of the form that is not aggregated, the core group first. */
export function readGroups(core: CoreVersionsDocument, list: GroupListDocument): ApiGroup[] {
  const versions = core.versions ?? [];
  const groups: ApiGroup[] = versions[0] ? [{ name: '', versions, preferredVersion: versions[0] }] : [];
  for (const { name, versions: served, preferredVersion } of list.groups ?? []) {
    const preferred = preferredVersion?.version ?? served[0]?.version;
    if (preferred === undefined) continue;
    const others = served.map((one) => one.version).filter((version) => version !== preferred);
    groups.push({ name, versions: [preferred, ...others], preferredVersion: preferred });
  }
  return groups;
}

/** Reads the resources of one version of the form that is not aggregated, which lists subresources as `pods/status`. */
export function readResourceList(document: ResourceListDocument, preferred: boolean): VersionResources {
  const of = parseApiVersion(document.groupVersion);
  const all = document.resources ?? [];
  const resources = all
    .filter((one) => !one.name.includes('/'))
    .map(
      (one): ApiResource => ({
        // A resource may have another `group`; its URL has the group that lists it.
        ...of,
        resource: one.name,
        singular: one.singularName || one.kind.toLowerCase(),
        kind: one.kind,
        namespaced: one.namespaced,
        preferred,
        verbs: one.verbs ?? [],
        shortNames: one.shortNames ?? [],
        categories: one.categories ?? [],
        subresources: all
          .filter((part) => part.name.startsWith(`${one.name}/`))
          .map((part) => subresourceOf(of, { ...part, name: part.name.slice(one.name.length + 1) })),
      }),
    );
  return { ...of, resources };
}

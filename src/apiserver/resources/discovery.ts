import { encodeDocument } from '../../codec/protobuf/document-writer.js';
import { kubernetesVersion } from '../../resources/catalogue.js';
import { type Accepted, namesMediaType, negotiate, negotiateDiscovery } from '../wire/media-types.js';

/** A subresource in discovery. */
export interface ServedSubresource {
  /** As in the path: `status`, `scale`, `eviction`. */
  readonly name: string;
  readonly kind: string;
  /** Group and version of its kind, if they are not those of the resource: a Scale is `autoscaling/v1`. */
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly verbs: readonly string[];
}

/** A resource in discovery. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly subresources?: readonly ServedSubresource[] | undefined;
  /** Tells clients whether the storage version has changed. */
  readonly storageVersionHash?: string | undefined;
}

/** The server in `/version` and `/api`. */
export interface DiscoveryOptions {
  /**
   * The Kubernetes release whose API is served, as clients parse it.
   * @default the version of the built-in resources, with `+kubeflect`
   */
  readonly gitVersion?: string | undefined;
  /** `host:port` under which clients reach the server. @default '127.0.0.1' */
  readonly serverAddress?: string | undefined;
}

/** A discovery document, ready to be sent. */
export interface DiscoveryDocument {
  readonly contentType: string;
  readonly body: Uint8Array;
}

const VERSION_PATTERN = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;

/**
 * Orders the versions of a group, most preferred first: stable, beta, alpha, each with higher numbers first; names that are
 * no versions last, in alphabetical order.
 */
export function compareVersionPriority(a: string, b: string): number {
  const left = VERSION_PATTERN.exec(a);
  const right = VERSION_PATTERN.exec(b);
  if (left === null || right === null) {
    if (left !== right) return left === null ? 1 : -1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return (
    stability(right[2]) - stability(left[2]) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}

function stability(word: string | undefined): number {
  return word === undefined ? 2 : word === 'beta' ? 1 : 0;
}

/**
 * The discovery documents of one set of served resources: `/api`, `/apis`, their groups and versions, and `/version`.
 * The set is fixed: the registry makes a new one when a custom resource is added or removed. Documents are built when they
 * are first requested. Groups are in the order of the resources, versions in the order of preference.
 */
export class Discovery {
  readonly #groups = new Map<string, Map<string, ServedResource[]>>();
  readonly #documents = new Map<string, DiscoveryDocument>();
  readonly #gitVersion: string;
  readonly #serverAddress: string;

  constructor(resources: readonly ServedResource[], options: DiscoveryOptions = {}) {
    this.#gitVersion = options.gitVersion ?? `${kubernetesVersion}+kubeflect`;
    this.#serverAddress = options.serverAddress ?? '127.0.0.1';
    for (const resource of resources) {
      const versions = this.#groups.get(resource.group) ?? new Map<string, ServedResource[]>();
      this.#groups.set(resource.group, versions);
      const served = versions.get(resource.version) ?? [];
      versions.set(resource.version, served);
      served.push(resource);
    }
  }

  /** The document at a path; undefined: there is none, a 404; `notAcceptable`: a 406. */
  find(path: string, accept: string | undefined): DiscoveryDocument | 'notAcceptable' | undefined {
    const trimmed = path.replace(/\/+$/, '');
    const isRoot = trimmed === '/api' || trimmed === '/apis';
    const accepted = isRoot ? negotiateDiscovery(accept) : negotiate(accept, []);
    const isVersion = trimmed === '/version';
    if (isVersion && !namesMediaType(accept, ['application/json'])) return 'notAcceptable';
    const isProtobuf = accepted?.format === 'protobuf' && !isVersion;
    if (accepted === undefined && !isVersion) return 'notAcceptable';
    const key = `${trimmed} ${accepted?.transform ?? (isProtobuf ? 'protobuf' : '')}`;
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const content = this.#build(trimmed, accepted);
    if (content === undefined) return undefined;
    const text = isVersion ? JSON.stringify(content, undefined, 2) : `${JSON.stringify(content)}\n`;
    const body = isProtobuf ? encodeDocument(content as { readonly kind: string }) : Buffer.from(text);
    const document = { contentType: isVersion ? 'application/json' : accepted!.contentType, body };
    this.#documents.set(key, document);
    return document;
  }

  #build(path: string, accepted: Accepted | undefined): object | undefined {
    const [root, group, version, ...rest] = path.slice(1).split('/');
    if (rest.length > 0) return undefined;
    if (path === '/version') return this.#version();
    if (root === 'api') {
      if (group === undefined) return accepted?.transform === undefined ? this.#coreVersions() : this.#aggregated(true);
      return version === undefined ? this.#resources('', group) : undefined;
    }
    if (root !== 'apis') return undefined;
    if (group === undefined) return accepted?.transform === undefined ? this.#groupList() : this.#aggregated(false);
    // The core group has no name, and `/apis//v1` is not served.
    if (group === '') return undefined;
    return version === undefined ? this.#group(group) : this.#resources(group, version);
  }

  #coreVersions(): object {
    return {
      kind: 'APIVersions',
      versions: this.#versions(''),
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: this.#serverAddress }],
    };
  }

  #groupList(): object {
    const names = [...this.#groups.keys()].filter((group) => group !== '');
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: names.map((name) => this.#groupEntry(name)) };
  }

  #group(name: string): object | undefined {
    if (!this.#groups.has(name)) return undefined;
    return { kind: 'APIGroup', apiVersion: 'v1', ...this.#groupEntry(name) };
  }

  #groupEntry(name: string): object {
    const versions = this.#versions(name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions, preferredVersion: versions[0] };
  }

  #versions(group: string): string[] {
    return [...(this.#groups.get(group)?.keys() ?? [])].sort(compareVersionPriority);
  }

  #resources(group: string, version: string): object | undefined {
    const resources = this.#groups.get(group)?.get(version);
    if (resources === undefined) return undefined;
    return {
      kind: 'APIResourceList',
      // The list of the core group has no apiVersion, as on kube-apiserver.
      ...(group === '' ? {} : { apiVersion: 'v1' }),
      groupVersion: group === '' ? version : `${group}/${version}`,
      resources: resources.flatMap(resourceEntries),
    };
  }

  #aggregated(isCore: boolean): object {
    const groups = [...this.#groups.keys()].filter((group) => (group === '') === isCore);
    return {
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: groups.map((group) => ({
        metadata: group === '' ? {} : { name: group },
        versions: this.#versions(group).map((version) => ({
          version,
          resources: this.#groups.get(group)?.get(version)?.map(aggregatedEntry),
          freshness: 'Current',
        })),
      })),
    };
  }

  #version(): object {
    const [, major = '', minor = ''] = /^v?(\d+)\.(\d+)/.exec(this.#gitVersion) ?? [];
    return {
      major,
      minor,
      gitVersion: this.#gitVersion,
      gitCommit: '',
      gitTreeState: '',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: '',
      compiler: 'node',
      platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    };
  }
}

function resourceEntries(resource: ServedResource): object[] {
  const own = {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...namesOf(resource),
    ...(resource.storageVersionHash === undefined ? {} : { storageVersionHash: resource.storageVersionHash }),
  };
  const subresources = (resource.subresources ?? []).map((subresource) => ({
    name: `${resource.resource}/${subresource.name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(isForeign(resource, subresource) ? { group: subresource.group, version: subresource.version } : {}),
    kind: subresource.kind,
    verbs: subresource.verbs,
  }));
  return [own, ...subresources];
}

function aggregatedEntry(resource: ServedResource): object {
  const subresources = (resource.subresources ?? []).map((subresource) => ({
    subresource: subresource.name,
    responseKind: isForeign(resource, subresource)
      ? { group: subresource.group, version: subresource.version, kind: subresource.kind }
      : { group: '', version: '', kind: subresource.kind },
    verbs: subresource.verbs,
  }));
  return {
    resource: resource.resource,
    responseKind: { group: '', version: '', kind: resource.kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...namesOf(resource),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

function namesOf(resource: ServedResource): object {
  return {
    ...(resource.shortNames?.length ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories?.length ? { categories: resource.categories } : {}),
  };
}

function isForeign(resource: ServedResource, subresource: ServedSubresource): boolean {
  const group = subresource.group ?? resource.group;
  const version = subresource.version ?? resource.version;
  return group !== resource.group || version !== resource.version;
}

import { isForbidden } from '../meta/errors/error-predicates.js';
import { asError, StatusError } from '../meta/errors/errors.js';
import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions } from '../meta/options/known-options.js';
import { nearNames } from '../meta/options/nearest-names.js';
import {
  apiVersionOf,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  printGroupKind,
  printGroupResource,
} from '../meta/resource.js';
import { matchResource } from '../resources/find.js';
import { SingleFlight } from '../rest/credentials/single-flight.js';
import type { Clock } from '../time/clock.js';
import {
  type ApiGroup,
  type ApiResource,
  type CoreVersionsDocument,
  discoveryMediaTypes,
  type GroupListDocument,
  isAggregated,
  type ResourceListDocument,
  readAggregated,
  readGroups,
  readResourceList,
  type VersionResources,
} from './discovery-documents.js';

/** The answer of `/version`. */
interface ServerVersion {
  /** Such as `v1.36.3`. */
  readonly gitVersion: string;
  readonly major: string;
  readonly minor: string;
  readonly platform: string;
  readonly gitCommit?: string;
  readonly buildDate?: string;
  readonly goVersion?: string;
}

/** A document of OpenAPI v3. */
interface OpenApiDocument {
  /** The version of OpenAPI, such as `3.0.0`. */
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths?: Readonly<Record<string, unknown>>;
  /** Schemas by their names, such as `io.k8s.api.apps.v1.Deployment`. */
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

/** A group version whose resources could not be read, most often because its aggregated API server is down. */
interface DiscoveryFailure extends GroupVersion {
  readonly error: Error;
}

/** The result of one read of discovery. */
interface Discovered {
  readonly groups: readonly ApiGroup[];
  /** Groups in the server's order; in each the preferred version first. */
  readonly resources: readonly ApiResource[];
  readonly failures: readonly DiscoveryFailure[];
  readonly at: number;
  /** The number of the read, counted from 1. */
  readonly read: number;
}

/** Gets a discovery document. */
export type FetchDocument = (path: string, accept: string, signal: AbortSignal) => Promise<unknown>;

/** How long a result is used before discovery is read again. */
const FRESH_MS = 600_000;

/**
 * Discovery: the groups, versions and resources that a server serves, and the resource of a kind or of a name. It is read
 * at the first call, in aggregated form where the server supports that, and kept for ten minutes. A lookup that finds
 * nothing reads it again, so that a custom resource is found as soon as it is defined.
 */
export class ApiDiscovery {
  readonly #clock: Clock;
  readonly #fetch: FetchDocument;
  readonly #reading: SingleFlight<Discovered>;
  #known: Discovered | undefined;
  /** How many reads have begun. */
  #begun = 0;
  /** The lowest number of a read that is still valid; {@link invalidate} raises it. */
  #wanted = 1;

  /** @internal Made by a client. */
  constructor(clock: Clock, fetch: FetchDocument) {
    this.#clock = clock;
    this.#fetch = fetch;
    this.#reading = new SingleFlight((signal) => this.#read(signal));
  }

  /** The groups, the core group first. */
  async groups(options: Abortable = {}): Promise<readonly ApiGroup[]> {
    return (await this.#discovered(checkOptions('groups', options, abortableNames).signal)).groups;
  }

  /** The resources of all groups and versions; within a group, those of its preferred version come first. */
  async resources(options: Abortable = {}): Promise<readonly ApiResource[]> {
    return (await this.#discovered(checkOptions('resources', options, abortableNames).signal)).resources;
  }

  /** The group versions that could not be read: `resources` lacks their resources or has outdated ones. */
  async failures(options: Abortable = {}): Promise<readonly DiscoveryFailure[]> {
    return (await this.#discovered(checkOptions('failures', options, abortableNames).signal)).failures;
  }

  /** The server's version; each call sends a request. */
  async version(options: Abortable = {}): Promise<ServerVersion> {
    checkOptions('version', options, abortableNames);
    const never = new AbortController().signal;
    return (await this.#fetch('/version', 'application/json', options.signal ?? never)) as ServerVersion;
  }

  /** The OpenAPI v3 document of a group version, with the schemas of its kinds; each call sends a request. */
  async openapi(of: GroupVersion, options: Abortable = {}): Promise<OpenApiDocument> {
    checkOptions('openapi', options, abortableNames);
    const never = new AbortController().signal;
    const path = `/openapi/v3/${of.group === '' ? 'api' : 'apis'}/${apiVersionOf(of)}`;
    return (await this.#fetch(path, 'application/json', options.signal ?? never)) as OpenApiDocument;
  }

  /** Drops the result, so that the next call reads discovery again. */
  invalidate(): void {
    this.#wanted = this.#begun + 1;
  }

  /**
   * Finds a resource by any name that kubectl accepts: `po`, `Pod`, `deployments.apps`, `widgets.v1.example.com`. Rejects
   * with a StatusError (`isNotFound`) that suggests similar names.
   */
  async resolve(name: string, options: Abortable = {}): Promise<ApiResource> {
    checkOptions('resolve', options, abortableNames);
    return this.#find(
      (resources) => matchResource(name, resources),
      (known) => missing(JSON.stringify(name), name, nearResources(name, known.resources), known),
      options.signal,
    );
  }

  /** The resource of a kind: of the given version, or of the one that the server prefers. Rejects as {@link resolve} does. */
  async resourceOf(
    kind: GroupKind & { readonly version?: string | undefined },
    options: Abortable = {},
  ): Promise<ApiResource> {
    checkOptions('resourceOf', options, abortableNames);
    const { group, version } = kind;
    const isMeant = (one: ApiResource): boolean =>
      one.group === group && one.kind === kind.kind && (version === undefined || one.version === version);
    const what = `${version === undefined ? '' : `${apiVersionOf({ group, version })}, `}kind ${printGroupKind(kind)}`;
    return this.#find(
      (resources) => resources.find(isMeant),
      (known) => missing(what, kind.kind, nearKinds(kind.kind, known.resources), known),
      options.signal,
    );
  }

  /** A resource as the server describes it: of the given version, or of the preferred one. Rejects as {@link resolve} does. */
  async describe(
    resource: GroupResource & { readonly version?: string | undefined },
    options: Abortable = {},
  ): Promise<ApiResource> {
    checkOptions('describe', options, abortableNames);
    const { group, version } = resource;
    const isMeant = (one: ApiResource): boolean =>
      one.group === group && one.resource === resource.resource && (version === undefined || one.version === version);
    const printed = printGroupResource(resource);
    const what = version === undefined ? printed : `${printed} of version ${version}`;
    return this.#find(
      (resources) => resources.find(isMeant),
      (known) => missing(what, resource.resource, nearResources(resource.resource, known.resources), known),
      options.signal,
    );
  }

  async #find(
    find: (resources: readonly ApiResource[]) => ApiResource | undefined,
    miss: (known: Discovered) => StatusError,
    signal: AbortSignal | undefined,
  ): Promise<ApiResource> {
    // A read that had begun before this call may not include a resource that was defined meanwhile.
    const next = this.#begun + 1;
    let known = await this.#discovered(signal);
    let found = find(known.resources);
    if (found === undefined && known.read < next) {
      known = await this.#discovered(signal, next);
      found = find(known.resources);
    }
    if (found === undefined) throw miss(known);
    return found;
  }

  async #discovered(signal: AbortSignal | undefined, wanted: number = this.#wanted): Promise<Discovered> {
    let known = this.#known;
    if (known === undefined || known.read < wanted || this.#clock.monotonicNow() - known.at > FRESH_MS) {
      do known = await this.#reading.run(signal);
      while (known.read < wanted);
    }
    signal?.throwIfAborted();
    return known;
  }

  async #read(signal: AbortSignal): Promise<Discovered> {
    const at = this.#clock.monotonicNow();
    const read = ++this.#begun;
    const [core, others] = await Promise.all([
      this.#fetch('/api', discoveryMediaTypes, signal),
      this.#fetch('/apis', discoveryMediaTypes, signal),
    ]);
    const { groups, versions, failures } =
      isAggregated(core) && isAggregated(others)
        ? aggregated([readAggregated(core), readAggregated(others)])
        : await this.#readOneByOne(core, others, signal);
    this.#known = { groups, resources: versions.flatMap((one) => one.resources), failures, at, read };
    return this.#known;
  }

  /** For servers without aggregated discovery: one request for each version of each group. */
  async #readOneByOne(core: unknown, others: unknown, signal: AbortSignal): Promise<Parts> {
    // A proxy or cache can return one of `/api` and `/apis` aggregated and the other not; `readGroups` needs both plain.
    const [plainCore, plainOthers] = await Promise.all([
      isAggregated(core) ? this.#fetch('/api', 'application/json', signal) : core,
      isAggregated(others) ? this.#fetch('/apis', 'application/json', signal) : others,
    ]);
    const groups = readGroups(plainCore as CoreVersionsDocument, plainOthers as GroupListDocument);
    const failures: DiscoveryFailure[] = [];
    const read = async (of: GroupVersion, preferred: boolean): Promise<VersionResources | undefined> => {
      const path = `${of.group === '' ? '/api' : '/apis'}/${apiVersionOf(of)}`;
      try {
        return readResourceList(
          (await this.#fetch(path, 'application/json', signal)) as ResourceListDocument,
          preferred,
        );
      } catch (error) {
        if (signal.aborted) throw error;
        // One aggregated API server that is down must not hide all other groups.
        failures.push({ ...of, error: asError(error) });
        return undefined;
      }
    };
    const versions = await Promise.all(
      groups.flatMap(({ name: group, versions: all, preferredVersion }) =>
        all.map((version) => read({ group, version }, version === preferredVersion)),
      ),
    );
    return { groups, versions: versions.filter((one) => one !== undefined), failures };
  }
}

interface Parts {
  readonly groups: readonly ApiGroup[];
  readonly versions: readonly VersionResources[];
  readonly failures: readonly DiscoveryFailure[];
}

function aggregated(parts: readonly ReturnType<typeof readAggregated>[]): Parts {
  const stale = parts.flatMap((part) => part.stale);
  return {
    groups: parts.flatMap((part) => part.groups),
    versions: parts.flatMap((part) => part.versions),
    failures: stale.map((of) => ({
      ...of,
      error: new Error(`the server could not reach the API of ${apiVersionOf(of)}`),
    })),
  };
}

function nearResources(name: string, resources: readonly ApiResource[]): string[] {
  const [word = ''] = name.split('.');
  const words = new Map<string, ApiResource>();
  for (const one of resources) {
    for (const called of [one.resource, one.singular, ...one.shortNames])
      if (!words.has(called)) words.set(called, one);
  }
  const near = nearNames(word, words.keys()).map((called) => printGroupResource(words.get(called) as ApiResource));
  return [...new Set(near)];
}

function nearKinds(kind: string, resources: readonly ApiResource[]): string[] {
  const kinds = new Map(resources.map((one) => [one.kind, printGroupKind(one)]));
  return nearNames(kind, kinds.keys()).map((near) => kinds.get(near) as string);
}

function missing(what: string, name: string, near: readonly string[], known: Discovered): StatusError {
  const meant = near.length === 0 ? '' : `; did you mean ${near.join(', ')}?`;
  const broken = known.failures.map(
    (failure) => apiVersionOf(failure) + (isForbidden(failure.error) ? ' (forbidden)' : ''),
  );
  const unread = broken.length === 0 ? '' : `; these could not be read: ${broken.join(', ')}`;
  const message = `the server has no resource for ${what}${meant}${unread}`;
  return new StatusError(
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404, reason: 'NotFound', message },
    { verb: 'resolve', objectName: name },
  );
}

import { isForbidden } from '../meta/error-predicates.js';
import { asError, StatusError } from '../meta/errors.js';
import { abortableNames, checkOptions } from '../meta/known-options.js';
import { nearNames } from '../meta/nearest-names.js';
import type { Abortable } from '../meta/objects.js';
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

/** What a server says of itself at `/version`. */
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

/** Part of an API that could not be read, most often because the server that extends the API with it is down. */
interface DiscoveryFailure extends GroupVersion {
  readonly error: Error;
}

/** Everything a server serves, as of one moment. */
interface Discovered {
  readonly groups: readonly ApiGroup[];
  /** Groups in the server's order; in each the preferred version first. */
  readonly resources: readonly ApiResource[];
  readonly failures: readonly DiscoveryFailure[];
  readonly at: number;
  /** Which of all reads brought it. */
  readonly read: number;
}

/** Gets a document of the server. */
export type FetchDocument = (path: string, accept: string, signal: AbortSignal) => Promise<unknown>;

/** How long what was read is believed unless a miss says otherwise. */
const FRESH_MS = 600_000;

/**
 * What a server serves: its groups, versions and resources, and which resource belongs to a kind or to a word. It is read
 * when first needed, in one request where the server can do that, and kept for ten minutes. Looking for something that is
 * not there reads it anew, so that a custom resource is found as soon as it is defined.
 */
export class ApiDiscovery {
  readonly #clock: Clock;
  readonly #fetch: FetchDocument;
  readonly #reading: SingleFlight<Discovered>;
  #known: Discovered | undefined;
  /** How many reads have begun. */
  #begun = 0;
  /** The first read that was not to be forgotten. */
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

  /** The resources of all groups and versions; of a group, those of its preferred version come first. */
  async resources(options: Abortable = {}): Promise<readonly ApiResource[]> {
    return (await this.#discovered(checkOptions('resources', options, abortableNames).signal)).resources;
  }

  /** What `resources` leaves out or may have wrong, because it could not be read. */
  async failures(options: Abortable = {}): Promise<readonly DiscoveryFailure[]> {
    return (await this.#discovered(checkOptions('failures', options, abortableNames).signal)).failures;
  }

  /** The server's own version; asked for each time. */
  async version(options: Abortable = {}): Promise<ServerVersion> {
    checkOptions('version', options, abortableNames);
    const never = new AbortController().signal;
    return (await this.#fetch('/version', 'application/json', options.signal ?? never)) as ServerVersion;
  }

  /** Forgets what was read. */
  invalidate(): void {
    this.#wanted = this.#begun + 1;
  }

  /**
   * The resource that kubectl would understand by a word: `po`, `Pod`, `deployments.apps`, `widgets.v1.example.com`. Rejects
   * with a StatusError (`isNotFound`) that names what is nearly called so.
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

  /** What the server says of a resource: of the given version, or of the one it prefers. Rejects as {@link resolve} does. */
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
    // What somebody else began to read before may be older than what is looked for.
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

  /** For servers that know the old form only: one request for each version of each group. */
  async #readOneByOne(core: unknown, others: unknown, signal: AbortSignal): Promise<Parts> {
    // A server may have one of the two in the new form, when a proxy or an old cache is in between.
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
        // One extension of the API that is down must not hide all of the rest.
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

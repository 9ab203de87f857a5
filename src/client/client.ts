import type { DecoderOptions } from '../codec/codec.js';
import type { Abortable, PartialObjectMetadata, Unstructured } from '../meta/objects.js';
import { checkOptions, type OptionNames, pickOptions } from '../meta/options/known-options.js';
import { apiVersionOf, type Resource } from '../meta/resource.js';
import { type ConnectionOptions, connectionConfig, connectionNames } from '../rest/config/connection-options.js';
import type { DefaultConfigOptions } from '../rest/config/default-config.js';
import type { KubeconfigOptions } from '../rest/config/kubeconfig.js';
import type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
import type { ConfigOrigin, LoadedConfig } from '../rest/config/loaded-config.js';
import type { Request } from '../rest/request/request.js';
import { RestClient, type RestClientOptions, restClientNames } from '../rest/request/rest-client.js';
import { ResourceSource } from '../rest/source/resource-source.js';
import type { Clock } from '../time/clock.js';
import { offClock } from '../time/off-clock.js';
import { ApiDiscovery } from './api-discovery.js';
import { type BuiltinClients, defineGroups } from './builtin-clients.js';
import type { ApiResource } from './discovery-documents.js';
import type { ManifestDiff } from './manifests/diff-manifests.js';
import type { ManifestSource } from './manifests/manifest-set.js';
import type {
  ApplyManifestsOptions,
  DeleteManifestsOptions,
  DiffManifestsOptions,
  ManifestResult,
} from './manifests/options.js';
import type { NodeUsage, PodUsage, TopOptions } from './metrics/top.js';
import { type SelectorOptions, selectorNames, wireSelectors } from './options.js';
import { pendingClient } from './pending-client.js';
import { type ProxyTarget, proxyRequest } from './proxy-request.js';
import type { MetadataClient, ResourceClient } from './resource-client.js';
import { RestResourceClient } from './rest-resource-client.js';
import { ServerApi } from './server-api.js';
import { RestPodClient } from './streams/rest-pod-client.js';
import { Target } from './target.js';
import type { WaitCondition } from './wait/conditions.js';
import type { WaitOptions } from './wait/wait-for.js';

/** How a client sends requests: codec, timeouts, retries, rate limits. Independent of where its configuration came from. */
export interface ClientBehaviour extends Omit<RestClientOptions, 'groupVersion'> {}

const { groupVersion: _, ...clientBehaviourNames } = restClientNames;

/** The address of a server, the credentials for it, and how requests are sent. */
export interface ClientOptions extends ConnectionOptions, ClientBehaviour {}

/** A client on an existing RestClient. Closing the client closes the RestClient too. */
export interface RestBackedClientOptions {
  readonly rest: RestClient;
  /** The value of {@link Client.namespace}. @default none */
  readonly namespace?: string | undefined;
  /** The value of {@link Client.config}. @default the server of `rest`, and `namespace` */
  readonly config?: ConfigOrigin | undefined;
}

const clientNames: OptionNames<ClientOptions | RestBackedClientOptions> = {
  ...connectionNames,
  ...clientBehaviourNames,
  rest: true,
  config: true,
};

/** Which collection a source reads, and how its objects are decoded. */
export interface ClientSourceOptions extends SelectorOptions, Omit<DecoderOptions, 'typeMeta' | 'isStrict'> {
  /** @default all namespaces, or the cluster */
  readonly namespace?: string | undefined;
  /** Requests PartialObjectMetadata instead of whole objects. @default false */
  readonly metadataOnly?: boolean | undefined;
}

export const clientSourceNames: OptionNames<ClientSourceOptions> = {
  ...selectorNames,
  namespace: true,
  metadataOnly: true,
  arena: true,
  drop: true,
  paths: true,
  filter: true,
  maxObjectBytes: true,
};

const PARTIAL_METADATA = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

/**
 * Reads and writes the objects of one cluster. Every built-in resource is a property, typed: `client.core.v1.pods('default')`,
 * `client.apps.v1.deployments('web')`, `client.core.v1.nodes()`; {@link forResource} takes any other.
 *
 * It connects at the first request. Returned objects are new: change them as you like.
 *
 * @example
 * await using client = await Client.fromDefault();
 * const pods = await client.core.v1.pods('default').list({ labelSelector: 'app=web' });
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the getters of the groups are defined below, from the catalogue
export class Client implements AsyncDisposable {
  static {
    defineGroups<Client>(Client.prototype, (client, resource) => (namespace?: string) => {
      return client.forResource(resource as Resource<unknown>, namespace);
    });
  }

  readonly clock: Clock;
  /** Discovery: the groups, versions and resources that the server serves. */
  readonly apis: ApiDiscovery;
  /** Sends requests to any path; informers read through it too. One per client. */
  readonly rest: RestClient;
  /** The namespace of the kubeconfig's context, or of the pod this runs in. No method uses it as a default. */
  readonly namespace: string | undefined;
  /** Where the configuration came from: server, files, context, cluster and user. It has no secrets. */
  readonly config: ConfigOrigin;
  readonly #api: ServerApi;

  constructor(options: ClientOptions);
  /** @internal On a RestClient that exists; the client closes it. */
  constructor(options: RestBackedClientOptions);
  constructor(options: ClientOptions | RestBackedClientOptions) {
    checkOptions('new Client', options, clientNames);
    const { rest, namespace, config } = 'rest' in options ? options : restOptionsOf(options);
    this.rest = rest;
    this.namespace = namespace;
    this.config = config ?? originOf(rest, namespace);
    this.clock = this.rest.clock;
    this.apis = new ApiDiscovery(this.clock, (path, accept, signal) =>
      this.rest.get().absPath(path).header('accept', accept).do({ signal }),
    );
    this.#api = new ServerApi(this.rest, this.apis);
  }

  /**
   * Connects as kubectl does: with the files in `KUBECONFIG`, else `~/.kube/config`, else the service account of the pod
   * this runs in. Rejects with a ConfigError that lists the places it looked at.
   */
  static fromDefault(options: DefaultConfigOptions & ClientBehaviour = {}): Promise<Client> {
    return Client.#pending('Client.fromDefault()', async () => {
      // Loaded on use: a program that passes `server` needs no code for files.
      const { defaultConfig, defaultConfigNames } = await import('../rest/config/default-config.js');
      checkOptions('Client.fromDefault', options, { ...defaultConfigNames, ...clientBehaviourNames });
      return Client.#of(await defaultConfig(pickOptions<DefaultConfigOptions>(options, defaultConfigNames)), options);
    });
  }

  /** Connects with a kubeconfig: a file, a text, or a `KubeConfig` of `@kubernetes/client-node`. */
  static fromKubeconfig(
    source: { readonly path: string } | { readonly text: string } | KubeConfigLike,
    options: KubeconfigOptions & ClientBehaviour = {},
  ): Promise<Client> {
    return Client.#pending('Client.fromKubeconfig(…)', async () => {
      const { kubeconfigNames, loadKubeconfig } = await import('../rest/config/kubeconfig.js');
      checkOptions('Client.fromKubeconfig', options, { ...kubeconfigNames, ...clientBehaviourNames });
      const config = await loadKubeconfig(source, pickOptions<KubeconfigOptions>(options, kubeconfigNames));
      return Client.#of(config, options);
    });
  }

  static #pending(call: string, make: () => Promise<Client>): Promise<Client> {
    const fields = ['rest', 'apis', 'clock', 'namespace', 'config'];
    return pendingClient(call, make(), [...Reflect.ownKeys(Client.prototype), ...fields]);
  }

  static #of(config: LoadedConfig, options: ClientBehaviour): Client {
    const behaviour = pickOptions<ClientBehaviour>(options, clientBehaviourNames);
    return new Client({ rest: new RestClient(config, behaviour), namespace: config.namespace, config: config.origin });
  }

  /**
   * A client for any resource: one from `defineResource`, or from {@link resolve}. A namespaced resource needs a namespace
   * for everything but `list`, `listAll` and `watch`.
   */
  forResource<T = Unstructured>(resource: Resource<T>, namespace?: string): ResourceClient<T> {
    const target = new Target(resource, namespace);
    if (isPods(target.resource))
      return new RestPodClient(this.#api, target) as RestResourceClient<unknown> as RestResourceClient<T>;
    return new RestResourceClient<T>(this.#api, target);
  }

  /** A client that reads PartialObjectMetadata: names, labels and owners without spec and status, so far fewer bytes. */
  metadata(resource: Resource<unknown>, namespace?: string): MetadataClient {
    const target = new Target(resource, namespace);
    return new RestResourceClient<PartialObjectMetadata>(this.#api, target, { metadataOnly: true });
  }

  /**
   * Finds a resource by any name that kubectl accepts: `po`, `Pod`, `deployments.apps`, `widgets.v1.example.com`. Reads
   * discovery once and keeps it. Rejects with a StatusError (`isNotFound`) that suggests similar names.
   */
  resolve(name: string, options: Abortable = {}): Promise<ApiResource & Resource> {
    return this.apis.resolve(name, options);
  }

  /**
   * Applies the objects of a manifest with server-side apply, in the order of their dependencies: namespaces and definitions
   * first (it waits until these are served), webhooks last. Resolves to what happened to each object, in the order of the
   * manifest, pruned ones at the end.
   *
   * Rejects with a {@link ManifestError} that has all problems with their files, documents and lines. If the manifest itself
   * is wrong, or has a kind that the server does not know, nothing is sent. If the server refuses an object, the others are
   * applied.
   *
   * @example
   * await client.apply({ path: 'deploy/' }, { namespace: 'web', prune: { name: 'web' }, wait: true, timeoutMs: 120_000 });
   */
  async apply(manifest: ManifestSource, options: ApplyManifestsOptions = {}): Promise<ManifestResult[]> {
    const { applyManifests } = await offClock(import('./manifests/apply-manifests.js'));
    return applyManifests(this, manifest, options);
  }

  /**
   * Deletes the objects of a manifest, in the reverse order of {@link apply}. An object that does not exist is no problem.
   * Rejects as `apply` does.
   */
  async delete(manifest: ManifestSource, options: DeleteManifestsOptions = {}): Promise<ManifestResult[]> {
    const { deleteManifests } = await offClock(import('./manifests/delete-manifests.js'));
    return deleteManifests(this, manifest, options);
  }

  /** Compares the objects of a manifest with what {@link apply} would make of them, by a dry run. Changes nothing. */
  async diff(manifest: ManifestSource, options: DiffManifestsOptions = {}): Promise<ManifestDiff> {
    const { diffManifests } = await offClock(import('./manifests/diff-manifests.js'));
    return diffManifests(this, manifest, options);
  }

  /**
   * Waits until a condition holds for an object, which need not exist yet. Resolves to the object; to undefined if the
   * condition is that it does not exist. Rejects with a {@link WaitTimeoutError} that says what is missing, and with a
   * {@link ConditionImpossibleError} if the wait is in vain. Reads and watches one object; failures are retried.
   *
   * @example
   * await client.waitFor(resources.apps.v1.deployments, 'api', conditions.rolledOut, { namespace: 'web', timeoutMs: 60_000 });
   */
  async waitFor<T>(
    resource: Resource<T>,
    name: string,
    condition: WaitCondition<NoInfer<T>>,
    options: WaitOptions = {},
  ): Promise<T | undefined> {
    const { waitFor } = await offClock(import('./wait/wait-for.js'));
    return waitFor(this, resource, name, condition, options);
  }

  /**
   * A request to a service, pod or node, which the API server passes on. Send it with `doRaw`, `do` or `stream`; its `target`
   * is the path on the API server.
   *
   * @example
   * const { body } = await client.proxy({ service: 'web', namespace: 'a', port: 'http', path: '/healthz' }).doRaw();
   */
  proxy(target: ProxyTarget, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' = 'GET'): Request {
    return proxyRequest(this.rest, target, method);
  }

  /** What pods use of CPU and memory now, as metrics-server measures it, and each of their containers. */
  async topPods(options: TopOptions = {}): Promise<PodUsage[]> {
    const { topPods } = await offClock(import('./metrics/top.js'));
    return topPods(this, options);
  }

  /** What nodes use of CPU and memory now, and which part of what pods may use of them that is. */
  async topNodes(options: Omit<TopOptions, 'namespace'> = {}): Promise<NodeUsage[]> {
    const { topNodes } = await offClock(import('./metrics/top.js'));
    return topNodes(this, options);
  }

  /** @internal The source that an informer lists and watches. All sources of one client share {@link rest}. */
  source<T>(resource: Resource<T>, options: ClientSourceOptions): ResourceSource<T> {
    const target = new Target(resource, options.namespace);
    const { kind } = target;
    const own = kind === undefined ? undefined : { kind, apiVersion: apiVersionOf(resource) };
    const { labelSelector, fieldSelector } = wireSelectors(options);
    return new ResourceSource<T>(this.rest, {
      ...options,
      labelSelector,
      fieldSelector,
      resource,
      namespace: target.namespace,
      typeMeta: options.metadataOnly ? PARTIAL_METADATA : own,
    });
  }

  /** Aborts all requests and closes every connection; resolves when all are closed. Idempotent. */
  async close(): Promise<void> {
    await this.rest.close();
    // RestClient does not close a transport that it was given, so close it here.
    await this.rest.transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function isPods({ group, resource }: Resource<unknown>): boolean {
  return group === '' && resource === 'pods';
}

function restOptionsOf(options: ClientOptions): RestBackedClientOptions {
  const connection = connectionConfig(pickOptions<ConnectionOptions>(options, connectionNames));
  const rest = new RestClient(connection, pickOptions<ClientBehaviour>(options, clientBehaviourNames));
  return { rest, namespace: connection.namespace, config: connection.origin };
}

function originOf(rest: RestClient, namespace: string | undefined): ConfigOrigin {
  const { server } = rest.transport;
  return { server, source: 'options', files: [], context: undefined, cluster: undefined, user: undefined, namespace };
}

export interface Client extends BuiltinClients {}

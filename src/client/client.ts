import type { DecoderOptions } from '../codec/codec.js';
import { checkOptions, type OptionNames, pickOptions } from '../meta/known-options.js';
import type { Abortable, PartialObjectMetadata, Unstructured } from '../meta/objects.js';
import { apiVersionOf, type Resource } from '../meta/resource.js';
import { type ConnectionOptions, connectionConfig, connectionNames } from '../rest/config/connection-options.js';
import type { DefaultConfigOptions } from '../rest/config/default-config.js';
import type { KubeconfigOptions } from '../rest/config/kubeconfig.js';
import type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
import type { LoadedConfig } from '../rest/config/loaded-config.js';
import { RestClient, type RestClientOptions, restClientNames } from '../rest/request/rest-client.js';
import { ResourceSource } from '../rest/source/resource-source.js';
import type { Clock } from '../time/clock.js';
import { ApiDiscovery } from './api-discovery.js';
import { Connection } from './connection.js';
import type { ApiResource } from './discovery-documents.js';
import { type SelectorOptions, selectorNames, wireSelectors } from './options.js';
import { pendingClient } from './pending-client.js';
import type { MetadataClient, ResourceClient } from './resource-client.js';
import { type BuiltinClients, defineGroups } from './resource-tree.js';
import { RestResourceClient } from './rest-resource-client.js';
import { Target } from './target.js';

/** How a client speaks with its server, however it was found. */
export interface ClientBehaviour extends Omit<RestClientOptions, 'groupVersion'> {}

const { groupVersion: _, ...clientBehaviourNames } = restClientNames;

/** A server, who asks it, and how. */
export interface ClientOptions extends ConnectionOptions, ClientBehaviour {}

/** A client on requests that somebody else has set up. They are closed with it. */
export interface RestBackedClientOptions {
  readonly rest: RestClient;
  /** What {@link Client.namespace} says. @default none */
  readonly namespace?: string | undefined;
}

const clientNames: OptionNames<ClientOptions | RestBackedClientOptions> = {
  ...connectionNames,
  ...clientBehaviourNames,
  rest: true,
};

/** Which collection a source reads, and how its objects are kept. */
export interface ClientSourceOptions extends SelectorOptions, Omit<DecoderOptions, 'typeMeta'> {
  /** @default all namespaces, or the cluster */
  readonly namespace?: string | undefined;
  /** Reads metadata alone: objects then are PartialObjectMetadata. @default false */
  readonly metadataOnly?: boolean | undefined;
}

export const clientSourceNames: OptionNames<ClientSourceOptions> = {
  ...selectorNames,
  namespace: true,
  metadataOnly: true,
  arena: true,
  drop: true,
  paths: true,
  maxObjectBytes: true,
};

const PARTIAL_METADATA = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

/**
 * Reads and writes the objects of one cluster. Every built-in resource is a property, typed: `client.core.v1.pods('default')`,
 * `client.apps.v1.deployments('web')`, `client.core.v1.nodes()`; {@link forResource} takes any other.
 *
 * It connects when it is first used. What it returns is yours to change.
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
  /** What the server serves. */
  readonly apis: ApiDiscovery;
  /** The layer below: requests of any kind, and what informers read through. One per client. */
  readonly rest: RestClient;
  /** The namespace that the kubeconfig's context, or the pod this runs in, belongs to. Nothing uses it by itself. */
  readonly namespace: string | undefined;
  readonly #connection: Connection;

  constructor(options: ClientOptions);
  /** @internal On a RestClient that exists; the client closes it. */
  constructor(options: RestBackedClientOptions);
  constructor(options: ClientOptions | RestBackedClientOptions) {
    checkOptions('new Client', options, clientNames);
    this.rest = 'rest' in options ? options.rest : restClientOf(options);
    this.namespace = options.namespace;
    this.clock = this.rest.clock;
    this.apis = new ApiDiscovery(this.clock, (path, accept, signal) =>
      this.rest.get().absPath(path).header('accept', accept).do({ signal }),
    );
    this.#connection = new Connection(this.rest, this.apis);
  }

  /**
   * The cluster that a program run by hand or in a pod expects: the files in `KUBECONFIG`, else `~/.kube/config`, else the
   * cluster it runs in. Rejects with a ConfigError that says what was looked for.
   */
  static fromDefault(options: DefaultConfigOptions & ClientBehaviour = {}): Promise<Client> {
    return Client.#pending('Client.fromDefault()', async () => {
      // Loaded on use: programs that are given a server read no files.
      const { defaultConfig, defaultConfigNames } = await import('../rest/config/default-config.js');
      checkOptions('Client.fromDefault', options, { ...defaultConfigNames, ...clientBehaviourNames });
      return Client.#of(await defaultConfig(pickOptions<DefaultConfigOptions>(options, defaultConfigNames)), options);
    });
  }

  /** The cluster of a kubeconfig: a file, a text, or a `KubeConfig` of `@kubernetes/client-node`. */
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
    const fields = ['rest', 'apis', 'clock', 'namespace'];
    return pendingClient(call, make(), [...Reflect.ownKeys(Client.prototype), ...fields]);
  }

  static #of(config: LoadedConfig, options: ClientBehaviour): Client {
    const behaviour = pickOptions<ClientBehaviour>(options, clientBehaviourNames);
    return new Client({ rest: new RestClient(config, behaviour), namespace: config.namespace });
  }

  /**
   * Any resource: one of your own (`defineResource`), or one that {@link resolve} found. A resource of namespaces needs one
   * for everything but `list`, `listAll` and `watch`.
   */
  forResource<T = Unstructured>(resource: Resource<T>, namespace?: string): ResourceClient<T> {
    return new RestResourceClient<T>(this.#connection, new Target(resource, namespace));
  }

  /** The metadata of objects, without spec and status: much less to read where names, labels and owners are all one needs. */
  metadata(resource: Resource<unknown>, namespace?: string): MetadataClient {
    const target = new Target(resource, namespace);
    return new RestResourceClient<PartialObjectMetadata>(this.#connection, target, { metadataOnly: true });
  }

  /**
   * The resource by anything kubectl would accept: `po`, `Pod`, `deployments.apps`, `widgets.v1.example.com`. Asks the server
   * once and remembers. Rejects with a StatusError (`isNotFound`) that names what is nearly called so.
   */
  resolve(name: string, options: Abortable = {}): Promise<ApiResource & Resource> {
    return this.apis.resolve(name, options);
  }

  /** @internal What informers read; {@link rest} is the same object for all sources of one server. */
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

  /** Fails what is under way and closes every connection. Nothing is alive when it resolves. Idempotent. */
  async close(): Promise<void> {
    await this.rest.close();
    // A transport that was given to the REST client is not its to close, but nobody else has it.
    await this.rest.transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function restClientOf(options: ClientOptions): RestClient {
  const connection = connectionConfig(pickOptions<ConnectionOptions>(options, connectionNames));
  return new RestClient(connection, pickOptions<ClientBehaviour>(options, clientBehaviourNames));
}

export interface Client extends BuiltinClients {}

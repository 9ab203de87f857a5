import { parseApiVersion } from '../../meta/resource.js';
import type { KubeConfigLike } from '../../rest/config/kubeconfig-like.js';
import type { CompatList, CompatObject } from '../informer.js';
import { modelToJson, toModelForm } from '../model-form.js';
import type { V1DeleteOptions, V1Status } from '../models.js';
import { ApiClient, type ApiRequest, type ApiTarget } from './api-client.js';
import type { V1APIResource, V1APIResourceList } from './api-methods.js';
import { PatchStrategy, type RequestOptions, setHeaderOptions } from './request-options.js';

/** What an object is addressed by. */
interface ObjectHeader {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata?: { name?: string | undefined; namespace?: string | undefined } | undefined;
}

/** Reads and writes objects of any kind, whose resource it finds by discovery. Objects without a namespace are in the context's. */
export class KubernetesObjectApi {
  readonly #client: ApiClient;
  readonly #defaultNamespace: string;
  readonly #resources = new Map<string, Promise<readonly V1APIResource[]>>();

  constructor(config: KubeConfigLike) {
    this.#client = new ApiClient(config);
    const { getCurrentContext, getContextObject } = config as Partial<{
      getCurrentContext(): string;
      getContextObject(name: string): { readonly namespace?: string | undefined } | null;
    }>;
    const context = getContextObject?.call(config, getCurrentContext?.call(config) ?? '');
    this.#defaultNamespace = context?.namespace ?? 'default';
  }

  static makeApiClient(kc: KubeConfigLike): KubernetesObjectApi {
    return new KubernetesObjectApi(kc);
  }

  create<T extends CompatObject>(
    spec: T,
    pretty?: string,
    dryRun?: string,
    fieldManager?: string,
    options?: RequestOptions,
  ): Promise<T> {
    return this.#write('create', spec, { pretty, dryRun, fieldManager }, options);
  }

  async read<T extends CompatObject>(spec: ObjectHeader, pretty?: string): Promise<T> {
    return this.#send<T>({ method: 'GET', target: await this.#target(spec, 'read'), query: { pretty } });
  }

  replace<T extends CompatObject>(
    spec: T,
    pretty?: string,
    dryRun?: string,
    fieldManager?: string,
    options?: RequestOptions,
  ): Promise<T> {
    return this.#write('replace', spec, { pretty, dryRun, fieldManager }, options);
  }

  /** Patches with the object itself: a strategic merge patch unless `patchStrategy` says otherwise. */
  async patch<T extends CompatObject>(
    spec: T,
    pretty?: string,
    dryRun?: string,
    fieldManager?: string,
    force?: boolean,
    patchStrategy: PatchStrategy = PatchStrategy.StrategicMergePatch,
    options?: RequestOptions,
  ): Promise<T> {
    const target = await this.#target(spec, 'patch');
    const query = { pretty, dryRun, fieldManager, force };
    const typed = setHeaderOptions('Content-Type', patchStrategy, options);
    return this.#send<T>({ method: 'PATCH', target, query, body: modelToJson(spec), options: typed });
  }

  async delete(
    spec: ObjectHeader,
    pretty?: string,
    dryRun?: string,
    gracePeriodSeconds?: number,
    orphanDependents?: boolean,
    propagationPolicy?: string,
    body?: V1DeleteOptions,
    options?: RequestOptions,
  ): Promise<V1Status> {
    const target = await this.#target(spec, 'delete');
    const query = { pretty, dryRun, gracePeriodSeconds, orphanDependents, propagationPolicy };
    return (await this.#send({ method: 'DELETE', target, query, body, options })) as V1Status;
  }

  async list<T extends CompatObject>(
    apiVersion: string,
    kind: string,
    namespace?: string,
    pretty?: string,
    _exact?: boolean,
    _exportt?: boolean,
    fieldSelector?: string,
    labelSelector?: string,
    limit?: number,
    continueToken?: string,
    options?: RequestOptions,
  ): Promise<CompatList<T>> {
    const resource = await this.#resource(apiVersion, kind);
    const target = { resource: { ...parseApiVersion(apiVersion), resource: resource.name }, namespace };
    const query = { pretty, fieldSelector, labelSelector, limit, continue: continueToken };
    return (await this.#send({ method: 'GET', target, query, options })) as unknown as CompatList<T>;
  }

  async #write<T extends CompatObject>(
    action: 'create' | 'replace',
    spec: T,
    query: ApiRequest['query'],
    options: RequestOptions | undefined,
  ): Promise<T> {
    const target = await this.#target(spec, action);
    const method = action === 'create' ? 'POST' : 'PUT';
    return this.#send<T>({ method, target, query, body: modelToJson(spec), options });
  }

  async #send<T extends CompatObject>(request: ApiRequest): Promise<T> {
    return toModelForm((await this.#client.send(request)) as T);
  }

  async #target(spec: ObjectHeader, action: string): Promise<ApiTarget> {
    const { apiVersion = 'v1', kind, metadata = {} } = spec;
    if (!kind) throw new Error(`${action} needs an object with a kind`);
    if (action !== 'create' && !metadata.name) throw new Error(`${action} of a ${kind} needs metadata.name`);
    const { name: plural, namespaced } = await this.#resource(apiVersion, kind);
    return {
      resource: { ...parseApiVersion(apiVersion), resource: plural },
      ...(namespaced ? { namespace: metadata.namespace || this.#defaultNamespace } : {}),
      ...(action === 'create' ? {} : { name: metadata.name }),
    };
  }

  async #resource(apiVersion: string, kind: string): Promise<V1APIResource> {
    const known = await this.#discover(apiVersion).catch((error: unknown) => {
      this.#resources.delete(apiVersion);
      throw error;
    });
    const found = known.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    if (found !== undefined) return found;
    // A definition may have been added since.
    this.#resources.delete(apiVersion);
    throw new Error(`Unrecognized API version and kind: ${apiVersion} ${kind}`);
  }

  #discover(apiVersion: string): Promise<readonly V1APIResource[]> {
    let resources = this.#resources.get(apiVersion);
    if (resources === undefined) {
      const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      resources = this.#client
        .send({ method: 'GET', target: path })
        .then((list) => (list as V1APIResourceList).resources);
      this.#resources.set(apiVersion, resources);
    }
    return resources;
  }
}

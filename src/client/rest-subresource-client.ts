import type { Abortable, DeepReadonly, JsonPatchOperation, MergePatch } from '../meta/objects.js';
import { abortableNames, checkOptions } from '../meta/options/known-options.js';
import { requireString } from '../meta/options/validate.js';
import { apiVersionOf } from '../meta/resource.js';
import type { BuiltinSubresource } from '../resources/builtin-resource.js';
import type { HttpMethod, Request } from '../rest/request/request.js';
import {
  type ApplyOptions,
  applyNames,
  type PatchOptions,
  patchNames,
  type WriteOptions,
  wireWriteOptions,
  writeNames,
} from './options.js';
import { patchTypeOf } from './patch-type.js';
import type { NewPart, SubresourceClient } from './resource-client.js';
import type { ServerApi } from './server-api.js';
import type { Target } from './target.js';

/** A {@link SubresourceClient} that sends requests. */
export class RestSubresourceClient<S> implements SubresourceClient<S> {
  readonly #api: ServerApi;
  readonly #target: Target;
  readonly #subresource: string;

  constructor(api: ServerApi, target: Target, subresource: string) {
    this.#api = api;
    this.#target = target;
    this.#subresource = subresource;
  }

  async get(name: string, options: Abortable = {}): Promise<S> {
    return this.#part('GET', 'get', name).do<S>(checkOptions('get', options, abortableNames));
  }

  async create(name: string, body: DeepReadonly<NewPart<S>>, options: WriteOptions = {}): Promise<S> {
    checkOptions('create', options, writeNames);
    const request = this.#part('POST', 'create', name);
    return this.#write(request, await this.#complete(name, body, options), options);
  }

  async update(name: string, body: DeepReadonly<S>, options: WriteOptions = {}): Promise<S> {
    checkOptions('update', options, writeNames);
    const request = this.#part('PUT', 'update', name);
    return this.#write(request, await this.#complete(name, body, options), options);
  }

  async patch(
    name: string,
    patch: MergePatch<S> | readonly JsonPatchOperation[],
    options: PatchOptions = {},
  ): Promise<S> {
    checkOptions('patch', options, patchNames);
    const request = this.#part('PATCH', 'patch', name).patchType(patchTypeOf(patch, options));
    return this.#write(request, patch, options);
  }

  async apply(name: string, body: DeepReadonly<NewPart<S>>, options: ApplyOptions): Promise<S> {
    requireString('fieldManager', options?.fieldManager);
    checkOptions('apply', options, applyNames);
    const request = this.#part('PATCH', 'apply', name).patchType('apply').param('force', options.force);
    return this.#write(request, await this.#complete(name, body, options), options);
  }

  /** Fills in `apiVersion`, `kind`, `metadata.name` and `metadata.namespace` where the body has none. */
  async #complete(name: string, body: unknown, options: Abortable): Promise<object> {
    const given = body as {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly metadata?: object;
    };
    const isTyped = given.apiVersion !== undefined && given.kind !== undefined;
    const part = isTyped ? undefined : await this.#describe(options);
    const { group = this.#target.resource.group, version = this.#target.resource.version, kind } = part ?? {};
    return {
      ...given,
      apiVersion: given.apiVersion ?? apiVersionOf({ group, version }),
      kind: given.kind ?? kind,
      metadata: { name, namespace: this.#target.namespace, ...given.metadata },
    };
  }

  async #describe(options: Abortable): Promise<BuiltinSubresource | undefined> {
    const known = this.#target.subresource(this.#subresource);
    if (known !== undefined) return known;
    const { subresources } = await this.#api.apis.describe(this.#target.resource, {
      signal: options.signal,
    });
    return subresources.find((one) => one.name === this.#subresource);
  }

  #write(request: Request, body: unknown, options: WriteOptions): Promise<S> {
    const { signal } = options;
    return request.params(wireWriteOptions(options)).body(body).do<S>({ signal });
  }

  #part(method: HttpMethod, verb: string, name: string): Request {
    return partRequest(this.#api, this.#target, method, verb, name, this.#subresource);
  }
}

/** A request to a subresource of one object. */
export function partRequest(
  api: ServerApi,
  target: Target,
  method: HttpMethod,
  verb: string,
  name: unknown,
  subresource: string,
): Request {
  const request = api.rest.request(method).resource(target.resource).name(target.checkName(name, verb));
  if (target.namespace !== undefined) request.namespace(target.namespace);
  return request.subresource(subresource);
}

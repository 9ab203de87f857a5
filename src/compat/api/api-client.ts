import type { Client } from '../../client/client.js';
import type { GroupVersionResource } from '../../meta/resource.js';
import type { KubeConfigLike } from '../../rest/config/kubeconfig-like.js';
import { type HttpMethod, type PatchType, patchTypes, type Request } from '../../rest/request/request.js';
import type { RestClient } from '../../rest/request/rest-client.js';
import { type ConnectionLease, leaseConnection } from '../shared-connection.js';
import { officialError } from './api-exception.js';
import type { RequestOptions } from './request-options.js';

/** A collection, an object or a subresource. */
export interface ApiTarget {
  readonly resource: GroupVersionResource;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** A request of an API class. */
export interface ApiRequest {
  readonly method: HttpMethod;
  /** What it is for, or a whole path. */
  readonly target: ApiTarget | string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly options?: RequestOptions | undefined;
  /** The kind of a patch that is an object, without a content type. @default 'strategic' */
  readonly defaultPatch?: PatchType | undefined;
}

const STARTS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

/** Sends the requests of API classes over the shared connections of a KubeConfig. Idle connections do not keep the process alive. */
export class ApiClient {
  readonly #kubeconfig: KubeConfigLike;
  #lease: Promise<ConnectionLease> | undefined;

  constructor(kubeconfig: KubeConfigLike) {
    this.#kubeconfig = kubeconfig;
  }

  /** The answer, decoded. */
  async send(request: ApiRequest): Promise<unknown> {
    try {
      return await (await this.#build(request)).do();
    } catch (error) {
      throw officialError(error);
    }
  }

  /** The answer as text. */
  async text(request: ApiRequest): Promise<string> {
    try {
      const { body } = await (await this.#build(request)).doRaw();
      return new TextDecoder().decode(body);
    } catch (error) {
      throw officialError(error);
    }
  }

  async rest(): Promise<RestClient> {
    return (await this.#connection()).rest;
  }

  async client(): Promise<Client> {
    return (await this.#connection()).client;
  }

  #connection(): Promise<ConnectionLease> {
    if (this.#lease === undefined) {
      this.#lease = leaseConnection(this.#kubeconfig);
      // A connection that could not be made is tried anew.
      this.#lease.catch(() => (this.#lease = undefined));
    }
    return this.#lease;
  }

  async #build({
    method,
    target,
    query = {},
    body,
    options = {},
    defaultPatch = 'strategic',
  }: ApiRequest): Promise<Request> {
    const rest = await this.rest();
    const request = rest[STARTS[method]]();
    if (typeof target === 'string') request.absPath(target);
    else {
      request.resource(target.resource);
      if (target.namespace !== undefined) request.namespace(target.namespace);
      if (target.name !== undefined) request.name(target.name);
      if (target.subresource !== undefined) request.subresource(target.subresource);
    }
    for (const [name, value] of Object.entries(query)) request.param(name, value as string | undefined);
    if (body !== undefined) request.body(body);
    const headers = { ...options.headers };
    if (method === 'PATCH') request.patchType(takePatchType(headers) ?? (Array.isArray(body) ? 'json' : defaultPatch));
    for (const [name, value] of Object.entries(headers)) request.header(name, value);
    return request;
  }
}

/** Removes the content type from headers, and returns the kind of patch that it says. */
function takePatchType(headers: Record<string, string>): PatchType | undefined {
  const name = Object.keys(headers).find((header) => header.toLowerCase() === 'content-type');
  if (name === undefined) return undefined;
  const value = headers[name];
  delete headers[name];
  const [type] = Object.entries(patchTypes).find(([, text]) => text === value) ?? [];
  if (type === undefined) throw new TypeError(`the Content-Type ${value} is no kind of patch: use PatchStrategy`);
  return type as PatchType;
}

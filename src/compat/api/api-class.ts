import { apiVersionOf, type GroupVersionKind } from '../../meta/resource.js';
import type { BuiltinResource, BuiltinSubresource } from '../../resources/builtin-resource.js';
import { builtinResources } from '../../resources/catalogue.js';
import { type Schema, schemaOf } from '../../resources/schema.js';
import type { KubeConfigLike } from '../../rest/config/kubeconfig-like.js';
import type { CompatObject } from '../informer.js';
import { fromModelForm, toModelForm } from '../model-form.js';
import { ApiClient, type ApiRequest } from './api-client.js';
import type { RequestOptions } from './request-options.js';

/** A class of API methods, for `KubeConfig.makeApiClient`. */
export type ApiConstructor<T> = new (config: KubeConfigLike) => T;

/** The parameters of a method: those of the address, the body, and the query. */
interface Params {
  readonly name?: string;
  readonly namespace?: string;
  readonly body?: unknown;
  readonly [query: string]: unknown;
}

type ApiMethod = (this: BuiltinApi, param?: Params, options?: RequestOptions) => Promise<unknown>;

/** What all API classes have in common. */
class BuiltinApi {
  readonly client: ApiClient;

  constructor(config: KubeConfigLike) {
    this.client = new ApiClient(config);
  }
}

/**
 * The class of a group and version. Its methods are made from the catalogue of built-in resources when the first instance is, so that
 * a program does not pay for classes that it does not use.
 */
export function apiClass<T>(group: string, version: string): ApiConstructor<T> {
  let isDefined = false;
  class Api extends BuiltinApi {
    constructor(config: KubeConfigLike) {
      super(config);
      if (isDefined) return;
      isDefined = true;
      defineMethods(Api.prototype, group, version);
    }
  }
  return Api as unknown as ApiConstructor<T>;
}

function defineMethods(prototype: object, group: string, version: string): void {
  const define = (name: string, value: ApiMethod): void => {
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
  };
  define('getAPIResources', function () {
    return this.client.send({ method: 'GET', target: group === '' ? `/api/${version}` : `/apis/${group}/${version}` });
  });
  for (const resource of builtinResources) {
    if (resource.group !== group || resource.version !== version) continue;
    for (const [name, method] of methodsOf(resource)) define(name, method);
  }
}

/** The verbs of discovery, with the names of their methods. */
const OF_COLLECTION = {
  list: ['list', 'GET'],
  create: ['create', 'POST'],
  deletecollection: ['deleteCollection', 'DELETE'],
} as const;
const OF_OBJECT = {
  get: ['read', 'GET'],
  update: ['replace', 'PUT'],
  patch: ['patch', 'PATCH'],
  delete: ['delete', 'DELETE'],
  create: ['create', 'POST'],
} as const;

function* methodsOf(resource: BuiltinResource): Generator<readonly [name: string, method: ApiMethod]> {
  const { kind, namespaced, verbs, subresources } = resource;
  const scoped = namespaced ? `Namespaced${kind}` : kind;
  const own = { kind, group: resource.group, version: resource.version };
  for (const [verb, [word, method]] of Object.entries(OF_COLLECTION)) {
    if (verbs.includes(verb)) yield [`${word}${scoped}`, methodOf(resource, method, 'collection', undefined, own)];
  }
  if (namespaced && verbs.includes('list')) {
    yield [`list${kind}ForAllNamespaces`, methodOf(resource, 'GET', 'all', undefined, own)];
  }
  for (const [verb, [word, method]] of Object.entries(OF_OBJECT)) {
    if (verb !== 'create' && verbs.includes(verb)) {
      yield [`${word}${scoped}`, methodOf(resource, method, 'object', undefined, own)];
    }
    for (const subresource of subresources) {
      if (!subresource.verbs.includes(verb) || isStream(subresource)) continue;
      const ofSubresource = { ...own, ...kindOf(subresource) };
      const name = `${word}${scoped}${subresource.name[0]!.toUpperCase()}${subresource.name.slice(1)}`;
      yield [name, methodOf(resource, method, 'object', subresource.name, ofSubresource)];
    }
  }
}

/** Streams and proxies have methods of their own: `Exec`, `PortForward`, `Log`. */
function isStream({ name }: BuiltinSubresource): boolean {
  return ['exec', 'attach', 'portforward', 'proxy'].includes(name);
}

function kindOf({ kind, group, version }: BuiltinSubresource): { kind: string; group?: string; version?: string } {
  return { kind, ...(group === undefined ? {} : { group }), ...(version === undefined ? {} : { version }) };
}

function methodOf(
  resource: BuiltinResource,
  method: ApiRequest['method'],
  place: 'collection' | 'object' | 'all',
  subresource: string | undefined,
  kind: GroupVersionKind,
): ApiMethod {
  const required = [
    ...(place === 'object' ? ['name'] : []),
    ...(resource.namespaced && place !== 'all' ? ['namespace'] : []),
  ];
  if (method === 'POST' || method === 'PUT' || method === 'PATCH') required.push('body');
  return async function (param = {}, options) {
    for (const name of required) {
      if (param[name] === undefined || param[name] === null) {
        throw new TypeError(`${method} of ${resource.resource} needs ${name}: pass { ${required.join(', ')} }`);
      }
    }
    const { name, namespace, body, _continue, ...query } = param;
    const request: ApiRequest = {
      method,
      target: {
        resource,
        ...(resource.namespaced && place !== 'all' ? { namespace } : {}),
        ...(place === 'object' ? { name } : {}),
        subresource,
      },
      query: { ...query, continue: _continue },
      body: bodyOf(body, method, kind),
      options,
    };
    if (subresource === 'log') return this.client.text(request);
    return toModelForm((await this.client.send(request)) as CompatObject);
  };
}

/** The JSON of a body. The server needs the kind, which models leave out. */
function bodyOf(body: unknown, method: string, kind: GroupVersionKind): unknown {
  if (body === undefined || Array.isArray(body)) return body;
  const schema: Schema | undefined = method === 'DELETE' ? undefined : schemaOf(kind);
  const json = fromModelForm(body, schema) as object;
  if (method === 'DELETE') return { apiVersion: 'v1', kind: 'DeleteOptions', ...json };
  return method === 'PATCH' ? json : { apiVersion: apiVersionOf(kind), kind: kind.kind, ...json };
}

import type { Abortable } from '../meta/objects.js';
import { apiVersionOf } from '../meta/resource.js';
import type { RestClient } from '../rest/request/rest-client.js';
import type { ApiDiscovery } from './api-discovery.js';
import type { Target } from './target.js';

/** The requests and the discovery of one server, shared by the clients of all its resources. */
export class ServerApi {
  readonly rest: RestClient;
  readonly apis: ApiDiscovery;

  constructor(rest: RestClient, apis: ApiDiscovery) {
    this.rest = rest;
    this.apis = apis;
  }

  /**
   * Fills in `apiVersion` and `kind` where the object has none, because servers require them. A kind that neither the
   * resource nor the catalogue names is read from discovery.
   */
  async withTypeMeta(target: Target, object: unknown, options: Abortable): Promise<object> {
    const { apiVersion, kind, ...rest } = object as { readonly apiVersion?: string; readonly kind?: string };
    return {
      apiVersion: apiVersion ?? apiVersionOf(target.resource),
      kind: kind ?? target.kind ?? (await this.apis.describe(target.resource, { signal: options.signal })).kind,
      ...rest,
    };
  }
}

import type { Abortable } from '../meta/objects.js';
import { apiVersionOf } from '../meta/resource.js';
import type { RestClient } from '../rest/request/rest-client.js';
import type { ApiDiscovery } from './api-discovery.js';
import type { Target } from './target.js';

/** What the clients of all resources of a server share. */
export class Connection {
  readonly rest: RestClient;
  readonly apis: ApiDiscovery;

  constructor(rest: RestClient, apis: ApiDiscovery) {
    this.rest = rest;
    this.apis = apis;
  }

  /** An object that says what it is, as servers want it. The server is asked for the kind if nobody else knows it. */
  async typed(target: Target, object: unknown, options: Abortable): Promise<object> {
    const { apiVersion, kind, ...rest } = object as { readonly apiVersion?: string; readonly kind?: string };
    return {
      apiVersion: apiVersion ?? apiVersionOf(target.resource),
      kind: kind ?? target.kind ?? (await this.apis.describe(target.resource, { signal: options.signal })).kind,
      ...rest,
    };
  }
}

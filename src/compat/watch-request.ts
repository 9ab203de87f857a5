import type { Request } from '../rest/request/request.js';
import type { RestClient } from '../rest/request/rest-client.js';

/** Parameters of a query, as the official client takes them. */
export type QueryParams = Record<string, string | number | boolean | undefined>;

/** A request for a path as the official client takes it: it may be percent-encoded, and may bring a query of its own. */
export function requestFor(rest: RestClient, path: string, params: QueryParams): Request {
  const url = new URL(path, 'http://path.invalid');
  const request = rest.get().absPath(...url.pathname.split('/').map(decodeURIComponent));
  for (const [name, value] of url.searchParams) if (params[name] === undefined) request.param(name, value);
  return request.params(params);
}

import type { Request } from '../rest/request/request.js';
import type { RestClient } from '../rest/request/rest-client.js';

/** Query parameters, as in the official client. */
export type QueryParams = Record<string, string | number | boolean | undefined>;

/** A GET of a path as in the official client: it may be percent-encoded, and may have a query. */
export function requestFor(rest: RestClient, path: string, params: QueryParams): Request {
  const url = new URL(path, 'http://path.invalid');
  const request = rest.get().absPath(...url.pathname.split('/').map(decodeURIComponent));
  for (const [name, value] of url.searchParams) if (params[name] === undefined) request.param(name, value);
  return request.params(params);
}

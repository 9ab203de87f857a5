import type { ApiServer } from '../../src/apiserver/server.js';
import type { Client, ClientOptions } from '../../src/client/client.js';
import type { Transport, TransportRequest } from '../../src/rest/http/transport.js';

/** A request to a {@link sometimesSharding} client. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query, decoded. */
  readonly target: string;
  readonly shardSelector: string | undefined;
}

/**
 * A client behind whose address several API servers answer: those for which `ignores` returns true do not have the feature gate
 * `ShardedListAndWatch`, and ignore the shard selector.
 */
export function sometimesSharding(
  api: ApiServer,
  ignores: (request: SeenRequest) => boolean,
  options: Partial<ClientOptions> = {},
): { readonly client: Client; readonly seen: SeenRequest[] } {
  const inner = api.client().rest.transport;
  const seen: SeenRequest[] = [];
  const transport: Transport = {
    server: inner.server,
    isLocal: inner.isLocal,
    get silenceMs() {
      return inner.silenceMs;
    },
    onConnect: (listener) => inner.onConnect(listener),
    close: () => inner.close(),
    send: (request: TransportRequest, handler) => {
      const url = new URL(request.target, 'http://server');
      const shardSelector = url.searchParams.get('shardSelector') ?? undefined;
      const { method } = request;
      const target = `${url.pathname}?${decodeURIComponent(url.search.slice(1))}`;
      const one: SeenRequest = { method, target, shardSelector };
      seen.push(one);
      if (shardSelector === undefined || !ignores(one)) return inner.send(request, handler);
      url.searchParams.delete('shardSelector');
      return inner.send({ ...request, target: `${url.pathname}${url.search}` }, handler);
    },
  };
  return { client: api.client({ ...options, transport }), seen };
}

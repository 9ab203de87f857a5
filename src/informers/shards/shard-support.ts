import type { Client } from '../../client/client.js';
import { isRefusal } from '../../meta/errors/refusal.js';
import type { KubernetesList } from '../../meta/objects.js';
import type { RestClient } from '../../rest/request/rest-client.js';
import { abortable } from '../../time/signals.js';
import { everyShard } from './shard-selector.js';

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const askingMs = 10_000;

const supportOf = new WeakMap<RestClient, ShardSupport>();

/**
 * Whether the server of a client has the feature gate `ShardedListAndWatch`. Servers without it ignore the parameter, so this
 * only decides about what is sent: filters leave out what a server sends in spite of it.
 */
export class ShardSupport {
  readonly #client: Client;
  #answer: boolean | undefined;
  #asking: Promise<boolean> | undefined;

  private constructor(client: Client) {
    this.#client = client;
    // A new connection may lead to another server, or to a newer release of it.
    client.rest.transport.onConnect(() => {
      if (this.#asking === undefined) this.forget();
    });
  }

  /** One per client. */
  static of(client: Client): ShardSupport {
    let support = supportOf.get(client.rest);
    if (support === undefined) supportOf.set(client.rest, (support = new ShardSupport(client)));
    return support;
  }

  /**
   * Whether to send a shard selector. The first call asks with a list of one Lease. If that fails, for instance because of
   * missing permissions, the selector is sent: it cannot do harm.
   */
  async sends(signal: AbortSignal): Promise<boolean> {
    if (this.#answer !== undefined) return this.#answer;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return abortable(this.#asking, signal);
  }

  /** Asks again at the next request: a list lacked the echo of its selector, so that another server has answered. */
  forget(): void {
    this.#answer = undefined;
  }

  async #ask(): Promise<boolean> {
    const { rest, namespace = 'default' } = this.#client;
    const request = rest.get().resource(leases).namespace(namespace);
    try {
      const list = await request
        .params({ limit: 1, shardSelector: everyShard })
        .timeout(askingMs)
        .maxRetries(0)
        .do<KubernetesList<unknown>>();
      this.#answer = list.metadata.shardInfo !== undefined;
      return this.#answer;
    } catch (error) {
      if (isRefusal(error)) this.#answer = true;
      return true;
    }
  }
}

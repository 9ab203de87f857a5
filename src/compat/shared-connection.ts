import { ServerTraits } from '../cache/source/server-traits.js';
import { Client } from '../client/client.js';
import type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
import type { RestClient } from '../rest/request/rest-client.js';

/** The way to the cluster of a KubeConfig, lent to somebody. */
export interface ConnectionLease {
  readonly rest: RestClient;
  readonly traits: ServerTraits;
  /** Gives it back; the last one closes it. Idempotent. */
  release(): void;
}

interface SharedConnection {
  readonly client: Promise<Client>;
  users: number;
}

const connections = new WeakMap<KubeConfigLike, Map<string, SharedConnection>>();

/** Throws, in the words of the official client, when a KubeConfig leads nowhere. */
export function requireCluster(kubeconfig: KubeConfigLike): { readonly server: string } {
  const cluster = kubeconfig.getCurrentCluster();
  if (cluster === null || cluster === undefined) throw new Error('No currently active cluster');
  return cluster;
}

/**
 * Connects to where a KubeConfig leads now. All who hold a lease for the same context of the same KubeConfig share one
 * client and its connections.
 */
export async function leaseConnection(kubeconfig: KubeConfigLike): Promise<ConnectionLease> {
  const { server } = requireCluster(kubeconfig);
  const { getCurrentContext } = kubeconfig as Partial<{ getCurrentContext(): string }>;
  const key = `${getCurrentContext?.call(kubeconfig) ?? ''} ${server}`;
  let ofConfig = connections.get(kubeconfig);
  if (ofConfig === undefined) {
    ofConfig = new Map();
    connections.set(kubeconfig, ofConfig);
  }
  let shared = ofConfig.get(key);
  if (shared === undefined) {
    shared = { client: Client.fromKubeconfig(kubeconfig), users: 0 };
    ofConfig.set(key, shared);
  }
  const { client } = shared;
  shared.users++;
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    if (--shared.users > 0) return;
    if (ofConfig.get(key) === shared) ofConfig.delete(key);
    // A client that never came to be has nothing to close, and those who waited for it have heard why.
    client.then(
      (unused) => unused.close(),
      () => {},
    );
  };
  try {
    const { rest } = await client;
    return { rest, traits: new ServerTraits(() => rest.transport.silenceMs), release };
  } catch (error) {
    // The next one tries anew.
    if (ofConfig.get(key) === shared) ofConfig.delete(key);
    release();
    throw error;
  }
}

import { ServerTraits } from '../cache/source/server-traits.js';
import { Client } from '../client/client.js';
import { type Undo, undoOnce } from '../meta/undo.js';
import type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
import type { RestClient } from '../rest/request/rest-client.js';
import { KubeConfig } from './config/kube-config.js';

/** A use of the shared client of a KubeConfig. */
export interface ConnectionLease {
  readonly client: Client;
  readonly rest: RestClient;
  readonly traits: ServerTraits;
  /** Ends the use; the last one closes the client. */
  readonly release: Undo;
}

interface SharedConnection {
  readonly client: Promise<Client>;
  users: number;
}

const connections = new WeakMap<KubeConfigLike, Map<string, SharedConnection>>();

/** Throws the error of the official client if a KubeConfig has no current cluster. */
export function requireCluster(kubeconfig: KubeConfigLike): { readonly server: string } {
  const cluster = kubeconfig.getCurrentCluster();
  if (cluster === null || cluster === undefined) throw new Error('No currently active cluster');
  return cluster;
}

/** A KubeConfig of this package is loaded as any kubeconfig; others are asked for their credentials. */
function sourceOf(kubeconfig: KubeConfigLike): KubeConfigLike | { readonly text: string } {
  return kubeconfig instanceof KubeConfig ? { text: kubeconfig.exportConfig() } : kubeconfig;
}

/**
 * Connects to the current cluster of a KubeConfig. All leases of one context of one KubeConfig share one client and its
 * connections.
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
    shared = { client: Client.fromKubeconfig(sourceOf(kubeconfig)), users: 0 };
    ofConfig.set(key, shared);
  }
  const { client } = shared;
  shared.users++;
  const release = undoOnce(() => {
    if (--shared.users > 0) return;
    if (ofConfig.get(key) === shared) ofConfig.delete(key);
    // A client that could not be made has nothing to close; the error is thrown below.
    client.then(
      (unused) => unused.close(),
      () => {},
    );
  });
  try {
    const made = await client;
    const { rest } = made;
    return { client: made, rest, traits: new ServerTraits(() => rest.transport.silenceMs), release };
  } catch (error) {
    // The next call makes a new client.
    if (ofConfig.get(key) === shared) ofConfig.delete(key);
    release();
    throw error;
  }
}

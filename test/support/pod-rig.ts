import { onTestFinished } from 'vitest';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/apiserver/index.js';
import type { Client } from '../../src/client/client.js';
import type { PodClient } from '../../src/client/streams/pod-client.js';

/** A server whose pod `one` is answered by functions of a test, and a client of it. */
export interface PodRig {
  readonly api: ApiServer;
  readonly client: Client;
  readonly pods: PodClient;
}

/** The ways to a server. */
export const ways = ['http', 'https', 'memory'] as const;

/** A pod on a node with these containers. */
export function podOf(
  name: string,
  containers: readonly string[] = ['app'],
  labels: Readonly<Record<string, string>> = {},
) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: { nodeName: 'n', containers: containers.map((container) => ({ name: container, image: 'app:1' })) },
  };
}

/** Starts a server that stops at the end of the test. What its functions throw unexpectedly fails the test. */
export async function podRig(
  kubelet: ApiServerOptions['kubelet'],
  way: (typeof ways)[number] = 'http',
  options: Partial<ApiServerOptions> = {},
): Promise<PodRig> {
  const errors: unknown[] = [];
  const api = await startApiServer({
    kubelet,
    objects: [podOf('one'), podOf('two', ['app', 'side'])],
    ...(way === 'memory' ? { listen: false } : { tls: way === 'https' }),
    onError: (error) => void errors.push(error),
    ...options,
  });
  const client = api.client();
  onTestFinished(async () => {
    await client.close();
    await api.stop();
    if (errors.length > 0) throw new AggregateError(errors, 'the server has failed');
  });
  return { api, client, pods: client.core.v1.pods('default') };
}

/** Bytes that tell where they are, so that a lost, doubled or moved one is found. */
export function pattern(from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at++) bytes[at] = ((from + at) * 31 + ((from + at) >>> 8)) & 0xff;
  return bytes;
}

import type { Readable, Writable } from 'node:stream';
import { connectToPod } from '../../client/streams/pod-connection.js';
import type { KubeConfigLike } from '../../rest/config/kubeconfig-like.js';
import { ApiClient } from '../api/api-client.js';
import { officialError } from '../api/api-exception.js';
import { PodSession } from './pod-session.js';

/** Connects streams with ports of pods. */
export class PortForward {
  readonly #client: ApiClient;

  constructor(config: KubeConfigLike) {
    this.#client = new ApiClient(config);
  }

  /** Resolves when the connection is open. Errors of it are written to `err`. One port at a time, as in the official client. */
  async portForward(
    namespace: string,
    podName: string,
    targetPorts: readonly number[],
    output: Writable,
    err: Writable | null,
    input: Readable,
  ): Promise<PodSession> {
    const [port] = targetPorts;
    if (port === undefined) throw new Error('You must provide at least one port to forward to.');
    if (targetPorts.length > 1) throw new Error('Only one port is currently supported for port-forward');
    const rest = await this.#client.rest();
    const session = new PodSession();
    const request = rest.get().namespace(namespace).resource('pods').name(podName).subresource('portforward');
    try {
      const connection = await connectToPod(request, port, rest.clock, session.signal);
      connection.once('error', (error: Error) => {
        err?.write(error.message);
        session.end(error);
      });
      connection.once('close', () => session.end());
      input.once('error', () => connection.destroy());
      output.once('close', () => connection.destroy());
      input.pipe(connection).pipe(output);
      return session;
    } catch (error) {
      throw officialError(error);
    }
  }
}

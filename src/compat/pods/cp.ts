import { stat } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import type { Client } from '../../client/client.js';
import type { KubeConfigLike } from '../../rest/config/kubeconfig-like.js';
import { ApiClient } from '../api/api-client.js';
import { officialError } from '../api/api-exception.js';

/** Copies files to and from containers, which need `tar`. */
export class Cp {
  readonly #client: ApiClient;

  constructor(config: KubeConfigLike) {
    this.#client = new ApiClient(config);
  }

  /** Copies `srcPath` of a container, which is relative to `cwd`, below the local folder `tgtPath`. Resolves when it is there. */
  async cpFromPod(
    namespace: string,
    podName: string,
    containerName: string,
    srcPath: string,
    tgtPath: string,
    cwd?: string,
  ): Promise<void> {
    const remote = cwd === undefined ? srcPath : posix.join(cwd, srcPath);
    await this.#copy((client) =>
      client.core.v1.pods(namespace).copyFrom(podName, remote, join(tgtPath, srcPath), { container: containerName }),
    );
  }

  /** Copies a local file, or the contents of a folder, into the folder `tgtPath` of a container. Resolves when they are there. */
  async cpToPod(
    namespace: string,
    podName: string,
    containerName: string,
    srcPath: string,
    tgtPath: string,
  ): Promise<void> {
    const remote = (await stat(srcPath)).isDirectory() ? tgtPath : posix.join(tgtPath, basename(srcPath));
    await this.#copy((client) =>
      client.core.v1.pods(namespace).copyTo(podName, srcPath, remote, { container: containerName }),
    );
  }

  async #copy(copy: (client: Client) => Promise<unknown>): Promise<void> {
    try {
      await copy(await this.#client.client());
    } catch (error) {
      throw officialError(error);
    }
  }
}

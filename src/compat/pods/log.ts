import type { Writable } from 'node:stream';
import type { KubeConfigLike } from '../../rest/config/kubeconfig-like.js';
import { ApiClient } from '../api/api-client.js';
import { officialError } from '../api/api-exception.js';

/** Which part of a log is read. */
export interface LogOptions {
  /** Whether new lines are waited for. @default false */
  readonly follow?: boolean | undefined;
  /** @default all */
  readonly limitBytes?: number | undefined;
  /** @default false */
  readonly pretty?: boolean | undefined;
  /** The log of the container before its last restart. @default false */
  readonly previous?: boolean | undefined;
  /** @default from the beginning */
  readonly sinceSeconds?: number | undefined;
  /** In RFC 3339. Not together with `sinceSeconds`. @default from the beginning */
  readonly sinceTime?: string | undefined;
  /** @default all */
  readonly tailLines?: number | undefined;
  /** Whether lines begin with their times. @default false */
  readonly timestamps?: boolean | undefined;
}

/** Reads the logs of containers. */
export class Log {
  readonly #client: ApiClient;

  constructor(config: KubeConfigLike) {
    this.#client = new ApiClient(config);
  }

  /**
   * Writes a log to a stream and ends it. Resolves when the server has answered; aborting the result stops the log. `done` is called
   * at the end, with the error if there was one.
   */
  async log(
    namespace: string,
    podName: string,
    containerName: string,
    stream: Writable,
    doneOrOptions?: ((error: unknown) => void) | LogOptions,
    moreOptions?: LogOptions,
  ): Promise<AbortController> {
    const done = typeof doneOrOptions === 'function' ? doneOrOptions : () => {};
    const options = (typeof doneOrOptions === 'function' ? moreOptions : doneOrOptions) ?? {};
    if (options.sinceSeconds !== undefined && options.sinceTime !== undefined) {
      throw new Error('at most one of sinceTime or sinceSeconds may be specified');
    }
    const rest = await this.#client.rest();
    const controller = new AbortController();
    const request = rest.get().namespace(namespace).resource('pods').name(podName).subresource('log');
    request.params({ container: containerName, ...options });
    const log = request.stream({ signal: controller.signal });
    const answered = new Promise<void>((resolve, reject) => {
      log.once('response', resolve);
      log.once('error', (error) => reject(officialError(error)));
    });
    log.once('error', (error) => {
      if (!controller.signal.aborted) done(officialError(error));
      stream.end();
    });
    log.once('end', () => done(undefined));
    log.pipe(stream);
    await answered;
    return controller;
  }
}

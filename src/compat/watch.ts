import type { Raw } from '../codec/raw.js';
import { SlabArena } from '../codec/slab.js';
import type { KubernetesObject } from '../meta/objects.js';
import { requireFunction } from '../meta/options/validate.js';
import type { WireEvent } from '../meta/watch-event.js';
import { isKubeConfigLike, type KubeConfigLike } from '../rest/config/kubeconfig-like.js';
import { flowWatch } from '../rest/request/read-objects.js';
import { leaseConnection } from './shared-connection.js';
import { toWatchError } from './watch-error.js';
import { type QueryParams, requestFor } from './watch-request.js';

/**
 * A single watch of a path, as in the official client: it has no list and no cache, and does not reconnect.
 *
 * @example
 * const controller = await new Watch(kubeconfig).watch(
 *   '/api/v1/namespaces/default/pods',
 *   { allowWatchBookmarks: true },
 *   (phase, pod) => console.log(phase, pod.metadata.name),
 *   (error) => console.log('over', error),
 * );
 * controller.abort();
 */
export class Watch {
  /** Exists in the official client; `done` is never called with it. */
  static SERVER_SIDE_CLOSE: object = { error: 'Connection closed on server' };
  config: KubeConfigLike;

  constructor(config: KubeConfigLike) {
    if (!isKubeConfigLike(config)) throw new TypeError('config must be a KubeConfig of @kubernetes/client-node');
    this.config = config;
  }

  /**
   * Calls `callback` for each event, also BOOKMARK and ERROR, with plain JSON objects. Resolves when the server has accepted or
   * rejected the watch.
   *
   * @param done called once at the end: with null when the server ended the watch, with an AbortError when the controller was
   * aborted, else with the error
   */
  async watch(
    path: string,
    queryParams: QueryParams,
    // biome-ignore lint/suspicious/noExplicitAny: as the official client has it
    callback: (phase: string, apiObj: any, watchObj?: any) => void,
    // biome-ignore lint/suspicious/noExplicitAny: as the official client has it
    done: (err: any) => void,
  ): Promise<AbortController> {
    requireFunction('callback', callback);
    requireFunction('done', done);
    const controller = new AbortController();
    const { rest, release } = await leaseConnection(this.config);
    const notify = (event: WireEvent<Raw<KubernetesObject>>): void => {
      const object = event.type === 'BOOKMARK' || event.type === 'ERROR' ? event.object : event.object.decode();
      guarded(() => callback(event.type, object, { type: event.type, object }));
    };
    await new Promise<void>((resolve) => {
      const finish = (error: unknown): void => {
        release();
        guarded(() => done(error));
        resolve();
      };
      const flow = flowWatch<KubernetesObject>(
        requestFor(rest, path, { ...queryParams, watch: true }),
        { arena: new SlabArena() },
        {
          batch(events) {
            for (const event of events) if (!controller.signal.aborted) notify(event);
            return true;
          },
        },
        rest.clock,
        controller.signal,
        resolve,
      );
      flow.done.then(
        () => finish(null),
        (error: unknown) => finish(toWatchError(error)),
      );
    });
    return controller;
  }
}

/** An exception of a callback becomes a process warning, and does not end the watch. */
function guarded(call: () => void): void {
  try {
    call();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error), 'KubeflectWatchWarning');
  }
}

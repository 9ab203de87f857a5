import type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
import type { CompatObject, Informer, ListPromise, ObjectCache } from './informer.js';
import { ListWatch } from './list-watch.js';
import { Watch } from './watch.js';

/**
 * Makes an informer with the signature of the official client: `listPromiseFn` lists, `path` and `labelSelector` are watched.
 *
 * @example
 * const informer = makeInformer(kubeconfig, '/api/v1/namespaces/default/pods', () =>
 *   api.listNamespacedPod({ namespace: 'default' }),
 * );
 * informer.on('add', (pod) => console.log(pod.metadata?.name));
 * await informer.start();
 */
export function makeInformer<T extends CompatObject>(
  kubeconfig: KubeConfigLike,
  path: string,
  listPromiseFn: ListPromise<T>,
  labelSelector?: string,
): Informer<T> & ObjectCache<T> {
  return new ListWatch<T>(path, new Watch(kubeconfig), listPromiseFn, false, labelSelector);
}

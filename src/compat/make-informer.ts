import type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
import type { CompatObject, Informer, ListPromise, ObjectCache } from './informer.js';
import { ListWatch } from './list-watch.js';
import { Watch } from './watch.js';

/**
 * An informer as the official client makes it: `listPromiseFn` is called for lists, path and selector say what is watched.
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

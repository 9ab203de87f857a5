/** `kubeflect/compat`: the informer of `@kubernetes/client-node`, with its names and signatures. */
export type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
export type { BackoffOptions } from '../time/backoff.js';
export {
  ADD,
  CHANGE,
  CONNECT,
  type CompatList,
  type CompatObject,
  DELETE,
  ERROR,
  type ErrorCallback,
  type Informer,
  type ListPromise,
  type ObjectCache,
  type ObjectCallback,
  UPDATE,
} from './informer.js';
export { ListWatch, type ListWatchOptions } from './list-watch.js';
export { makeInformer } from './make-informer.js';
export { Watch } from './watch.js';
export { WatchError } from './watch-error.js';
export type { QueryParams } from './watch-request.js';

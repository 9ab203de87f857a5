/** `kubeflect/compat`: the names of `@kubernetes/client-node` that programs use most, with their signatures. */
export type { KubeConfigLike } from '../rest/config/kubeconfig-like.js';
export type { BackoffOptions } from '../time/backoff.js';
export type { ApiConstructor } from './api/api-class.js';
export { ApiException } from './api/api-exception.js';
export type {
  ApiMethods,
  DeleteParams,
  ListParams,
  LogParams,
  ModelList,
  PatchParams,
  V1APIResource,
  V1APIResourceList,
  WriteParams,
} from './api/api-methods.js';
export * from './api/apis.js';
export { CustomObjectsApi } from './api/custom-objects-api.js';
export { KubernetesObjectApi } from './api/object-api.js';
export { PatchStrategy, type RequestOptions, setHeaderOptions } from './api/request-options.js';
export type { Cluster, Context, User } from './config/entries.js';
export { KubeConfig } from './config/kube-config.js';
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
export { type ModelClass, type ModelForm, V1MicroTime } from './model.js';
export * from './models.js';
export { Cp } from './pods/cp.js';
export { Attach, Exec } from './pods/exec.js';
export { Log, type LogOptions } from './pods/log.js';
export {
  type ContainerStatus,
  type CurrentResourceUsage,
  Metrics,
  type NodeMetric,
  type NodeMetricsList,
  type NodeStatus,
  type PodMetric,
  type PodMetricsList,
  type PodStatus,
  type ResourceUsage,
  topNodes,
  topPods,
} from './pods/metrics.js';
export { PodSession } from './pods/pod-session.js';
export { PortForward } from './pods/port-forward.js';
export { Watch } from './watch.js';
export { WatchError } from './watch-error.js';
export type { QueryParams } from './watch-request.js';
export { dumpYaml, loadAllYaml, loadYaml } from './yaml.js';

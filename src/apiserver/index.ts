/** `kubeflect/apiserver`: a Kubernetes API server inside your process, for tests and for running without a cluster. */
export type { ApiServer, ApiServerOptions, ControllerName, RestartOptions } from './server.js';
export { startApiServer } from './server.js';

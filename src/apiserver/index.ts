/** `kubeflect/apiserver`: a Kubernetes API server inside your process, for tests and for running without a cluster. */
export type { TokenUser } from './authentication.js';
export type { Fault, FaultAction, FaultMatch, FaultRequest, FaultStatus } from './fault.js';
export type { Faults, InjectedFault } from './faults.js';
export type { ListenerTls } from './listener.js';
export type { MemoryConnection, MemoryExchange, MemoryReader, MemoryRequest } from './memory-connection.js';
export { MemoryConnectionError } from './memory-connection.js';
export type { NonResourceRequestInfo, RequestInfo, ResourceRequestInfo, Verb } from './request-info.js';
export type { ApiServer, RestartOptions } from './server.js';
export { startApiServer } from './server.js';
export type { ApiServerOptions, ControllerName } from './server-options.js';

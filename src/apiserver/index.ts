/** `kubeflect/apiserver`: a Kubernetes API server inside your process, for tests and for running without a cluster. */
export type { TerminalSize } from '../streams/channel-streams.js';
export type { TokenUser } from './access/authentication.js';
export type { WebhookCall, WebhookHandler, WebhookReview } from './admission/webhooks/webhook-client.js';
export type { FakeNode, PodFailure, WorkloadControllerName, WorkloadOptions } from './controllers/workloads/options.js';
export type { CrashOptions, Workloads } from './controllers/workloads/workloads.js';
export type { Fault, FaultAction, FaultMatch, FaultRequest } from './faults/fault.js';
export type { Faults, InjectedFault } from './faults/faults.js';
export type {
  AttachCall,
  ExecCall,
  Kubelet,
  LogCall,
  LogOutput,
  PortForwardCall,
  ProxyCall,
} from './request/streams/kubelet.js';
export type { AdmissionPlugin } from './resources/admission.js';
export type { ApiServer } from './server.js';
export { startApiServer } from './server.js';
export type { ApiServerOptions } from './server-options.js';
export type { ListenerTls } from './wire/http-listener.js';
export type { NonResourceRequestInfo, RequestInfo, ResourceRequestInfo, Verb } from './wire/request-info.js';

/** `kubeflect/rest`: configuration, credentials, transports and plain requests. */

export { DecodeError } from '../codec/decode-error.js';
export type { BackoffOptions, RetryPolicy } from '../time/backoff.js';
export { TokenBucket, type TokenBucketOptions } from '../time/token-bucket.js';
export { type ConnectionOptions, connectionConfig } from './config/connection-options.js';
export { type DefaultConfigOptions, defaultConfig } from './config/default-config.js';
export { type InClusterOptions, inClusterConfig } from './config/in-cluster.js';
export { type KubeconfigOptions, loadKubeconfig } from './config/kubeconfig.js';
export type { ConfigOrigin, LoadedConfig } from './config/loaded-config.js';
export { type KubeconfigContents, type KubeconfigFilesOptions, readKubeconfig } from './config/read-kubeconfig.js';
export { type KubeconfigEditor, updateKubeconfig } from './config/update-kubeconfig.js';
export type { ConnectionConfig, Credentials, Impersonation, TlsMaterial, TlsSource } from './http/connection-config.js';
export type { HttpTransportOptions } from './http/http-transport.js';
export { InvalidRequestError } from './http/request-errors.js';
export type {
  Exchange,
  ResponseHandler,
  Transport,
  TransportRequest,
} from './http/transport.js';
export type { RequestLimiter } from './request/call.js';
export type { Request } from './request/request.js';
export { clientGoRateLimit, RestClient, type RestClientOptions } from './request/rest-client.js';
export { type WarningHandler, warnOnce } from './request/warnings.js';

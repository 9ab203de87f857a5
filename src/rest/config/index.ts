export { ConfigError, type ConfigErrorPlace, CredentialsError } from '../credentials/config-errors.js';
export { impersonationHeaders } from '../credentials/impersonation.js';
export type { ConfigOptions, Environment } from '../credentials/surroundings.js';
export { type ConnectionOptions, connectionConfig } from './connection-options.js';
export { type DefaultConfigOptions, defaultConfig } from './default-config.js';
export { type InClusterOptions, inClusterConfig } from './in-cluster.js';
export {
  type KubeconfigOptions,
  type KubeconfigOverrides,
  type KubeconfigSource,
  loadKubeconfig,
} from './kubeconfig.js';
export type { KubeConfigLike } from './kubeconfig-like.js';
export type { LoadedConfig } from './loaded-config.js';

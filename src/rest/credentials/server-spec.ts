import type { Secret } from '../../meta/secret.js';
import type { PemSource } from './pem.js';

/** A server and its TLS settings, from a kubeconfig, the pod's service account or options. */
export interface ServerSpec {
  readonly server: string;
  readonly ca?: PemSource | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** May hold a password. */
  readonly proxyUrl?: Secret | undefined;
  /** The cluster's extension for credential plugins in a kubeconfig. */
  readonly execConfig?: unknown;
}

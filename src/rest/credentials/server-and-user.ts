import type { Secret } from '../../meta/secret.js';
import type { Impersonation } from '../http/connection-config.js';
import type { ExecPluginConfig } from './exec-credential.js';
import type { OidcConfig } from './oidc.js';
import type { PemSource } from './pem.js';

/** Which server, and how to trust it, wherever that was written down. */
export interface ServerSpec {
  readonly server: string;
  readonly ca?: PemSource | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** May hold a password. */
  readonly proxyUrl?: Secret | undefined;
  /** What the kubeconfig has for credential plugins of this cluster. */
  readonly execConfig?: unknown;
}

/** Who asks, wherever that was written down. */
export interface UserSpec {
  readonly token?: Secret | undefined;
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: Secret | undefined;
  readonly cert?: PemSource | undefined;
  readonly key?: PemSource | undefined;
  readonly exec?: ExecPluginConfig | undefined;
  readonly oidc?: OidcConfig | undefined;
  readonly impersonate?: Impersonation | undefined;
}

import type { Secret } from '../../meta/secret.js';
import type { Impersonation } from '../http/connection-config.js';
import type { ExecPluginConfig } from './exec-credential.js';
import type { OidcConfig } from './oidc-provider.js';
import type { PemSource } from './pem.js';

/** The credentials of a user, from a kubeconfig, the pod's service account or options. */
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

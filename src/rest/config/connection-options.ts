import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { optionError, requireString } from '../../meta/options/validate.js';
import { Secret } from '../../meta/secret.js';
import { type ConfigOptions, configEnvironment, configNames } from '../credentials/config-environment.js';
import { looksLikePem, type PemSource, pemData } from '../credentials/pem.js';
import type { Impersonation } from '../http/connection-config.js';
import { buildConfig } from './build-config.js';
import type { LoadedConfig } from './loaded-config.js';

/** A server and credentials for it, given in code. */
export interface ConnectionOptions extends ConfigOptions {
  /** `https://host:port`, with a base path if there is one. */
  readonly server: string;
  /** A bearer token. @default none */
  readonly token?: string | undefined;
  /** A file with a bearer token, read again every 50 s. Overrides `token` once it has been read. @default none */
  readonly tokenFile?: string | undefined;
  /** The user of basic authentication. @default none */
  readonly username?: string | undefined;
  /** The password of basic authentication. @default none */
  readonly password?: string | undefined;
  /** The certificate authority of the server, as PEM. @default the authorities that Node comes with */
  readonly ca?: string | undefined;
  /** The same in a file, read again when it changes. @default none */
  readonly caFile?: string | undefined;
  /** A client certificate, as PEM; needs `key`. @default none */
  readonly cert?: string | undefined;
  /** The same in a file, read again when it changes. @default none */
  readonly certFile?: string | undefined;
  /** The key of the client certificate, as PEM. @default none */
  readonly key?: string | undefined;
  /** The same in a file, read again when it changes. @default none */
  readonly keyFile?: string | undefined;
  /** The name that the server's certificate must have. @default the host of `server` */
  readonly tlsServerName?: string | undefined;
  /** Accepts any certificate of the server. For experiments only. @default false */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** An HTTP proxy. @default the one that HTTPS_PROXY, HTTP_PROXY and NO_PROXY set */
  readonly proxyUrl?: string | undefined;
  /** The user to act as, by impersonation. @default none */
  readonly impersonate?: Impersonation | undefined;
  /** The value of {@link Client.namespace}; requests do not use it by themselves. @default none */
  readonly namespace?: string | undefined;
}

export const connectionNames: OptionNames<ConnectionOptions> = {
  ...configNames,
  server: true,
  token: true,
  tokenFile: true,
  username: true,
  password: true,
  ca: true,
  caFile: true,
  cert: true,
  certFile: true,
  key: true,
  keyFile: true,
  tlsServerName: true,
  insecureSkipTlsVerify: true,
  proxyUrl: true,
  impersonate: true,
  namespace: true,
};

const impersonationNames: OptionNames<Impersonation> = { user: true, groups: true, uid: true, extra: true };

/**
 * Makes a configuration of options. Files that they name are read at the first request.
 *
 * @example
 * connectionConfig({ server: 'https://10.0.0.1:6443', caFile: '/etc/kubernetes/ca.crt', tokenFile: '/run/token' });
 */
export function connectionConfig(options: ConnectionOptions): LoadedConfig {
  checkOptions('connectionConfig', options, connectionNames);
  requireString('server', options.server);
  if (options.impersonate !== undefined) {
    requireString('impersonate.user', checkOptions('impersonate', options.impersonate, impersonationNames).user);
  }
  const environment = configEnvironment(options);
  return buildConfig(
    {
      server: {
        server: options.server,
        ca: pem('ca', options.ca, options.caFile),
        tlsServerName: options.tlsServerName,
        insecureSkipTlsVerify: options.insecureSkipTlsVerify,
        proxyUrl: secret('proxyUrl', options.proxyUrl),
      },
      user: {
        token: secret('token', options.token),
        tokenFile: options.tokenFile,
        username: options.username,
        password: secret('password', options.password),
        cert: pem('cert', options.cert, options.certFile),
        key: pem('key', options.key, options.keyFile),
        impersonate: options.impersonate,
      },
      serverName: 'options',
      userName: 'options',
      place: {},
      source: 'options',
      namespace: options.namespace,
      userAgent: options.userAgent,
    },
    environment,
  );
}

function secret(name: string, value: unknown): Secret | undefined {
  if (value === undefined) return undefined;
  // Not requireString, whose error contains the value.
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a string that is not empty`);
  return new Secret(value);
}

function pem(name: string, data: unknown, file: string | undefined): PemSource | undefined {
  if (data === undefined) return file === undefined ? undefined : { file: requireString(`${name}File`, file) };
  if (file !== undefined) throw optionError(`${name}File`, `left out when ${name} is given`, file);
  if (typeof data !== 'string' || !looksLikePem(data)) throw new TypeError(`${name} must be a PEM text`);
  return pemData(data);
}

import { inspect } from 'node:util';
import { redactUrl, showAs } from '../../meta/secret.js';
import type { ConnectionConfig, Credentials, Impersonation, TlsSource } from '../http/connection-config.js';

/** A {@link ConnectionConfig} that was loaded, and where from. Contains no secrets when printed. */
export class LoadedConfig implements ConnectionConfig {
  static {
    showAs(LoadedConfig.prototype, (config) => `LoadedConfig ${inspect(config.toJSON())}`);
  }

  readonly server: string;
  readonly tls: TlsSource | undefined;
  readonly credentials: Credentials | undefined;
  readonly impersonate: Impersonation | undefined;
  readonly proxyUrl: string | undefined;
  readonly userAgent: string | undefined;
  readonly allowPlainHttpCredentials: boolean | undefined;
  /** The namespace of the context, or of the pod; undefined if it has none. */
  readonly namespace: string | undefined;
  /** The kubeconfig context, if it is from a kubeconfig. */
  readonly context: string | undefined;
  readonly identity: string | undefined;
  /** The kubeconfig files, `in-cluster`, `KubeConfig` or `options`. */
  readonly source: string;

  constructor(
    config: ConnectionConfig & {
      readonly namespace?: string | undefined;
      readonly context?: string | undefined;
      readonly source: string;
    },
  ) {
    this.server = config.server;
    this.tls = config.tls;
    this.credentials = config.credentials;
    this.impersonate = config.impersonate;
    this.proxyUrl = config.proxyUrl;
    this.userAgent = config.userAgent;
    this.allowPlainHttpCredentials = config.allowPlainHttpCredentials;
    this.namespace = config.namespace;
    this.context = config.context;
    this.identity = config.identity;
    this.source = config.source;
  }

  toJSON(): object {
    return {
      ...this,
      tls: this.tls && { serverName: this.tls.serverName, insecureSkipVerify: this.tls.insecureSkipVerify },
      credentials: this.credentials?.constructor.name,
      proxyUrl: this.proxyUrl && redactUrl(this.proxyUrl),
    };
  }
}

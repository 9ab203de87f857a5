import { inspect } from 'node:util';
import { redactUrl, showAs } from '../../meta/secret.js';
import type { ConnectionConfig, Credentials, Impersonation, TlsSource } from '../http/connection-config.js';

/** Where the configuration of a client came from. It has no secrets. */
export interface ConfigOrigin {
  /** The URL of the server. */
  readonly server: string;
  /** A kubeconfig, the pod that this runs in, a `KubeConfig` of `@kubernetes/client-node`, or options in code. */
  readonly source: 'kubeconfig' | 'in-cluster' | 'KubeConfig' | 'options';
  /** The files of the kubeconfig, in the order of `KUBECONFIG`; empty for a text. */
  readonly files: readonly string[];
  /** The names of the entries of the kubeconfig that are used; undefined if there is no kubeconfig. */
  readonly context: string | undefined;
  readonly cluster: string | undefined;
  /** Undefined also for a context without a user. */
  readonly user: string | undefined;
  /** The namespace of the context or of the pod. */
  readonly namespace: string | undefined;
}

/** The entries of a kubeconfig that a configuration was made of. */
export interface KubeconfigEntries extends Pick<ConfigOrigin, 'files' | 'cluster' | 'user'> {}

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
  /** Where it came from, in parts. */
  readonly origin: ConfigOrigin;

  constructor(
    config: ConnectionConfig & {
      readonly namespace?: string | undefined;
      readonly context?: string | undefined;
      readonly source: string;
      readonly kubeconfig?: Pick<ConfigOrigin, 'files' | 'cluster' | 'user'> | undefined;
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
    const { server, kubeconfig, context, namespace, source } = config;
    this.origin = {
      server,
      source: kubeconfig === undefined ? (source as ConfigOrigin['source']) : 'kubeconfig',
      files: kubeconfig?.files ?? [],
      context,
      cluster: kubeconfig?.cluster,
      user: kubeconfig?.user,
      namespace,
    };
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

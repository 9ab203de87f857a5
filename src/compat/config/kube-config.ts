import { existsSync, readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { parse } from 'yaml';
import { checkYamlDepth } from '../../codec/yaml/yaml-tokens.js';
import { loadKubeconfig } from '../../rest/config/kubeconfig.js';
import type { ApiConstructor } from '../api/api-class.js';
import { type Cluster, type Context, readEntries, type User, writeEntry } from './entries.js';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Clusters, users and contexts, by the names of the official client. Requests are sent with the credentials of the current context as
 * the loader of this package reads them: certificates, tokens, token files, exec plugins, proxies.
 *
 * @example
 * const kc = new KubeConfig();
 * kc.loadFromDefault();
 * const api = kc.makeApiClient(CoreV1Api);
 */
export class KubeConfig {
  clusters: Cluster[] = [];
  users: User[] = [];
  contexts: Context[] = [];
  currentContext = '';

  getContexts(): Context[] {
    return this.contexts;
  }

  getClusters(): Cluster[] {
    return this.clusters;
  }

  getUsers(): User[] {
    return this.users;
  }

  getCurrentContext(): string {
    return this.currentContext;
  }

  setCurrentContext(context: string): void {
    this.currentContext = context;
  }

  getContextObject(name: string): Context | null {
    return named(this.contexts, name);
  }

  getCluster(name: string): Cluster | null {
    return named(this.clusters, name);
  }

  getUser(name: string): User | null {
    return named(this.users, name);
  }

  getCurrentCluster(): Cluster | null {
    const context = this.getContextObject(this.currentContext);
    return context === null ? null : this.getCluster(context.cluster);
  }

  getCurrentUser(): User | null {
    const context = this.getContextObject(this.currentContext);
    return context === null ? null : this.getUser(context.user);
  }

  /** Files of the entries are relative to the folder of this file. */
  loadFromFile(file: string): void {
    this.loadFromString(readFileSync(file, 'utf8'));
    this.makePathsAbsolute(dirname(file));
  }

  /** @throws Error if the text is no YAML, or no kubeconfig */
  loadFromString(config: string): void {
    checkYamlDepth(config);
    const document: unknown = parse(config);
    if (typeof document !== 'object' || document === null) throw new Error('kubeconfig: the text is no map');
    const fields = document as Readonly<Record<string, unknown>>;
    this.clusters = readEntries<Cluster>(fields, 'clusters');
    this.users = readEntries<User>(fields, 'users');
    this.contexts = readEntries<Context>(fields, 'contexts');
    this.currentContext = String(fields['current-context'] ?? '');
  }

  loadFromOptions(options: {
    readonly clusters: Cluster[];
    readonly users: User[];
    readonly contexts: Context[];
    readonly currentContext: string;
  }): void {
    this.clusters = options.clusters;
    this.users = options.users;
    this.contexts = options.contexts;
    this.currentContext = options.currentContext;
  }

  loadFromClusterAndUser(cluster: Cluster, user: User): void {
    const name = 'loaded-context';
    const context = { name, cluster: cluster.name, user: user.name };
    this.loadFromOptions({ clusters: [cluster], users: [user], contexts: [context], currentContext: name });
  }

  /** The ServiceAccount of the pod that this program runs in. */
  loadFromCluster(pathPrefix = ''): void {
    const host = process.env['KUBERNETES_SERVICE_HOST'] ?? '';
    const port = process.env['KUBERNETES_SERVICE_PORT'] ?? '';
    const scheme = ['80', '8080', '8001'].includes(port) ? 'http' : 'https';
    const files = `${pathPrefix}${SERVICE_ACCOUNT}`;
    const namespaceFile = `${files}/namespace`;
    const cluster: Cluster = {
      name: 'inCluster',
      caFile: `${files}/ca.crt`,
      server: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`,
      skipTLSVerify: false,
    };
    const user: User = {
      name: 'inClusterUser',
      authProvider: { name: 'tokenFile', config: { tokenFile: `${files}/token` } },
    };
    const context: Context = {
      name: 'inClusterContext',
      cluster: cluster.name,
      user: user.name,
      namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : undefined,
    };
    this.loadFromOptions({ clusters: [cluster], users: [user], contexts: [context], currentContext: context.name });
  }

  /** The files of `KUBECONFIG`, `~/.kube/config`, the ServiceAccount of the pod, or `http://localhost:8080`: the first that is there. */
  loadFromDefault(): void {
    const files = (process.env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
    if (files.length > 0) {
      this.loadFromFile(files[0]!);
      for (const file of files.slice(1)) {
        const other = new KubeConfig();
        other.loadFromFile(file);
        this.mergeConfig(other);
      }
      return;
    }
    const own = join(homedir(), '.kube/config');
    if (existsSync(own)) this.loadFromFile(own);
    else if (existsSync(`${SERVICE_ACCOUNT}/token`)) this.loadFromCluster();
    else this.loadFromClusterAndUser({ name: 'cluster', server: 'http://localhost:8080' }, { name: 'user' });
  }

  /** Adds the entries of another KubeConfig, and takes its current context unless told otherwise. */
  mergeConfig(config: KubeConfig, preserveContext = false): void {
    if (!preserveContext && config.currentContext !== '') this.currentContext = config.currentContext;
    for (const cluster of config.clusters) this.addCluster(cluster);
    for (const user of config.users) this.addUser(user);
    for (const context of config.contexts) this.addContext(context);
  }

  /** @throws Error if there is one of this name */
  addCluster(cluster: Cluster): void {
    add(this.clusters, cluster, 'cluster');
  }

  /** @throws Error if there is one of this name */
  addUser(user: User): void {
    add(this.users, user, 'user');
  }

  /** @throws Error if there is one of this name */
  addContext(context: Context): void {
    add(this.contexts, context, 'context');
  }

  /** A client of an API class, such as `CoreV1Api`. */
  makeApiClient<T>(apiClientType: ApiConstructor<T>): T {
    if (this.getCurrentCluster() === null) throw new Error('No active cluster!');
    return new apiClientType(this);
  }

  makePathsAbsolute(rootDirectory: string): void {
    const absolute = (file: string | undefined): string | undefined =>
      file === undefined || isAbsolute(file) ? file : join(rootDirectory, file);
    for (const cluster of this.clusters) if (cluster.caFile) cluster.caFile = absolute(cluster.caFile);
    for (const user of this.users) {
      if (user.certFile) user.certFile = absolute(user.certFile);
      if (user.keyFile) user.keyFile = absolute(user.keyFile);
    }
  }

  /** The kubeconfig as JSON, which is YAML too. */
  exportConfig(): string {
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: this.clusters.map((cluster) => writeEntry('clusters', cluster)),
      users: this.users.map((user) => writeEntry('users', user)),
      contexts: this.contexts.map((context) => writeEntry('contexts', context)),
      preferences: {},
      'current-context': this.currentContext,
    });
  }

  /** Sets certificates and headers of the current context in options of `node:https`. */
  async applyToHTTPSOptions(opts: RequestOptions): Promise<void> {
    const { tls, credentials } = await loadKubeconfig({ text: this.exportConfig() });
    const headers = await credentials?.headers();
    opts.headers = { ...opts.headers, ...headers } as Record<string, string>;
    if (tls === undefined) return;
    const { ca, cert, key } = await tls.material();
    if (ca !== undefined) opts.ca = ca;
    if (cert !== undefined) opts.cert = cert;
    if (key !== undefined) opts.key = key;
    if (tls.serverName !== undefined) opts.servername = tls.serverName;
    if (tls.insecureSkipVerify === true) opts.rejectUnauthorized = false;
  }
}

function named<T extends { readonly name: string }>(list: readonly T[], name: string): T | null {
  return list.find((entry) => entry.name === name) ?? null;
}

function add<T extends { readonly name: string }>(list: T[], entry: T, what: string): void {
  if (named(list, entry.name) !== null) throw new Error(`Duplicate ${what}: ${entry.name}`);
  list.push(entry);
}

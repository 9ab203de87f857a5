import { checkOptions, type OptionNames } from '../../meta/known-options.js';
import { requireObject } from '../../meta/validate.js';
import { ConfigError } from '../credentials/config-errors.js';
import { type ConfigOptions, configNames, type Surroundings, surroundingsOf } from '../credentials/surroundings.js';
import { buildConnection, checkFiles } from './build-connection.js';
import { loadKubeconfigFiles } from './kubeconfig-files.js';
import { isKubeConfigLike, type KubeConfigLike, loadKubeConfigLike } from './kubeconfig-like.js';
import { type Kubeconfig, type KubeconfigUser, parseKubeconfig } from './kubeconfig-parse.js';
import type { LoadedConfig } from './loaded-config.js';

/** Which entries of a kubeconfig to use, if not those of its current context. */
export interface KubeconfigOverrides {
  /** @default the current context */
  readonly context?: string | undefined;
  /** @default the context's */
  readonly cluster?: string | undefined;
  /** @default the context's */
  readonly user?: string | undefined;
  /** @default the context's */
  readonly namespace?: string | undefined;
}

export const kubeconfigOverrideNames: OptionNames<KubeconfigOverrides> = {
  context: true,
  cluster: true,
  user: true,
  namespace: true,
};

/** Options of {@link loadKubeconfig}. */
export interface KubeconfigOptions extends KubeconfigOverrides, ConfigOptions {}

export const kubeconfigNames: OptionNames<KubeconfigOptions> = { ...kubeconfigOverrideNames, ...configNames };

/**
 * The server that a kubeconfig leads to. Rejects with a ConfigError that names the file, the context and what is missing.
 *
 * @example
 * const config = await loadKubeconfig({ path: '/etc/controller/kubeconfig' }, { context: 'prod' });
 */
export async function loadKubeconfig(
  source: { readonly path: string } | { readonly text: string } | KubeConfigLike,
  options: KubeconfigOptions = {},
): Promise<LoadedConfig> {
  requireObject('source', source, '{ path }, { text } or a KubeConfig');
  checkOptions('loadKubeconfig', options, kubeconfigNames);
  const around = surroundingsOf(options);
  if (isKubeConfigLike(source)) {
    const asked = (['context', 'cluster', 'user'] as const).find((name) => options[name] !== undefined);
    if (asked === undefined) return loadKubeConfigLike(source, options);
    const reason = `the option "${asked}" does not go with a KubeConfig: call its setCurrentContext() before`;
    throw new ConfigError(reason, { context: options.context });
  }
  checkOptions('a kubeconfig', source, { path: true, text: true });
  if ('text' in source) {
    const config = await parseKubeconfig(source.text, { file: '(text)', directory: process.cwd() });
    return configFor(config, options, around);
  }
  const config = await loadKubeconfigFiles([source.path]);
  if (config === undefined) {
    throw new ConfigError(`kubeconfig ${source.path}: there is no such file`, { file: source.path });
  }
  return configFor(config, options, around);
}

/** The server of a context, checked and put together. */
export async function configFor(
  config: Kubeconfig,
  overrides: KubeconfigOverrides & Pick<ConfigOptions, 'userAgent'>,
  around: Surroundings,
): Promise<LoadedConfig> {
  const files = config.files.join(', ');
  const contextName = overrides.context ?? config.currentContext;
  const place = { file: files, context: contextName };
  const fail = (reason: string): never => {
    throw new ConfigError(`kubeconfig ${files}: ${reason}`, place);
  };
  const known = (what: string, map: ReadonlyMap<string, unknown>): string =>
    map.size === 0 ? `it has no ${what} at all` : `${what} there: ${[...map.keys()].join(', ')}`;

  const context = contextName === undefined ? undefined : config.contexts.get(contextName);
  if (contextName !== undefined && context === undefined) {
    fail(`there is no context ${JSON.stringify(contextName)}; ${known('contexts', config.contexts)}`);
  }
  const of = context === undefined ? '' : ` of context ${JSON.stringify(contextName)}`;
  const clusterName = overrides.cluster ?? context?.cluster;
  if (clusterName === undefined) {
    if (context !== undefined) fail(`context ${JSON.stringify(contextName)} names no cluster`);
    fail(`no current-context is set: choose one with the option "context"; ${known('contexts', config.contexts)}`);
  }
  const cluster = config.clusters.get(clusterName as string);
  if (cluster === undefined) {
    return fail(`there is no cluster ${JSON.stringify(clusterName)}${of}; ${known('clusters', config.clusters)}`);
  }
  if (cluster.trouble !== undefined) throw cluster.trouble;
  const { server } = cluster;
  if (server === undefined) return fail(`cluster ${JSON.stringify(clusterName)}${of} has no server`);

  // A context without a user is anonymous, which is a thing to be; a user that is not there is a mistake.
  const userName = overrides.user ?? context?.user;
  const user = userName === undefined ? anonymous : config.users.get(userName);
  if (user === undefined) {
    return fail(`there is no user ${JSON.stringify(userName)}${of}; ${known('users', config.users)}`);
  }
  if (user.trouble !== undefined) throw user.trouble;
  if (user.unsupported !== undefined) {
    fail(
      `user ${JSON.stringify(userName)}${of} uses the auth-provider ${JSON.stringify(user.unsupported)}, which kubectl ` +
        'dropped too: have your cloud provider write the kubeconfig anew, with a plugin (exec)',
    );
  }
  const parts = {
    server: { ...cluster, server },
    user,
    serverName: `kubeconfig ${cluster.file}: cluster ${JSON.stringify(clusterName)}`,
    userName: `kubeconfig ${user.file}: user ${JSON.stringify(userName)}`,
    place,
    source: files,
    context: contextName,
    identity: `${userName === undefined ? 'no user' : `user ${JSON.stringify(userName)}`}${of} in kubeconfig ${user.file || files}`,
    namespace: overrides.namespace ?? context?.namespace,
    userAgent: overrides.userAgent,
  };
  const loaded = buildConnection(parts, around);
  await checkFiles(parts, around);
  return loaded;
}

const anonymous: KubeconfigUser = { name: '', file: '' };

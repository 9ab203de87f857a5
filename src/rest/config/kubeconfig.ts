import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireObject } from '../../meta/options/validate.js';
import {
  type ConfigEnvironment,
  type ConfigOptions,
  configEnvironment,
  configNames,
} from '../credentials/config-environment.js';
import { ConfigError } from '../credentials/config-errors.js';
import { buildConfig, checkFiles } from './build-config.js';
import { loadKubeconfigFiles } from './kubeconfig-files.js';
import { isKubeConfigLike, type KubeConfigLike, loadKubeConfigLike } from './kubeconfig-like.js';
import { type Kubeconfig, type KubeconfigUser, parseKubeconfig } from './kubeconfig-parse.js';
import type { LoadedConfig } from './loaded-config.js';

/** Selects entries of a kubeconfig other than those of its current context. */
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
 * Loads the configuration of a kubeconfig. Rejects with a ConfigError that names the file, the context and what is missing.
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
  const environment = configEnvironment(options);
  if (isKubeConfigLike(source)) {
    const asked = (['context', 'cluster', 'user'] as const).find((name) => options[name] !== undefined);
    if (asked === undefined) return loadKubeConfigLike(source, options);
    const reason = `the option "${asked}" cannot be used with a KubeConfig: call its setCurrentContext() instead`;
    throw new ConfigError(reason, { context: options.context });
  }
  checkOptions('a kubeconfig', source, { path: true, text: true });
  if ('text' in source) {
    const config = await parseKubeconfig(source.text, { file: TEXT, directory: process.cwd() });
    return configFor(config, options, environment);
  }
  const config = await loadKubeconfigFiles([source.path]);
  if (config === undefined) {
    throw new ConfigError(`kubeconfig ${source.path}: there is no such file`, { file: source.path });
  }
  return configFor(config, options, environment);
}

/** Makes the configuration of a context, and checks its files. */
export async function configFor(
  config: Kubeconfig,
  overrides: KubeconfigOverrides & Pick<ConfigOptions, 'userAgent'>,
  environment: ConfigEnvironment,
): Promise<LoadedConfig> {
  const files = config.files.join(', ');
  const contextName = overrides.context ?? config.currentContext;
  const place = { file: files, context: contextName };
  const fail = (reason: string): never => {
    throw new ConfigError(`kubeconfig ${files}: ${reason}`, place);
  };
  const known = (what: string, map: ReadonlyMap<string, unknown>): string =>
    map.size === 0 ? `it has no ${what}` : `its ${what}: ${[...map.keys()].join(', ')}`;

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

  // A context without a user is anonymous; one whose user does not exist is an error.
  const userName = overrides.user ?? context?.user;
  const user = userName === undefined ? anonymous : config.users.get(userName);
  if (user === undefined) {
    return fail(`there is no user ${JSON.stringify(userName)}${of}; ${known('users', config.users)}`);
  }
  if (user.trouble !== undefined) throw user.trouble;
  if (user.unsupported !== undefined) {
    fail(
      `user ${JSON.stringify(userName)}${of} uses the auth-provider ${JSON.stringify(user.unsupported)}, which ` +
        'is not supported, nor by kubectl: generate the kubeconfig again, with a plugin (exec)',
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
    kubeconfig: { files: config.files.filter((file) => file !== TEXT), cluster: clusterName, user: userName },
    identity: `${userName === undefined ? 'no user' : `user ${JSON.stringify(userName)}`}${of} in kubeconfig ${user.file || files}`,
    namespace: overrides.namespace ?? context?.namespace,
    userAgent: overrides.userAgent,
  };
  const loaded = buildConfig(parts, environment);
  await checkFiles(parts, environment);
  return loaded;
}

/** Names a kubeconfig that is no file. */
const TEXT = '(text)';

const anonymous: KubeconfigUser = { name: '', file: '' };

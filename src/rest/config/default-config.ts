import { checkOptions, type OptionNames, pickOptions } from '../../meta/options/known-options.js';
import { configEnvironment } from '../credentials/config-environment.js';
import { ConfigError } from '../credentials/config-errors.js';
import { type InClusterOptions, inClusterConfig, inClusterNames } from './in-cluster.js';
import { configFor, type KubeconfigOverrides, kubeconfigOverrideNames } from './kubeconfig.js';
import { defaultKubeconfigPaths, loadKubeconfigFiles } from './kubeconfig-files.js';
import { isEmptyKubeconfig } from './kubeconfig-merge.js';
import type { LoadedConfig } from './loaded-config.js';

/** Options of {@link defaultConfig}. */
export interface DefaultConfigOptions extends KubeconfigOverrides, InClusterOptions {}

export const defaultConfigNames: OptionNames<DefaultConfigOptions> = { ...kubeconfigOverrideNames, ...inClusterNames };

/**
 * Loads the configuration of the process: the files of `KUBECONFIG`, else `~/.kube/config`, else that of the pod it runs in.
 * Missing and empty files are skipped; an invalid one is an error.
 */
export async function defaultConfig(options: DefaultConfigOptions = {}): Promise<LoadedConfig> {
  const environment = configEnvironment(checkOptions('defaultConfig', options, defaultConfigNames));
  const paths = defaultKubeconfigPaths(environment.env);
  const config = await loadKubeconfigFiles(paths);
  if (config !== undefined && !isEmptyKubeconfig(config)) return configFor(config, options, environment);

  const asked = (['context', 'cluster', 'user'] as const).find((name) => options[name] !== undefined);
  const found = `${config === undefined ? 'there is no kubeconfig' : 'the kubeconfig is empty'} (${paths.join(', ')})`;
  if (asked !== undefined) {
    throw new ConfigError(`the ${asked} ${JSON.stringify(options[asked])} cannot be used: ${found}`, {
      file: paths.join(', '),
      context: options.context,
    });
  }
  if (environment.env.KUBERNETES_SERVICE_HOST && environment.env.KUBERNETES_SERVICE_PORT) {
    return inClusterConfig(pickOptions<InClusterOptions>(options, inClusterNames));
  }
  throw new ConfigError(
    `no cluster is configured: ${found}, and this process is not in a pod (KUBERNETES_SERVICE_HOST is not set). ` +
      'Set KUBECONFIG to a file, or pass the server as an option',
    { file: paths.join(', ') },
  );
}

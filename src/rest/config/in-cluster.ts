import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { type ConfigOptions, configEnvironment, configNames } from '../credentials/config-environment.js';
import { ConfigError, isMissingFile } from '../credentials/config-errors.js';
import { buildConfig, checkFiles } from './build-config.js';
import type { LoadedConfig } from './loaded-config.js';

/** Options of {@link inClusterConfig}. */
export interface InClusterOptions extends ConfigOptions {
  /** @default the namespace of the pod */
  readonly namespace?: string | undefined;
  /**
   * Where the pod's service account is mounted.
   * @default '/var/run/secrets/kubernetes.io/serviceaccount'
   */
  readonly serviceAccountPath?: string | undefined;
}

export const inClusterNames: OptionNames<InClusterOptions> = {
  ...configNames,
  namespace: true,
  serviceAccountPath: true,
};

const SERVICE_ACCOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Loads the configuration of a pod: the API server of its cluster, with the pod's service account. The token is read again
 * every 50 s, the certificate authority when it is replaced.
 */
export async function inClusterConfig(options: InClusterOptions = {}): Promise<LoadedConfig> {
  const environment = configEnvironment(checkOptions('inClusterConfig', options, inClusterNames));
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment.env;
  if (!host || !port) {
    throw new ConfigError('not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not both set');
  }
  const folder = options.serviceAccountPath ?? SERVICE_ACCOUNT_PATH;
  const caFile = join(folder, 'ca.crt');
  const parts = {
    server: {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      // Without `ca.crt`, the server's certificate is verified with the authorities that Node trusts.
      ca: (await readIfPresent(caFile)) === undefined ? undefined : { file: caFile },
    },
    user: { tokenFile: join(folder, 'token') },
    serverName: 'in-cluster',
    userName: 'in-cluster: the service account (is automountServiceAccountToken off?)',
    place: {},
    source: 'in-cluster',
    userAgent: options.userAgent,
    identity: `the service account in ${folder}`,
    namespace: options.namespace ?? ((await readIfPresent(join(folder, 'namespace')))?.trim() || undefined),
  };
  const loaded = buildConfig(parts, environment);
  await checkFiles(parts, environment);
  return loaded;
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

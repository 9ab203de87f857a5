import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { optionError } from '../../meta/options/validate.js';
import { defaultKubeconfigPaths, loadKubeconfigFiles } from './kubeconfig-files.js';
import type { KubeconfigUser } from './kubeconfig-parse.js';

/** Which kubeconfig files. */
export interface KubeconfigFilesOptions {
  /** The files, as `KUBECONFIG` lists them. @default the files in `KUBECONFIG`, else `~/.kube/config` */
  readonly path?: string | readonly string[] | undefined;
  /** The environment variables `KUBECONFIG` and `HOME`. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

const kubeconfigFilesNames: OptionNames<KubeconfigFilesOptions> = { path: true, env: true };

/** What kubeconfig files have, after they were merged as kubectl does. It has no secrets. */
export interface KubeconfigContents {
  /** The files that exist. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly contexts: readonly {
    readonly name: string;
    /** The file that has it. */
    readonly file: string;
    readonly cluster: string | undefined;
    readonly user: string | undefined;
    readonly namespace: string | undefined;
  }[];
  readonly clusters: readonly { readonly name: string; readonly file: string; readonly server: string | undefined }[];
  readonly users: readonly {
    readonly name: string;
    readonly file: string;
    /** How it authenticates. */
    readonly by: 'token' | 'password' | 'certificate' | 'exec' | 'oidc' | 'nothing';
  }[];
}

/**
 * Lists the contexts, clusters and users of kubeconfig files. Missing files are skipped; one that is no kubeconfig rejects with a
 * ConfigError.
 *
 * @example
 * const { currentContext, contexts } = await readKubeconfig();
 */
export async function readKubeconfig(options: KubeconfigFilesOptions = {}): Promise<KubeconfigContents> {
  const config = await loadKubeconfigFiles(kubeconfigPaths('readKubeconfig', options));
  if (config === undefined) return { files: [], currentContext: undefined, contexts: [], clusters: [], users: [] };
  return {
    files: config.files,
    currentContext: config.currentContext,
    contexts: [...config.contexts.values()],
    clusters: [...config.clusters.values()].map(({ name, file, server }) => ({ name, file, server })),
    users: [...config.users.values()].map((user) => ({ name: user.name, file: user.file, by: authenticationOf(user) })),
  };
}

/** The paths that the options name. */
export function kubeconfigPaths(call: string, options: KubeconfigFilesOptions): readonly string[] {
  const { path, env = process.env } = checkOptions(call, options, kubeconfigFilesNames);
  if (path === undefined) return defaultKubeconfigPaths(env);
  const paths = typeof path === 'string' ? [path] : path;
  if (!Array.isArray(paths) || paths.length === 0 || !paths.every((one) => typeof one === 'string' && one !== '')) {
    throw optionError('path', 'a path or several', path);
  }
  return [...new Set(paths)];
}

/** The first that is used, see `buildConfig`. */
function authenticationOf(user: KubeconfigUser): KubeconfigContents['users'][number]['by'] {
  if (user.token !== undefined || user.tokenFile !== undefined) return 'token';
  if (user.username !== undefined || user.password !== undefined) return 'password';
  if (user.cert !== undefined) return 'certificate';
  if (user.exec !== undefined) return 'exec';
  return user.oidc === undefined ? 'nothing' : 'oidc';
}

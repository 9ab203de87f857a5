import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Environment } from '../credentials/config-environment.js';
import { ConfigError, describeFileError, isMissingFile } from '../credentials/config-errors.js';
import { mergeKubeconfigs } from './kubeconfig-merge.js';
import { type Kubeconfig, parseKubeconfig } from './kubeconfig-parse.js';

/** The files of the default kubeconfig: those that `KUBECONFIG` lists, else `~/.kube/config`. */
export function defaultKubeconfigPaths(env: Environment): readonly string[] {
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length > 0 ? [...new Set(listed)] : [join(env.HOME || homedir(), '.kube', 'config')];
}

/** Reads and merges files; entries of earlier files win. Missing files are skipped; undefined if all are missing. */
export async function loadKubeconfigFiles(paths: readonly string[]): Promise<Kubeconfig | undefined> {
  const read = await Promise.all(paths.map(readIfPresent));
  const configs = await Promise.all(
    read.flatMap(({ path, text }) =>
      text === undefined ? [] : [parseKubeconfig(text, { file: path, directory: dirname(resolve(path)) })],
    ),
  );
  return configs.length === 0 ? undefined : mergeKubeconfigs(configs);
}

async function readIfPresent(path: string): Promise<{ path: string; text: string | undefined }> {
  try {
    return { path, text: await readFile(path, 'utf8') };
  } catch (error) {
    if (isMissingFile(error)) return { path, text: undefined };
    const reason = describeFileError(error);
    throw new ConfigError(`kubeconfig ${path}: cannot read it: ${reason}`, { file: path, cause: error });
  }
}

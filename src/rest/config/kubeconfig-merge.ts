import type { Kubeconfig } from './kubeconfig-parse.js';

/**
 * Several kubeconfigs as one. The first that has an entry of a name gives the whole of it: entries of one name are never
 * mixed. The first that has a current context decides it.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    files: configs.flatMap((config) => config.files),
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
    clusters: firstOfEach(configs.map((config) => config.clusters)),
    users: firstOfEach(configs.map((config) => config.users)),
    contexts: firstOfEach(configs.map((config) => config.contexts)),
  };
}

/** Whether there is nothing in it: an empty file is as good as none. */
export function isEmptyKubeconfig(config: Kubeconfig): boolean {
  return config.currentContext === undefined && config.clusters.size + config.users.size + config.contexts.size === 0;
}

function firstOfEach<T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  const merged = new Map<string, T>();
  for (const map of maps) for (const [name, entry] of map) if (!merged.has(name)) merged.set(name, entry);
  return merged;
}

import type { Kubeconfig } from './kubeconfig-parse.js';

/** Merges kubeconfigs as kubectl does: of entries with the same name the first is used, as a whole, and of current contexts too. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    files: configs.flatMap((config) => config.files),
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
    clusters: firstOfEach(configs.map((config) => config.clusters)),
    users: firstOfEach(configs.map((config) => config.users)),
    contexts: firstOfEach(configs.map((config) => config.contexts)),
  };
}

/** Whether it has no entries: an empty file counts as a missing one. */
export function isEmptyKubeconfig(config: Kubeconfig): boolean {
  return config.currentContext === undefined && config.clusters.size + config.users.size + config.contexts.size === 0;
}

function firstOfEach<T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  const merged = new Map<string, T>();
  for (const map of maps) for (const [name, entry] of map) if (!merged.has(name)) merged.set(name, entry);
  return merged;
}

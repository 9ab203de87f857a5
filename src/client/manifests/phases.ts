import type { GroupKind } from '../../meta/resource.js';
import { builtinResources } from '../../resources/catalogue.js';

/**
 * Kinds in the order in which they are applied; deletions go the other way. Kinds of one phase do not depend on each other.
 * Kinds that are not listed are workloads and the like (`OTHERS`), and after them custom resources (`CUSTOM`), so that a
 * deletion removes these while their controllers still run.
 */
const LISTED: readonly (readonly string[])[] = [
  ['Namespace'],
  ['CustomResourceDefinition.apiextensions.k8s.io'],
  // Pods and claims refer to these, or are limited by them.
  [
    'PriorityClass.scheduling.k8s.io',
    'StorageClass.storage.k8s.io',
    'RuntimeClass.node.k8s.io',
    'IngressClass.networking.k8s.io',
    'ResourceQuota',
    'LimitRange',
  ],
  ['ServiceAccount'],
  ['ClusterRole.rbac.authorization.k8s.io', 'Role.rbac.authorization.k8s.io'],
  ['ClusterRoleBinding.rbac.authorization.k8s.io', 'RoleBinding.rbac.authorization.k8s.io'],
  ['ConfigMap', 'Secret', 'PersistentVolume', 'PersistentVolumeClaim', 'NetworkPolicy.networking.k8s.io'],
  ['Service'],
];
const OTHERS = LISTED.length;
const CUSTOM = OTHERS + 1;
/** Servers call the programs of these for every request: the programs should run before. */
const LAST = CUSTOM + 1;
const LAST_GROUPS: ReadonlySet<string> = new Set(['admissionregistration.k8s.io', 'apiregistration.k8s.io']);

const phases = new Map(LISTED.flatMap((kinds, phase) => kinds.map((kind) => [kind, phase] as const)));
const builtinGroups = new Set(builtinResources.map((resource) => resource.group));

/** The phase of CustomResourceDefinitions: later ones may need the kinds that they define. */
export const DEFINITIONS = 1;

/** The phase of a kind, from 0. */
export function phaseOf({ group, kind }: GroupKind): number {
  if (LAST_GROUPS.has(group)) return LAST;
  const listed = phases.get(group === '' ? kind : `${kind}.${group}`);
  return listed ?? (builtinGroups.has(group) ? OTHERS : CUSTOM);
}

/** The items of each phase, in order. */
export function inPhases<T extends GroupKind>(items: readonly T[]): { readonly phase: number; readonly items: T[] }[] {
  const found = new Map<number, T[]>();
  for (const item of items) {
    const phase = phaseOf(item);
    const others = found.get(phase);
    if (others === undefined) found.set(phase, [item]);
    else others.push(item);
  }
  return [...found].sort(([a], [b]) => a - b).map(([phase, of]) => ({ phase, items: of }));
}

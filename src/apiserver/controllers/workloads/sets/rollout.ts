import type { Deployment, ReplicaSet } from '../../../../resources/types/apps-v1.js';
import { countOf } from '../int-or-percent.js';

/*
 * How many pods each ReplicaSet of a Deployment should have next. These functions decide; the Deployment controller writes.
 */

export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED = 'deployment.kubernetes.io/desired-replicas';
export const MAX = 'deployment.kubernetes.io/max-replicas';

/** New sizes of ReplicaSets, in the order in which they are written. */
export type Sizes = readonly (readonly [set: ReplicaSet, replicas: number])[];

export function replicasOf({ spec }: Deployment | ReplicaSet): number {
  return spec?.replicas ?? 1;
}

function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + count(set), 0);
}

export function isActiveSet(set: ReplicaSet): boolean {
  return replicasOf(set) > 0;
}

/** How many pods a rollout may have beyond `replicas`, and how many may be missing. */
export function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { strategy } = deployment.spec ?? {};
  const replicas = replicasOf(deployment);
  if (strategy?.type === 'Recreate') return { surge: 0, unavailable: 0 };
  const surge = countOf(strategy?.rollingUpdate?.maxSurge, replicas, 'up');
  const unavailable = countOf(strategy?.rollingUpdate?.maxUnavailable, replicas, 'down');
  // With both at 0 a rollout could never make a step.
  return { surge, unavailable: Math.min(surge === 0 && unavailable === 0 ? 1 : unavailable, replicas) };
}

/** The size that the new ReplicaSet may grow to now. */
export function nextSizeOfNew(deployment: Deployment, sets: readonly ReplicaSet[], present: number): number {
  const wanted = replicasOf(deployment);
  if (deployment.spec?.strategy?.type === 'Recreate') return wanted;
  const most = wanted + fenceposts(deployment).surge;
  const total = sum(sets, replicasOf);
  if (total >= most) return present;
  return present + Math.max(0, Math.min(most - total, wanted - present));
}

/** Takes pods from old ReplicaSets: unhealthy ones first, then as many as the available pods allow. */
export function shrinkOld(deployment: Deployment, newSet: ReplicaSet, oldSets: readonly ReplicaSet[]): Sizes {
  const old = byAge(oldSets.filter(isActiveSet));
  if (old.length === 0) return [];
  const least = replicasOf(deployment) - fenceposts(deployment).unavailable;
  const all = [...old, newSet];
  const newUnavailable = replicasOf(newSet) - availableOf(newSet);
  const mostRemoved = sum(all, replicasOf) - least - newUnavailable;
  if (mostRemoved <= 0) return [];
  const sizes = new Map(old.map((set) => [set, replicasOf(set)]));
  let removed = 0;
  for (const set of old) {
    const unhealthy = replicasOf(set) - availableOf(set);
    const count = Math.min(mostRemoved - removed, unhealthy);
    if (count <= 0) continue;
    removed += count;
    sizes.set(set, sizes.get(set)! - count);
  }
  let spare = sum(all, availableOf) - least;
  for (const set of old) {
    const count = Math.min(sizes.get(set)!, spare);
    if (count <= 0) continue;
    spare -= count;
    sizes.set(set, sizes.get(set)! - count);
  }
  return [...sizes].filter(([set, size]) => size !== replicasOf(set));
}

/**
 * Distributes a changed number of replicas. A Deployment in the middle of a rollout keeps the proportions of its
 * ReplicaSets.
 */
export function proportional(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
): Sizes {
  const wanted = replicasOf(deployment);
  const single = activeOrLatest(newSet, oldSets);
  if (single !== undefined) return replicasOf(single) === wanted ? [] : [[single, wanted]];
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return oldSets.filter(isActiveSet).map((set) => [set, 0] as const);
  }
  if (deployment.spec?.strategy?.type === 'Recreate') return [];
  const sets = [...oldSets, ...(newSet === undefined ? [] : [newSet])].filter(isActiveSet);
  const allowed = wanted > 0 ? wanted + fenceposts(deployment).surge : 0;
  const toAdd = allowed - sum(sets, replicasOf);
  const isNewerFirst = toAdd > 0;
  sets.sort((a, b) => replicasOf(b) - replicasOf(a) || (isNewerFirst ? ageOf(b) - ageOf(a) : ageOf(a) - ageOf(b)));
  let added = 0;
  const sizes = sets.map((set): [ReplicaSet, number] => {
    const share = toAdd === 0 ? 0 : shareOf(set, deployment, toAdd, added);
    added += share;
    return [set, replicasOf(set) + share];
  });
  // Rounding leaves a rest for the largest.
  if (sizes[0] !== undefined && toAdd !== 0) sizes[0][1] = Math.max(0, sizes[0][1] + toAdd - added);
  return sizes;
}

function shareOf(set: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  const present = replicasOf(set);
  if (present === 0 || toAdd === added) return 0;
  const wanted = replicasOf(deployment);
  const most = wanted + fenceposts(deployment).surge;
  const before = Number(set.metadata.annotations?.[MAX]) || deployment.status?.replicas || present;
  const fraction = wanted === 0 ? -present : Math.round((present * most) / before) - present;
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

/** The only ReplicaSet with pods or, if none has any, the newest one. Undefined if several have pods. */
function activeOrLatest(newSet: ReplicaSet | undefined, oldSets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const active = [...oldSets, ...(newSet === undefined ? [] : [newSet])].filter(isActiveSet);
  if (active.length > 1) return undefined;
  return active[0] ?? newSet ?? byAge(oldSets).at(-1);
}

function isSaturated(deployment: Deployment, newSet: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  const annotated = Number(newSet.metadata.annotations?.[DESIRED]);
  return replicasOf(newSet) === wanted && annotated === wanted && availableOf(newSet) === wanted;
}

function ageOf({ metadata }: ReplicaSet): number {
  return revisionOf(metadata.annotations) || Date.parse(metadata.creationTimestamp);
}

/** ReplicaSets by their time of creation; those of one second by their revision. */
export function byAge(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return [...sets].sort(
    (a, b) =>
      Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
      revisionOf(a.metadata.annotations) - revisionOf(b.metadata.annotations),
  );
}

/** The revision in the annotations of a Deployment or ReplicaSet; 0 if there is none. */
export function revisionOf(annotations: Readonly<Record<string, string>> | undefined): number {
  return Number.parseInt(annotations?.[REVISION] ?? '0', 10) || 0;
}

import type { Pod, PodCondition } from '../../../resources/types/core-v1.js';

/* What controllers ask about a pod. */

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether all containers of a pod have ended for good. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Whether a pod counts as a replica: it has not ended and is not deleted. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

/** Milliseconds until a pod counts as available: 0 if it does, undefined if it is not ready. */
export function availableInMs(pod: Pod, minReadySeconds: number | undefined, now: number): number | undefined {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True') return undefined;
  if (!minReadySeconds) return 0;
  return Math.max(0, Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 - now);
}

/** How many of some pods are ready, available, and will be available. */
export interface Readiness {
  readonly ready: number;
  readonly available: number;
  /** When the next ready pod becomes available; undefined if no pod waits for it. */
  readonly nextInMs: number | undefined;
}

export function readinessOf(pods: readonly Pod[], minReadySeconds: number | undefined, now: number): Readiness {
  let ready = 0;
  let available = 0;
  let nextInMs: number | undefined;
  for (const pod of pods) {
    const inMs = availableInMs(pod, minReadySeconds, now);
    if (inMs === undefined) continue;
    ready++;
    if (inMs === 0) available++;
    else nextInMs = Math.min(nextInMs ?? inMs, inMs);
  }
  return { ready, available, nextInMs };
}

const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * The pods that a controller deletes first when it scales down, as the ReplicaSet controller orders them: pods without a
 * node, not running, not ready, cheap to delete, on nodes with more of them, ready for a shorter time, restarted more
 * often, younger.
 */
export function inOrderOfDeletion(pods: readonly Pod[]): Pod[] {
  const perNode = new Map<string, number>();
  for (const { spec } of pods) {
    if (spec?.nodeName) perNode.set(spec.nodeName, (perNode.get(spec.nodeName) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => ({ pod, ranks: ranksOf(pod, perNode.get(pod.spec?.nodeName ?? '') ?? 0) }));
  ranked.sort((a, b) => compareRanks(a.ranks, b.ranks));
  return ranked.map(({ pod }) => pod);
}

function ranksOf(pod: Pod, neighbours: number): readonly number[] {
  const isOnNode = Boolean(pod.spec?.nodeName);
  const ready = podCondition(pod, 'Ready');
  const isPodReady = ready?.status === 'True';
  const restarts = (pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount);
  return [
    isOnNode ? 1 : 0,
    PHASE_ORDER[pod.status?.phase ?? 'Pending'] ?? 2,
    isPodReady ? 1 : 0,
    Number.parseInt(pod.metadata.annotations?.[DELETION_COST] ?? '0', 10) || 0,
    isPodReady ? -neighbours : 0,
    isPodReady ? -Date.parse(ready.lastTransitionTime ?? '') : 0,
    -Math.max(0, ...restarts),
    -Date.parse(pod.metadata.creationTimestamp),
  ];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [at, rank] of a.entries()) if (rank !== b[at]) return rank - b[at]!;
  return 0;
}
